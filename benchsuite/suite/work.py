"""Work per exchange that does not depend on how busy the machine is: system calls, and instructions.

Each is the difference between a long and a short run, so that starting up does not count.
"""

import os
import re
import shutil
import statistics
import subprocess
import tempfile
from pathlib import Path

from suite import generators, servers
from suite.generators import ROOT
from suite.process import Failure
from suite.results import goal, spread

# The commit whose figure is held.
FIRST_SLICE = "f1a7ff1"
# The same for both commits, and built in a bearable time. Only the ratio counts.
PROFILE = {"CARGO_PROFILE_RELEASE_OPT_LEVEL": "3", "CARGO_PROFILE_RELEASE_LTO": "off", "CARGO_PROFILE_RELEASE_CODEGEN_UNITS": "16"}
SYSCALLS_MAX = 2.1
INSTRUCTIONS_RATIO_MAX = 1.05


def syscalls(results, cpus, small):
    """System calls per exchange, counted by strace."""
    if shutil.which("strace") is None:
        raise Failure("strace is not installed")
    short, long = (500, 2_500) if small else (5_000, 25_000)
    with servers.nginx(cpus[0]) as url:
        printed = [generators.nmax_under(["strace", "-f", "-c"], url, requests, cpus[1]) for requests in (short, long)]
    for requests, text in zip((short, long), printed):
        results.raw(f"syscalls-{requests}", "txt", text)
    per_exchange = (_calls(printed[1]) - _calls(printed[0])) / (long - short)
    results.number("work", "nmax", 1, "syscalls_per_exchange", per_exchange, "1")
    lines = [f"nmax: {per_exchange:.3f} per exchange, from {short:,} to {long:,} exchanges, counted by strace.", "",
             goal(f"at most {SYSCALLS_MAX} per exchange", per_exchange <= SYSCALLS_MAX)]
    results.section("System calls per exchange", lines)


def instructions(results, cpus, small):
    """Instructions per exchange of the worker thread, counted by callgrind: now, and at the first slice's commit."""
    if shutil.which("valgrind") is None:
        raise Failure("valgrind is not installed")
    tools = ROOT / "target" / "bench-tools"
    then = _worktree(tools / "first-slice-tree")
    programs = {
        "first slice": _build(then, tools / "first-slice-build"),
        "now": _build(ROOT, tools / "now-build"),
    }
    short, long, rounds = (500, 5_500, 1) if small else (2_000, 42_000, 3)
    # Callgrind slows a program down fifty times, so what its main thread does once a second would weigh fifty times
    # too much: only the worker counts, which generates the load. Rounds and their median tell how much chance is left.
    with servers.nginx(cpus[0]) as url:
        for turn in range(1, rounds + 1):
            for name, program in programs.items():
                counts = [_instructions(results, name, turn, program, url, requests, cpus[1]) for requests in (short, long)]
                count = (counts[1] - counts[0]) / (long - short)
                results.number("work", name, turn, "instructions_per_exchange", count, "1")
                print(f"instructions, round {turn}: {name} {count:,.0f} per exchange", flush=True)
    seen = {name: results.values("work", name, "instructions_per_exchange").values() for name in programs}
    per_exchange = {name: statistics.median(counts) for name, counts in seen.items()}
    if min(per_exchange.values()) <= 0:
        raise Failure(f"the runs were too short to tell exchanges from noise: {per_exchange}")
    ratio = per_exchange["now"] / per_exchange["first slice"]
    results.number("work", "now/first slice", 1, "ratio", ratio, "1")
    lines = [
        f"Between {short:,} and {long:,} exchanges, callgrind, {rounds} rounds, release build without whole-program "
        "optimization. Median (smallest to largest).", "",
        "| commit | instructions of the worker per exchange |", "|---|---|",
        *(f"| {name} | {spread(counts)} |" for name, counts in seen.items()), "",
        f"now / first slice ({FIRST_SLICE}): {ratio:.3f}", "",
        goal(f"at most {INSTRUCTIONS_RATIO_MAX} of the first slice's", ratio <= INSTRUCTIONS_RATIO_MAX, small),
    ]
    results.section("Instructions per exchange", lines)


# Plan, steps of an iteration, settings, and whether over TLS.
SHAPES = {
    "plain": ("tiny.yaml", 1, (), False),
    "tls": ("tiny.yaml", 1, ("defaults.tls.insecure=true",), True),
    "scenario": ("scenario.yaml", 3, (), False),
    "JSONPath": ("extraction.yaml", 3, ("workload.mix={ json: 1 }",), False),
}
# Instructions and misses of the first caches per exchange of the shape "plain".
COUNTS_MAX = {"instructions": 3_800, "I1 misses": 20, "D1 misses": 30}
CACHES = ("--cache-sim=yes", "--I1=32768,8,64", "--D1=32768,8,64", "--LL=8388608,16,64")


