# SPDX-License-Identifier: Apache-2.0
# Debian 12's packages are the base; what newer versions add is probed.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(PROTOBUF_C REQUIRED IMPORTED_TARGET libprotobuf-c>=1.4)
pkg_check_modules(SECCOMP REQUIRED IMPORTED_TARGET libseccomp>=2.5)
pkg_check_modules(CAP REQUIRED IMPORTED_TARGET libcap)
pkg_check_modules(URING REQUIRED IMPORTED_TARGET liburing>=2.3)
pkg_check_modules(JANSSON REQUIRED IMPORTED_TARGET jansson>=2.14)
find_program(PROTOC_C NAMES protoc-c REQUIRED)
if(BULKHEAD_TESTS)
	pkg_check_modules(CUNIT REQUIRED IMPORTED_TARGET cunit)
endif()
