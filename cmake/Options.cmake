# SPDX-License-Identifier: Apache-2.0
# What a builder may choose. Presets set these; see CMakePresets.json.
option(BULKHEAD_TESTS "build the tests and benchmarks" ON)
option(BULKHEAD_WERROR "treat warnings as errors" OFF)
option(BULKHEAD_TIDY "run clang-tidy beside the compiler (clang only)" OFF)
option(BULKHEAD_FUZZ "build the libFuzzer programs (clang only)" OFF)
set(BULKHEAD_SANITIZE "" CACHE STRING "value of -fsanitize=, empty for none")

if(NOT CMAKE_BUILD_TYPE)
	set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
if((BULKHEAD_TIDY OR BULKHEAD_FUZZ) AND NOT CMAKE_C_COMPILER_ID STREQUAL "Clang")
	message(FATAL_ERROR "BULKHEAD_TIDY and BULKHEAD_FUZZ need clang, not ${CMAKE_C_COMPILER_ID}")
endif()
