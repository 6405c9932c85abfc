#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A check that finds nothing proves nothing: each rule of lint.py must reject
a violation that is planted in a small tree, and accept the tree without it."""

import pathlib
import tempfile
import unittest

import lint

SPDX_C = "// " + lint.SPDX + "\n"
SPDX_H = "/* " + lint.SPDX + " */\n"

# A tree that keeps every rule.
GOOD = {
    "ipc/fds.h": SPDX_H,
    "ipc/fds.c": SPDX_C + '#include "ipc/fds.h"\n#include <errno.h>\n',
    "ipc/peer.c": SPDX_C + '#include "proto/child.pb-c.h"\n',
    "policy/wall_caps.c": SPDX_C + "#include <sys/capability.h>\n"
                                   '#include "ipc/fds.h"\n',
    "policy/role.h": SPDX_H,
    "devices/core/gmem.h": SPDX_H,
    "devices/core/uring.c": SPDX_C + "#include <liburing.h>\n"
                                     '#include "policy/role.h"\n',
    "devices/blk/req.h": SPDX_H,
    "devices/blk/req.c": SPDX_C + '#include "devices/core/gmem.h"\n'
                                  '#include "devices/blk/req.h"\n',
    "devices/net/tap.h": SPDX_H,
    "vmm/kvm/kvm.h": SPDX_H,
    "vmm/main.c": SPDX_C + '#include "vmm/kvm/kvm.h"\n#include "ipc/fds.h"\n',
    "monitor/config/config_json.c": SPDX_C + "#include <jansson.h>\n",
    "tests/unit/any.c": SPDX_C + '#include "vmm/kvm/kvm.h"\n'
                                 "#include <liburing.h>\n"
                                 '#include "near.h"\n',
    "tests/unit/near.h": SPDX_H,
    "scripts/run": "#!/bin/sh\n# " + lint.SPDX + "\n",
    "scripts/notes": "no script, no licence line\n",
    "cmake/Flags.cmake": "# " + lint.SPDX + "\n",
}

# File, what is added to it, and what the answer must mention.
BAD_INCLUDES = (
    ("ipc/fds.c", '#include "policy/role.h"', "ipc must not"),
    ("ipc/fds.c", '#include "vmm/kvm/kvm.h"', "ipc must not"),
    ("ipc/fds.c", '#include "fds.h"', "not a path from the root"),
    ("ipc/fds.c", '#include "ipc/gone.h"', "not a path from the root"),
    ("policy/role.h", '#include "devices/core/gmem.h"', "policy must not"),
    ("devices/core/gmem.h", '#include "devices/blk/req.h"',
     "devices/core must not"),
    ("devices/blk/req.c", '#include "devices/net/tap.h"',
     "devices/blk must not"),
    ("devices/blk/req.c", '  #  include "vmm/kvm/kvm.h"', "devices/blk must not"),
    ("vmm/main.c", '#include "devices/core/gmem.h"', "vmm must not"),
    ("vmm/main.c", '#include "tests/unit/near.h"', "vmm must not"),
    ("monitor/config/config_json.c", '#include "vmm/kvm/kvm.h"', "monitor must not"),
    ("vmm/main.c", "#include <liburing.h>", "liburing.h"),
    ("devices/blk/req.c", "#include <liburing.h>", "liburing.h"),
    ("ipc/fds.c", "#include <seccomp.h>", "seccomp.h"),
    ("monitor/config/config_json.c", "#include <sys/capability.h>", "capability"),
    ("ipc/peer.c", "#include <jansson.h>", "jansson.h"),
)


class LintTest(unittest.TestCase):
    """Plants violations in a copy of GOOD."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        for name, text in GOOD.items():
            self.write(name, text)

    def write(self, name, text):
        """Makes a file of the tree."""
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def test_good_tree(self):
        """Nothing is wrong with it."""
        for check in ("includes", "spdx", "size"):
            self.assertEqual(lint.CHECKS[check](self.root), [])

    def test_bad_includes(self):
        """Each is found, alone, with its line."""
        for name, line, want in BAD_INCLUDES:
            with self.subTest(file=name, line=line):
                self.write(name, GOOD[name] + line + "\n")
                found = lint.check_includes(self.root)
                self.assertEqual(len(found), 1, found)
                self.assertIn(want, found[0])
                number = (GOOD[name] + line).count("\n") + 1
                self.assertTrue(found[0].startswith(f"{name}:{number}:"))
                self.write(name, GOOD[name])

    def test_missing_licence(self):
        """Also when it is there, but not first."""
        for name in ("ipc/fds.c", "scripts/run", "cmake/Flags.cmake"):
            with self.subTest(file=name):
                self.write(name, "#!/bin/sh\n\n" + GOOD[name])
                self.assertEqual(len(lint.check_spdx(self.root)), 1)
                self.write(name, GOOD[name])

    def test_long_files(self):
        """One line over the limit is enough."""
        for suffix, limit in lint.FILE_LINES.items():
            name = "ipc/long" + suffix
            self.write(name, SPDX_C + "\n" * (limit - 1))
            self.assertEqual(lint.check_size(self.root), [])
            self.write(name, SPDX_C + "\n" * limit)
            self.assertEqual(len(lint.check_size(self.root)), 1)
            (self.root / name).unlink()

    def test_long_functions(self):
        """As long as allowed, and one line more."""
        body = "int f(void)\n{\n%s}\n"
        limit = lint.FUNCTION_LINES
        self.write("ipc/f.c", SPDX_C + body % ("\t;\n" * (limit - 1)))
        self.assertEqual(lint.check_size(self.root), [])
        self.write("ipc/f.c", SPDX_C + body % ("\t;\n" * limit))
        self.assertEqual(len(lint.check_size(self.root)), 1)

    def test_bad_format(self):
        """Where clang-format is there."""
        if not lint.clang_format():
            self.skipTest("no clang-format 14")
        for name in GOOD:
            (self.root / name).unlink()
        self.write("ipc/f.c", SPDX_C + "int f;\n")
        self.assertEqual(lint.check_format(self.root), [])
        self.write("ipc/f.c", SPDX_C + "int  f;\n")
        self.assertEqual(len(lint.check_format(self.root)), 1)


if __name__ == "__main__":
    unittest.main()
