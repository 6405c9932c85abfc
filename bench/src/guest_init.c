// SPDX-License-Identifier: Apache-2.0
/*
 * guest_init.c - first process of the guest whose launch is timed: says that it
 * runs, then resets the machine. Statically linked, alone in its initramfs.
 */
#include <string.h>
#include <sys/reboot.h>
#include <unistd.h>

int main(void)
{
	static const char marker[] = "\nBENCH-GUEST-INIT\n";

	if (write(1, marker, strlen(marker)) < 0)
		return 1;
	sync();
	reboot(RB_AUTOBOOT);
	return 1;
}
