"""Questions of capacity: a simulated day, and a year of an access log to a plan."""

import statistics
import tempfile
from pathlib import Path

from suite import generators, pure, visits
from suite.process import Failure, run
from suite.results import goal, spread

DAY_MAX_S, LOG_MAX_S = 2.0, 30.0
# Ten million lines are a year.
LINES, PER_S = 10_000_000, 0.317
DOCUMENT = """capacity: 1
supply: { usable: 4/s, nodes: { alpha: 0.01, tested: 16 }, now: 4 }
demand: { log: [shop.log] }
plan: { horizon: 26 weeks }
"""


def capacity(results, rounds, cpus, small):
    """Both, in turns."""
    build = () if small else pure.DIST
    lines = LINES // 100 if small else LINES
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        visits.write(Path(folder) / "shop.log", lines, PER_S, 1)
        document = Path(folder) / "shop.yaml"
        document.write_text(DOCUMENT, encoding="utf-8")
        for turn in range(1, rounds + 1):
            for line in pure.example("nmax-capacity", "day", cpus[1], [], build=build).splitlines():
                name, seconds = line.split()
                results.number("capacity", f"{name} day", turn, "wall", float(seconds), "s")
            done = run([str(generators.NMAX), "capacity", "plan", str(document), "--exit-zero"], set(cpus), 600)
            if done.code != 0:
                raise Failure(f"nmax capacity plan ended with {done.code}:\n{done.stderr[-1000:]}")
            results.number("capacity", "year of a log", turn, "wall", done.wall_s, "s")
            results.number("capacity", "year of a log", turn, "memory", done.rss_max_bytes / 1e6, "MB")
            print(f"capacity, round {turn}: {done.wall_s:.1f} s", flush=True)
    of = lambda what, figure="wall": list(results.values("capacity", what, figure).values())  # noqa: E731
    results.section("Capacity", [
        "A day of 10,000 requests per second, one seed, one strategy: the fastest of five in each round. A year of an access log of "
        f"{lines:,} lines to a plan. Median (smallest to largest) of the rounds.", "",
        "| what | seconds | MB of memory |", "|---|---|---|",
        f"| a day at a constant rate | {spread(of('easy day'))} | |",
        f"| a day with a surge, outages, retries and autoscaling | {spread(of('hard day'))} | |",
        f"| a year of a log | {spread(of('year of a log'))} | {spread(of('year of a log', 'memory'))} |", "",
        goal(f"a day in less than {DAY_MAX_S:.0f} s", max(of("hard day")) < DAY_MAX_S, small),
        goal(f"a year of a log in less than {LOG_MAX_S:.0f} s", statistics.median(of("year of a log")) < LOG_MAX_S, small)])
