# SPDX-License-Identifier: Apache-2.0
# Warnings and hardening of every object that we wrote. Generated code gets
# only the hardening (target bulkhead_hardening), ours both.
include(CheckCCompilerFlag)

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_C_FLAGS_DEBUG "-Og -g3")
set(CMAKE_C_FLAGS_RELWITHDEBINFO "-O2 -g")

add_library(bulkhead_hardening INTERFACE)
add_library(bulkhead_warnings INTERFACE)

# bh_add_flags(<interface target> <flag>...): each flag that this compiler has.
function(bh_add_flags target)
	foreach(flag IN LISTS ARGN)
		string(MAKE_C_IDENTIFIER "HAVE${flag}" have)
		check_c_compiler_flag("-Werror ${flag}" ${have})
		if(${have})
			target_compile_options(${target} INTERFACE $<$<COMPILE_LANGUAGE:C>:${flag}>)
		endif()
	endforeach()
endfunction()

bh_add_flags(bulkhead_hardening
	-fstack-protector-strong -fstack-clash-protection -fcf-protection
	-fno-strict-aliasing -fno-common -fstrict-flex-arrays=3)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	bh_add_flags(bulkhead_hardening -ftrivial-auto-var-init=zero)
endif()
target_compile_definitions(bulkhead_hardening INTERFACE _GNU_SOURCE)
target_include_directories(bulkhead_hardening INTERFACE ${PROJECT_SOURCE_DIR})
target_link_options(bulkhead_hardening INTERFACE
	-pie LINKER:-z,relro LINKER:-z,now LINKER:-z,noexecstack LINKER:--as-needed)

if(BULKHEAD_SANITIZE)
	target_compile_options(bulkhead_hardening INTERFACE
		-fsanitize=${BULKHEAD_SANITIZE} -fno-omit-frame-pointer
		-fno-sanitize-recover=all)
	target_link_options(bulkhead_hardening INTERFACE -fsanitize=${BULKHEAD_SANITIZE})
	target_compile_definitions(bulkhead_hardening INTERFACE BULKHEAD_SANITIZED=1)
else()
	# -Og and -O2 both optimise enough for the fortified calls.
	target_compile_options(bulkhead_hardening INTERFACE
		-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=3)
endif()

if(BULKHEAD_FUZZ)
	# All code, not only the fuzzers: libFuzzer follows what it covers.
	target_compile_options(bulkhead_hardening INTERFACE -fsanitize=fuzzer-no-link)
	target_link_options(bulkhead_hardening INTERFACE -fsanitize=fuzzer-no-link)
endif()

bh_add_flags(bulkhead_warnings
	-Wall -Wextra -Wconversion -Wsign-conversion -Wshadow -Wundef -Wvla
	-Wformat=2 -Wcast-qual -Wcast-align -Wpointer-arith -Wwrite-strings
	-Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
	-Wnull-dereference -Wimplicit-fallthrough -Wswitch-enum)
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
	bh_add_flags(bulkhead_warnings
		-Wjump-misses-init -Wlogical-op -Wduplicated-cond -Wduplicated-branches)
endif()
if(BULKHEAD_WERROR)
	target_compile_options(bulkhead_warnings INTERFACE -Werror)
endif()

if(BULKHEAD_TIDY)
	find_program(CLANG_TIDY NAMES clang-tidy clang-tidy-14 REQUIRED)
endif()
