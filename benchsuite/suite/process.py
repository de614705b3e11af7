"""Processes on one processor or some: start, wait, and what the kernel says they cost."""

import contextlib
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass


class Failure(Exception):
    """A benchmark cannot give a result; the text says why."""


@dataclass(frozen=True)
class Finished:
    """A process that ended. Times in seconds; `switches` are those of context, its own will and others' together;
    `rss_max_bytes` is its largest memory."""

    code: int
    stdout: str
    stderr: str
    user_s: float
    system_s: float
    switches: int
    wall_s: float
    rss_max_bytes: int

    @property
    def cpu_s(self):
        return self.user_s + self.system_s


def run(command, cpu, timeout_s, environment=None, look=None):
    """Runs `command` on processor `cpu`, or on those of a set, and waits at most `timeout_s` for it.

    `look`, when given, is called with the process id and the seconds since the start, some times a second.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        began = time.monotonic()
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=err, env={**os.environ, **(environment or {})},
            preexec_fn=lambda: _stay_on(cpu),
        )
        usage = _wait(process, began, timeout_s, look)
        wall_s = time.monotonic() - began
        texts = [_text(file) for file in (out, err)]
    switches = usage.ru_nvcsw + usage.ru_nivcsw
    return Finished(process.returncode, *texts, usage.ru_utime, usage.ru_stime, switches, wall_s, usage.ru_maxrss * 1024)


def _stay_on(cpu):
    """Binds this process to processor `cpu`, or to those of a set."""
    os.sched_setaffinity(0, cpu if isinstance(cpu, set) else {cpu})


def _wait(process, began, timeout_s, look):
    """Waits by `wait4`, which tells what this one process used. Kills it at the deadline."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return usage
        elapsed_s = time.monotonic() - began
        if look is not None:
            look(pid or process.pid, elapsed_s)
        if elapsed_s > timeout_s:
            process.kill()
            os.wait4(process.pid, 0)
            process.returncode = -signal.SIGKILL
            raise Failure(f"{os.path.basename(process.args[0])} did not end in time")
        time.sleep(0.05)


def _text(file):
    file.seek(0)
    return file.read().decode("utf-8", "replace")


@contextlib.contextmanager
def server(command, cpu, port, patience_s=10, before=None):
    """A server on processor `cpu` that listens on loopback `port`; told to end when the block ends, and killed when it has
    not done so in `patience_s`. Gives its number. `before` is called in its process before it becomes the server."""

    def prepare():
        _stay_on(cpu)
        if before:
            before()

    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            preexec_fn=prepare,
        )
        try:
            _wait_for_port(process, port, log)
            yield process.pid
        finally:
            _end(process, patience_s)


@contextlib.contextmanager
def busy(cpu):
    """A process that leaves processor `cpu` no idle time."""
    process = subprocess.Popen(
        [sys.executable, "-c", "while True: pass"], stdin=subprocess.DEVNULL,
        preexec_fn=lambda: _stay_on(cpu),
    )
    try:
        yield
    finally:
        _end(process)


def _end(process, patience_s=10):
    process.terminate()
    try:
        process.wait(patience_s)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _wait_for_port(process, port, log):
    for _ in range(100):
        if process.poll() is not None:
            raise Failure(f"{process.args[0]} ended at once:\n{_text(log)}")
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.1)
    raise Failure(f"{process.args[0]} does not listen on port {port}")


def free_port():
    """A loopback port that nothing listened on a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
