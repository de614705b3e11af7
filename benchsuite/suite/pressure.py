"""A host that is short of memory, for one process: a control group with a limit, and a file to swap to."""

import contextlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from suite.process import Failure

# Version 1, or a version 2 that has the controller.
ROOTS = ((Path("/sys/fs/cgroup/memory"), "memory.limit_in_bytes"), (Path("/sys/fs/cgroup"), "memory.max"))
SWAP_BYTES = 1 << 30


@contextlib.contextmanager
def memory_limit(limit_bytes):
    """A control group whose processes share so much memory; gives a function that moves the calling process into it.

    Needs root, for the group as for the file to swap to. Both are gone at the end.
    """
    with swap_file(), _group(limit_bytes) as group:
        yield lambda: (group / "cgroup.procs").write_text(str(os.getpid()))


@contextlib.contextmanager
def _group(limit_bytes):
    group = None
    for root, file in ROOTS:
        candidate = root / f"nmax-bench-{os.getpid()}"
        with contextlib.suppress(OSError):
            candidate.mkdir()
            if (candidate / file).exists():
                (candidate / file).write_text(str(limit_bytes))
                group = candidate
                break
            candidate.rmdir()
    if group is None:
        raise Failure("no control group of memory can be made here; it takes root")
    try:
        yield group
    finally:
        group.rmdir()


@contextlib.contextmanager
def swap_file():
    """A file to swap to, if there is no swap yet."""
    if len(Path("/proc/swaps").read_text(encoding="utf-8").splitlines()) > 1:
        yield
        return
    # Not in a file system in memory.
    directory = tempfile.mkdtemp(prefix="nmax-bench-", dir="/var/tmp")
    path = os.path.join(directory, "swap")
    try:
        with open(path, "wb") as file:
            os.posix_fallocate(file.fileno(), 0, SWAP_BYTES)
        os.chmod(path, 0o600)
        _do("mkswap", path)
        _do("swapon", path)
        try:
            yield
        finally:
            _do("swapoff", path)
    finally:
        shutil.rmtree(directory)


def _do(*command):
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode != 0:
        raise Failure(f"`{' '.join(command)}` failed, it takes root: {done.stderr.strip()}")