def caches(results, cpus, small):
    """Instructions and misses of caches of 32 KiB per exchange of the thread that generates load, of nmax and of wrk."""
    if shutil.which("valgrind") is None:
        raise Failure("valgrind is not installed")
    for shape, (plan, steps, settings, tls) in SHAPES.items():
        with servers.nginx(cpus[0], tls=tls) as url:
            def nmax(tool, size):
                generators.nmax_under(tool, url, size * 1_000 // steps, cpus[1], plan=plan, settings=settings)
                return size * 1_000 // steps * steps

            def wrk(tool, size):
                return generators.wrk_under(tool, url, size, cpus[1])

            sizes = (1, 3) if small else (2, 10)
            _count(results, shape, "nmax", "out-03", [lambda tool, size=size: nmax(tool, size) for size in sizes])
            _count(results, shape, "wrk", "out-02", [lambda tool, size=size: wrk(tool, size) for size in sizes])
    lines = ["Per exchange, the difference of a long run and a short one; callgrind with caches of 32 KiB, 8 ways, 64 bytes.", "",
             f"| shape | generator | {' | '.join(COUNTS_MAX)} |", "|---|---|---|---|---|"]
    for shape in SHAPES:
        for name in ("wrk", "nmax"):
            cells = [f"{results.values(f'caches {shape}', name, metric)[1]:,.1f}" for metric in COUNTS_MAX]
            lines.append(f"| {shape} | {name} | {' | '.join(cells)} |")
    plain = {metric: results.values("caches plain", "nmax", metric)[1] for metric in COUNTS_MAX}
    lines += ["", *(goal(f"plain: at most {most:,} {metric}", plain[metric] <= most, small) for metric, most in COUNTS_MAX.items())]
    results.section("Instructions and misses of caches", lines)


def _count(results, shape, name, thread, runs):
    """Counts of `thread` in two runs, which return their exchanges, as figures of an exchange."""
    seen = []
    for run in runs:
        with tempfile.TemporaryDirectory() as folder:
            tool = ["valgrind", "--tool=callgrind", "--separate-threads=yes", *CACHES, f"--callgrind-out-file={folder}/out"]
            exchanges = run(tool)
            text = (Path(folder) / thread).read_text(errors="replace")
        events, totals = (re.search(rf"^{key}: (.*)$", text, re.MULTILINE)[1].split() for key in ("events", "(?:totals|summary)"))
        counted = dict(zip(events, map(int, totals)))
        seen.append((exchanges, counted["Ir"], counted["I1mr"], counted["D1mr"] + counted["D1mw"]))
    results.raw(f"caches-{shape}-{name}", "txt", "\n".join(f"{count} exchanges: Ir {ir} I1 {i1} D1 {d1}" for count, ir, i1, d1 in seen))
    short, long = seen
    for metric, before, after in zip(COUNTS_MAX, short[1:], long[1:]):
        results.number(f"caches {shape}", name, 1, metric, (after - before) / (long[0] - short[0]), "1")
    print(f"caches: {shape}, {name}: {long}", flush=True)


def _worktree(path):
    """The first slice's files at `path`."""
    if not (path / "Cargo.toml").exists():
        _cargo_or_git(["git", "-C", str(ROOT), "worktree", "add", "--force", "--detach", str(path), FIRST_SLICE], {})
    return path


def _build(tree, target):
    """The command built from `tree` in `target`."""
    environment = {**PROFILE, "CARGO_TARGET_DIR": str(target)}
    manifest = str(Path(tree) / "Cargo.toml")
    print(f"building {os.path.relpath(tree, ROOT)} for callgrind", flush=True)
    _cargo_or_git(["cargo", "build", "--quiet", "--release", "--package", "nmax", "--manifest-path", manifest], environment)
    return target / "release" / "nmax"


def _cargo_or_git(command, environment):
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment}, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(command[:3])} failed:\n{done.stderr[-2000:]}")


def _instructions(results, name, turn, program, url, requests, cpu):
    """Instructions of a whole run with that many requests."""
    with tempfile.TemporaryDirectory() as folder:
        tool = ["valgrind", "--tool=callgrind", "--separate-threads=yes", f"--callgrind-out-file={folder}/out"]
        printed = generators.nmax_under(tool, url, requests, cpu, program)
        totals = {path.name: _total(path) for path in sorted(Path(folder).glob("out-*"))}
    counted = "".join(f"{thread} {count}\n" for thread, count in totals.items())
    results.raw(f"instructions-{name.replace(' ', '-')}-{turn}-{requests}", "txt", printed + counted)
    # The threads in the order of their start: the command, its signals, the worker.
    worker = totals.get("out-03")
    if worker is None:
        raise Failure(f"callgrind counted no third thread:\n{counted}{printed[-1000:]}")
    return worker


def _total(path):
    """Instructions of the thread whose profile this is."""
    found = re.search(r"^(?:totals|summary): (\d+)", path.read_text(errors="replace"), re.MULTILINE)
    return int(found[1]) if found else 0


def _calls(printed):
    """The total that `strace -c` printed: share, seconds, microseconds per call, calls."""
    for line in printed.splitlines():
        words = line.split()
        if words[-1:] == ["total"]:
            return int(words[3])
    raise Failure(f"strace printed no count:\n{printed[-1000:]}")
