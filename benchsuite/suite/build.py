"""How long a stranger waits for a program and a developer for the tests: from a fresh clone, crates downloaded before."""

import csv
import io
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from contextlib import contextmanager
from pathlib import Path

from suite.generators import ROOT
from suite.process import Failure, run
from suite.results import goal

MEGABYTE = 1e6
PATIENCE_S = 3600
# The first result of the demo begins with its verdict.
VERDICT = re.compile(r"\b(PASS|FAIL|INVALID)\b")


@contextmanager
def fresh_clone():
    """The newest commit in a folder of its own, without anything built."""
    with tempfile.TemporaryDirectory(prefix="nmax-build-") as folder:
        clone = Path(folder) / "nmax"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        subprocess.run(["cargo", "fetch", "--locked", "--quiet"], cwd=clone, check=True)
        yield clone


def in_clone(clone, cpus, *command):
    """Runs a command in the clone, as a developer would: no target directory of somebody else."""
    environment = {"CARGO_TARGET_DIR": str(clone / "target"), "CARGO_TERM_COLOR": "never"}
    finished = run(["sh", "-c", 'cd "$0" && exec "$@"', str(clone), *command], set(cpus), PATIENCE_S, environment)
    if finished.code != 0:
        raise Failure(f"{' '.join(command)} failed:\n{finished.stdout[-2000:]}\n{finished.stderr[-2000:]}")
    return finished


def build(results, cpus):
    """The program: time of each unit, and when `make demo` shows its first result."""
    with fresh_clone() as clone:
        built = in_clone(clone, cpus, "cargo", "build", "--release", "--package", "nmax", "--no-default-features", "--timings")
        units = units_of(max((clone / "target/cargo-timings").glob("cargo-timing-2*.html")))
        results.raw("build-units", "csv", units)
        shutil.rmtree(clone / "target")
        first_s = first_result(clone, results)
        whole = in_clone(clone, cpus, "make", "build")
        size_mb = (clone / "target/release/nmax").stat().st_size / MEGABYTE
    for metric, value, unit in (("cpu", built.cpu_s, "s"), ("wall", built.wall_s, "s"), ("demo_first_result", first_s, "s"),
                                ("rest_wall", whole.wall_s, "s"), ("size", size_mb, "MB")):
        results.number("build", "nmax", 0, metric, value, unit)
    results.section("Build from a fresh clone", [
        f"What `make demo` builds: {built.cpu_s:.0f} s of processor time, {built.wall_s:.0f} s of wall time on {len(cpus)} "
        f"processors. Each unit: raw/build-units.csv. `make build` adds the rest in {whole.wall_s:.0f} s; the program has "
        f"{size_mb:.1f} MB.",
        "",
        goal(f"{built.cpu_s / 60:.1f} processor minutes, at most 7", built.cpu_s <= 420),
        goal(f"first result of `make demo` after {first_s:.0f} s, at most 300", first_s <= 300),
    ])


def packages(results, cpus):
    """Sizes of what users download."""
    with fresh_clone() as clone:
        in_clone(clone, cpus, "make", "agent")
        dist = in_clone(clone, cpus, "make", "dist")
        results.raw("dist", "txt", (dist.stdout + dist.stderr).replace(str(clone), "."))
        agent_mb = (clone / "target/agent/nmax-agent").stat().st_size / MEGABYTE
        dist_mb = max(path.stat().st_size for path in (clone / "target").glob("*/dist/nmax")) / MEGABYTE
    for subject, value in (("nmax", dist_mb), ("nmax-agent", agent_mb)):
        results.number("packages", subject, 0, "size", value, "MB")
    results.number("packages", "make dist", 0, "cpu", dist.cpu_s, "s")
    results.section("Programs that users download, static and stripped", [
        goal(f"nmax has {dist_mb:.1f} MB, at most 15", dist_mb <= 15),
        goal(f"nmax-agent has {agent_mb:.1f} MB, at most 5", agent_mb <= 5),
    ])


def units_of(page):
    """The table of cargo's page as CSV, the slowest unit first. `frontend_s` is what other units wait for."""
    found = re.search(r"const UNIT_DATA = (\[.*?\]);\n", page.read_text(encoding="utf-8"), re.DOTALL)
    if not found:
        raise Failure("cargo's page of timings has no table of units")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["crate", "version", "target", "wall_s", "frontend_s"])
    for unit in sorted(json.loads(found[1]), key=lambda unit: -unit["duration"]):
        sections = dict(unit.get("sections") or [])
        frontend = sections.get("frontend")
        frontend_s = f"{frontend['end'] - frontend['start']:.1f}" if frontend else ""
        target = unit["target"].strip() or "lib"
        writer.writerow([unit["name"], unit["version"], target, f"{unit['duration']:.1f}", frontend_s])
    return text.getvalue()


def first_result(clone, results):
    """Seconds of `make demo` until its first verdict, its build included."""
    began = time.monotonic()
    foreign = ("NMAX", "SHORT", "NMAX_RUNS_DIR", "NMAX_INSTALL", "RUSTFLAGS")
    environment = {name: value for name, value in os.environ.items() if name not in foreign}
    environment["CARGO_TARGET_DIR"] = str(clone / "target")
    demo = subprocess.Popen(["make", "demo"], cwd=clone, env=environment, text=True, stdout=subprocess.PIPE,
                            stderr=subprocess.STDOUT)
    lines, first_s = [], None
    for line in demo.stdout:
        lines.append(line)
        if first_s is None and VERDICT.search(line):
            first_s = time.monotonic() - began
    demo.wait()
    results.raw("demo", "txt", "".join(lines).replace(str(clone), "."))
    if first_s is None:
        raise Failure("`make demo` gave no verdict")
    return first_s


def tests(results, cpus, target, cold_s_max, warm_s_max):
    """`make test` or `make test-quick`, cold and again."""
    lines = []
    with fresh_clone() as clone:
        for state, most_s in (("cold", cold_s_max), ("warm", warm_s_max)):
            ended = in_clone(clone, cpus, "make", target, "SLOWEST=1")
            results.raw(f"{target}-{state}", "txt", (ended.stdout + ended.stderr).replace(str(clone), "."))
            results.number("tests", target, 0, f"{state}_wall", ended.wall_s, "s")
            results.number("tests", target, 0, f"{state}_cpu", ended.cpu_s, "s")
            lines.append(goal(f"`make {target}` {state}: {ended.wall_s:.0f} s of wall time, {ended.cpu_s:.0f} s of processor "
                              f"time, at most {most_s} s", ended.wall_s <= most_s))
    results.section(f"`make {target}` from a fresh clone", lines)
