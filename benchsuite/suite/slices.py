"""Slices of very many raw exchanges: how long an answer takes."""

import json
import statistics
import tempfile
from pathlib import Path

from suite import generators, pure
from suite.process import Failure, run
from suite.results import goal, spread

ROWS = 10_000_000
SECONDS_MAX = 2.0
QUESTIONS = {
    "by name and status": ["--by", "name,status"],
    "failed ones by name": ["--by", "name", "--where", "status >= 500"],
    "slow ones by scenario, over time": ["--by", "scenario", "--where", "response > 100ms and name ~ '[0-4]$'", "--over-time"],
    "by user, the slowest first": ["--by", "vu", "--sort", "p99"],
}


def slices(results, rounds, cpus, small):
    """Questions in turn about a run that an example program wrote by the writer of runs."""
    rows = 100_000 if small else ROWS
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        build = ("--features", "testing", *(() if small else pure.DIST))
        directory = Path(pure.example("nmax-store", "rows", cpus[1], [folder, str(rows)], build=build).strip())
        size = sum(file.stat().st_size for file in directory.glob("samples-*.parquet"))
        for turn in range(1, rounds + 1):
            for question, flags in QUESTIONS.items():
                command = [str(generators.NMAX), "slice", str(directory), *flags, "--json"]
                done = run(command, set(cpus), 120)
                if done.code != 0:
                    raise Failure(f"{question}: nmax ended with {done.code}:\n{done.stderr[-1000:]}")
                found = json.loads(done.stdout)
                if found["seen"] != rows or found["source"]["from"] != "samples":
                    raise Failure(f"{question}: {found['seen']} of {rows} exchanges were looked at")
                results.number("slice", question, turn, "wall", done.wall_s, "s")
                results.number("slice", question, turn, "cpu", done.cpu_s, "s")
                results.number("slice", question, turn, "memory", done.rss_max_bytes / 1e6, "MB")
                print(f"slice, round {turn}, {question}: {done.wall_s:.2f} s", flush=True)
    _section(results, rows, size, small)


def _section(results, rows, size, small):
    lines = [f"{rows:,} raw exchanges, {size / 1e6:,.0f} MB of Parquet. Median (smallest to largest).", "",
             "| question | seconds | seconds of processor time | MB of memory |", "|---|---|---|---|"]
    medians = []
    for question in QUESTIONS:
        walls = results.values("slice", question, "wall").values()
        medians.append(statistics.median(walls))
        cpu, memory = (spread(results.values("slice", question, what).values()) for what in ("cpu", "memory"))
        lines.append(f"| {question} | {spread(walls)} | {cpu} | {memory} |")
    lines += ["", goal(f"each in less than {SECONDS_MAX:.0f} s", max(medians) < SECONDS_MAX, small)]
    results.section("Slices", lines)
