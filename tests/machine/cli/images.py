# SPDX-License-Identifier: Apache-2.0
"""Small kernels made by hand: an ELF64 or bzImage around a few bytes of code.
Formats: System V gABI (ELF64), Linux/x86 boot protocol 2.15, PVH note."""
import struct

LOAD = 0x1000000
MACHINE_X86_64, MACHINE_AARCH64 = 62, 183

# 64-bit (and 32-bit) code: al to a port, then stay halted.
HALT = b"\xfa\xf4\xeb\xfc"  # cli; hlt; jmp back
SPIN = b"\xeb\xfe"


def port_write(port, value):
    """mov dx, port; mov al, value; out dx, al; halt."""
    return b"\x66\xba" + struct.pack("<H", port) + b"\xb0" + bytes([value]) + b"\xee" + HALT


DEBUG_EXIT, PVPANIC, SLEEP_CONTROL, RESET = 0xf4, 0x505, 0x600, 0x602
POWEROFF = port_write(SLEEP_CONTROL, 5 << 2 | 1 << 5)


def elf(code, machine=MACHINE_X86_64, pvh=False, load=LOAD):
    """An ELF64 executable with one segment, and the PVH note if asked."""
    note = struct.pack("<III4sI", 4, 4, 18, b"Xen\0", load) if pvh else b""
    phnum = 2 if pvh else 1
    offset = 0x1000
    head = b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack(
        "<HHIQQQIHHHHHH", 2, machine, 1, load, 64, 0, 0, 64, 56, phnum, 0, 0, 0)
    body = code.ljust(4096, b"\x90")
    heads = struct.pack("<IIQQQQQQ", 1, 7, offset, load, load, len(body),
                        len(body), 4096)
    if pvh:
        heads += struct.pack("<IIQQQQQQ", 4, 4, 0x800, 0, 0, len(note), len(note), 4)
    return (head + heads).ljust(0x800, b"\0") + note.ljust(0x800, b"\0") + body


def bzimage(code, cmdline_size=2047, version=0x20f):
    """A bzImage with a 64-bit entry 0x200 behind its load address."""
    payload = bytes(0x200) + code.ljust(4096, b"\x90")
    setup = bytearray(2 * 512)
    setup[0x1f1] = 1                                    # setup_sects
    struct.pack_into("<I", setup, 0x1f4, len(payload) // 16)  # syssize
    struct.pack_into("<H", setup, 0x1fe, 0xaa55)
    setup[0x200:0x202] = b"\xeb\x66"                    # jump: header to 0x268
    struct.pack_into("<4sH", setup, 0x202, b"HdrS", version)
    setup[0x211] = 1                                    # loaded high
    struct.pack_into("<I", setup, 0x22c, 0x7fffffff)    # initrd_addr_max
    struct.pack_into("<I", setup, 0x230, 0x200000)      # kernel_alignment
    setup[0x234] = 1                                    # relocatable
    struct.pack_into("<H", setup, 0x236, 1)             # xloadflags: 64-bit
    struct.pack_into("<I", setup, 0x238, cmdline_size)
    struct.pack_into("<Q", setup, 0x258, LOAD)          # pref_address
    struct.pack_into("<I", setup, 0x260, 0x10000)       # init_size
    return bytes(setup) + payload
