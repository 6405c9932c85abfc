# SPDX-License-Identifier: Apache-2.0
"""Runs a measuring job where a stock kernel can run: here, or in the bed.

A job is a shell script that prints lines `SAMPLE ROW SIDE JSON`. Everything
that it needs is in its folder, so the same job runs on either place.
"""
import json
import os
import shutil
import subprocess

from bench.harness.context import Invalid


def is_native(repo):
    """Can this host's KVM run a stock kernel? (answer, reason)"""
    done = subprocess.run([os.path.join(repo, "tests/bed/detect")],
                          capture_output=True, text=True, timeout=120,
                          check=False)
    return done.returncode == 0, done.stdout.strip()


def kernel_folder(repo, name):
    """A stock Debian kernel, fetched once."""
    done = subprocess.run([os.path.join(repo, "scripts/fetch-kernel"), name],
                          capture_output=True, text=True, timeout=600,
                          check=False)
    if done.returncode != 0:
        raise Invalid(f"kernel {name}: {done.stderr.strip()}")
    return done.stdout.strip().splitlines()[-1]


def _command(repo, folder, programs, mem, timeout, native):
    if native:
        return ["timeout", str(timeout), "./job"]
    argv = [os.path.join(repo, "tests/bed/run"), "--mem", str(mem),
            "--timeout", str(timeout)]
    for program in programs:
        argv += ["--bin", program]
    return argv + [folder]


def run_job(ctx, folder, programs, mem=2048, timeout=1200):
    """Runs folder/job; yields (row, side, sample dict) of its SAMPLE lines."""
    native, _ = is_native(ctx.repo)
    path = [os.path.dirname(p) for p in programs]
    env = dict(os.environ, PATH=":".join([*path, os.environ["PATH"]]))
    done = subprocess.run(
        _command(ctx.repo, folder, programs, mem, timeout, native), cwd=folder,
        env=env, capture_output=True, text=True, errors="replace", check=False)
    if done.returncode != 0:
        tail = "\n".join((done.stdout + done.stderr).splitlines()[-15:])
        raise Invalid(f"the job ended with {done.returncode}:\n{tail}")
    for line in done.stdout.splitlines():
        if line.startswith("SAMPLE "):
            _, row, side, text = line.strip().split(" ", 3)
            yield row, side, json.loads(text)


def add_files(folder, files):
    """Copies {name in the folder: path} and keeps the run bit."""
    for name, path in files.items():
        target = os.path.join(folder, name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy(os.path.realpath(path), target)
