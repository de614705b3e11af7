"""What reading the own host costs: processor time of the reading thread."""

import re
import statistics

from suite import pure
from suite.process import Failure
from suite.results import goal, spread

MS_PER_S_MAX = 5.0
LINE = re.compile(r"^(\d+) s: host (\d+) us, (\d+) figures; connections (\d+) us", re.MULTILINE)


def observing(results, rounds, cpus, small):
    """Everything that is read of a host, once a second, by an example program of `nmax-observe`."""
    seconds = 5 if small else 30
    build = () if small else pure.DIST
    figures = 0
    for turn in range(1, rounds + 1):
        printed = pure.example("nmax-observe", "host_cost", cpus[1], [str(seconds)], build=build)
        results.raw(f"observing-{turn}", "txt", printed)
        # The first reading opens files and is not one of the second before.
        rows = [tuple(map(int, row)) for row in LINE.findall(printed)][1:]
        if len(rows) != seconds:
            raise Failure(f"{len(rows)} readings in {seconds} s")
        figures = max(row[2] for row in rows)
        for subject, column in (("host", 1), ("connections", 3)):
            for metric, of in (("mean", statistics.fmean), ("max", max)):
                results.number("observing", subject, turn, metric, of([row[column] for row in rows]) / 1e3, "ms/s")
        both = statistics.fmean([row[1] + row[3] for row in rows]) / 1e3
        results.number("observing", "both", turn, "mean", both, "ms/s")
        print(f"observing, round {turn}: {both:.2f} ms of processor time per second", flush=True)
    _section(results, seconds, figures, small)


def _section(results, seconds, figures, small):
    lines = [f"{figures} figures of the host, and the connections of this process, read once in each of {seconds} s. Processor "
             "time of the reading thread, ms per second. Median (smallest to largest) of the rounds.", "",
             "| what | mean | largest second |", "|---|---|---|"]
    for subject in ("host", "connections"):
        mean, most = (spread(results.values("observing", subject, metric).values()) for metric in ("mean", "max"))
        lines.append(f"| {subject} | {mean} | {most} |")
    both = statistics.median(results.values("observing", "both", "mean").values())
    lines += ["", goal(f"less than {MS_PER_S_MAX:.0f} ms of processor time per second", both < MS_PER_S_MAX, small)]
    results.section("Observing", lines)
