// SPDX-License-Identifier: Apache-2.0
/*
 * no_cap.c - preloaded into the monitor by test_host.py: a KVM that lacks the
 * capability whose number is in NO_CAP, or another API version in NO_API.
 */
#include <linux/kvm.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int ioctl(int fd, unsigned long request, ...)
{
	const char *cap = getenv("NO_CAP");
	const char *api = getenv("NO_API");
	va_list ap;
	long arg;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	if (api && request == KVM_GET_API_VERSION)
		return (int)strtol(api, NULL, 10);
	if (cap && request == KVM_CHECK_EXTENSION &&
	    arg == strtol(cap, NULL, 10))
		return 0;
	return (int)syscall(SYS_ioctl, fd, request, arg);
}
