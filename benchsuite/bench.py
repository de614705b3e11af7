#!/usr/bin/env python3
"""Benchmarks of nmax against other tools and against the truth. See README.md beside this file."""

import argparse
import os
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

from suite import believed, benchmarks, build, capacity, compare, days, faults, fleet, fleet_cost, joining, judgement, logs, memory, observing, profiles, pure, recorder, scale  # noqa: E402
from suite import shapes, slices, suspects, watching, work  # noqa: E402
from suite.process import Failure  # noqa: E402
from suite.results import Results  # noqa: E402

NAMES = ["open", "ordinary", "stopped", "pools", "cost", "tls", "scenario", "extraction", "css", "data", "lag", "calibration", "syscalls", "instructions", "caches",
         "thinking", "sockets", "growth", "judgement", "stress", "soak", "law", "own-law", "scale",
         "import-log", "recorder", "replay", "slice", "day", "observing", "suspects", "compare", "build", "packages",
         "tests", "tests-quick", "watching", "capacity", "fleet", "fleet-cost",
         "faults", "joining"]


def main():
    options = arguments()
    cpus = sorted(os.sched_getaffinity(0))
    if len(cpus) < 2:
        print("two processors are needed: one for the server, one for the generator", file=sys.stderr)
        return 1
    if os.getloadavg()[0] > 0.5:
        print("this machine is busy with something else; expect wide spreads and long lags", file=sys.stderr)
    results = Results(options.name or f"{os.cpu_count()}-processors")
    rounds, seconds, small = options.rounds, options.seconds, options.small
    steps = {
        "open": lambda: believed.open_model(results, rounds, cpus, small),
        "ordinary": lambda: believed.ordinary(results, cpus, small),
        "stopped": lambda: believed.stopped(results, cpus, small),
        "pools": lambda: believed.pools(results, rounds, cpus, small),
        "cost": lambda: benchmarks.cost(results, rounds, seconds, cpus),
        "tls": lambda: shapes.tls(results, rounds, seconds, cpus),
        "scenario": lambda: shapes.scenario(results, rounds, seconds, cpus),
        "extraction": lambda: shapes.extraction(results, rounds, seconds, cpus),
        "css": lambda: pure.css(results, cpus, small),
        "data": lambda: pure.data(results, rounds, cpus, small),
        "lag": lambda: benchmarks.lag(results, rounds, cpus),
        "calibration": lambda: benchmarks.calibration(results, rounds, cpus),
        "syscalls": lambda: work.syscalls(results, cpus, small),
        "instructions": lambda: work.instructions(results, cpus, small),
        "caches": lambda: work.caches(results, cpus, small),
        "thinking": lambda: memory.thinking(results, cpus, small),
        "sockets": lambda: memory.sockets(results, cpus, small),
        "growth": lambda: memory.growth(results, cpus, small),
        "judgement": lambda: judgement.judgement(results, cpus, small),
        "stress": lambda: profiles.stress(results, rounds, cpus, small),
        "soak": lambda: profiles.soak(results, cpus, small),
        "law": lambda: scale.law(results, cpus, small),
        "own-law": lambda: scale.own_law(results, rounds, seconds, cpus, small),
        "scale": lambda: scale.scale(results, rounds, cpus, small),
        "import-log": lambda: logs.import_log(results, rounds, cpus, small),
        "recorder": lambda: recorder.recorder(results, rounds, cpus, small),
        "replay": lambda: logs.replay(results, rounds, cpus, small),
        "slice": lambda: slices.slices(results, rounds, cpus, small),
        "day": lambda: days.days(results, rounds, cpus, small),
        "observing": lambda: observing.observing(results, rounds, cpus, small),
        "compare": lambda: compare.compare(results, cpus, small),
        "build": lambda: build.build(results, cpus),
        "packages": lambda: build.packages(results, cpus),
        "tests": lambda: build.tests(results, cpus, "test", 960, 360),
        "tests-quick": lambda: build.tests(results, cpus, "test-quick", 480, 90),
        "watching": lambda: watching.watching(results, rounds, cpus, small),
        "capacity": lambda: capacity.capacity(results, rounds, cpus, small),
        "fleet": lambda: fleet.fleet(results, rounds, cpus, small),
        "fleet-cost": lambda: fleet_cost.fleet_cost(results, rounds, cpus, small),
        "faults": lambda: faults.faults(results, rounds, small),
        "joining": lambda: joining.joining(results, rounds, cpus, small),
        "suspects": lambda: suspects.suspects(results, rounds, cpus, small),
    }
    chosen = [steps[name] for name in options.only or steps]
    failures = 0
    for step in chosen:
        try:
            step()
        except Failure as failure:
            failures += 1
            results.section("No result", [str(failure)])
    results.write()
    print(f"written: {os.path.relpath(results.directory)}")
    return 1 if failures else 0


def arguments():
    parser = argparse.ArgumentParser(description="Benchmarks of nmax; results go to benchsuite/runs/.")
    parser.add_argument("--rounds", type=positive, default=os.environ.get("ROUNDS", "5"), help="rounds of each benchmark")
    parser.add_argument("--seconds", type=positive, default=os.environ.get("SECONDS_EACH", "8"),
                        help="seconds of each run of the cost benchmark")
    parser.add_argument("--name", default=os.environ.get("NAME"), help="name of the result's directory, after the date")
    parser.add_argument("--only", action="append", choices=NAMES, help="leave out the others")
    parser.add_argument("--small", action="store_true", help="few users and short runs, to try the benchmarks out")
    return parser.parse_args()


def positive(text):
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


if __name__ == "__main__":
    sys.exit(main())
