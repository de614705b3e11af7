"""Does `nmax compare` tell a change from none? Real runs against `nmax target`, whose service time is what changes."""

import json
import os
import tempfile

from suite import generators, servers
from suite.process import Failure, run
from suite.results import goal

SECONDS = 8
PAIRS = 20
CHANGED = 10
# What both requests of the plan are served with, and one of them 5 % slower.
SAME = ("--service", "/queue=mmc:servers=4,rate=60")
FIXED, SLOWER = "/fixed=fixed:20ms", "/fixed=fixed:21ms"


def compare(results, cpus, small):
    """Equal runs in pairs, one each; the same runs as two sides; ten runs a side of which one side is 5 % slower."""
    pairs, changed = (2, 4) if small else (PAIRS, CHANGED)
    with tempfile.TemporaryDirectory() as runs:
        before, after = _runs(results, runs, pairs, cpus, (FIXED, FIXED), "equal")
        wrong = 0
        lines = ["| pair | said | rows better or worse | largest change of a p50 |", "|---|---|---|---|"]
        for turn, sides in enumerate(zip(before, after), 1):
            answer = _compared(results, runs, f"equal-{turn}", [sides[0]], [sides[1]])
            told = _told(answer)
            wrong += bool(told)
            results.number("compare", "one equal run each", turn, "told_apart", int(bool(told)), "1")
            middle = [row["change"] for row in answer["rows"] if row["metric"] == "response_time p50"]
            largest = max(middle, key=lambda ratio: max(ratio, 1 / ratio))
            lines.append(f"| {turn} | {answer['said']} | {', '.join(told) or 'none'} | {largest:.3f} |")
        together = _compared(results, runs, "equal-together", before, after)
        slow = _runs(results, runs, changed, cpus, (FIXED, SLOWER), "slower")
        answer = _compared(results, runs, "slower", *slow)
    found = [row for row in answer["rows"] if row["request"] == "fixed" and row["metric"] == "response_time p50"]
    ratio, said = found[0]["change"], found[0]["said"]
    results.number("compare", "5 % slower", 1, "ratio", ratio, "1")
    results.number("compare", "all equal runs", 1, "told_apart", len(_told(together)), "rows")
    lines += ["", f"All {len(before)} and {len(after)} of them by ranks: {together['said']}; better or worse: "
                  f"{', '.join(_told(together)) or 'none'}.",
              "", f"{changed} runs a side, one side 5 % slower in one request: its p50 is {said}, by a factor of {ratio:.3f}."]
    goals = [goal(f"at most 5 % of {pairs} equal pairs are told apart: {wrong}", wrong <= 0.05 * pairs, small),
             goal("equal runs by ranks are not told apart", not _told(together), small),
             goal(f"5 % are found by {changed} runs a side", said == "worse", small)]
    results.section("Compare", [f"Runs of {SECONDS} s, the sides in turn, without a history.", "", *lines, "", *goals])


def _runs(results, runs, count, cpus, services, name):
    """So many runs on each of two targets, in turn. Gives the ids of both sides."""
    sides = ([], [])
    for turn in range(1, count + 1):
        for side, service in zip(sides, services):
            with servers.target(str(generators.NMAX), service, cpus[0], *SAME) as (url, _):
                command = [str(generators.NMAX), "run", str(generators.PLANS / "compare.yaml"), "--target", url, "--workers", "1",
                           "--runs-dir", runs, "--json", "--exit-zero", "--quiet", "--samples", "none",
                           "--duration", f"{SECONDS}s", "--seed", str(turn)]
                summary = json.loads(_done(run(command, cpus[1], SECONDS + 60)))
            side.append(summary["run"]["id"])
            number = 2 * turn - 1 + (side is sides[1])
            results.number("compare", name, number, "p50", summary["total"]["response_time_ms"]["p50"], "ms")
            results.number("compare", name, number, "p99", summary["total"]["response_time_ms"]["p99"], "ms")
            results.number("compare", name, number, "invalid", int(summary["verdict"] == "invalid"), "1")
        print(f"compare, {name}, {turn} of {count}", flush=True)
    return sides


def _compared(results, runs, name, before, after):
    """What nmax says of them. Runs that are INVALID on a busy machine are compared all the same."""
    command = [str(generators.NMAX), "compare", "--before", *before, "--after", *after, "--runs-dir", runs,
               "--json", "--force", "--no-history", "--exit-zero"]
    answer = json.loads(_done(run(command, set(os.sched_getaffinity(0)), 120)))
    results.raw(f"compare-{name}", "json", json.dumps(answer, indent=1))
    return answer


def _told(answer):
    """Rows that are called better or worse."""
    return [f"{row['request']} {row['metric']}" for row in answer["rows"] if row["said"] in ("better", "worse")]


def _done(done):
    if done.code != 0:
        raise Failure(f"nmax ended with {done.code}:\n{done.stderr}")
    return done.stdout
