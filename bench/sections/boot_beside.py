# SPDX-License-Identifier: Apache-2.0
"""Launch to guest init for the same kernel, initrd and command line, beside
QEMU's microvm (two forms) and q35: from just before the spawn to the guest's first line,
taken in turn (ours, each of QEMU's, ours, ...) in one place."""
import os
import sys
import tempfile

from bench.harness import bed, rows

KERNEL = "6.1-cloud"
CMDLINE = ("console=ttyS0 quiet nokaslr mitigations=off tsc=reliable "
           "no_timer_check random.trust_cpu=on cryptomgr.notests reboot=t panic=-1")
QEMU = "/usr/bin/qemu-system-x86_64"
FIRMWARE = {"bios-256k.bin": "/usr/share/seabios/bios-256k.bin",
            "bios-microvm.bin": "/usr/share/qemu/bios-microvm.bin",
            "linuxboot_dma.bin": "/usr/share/qemu/linuxboot_dma.bin",
            "pvh.bin": "/usr/share/qemu/pvh.bin",
            "kvmvapic.bin": "/usr/share/qemu/kvmvapic.bin"}

# The same guest for all: 1 CPU, 256 MiB, one virtio disk, COM1.
QEMU_COMMON = ("qemu-system-x86_64 -L firmware -accel kvm -cpu host -smp 1 -m 256 "
               "-nodefaults -no-user-config -display none -serial stdio -no-reboot "
               "-kernel $KERNEL -initrd initrd -append \"$CMDLINE\" "
               "-drive id=d0,file=disk.img,format=raw,if=none ")
# The microvm as it comes, and with the options that QEMU's manual names as its
# smallest: which of the two is faster depends on the kernel and the host.
MICROVM = (QEMU_COMMON + "-M microvm,auto-kernel-cmdline=off "
           "-device virtio-blk-device,drive=d0")
MICROVM_SMALL = (QEMU_COMMON + "-M microvm,x-option-roms=off,pit=off,pic=off,"
                 "rtc=off,isa-serial=on,auto-kernel-cmdline=off "
                 "-device virtio-blk-device,drive=d0")
Q35 = QEMU_COMMON + "-M q35 -device virtio-blk-pci,drive=d0,disable-legacy=on"
OURS = ("bulkhead run --kernel $KERNEL --initrd initrd --cmdline \"$CMDLINE\" "
        "--cpus 1 --memory 256 --disk path=disk.img,id=d0 --console stdio")
SIDES = (("ours", OURS), ("microvm", MICROVM),
         ("microvm-small", MICROVM_SMALL), ("q35", Q35))

JOB = """#!/bin/sh
# Each side in turn, one unmeasured round first.
PATH=/opt/bulkhead/bin:$PATH
CMDLINE='{cmdline}'
launch() {{
	row=$1 side=$2 KERNEL=$3
	shift 3
	echo "SAMPLE $row $side $(eval "launch_clock BENCH-GUEST-INIT 120 -- $*" 2>log)"
	cat log >&2
}}
for round in $(seq 0 {reps}); do
	for kernel in bzImage vmlinux; do
{calls}
	done
done
"""


def _job(reps):
    calls = "\n".join(
        f"\t\t[ $round = 0 ] && launch warm-up-$kernel {side} $kernel '{command}'"
        f" || launch $kernel {side} $kernel '{command}'"
        for side, command in SIDES)
    return JOB.format(cmdline=CMDLINE, reps=reps, calls=calls)


def _initrd(ctx, path):
    """An initramfs of one file: the guest's first process."""
    sys.path.insert(0, os.path.join(ctx.repo, "scripts/lib"))
    from initramfs import Cpio  # pylint: disable=import-outside-toplevel
    with open(path, "wb") as f, open(ctx.path("bench/guest_init"), "rb") as init:
        cpio = Cpio(f)
        for name in ("dev", "proc"):
            cpio.folder(name)
        cpio.regular("init", init.read(), 0o755)
        cpio.end()


def _fill(ctx, folder):
    kernel = bed.kernel_folder(ctx.repo, KERNEL)
    images = {n: os.path.join(kernel, n) for n in ("bzImage", "vmlinux")}
    bed.add_files(folder, images)
    bed.add_files(folder, {f"firmware/{n}": p for n, p in FIRMWARE.items()})
    _initrd(ctx, os.path.join(folder, "initrd"))
    with open(os.path.join(folder, "disk.img"), "wb") as f:
        f.truncate(16 << 20)
    job = os.path.join(folder, "job")
    with open(job, "w", encoding="ascii") as f:
        f.write(_job(ctx.reps))
    os.chmod(job, 0o755)
    ctx.used_files += list(images.values())


def _rounds(ctx, samples):
    """{kernel: {side: [ms]}} of the rounds in which every side was valid."""
    series = {}
    for row, side, sample in samples:
        series.setdefault(row, {}).setdefault(side, []).append(sample)
    good = {}
    for row, sides in series.items():
        if row.startswith("warm-up"):
            continue
        good[row] = {side: [] for side, _ in SIDES}
        for one in zip(*(sides[side] for side, _ in SIDES)):
            bad = [f"{s}: {x['why']}" for (s, _), x in zip(SIDES, one) if not x["ok"]]
            if bad:
                ctx.discard(row, "; ".join(bad))
                continue
            for (side, _), x in zip(SIDES, one):
                good[row][side].append(x["marker_ns"] / 1e6)
    return good


def measure(ctx, goals):
    """Rows: each kernel format beside each of QEMU's machines."""
    if not ctx.wants("launch to guest init"):
        return
    programs = [*ctx.binaries(), ctx.path("bench/launch_clock"), QEMU]
    native, reason = bed.is_native(ctx.repo)
    with tempfile.TemporaryDirectory(prefix="bulkhead-bench.") as folder:
        _fill(ctx, folder)
        ctx.progress(f"launching 4 VMMs x 2 kernels x {ctx.reps + 1} rounds")
        series = _rounds(ctx, bed.run_job(ctx, folder,
                                          programs if not native else programs[:4]))
    for kernel, sides in series.items():
        for peer, _ in SIDES[1:]:
            yield rows.make_row(
                "boot", f"launch to guest init, {kernel}, beside {peer}",
                unit="ms", better="lower", ours=sides["ours"],
                peer=(f"qemu {peer}", sides[peer]), goals=goals,
                conditions={"place": reason, "kernel": KERNEL, "cmdline": CMDLINE,
                            "guest": "1 CPU, 256 MiB, one virtio-blk disk, COM1"})
