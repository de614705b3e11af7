"""The report of a day: how long it takes, how much memory, and how large it is."""

import os
import statistics
import tempfile
from pathlib import Path

from suite import generators, pure
from suite.process import Failure, run
from suite.results import goal, spread

HOURS, NAMES, RATE = 24, 50, 20
SECONDS_MAX, MB_MAX, PAGE_MB_MAX = 3.0, 200, 2.0


def days(results, rounds, cpus, small):
    """Reports of a run that an example program wrote by the writer of runs; DAY names one that is there already."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        hours = 2 if small else HOURS
        written = os.environ.get("DAY") or pure.example(
            "nmax-store", "day", cpus[1], [folder, str(hours), str(NAMES), str(RATE)],
            timeout_s=3600, build=("--features", "testing", *(() if small else pure.DIST)))
        directory, page = Path(written.strip()), Path(folder) / "page.html"
        for turn in range(1, rounds + 1):
            done = run([str(generators.NMAX), "report", str(directory), "-o", str(page)], set(cpus), 600)
            if done.code != 0:
                raise Failure(f"nmax report ended with {done.code}:\n{done.stderr[-1000:]}")
            results.number("day", "report", turn, "wall", done.wall_s, "s")
            results.number("day", "report", turn, "cpu", done.cpu_s, "s")
            results.number("day", "report", turn, "memory", done.rss_max_bytes / 1e6, "MB")
            results.number("day", "report", turn, "page", page.stat().st_size / 1e6, "MB")
            print(f"day, round {turn}: {done.wall_s:.2f} s", flush=True)
        for part in (directory, *sorted(directory.glob("rollup-*"))):
            size = sum(file.stat().st_size for file in part.iterdir() if file.is_file())
            results.number("day", "files of the run" if part == directory else part.name, 1, "size", size / 1e6, "MB")
    values = {what: list(results.values("day", "report", what).values()) for what in ("wall", "cpu", "memory", "page")}
    lines = [f"A run of {hours} h with {NAMES} names and {RATE} exchanges a second. Median (smallest to largest).", "",
             "| seconds | seconds of processor time | MB of memory | MB of the page |", "|---|---|---|---|",
             f"| {' | '.join(spread(values[what]) for what in values)} |", "",
             goal(f"in less than {SECONDS_MAX:.0f} s", statistics.median(values["wall"]) < SECONDS_MAX, small),
             goal(f"in less than {MB_MAX} MB", max(values["memory"]) < MB_MAX, small),
             goal(f"a page of less than {PAGE_MB_MAX:.0f} MB", max(values["page"]) < PAGE_MB_MAX, small)]
    results.section("Report of a day", lines)
