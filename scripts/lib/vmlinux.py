#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Takes the ELF kernel (vmlinux) out of a bzImage.

The setup header (Linux x86 boot protocol 2.08 and later) says where the
compressed payload lies: payload_offset at 0x248 and payload_length at 0x24c,
relative to the protected-mode code, which follows setup_sects + 1 sectors.
The last four bytes of the payload are the unpacked size.
"""

import gzip
import lzma
import struct
import subprocess
import sys

MAGICS = (
    (b"\x1f\x8b", "gzip"),
    (b"\xfd7zXZ", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
    (b"\x02\x21\x4c\x18", "lz4"),
)


def payload_of(image):
    """Returns the compressed payload of a bzImage."""
    if len(image) < 0x260 or image[0x202:0x206] != b"HdrS":
        raise ValueError("not a bzImage: no HdrS at 0x202")
    version = struct.unpack_from("<H", image, 0x206)[0]
    if version < 0x208:
        raise ValueError(f"boot protocol {version:#x} has no payload fields")
    setup_sects = image[0x1F1] or 4
    offset, length = struct.unpack_from("<II", image, 0x248)
    start = (setup_sects + 1) * 512 + offset
    if start + length > len(image):
        raise ValueError("truncated: the payload ends after the file")
    return image[start:start + length]


def unpack(payload):
    """Unpacks by the payload's magic number; checks the size at its end."""
    kind = next((k for m, k in MAGICS if payload.startswith(m)), None)
    size = struct.unpack_from("<I", payload, len(payload) - 4)[0]
    if kind == "gzip":
        data = gzip.decompress(payload)
    elif kind == "xz":
        data = lzma.LZMADecompressor().decompress(payload)
    elif kind in ("zstd", "lz4"):
        # Both tools give out all data and then complain of the size field.
        data = subprocess.run([kind, "-dc"], input=payload, check=False,
                              capture_output=True).stdout
    else:
        raise ValueError(f"unknown compression, magic {payload[:4].hex()}")
    if len(data) != size and kind != "gzip":
        raise ValueError(f"unpacked {len(data)} bytes, header says {size}")
    return data


def main():
    """Command line: vmlinux.py BZIMAGE VMLINUX."""
    if len(sys.argv) != 3:
        sys.exit("usage: vmlinux.py BZIMAGE VMLINUX")
    with open(sys.argv[1], "rb") as file:
        data = unpack(payload_of(file.read()))
    if data[:4] != b"\x7fELF":
        sys.exit("vmlinux.py: the payload is no ELF file")
    with open(sys.argv[2], "wb") as file:
        file.write(data)


if __name__ == "__main__":
    try:
        main()
    except (OSError, ValueError) as error:
        sys.exit(f"vmlinux.py: {error}")
