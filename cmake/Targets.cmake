# SPDX-License-Identifier: Apache-2.0
# The three kinds of target in this tree, so that flags cannot be forgotten.

# bh_flags(<target>): our warnings and hardening, and clang-tidy if asked.
function(bh_flags target)
	target_link_libraries(${target} PRIVATE bulkhead_hardening bulkhead_warnings)
	if(BULKHEAD_TIDY)
		set_target_properties(${target} PROPERTIES C_CLANG_TIDY "${CLANG_TIDY};--quiet")
	endif()
endfunction()

# bh_library(<name> SOURCES <file>... [DEPS <target>...])
function(bh_library name)
	cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
	add_library(${name} STATIC ${ARG_SOURCES})
	target_link_libraries(${name} PUBLIC ${ARG_DEPS})
	bh_flags(${name})
endfunction()

# bh_program(<name> SOURCES <file>... [DEPS <target>...]): goes to bin/.
function(bh_program name)
	cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
	add_executable(${name} ${ARG_SOURCES})
	target_link_libraries(${name} PRIVATE ${ARG_DEPS})
	bh_flags(${name})
endfunction()

# bh_unit_test(<module> SOURCES <file>... [DEPS <target>...]): one CUnit binary
# a module; ctest name unit.<module>, label unit.
function(bh_unit_test module)
	cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
	string(REPLACE "." "_" exe "unit_${module}")
	add_executable(${exe} ${ARG_SOURCES})
	target_link_libraries(${exe} PRIVATE ${ARG_DEPS} bulkhead_unit_main PkgConfig::CUNIT)
	bh_flags(${exe})
	set_target_properties(${exe} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	add_test(NAME unit.${module} COMMAND ${exe})
	set_tests_properties(unit.${module} PROPERTIES LABELS unit TIMEOUT 60 SKIP_RETURN_CODE 77)
endfunction()

# bh_fuzzer(<name> SOURCES <file>... [DEPS <target>...] [SECONDS n]): libFuzzer
# program with its corpus in tests/fuzz/corpus/<name>; ctest name fuzz.<name>.
function(bh_fuzzer name)
	if(NOT BULKHEAD_FUZZ)
		return()
	endif()
	cmake_parse_arguments(ARG "" "SECONDS" "SOURCES;DEPS" ${ARGN})
	if(NOT ARG_SECONDS)
		set(ARG_SECONDS 15)
	endif()
	add_executable(fuzz_${name} ${ARG_SOURCES})
	target_link_libraries(fuzz_${name} PRIVATE ${ARG_DEPS})
	target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
	bh_flags(fuzz_${name})
	set_target_properties(fuzz_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
	set(new ${CMAKE_BINARY_DIR}/corpus/${name})
	file(MAKE_DIRECTORY ${new})
	add_test(NAME fuzz.${name} COMMAND fuzz_${name} -max_total_time=${ARG_SECONDS}
		-timeout=10 -rss_limit_mb=2048 -print_final_stats=1
		${new} ${PROJECT_SOURCE_DIR}/tests/fuzz/corpus/${name})
	set_tests_properties(fuzz.${name} PROPERTIES LABELS fuzz TIMEOUT 120)
endfunction()

# bh_add_if_present(<dir>): a part of the tree that has its own CMakeLists.txt.
function(bh_add_if_present dir)
	if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/CMakeLists.txt)
		add_subdirectory(${dir})
	endif()
endfunction()
