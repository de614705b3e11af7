"""Does `nmax scale` find a peak that is known, and how does nmax itself scale?"""

import json
import math
import os
import re
from dataclasses import dataclass

from suite import generators, servers
from suite.process import Failure
from suite.pure import example
from suite.results import goal, spread

OFF_MAX = 0.10
COVERED_MIN = 13 / 15
WALL_S_MAX = 180
# What is left of the three minutes is for starting, stopping and writing down.
BUDGET_S = 170
# Below that, generator and server share the processors, and a fit would tell about that.
CPUS_FOR_A_FIT = 8


@dataclass(frozen=True)
class Law:
    """A law of the calibrated target, with its peak at `peak` users. `gamma` is X(1), 1/s."""

    peak: int
    alpha: float
    gamma: float

    @property
    def beta(self):
        return (1 - self.alpha) / self.peak**2

    @property
    def throughput(self):
        """X at the peak, 1/s."""
        return self.gamma / (self.alpha - self.beta + 2 * math.sqrt(self.beta * (1 - self.alpha)))

    @property
    def service(self):
        return f"usl:alpha={self.alpha},beta={self.beta:.9g},gamma={self.gamma}"


# The law is that of the users in the server. A user on the way there and back, 0.1 to 0.3 ms, is not in it, so what is found
# lies higher by the users on the way, the throughput times that. So slow (50 ms for one user alone) and so few requests (116,
# 382 and 1,118/s at the peak) that these are 0.3 users of 250 at most, and that one processor serves and another one sends.
LAWS = (Law(15, 0.05, 20), Law(60, 0.02, 20), Law(250, 0.01, 20))


def scale(results, rounds, cpus, small):
    """Runs `nmax scale` against each law, some times; nothing about the law is told but a time budget."""
    budget_s = 45 if small else BUDGET_S
    rows = [row for law in (LAWS[:1] if small else LAWS) for row in _campaigns(results, law, 1 if small else rounds, budget_s, cpus)]
    results.section("Peaks of known laws", report(rows, budget_s, small))


def report(rows, budget_s, small):
    """What the campaigns found, as lines of the summary."""
    lines = [f"`nmax scale --budget {budget_s}s` against `nmax target` with a known law. Interval: 95 %. The law is that of the "
             "users in the server; nmax counts those on the way as well, so the peak that it sees lies higher by the "
             "throughput times the way: what one user alone waits beyond the server's time.", "",
             "| law | run | peak found | interval | covers | off, % | with the users on the way | covers it | X at the peak, off % | levels | time, s | ended by |",
             "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    lines += [row.line() for row in rows]
    refused = [f"- peak {row.law.peak}, run {row.turn}: {'; '.join(row.refused)}" for row in rows if row.refused]
    if refused:
        lines += ["", "No peak of the law was printed:", "", *refused]
    covered = sum(row.covers(row.law.peak) for row in rows)
    seen = sum(row.covers(row.seen) for row in rows)
    lines += ["", f"Covered: the law's peak {covered} of {len(rows)}, the peak with the users on the way {seen} of {len(rows)}.", "",
              goal("every peak within 10 %", all(row.near for row in rows), small),
              goal("the interval covers in at least 13 of 15", covered >= COVERED_MIN * len(rows), small),
              goal("at most three minutes a run", max(row.wall_s for row in rows) <= WALL_S_MAX, small)]
    return lines


@dataclass(frozen=True)
class Row:
    """What a campaign found."""

    law: Law
    turn: int
    peak: dict | None
    refused: list
    levels: int
    wall_s: float
    stopped: str
    alone_s: float  # Mean response time of one user alone.

    @property
    def seen(self):
        """The peak in users that nmax counts: those in the server, and those on the way."""
        return self.law.peak + self.law.throughput * (self.alone_s - 1 / self.law.gamma)

    @property
    def off(self):
        return self.peak["concurrency"]["estimate"] / self.law.peak - 1 if self.peak else math.inf

    @property
    def near(self):
        return abs(self.off) <= OFF_MAX

    def covers(self, peak):
        """Whether the interval holds a peak."""
        if not self.peak:
            return False
        low, high = _ends(self.peak["concurrency"])
        return low <= peak <= high

    def line(self):
        found = ["none", "–", "no", "–", f"{self.seen:.2f}", "no", "–"]
        if self.peak:
            users, throughput = self.peak["concurrency"], self.peak["throughput"]
            covers = ["yes" if self.covers(peak) else "no" for peak in (self.law.peak, self.seen)]
            found = [f"{users['estimate']:.2f}", "{:.2f} to {:.2f}".format(*_ends(users)), covers[0], f"{self.off * 100:+.1f}",
                     f"{self.seen:.2f}", covers[1], f"{(throughput['estimate'] / self.law.throughput - 1) * 100:+.1f}"]
        cells = [f"{self.law.peak}", str(self.turn), *found, str(self.levels), f"{self.wall_s:.0f}", self.stopped]
        return f"| {' | '.join(cells)} |"


def _ends(estimate):
    """The interval; an open end is infinite."""
    low, high = estimate["low"], estimate["high"]
    return -math.inf if low is None else low, math.inf if high is None else high


def row_of(law, turn, found, wall_s):
    """A row from the JSON of a campaign."""
    alone_ms = [point["r"] for point in found["points"] if point["n"] == 1 and point["r"] is not None]
    alone_s = sum(alone_ms) / len(alone_ms) / 1e3 if alone_ms else math.nan
    return Row(law, turn, found["peak"], found["peak_refused"], len(found["levels"]), wall_s, found["stopped"] or "", alone_s)


def _campaigns(results, law, rounds, budget_s, cpus):
    for turn in range(1, rounds + 1):
        with servers.target(str(generators.NMAX), law.service, cpus[0], "--seed", str(turn)) as (url, _):
            arguments = ["--budget", f"{budget_s}s", "--seed", str(turn)]
            found, wall_s = generators.scaled(url, "scale.yaml", cpus[1], arguments, budget_s + 120)
        results.raw(f"scale-peak-{law.peak}-{turn}", "json", json.dumps(found, indent=1))
        row = row_of(law, turn, found, wall_s)
        subject = f"peak {law.peak}"
        results.number("scale", subject, turn, "wall", wall_s, "s")
        results.number("scale", subject, turn, "levels", row.levels, "1")
        results.number("scale", subject, turn, "covers", int(row.covers(law.peak)), "1")
        results.number("scale", subject, turn, "covers_seen", int(row.covers(row.seen)), "1")
        for metric, end in (("peak", "estimate"), ("peak_low", "low"), ("peak_high", "high")):
            if row.peak and row.peak["concurrency"][end] is not None:
                results.number("scale", subject, turn, metric, row.peak["concurrency"][end], "users")
        print(f"scale, {row.line()}", flush=True)
        yield row


def own_law(results, rounds, seconds, cpus, small):
    """nmax's own throughput and cost at two workers over one. nginx has the first processor; nmax all but that one, and
    where there are only two, both."""
    ratios = {"throughput": [], "processor time per request": []}
    sharing = len(cpus) < 3
    with servers.nginx(cpus[0]) as url:
        for turn in range(1, (1 if small else rounds) + 1):
            runs = {workers: _loaded(url, workers, 2 if small else seconds, cpus, sharing) for workers in (1, 2)}
            for workers, run in runs.items():
                subject = f"{workers} workers"
                results.raw(f"own-law-{workers}-{turn}", "json", run.raw)
                results.number("own-law", subject, turn, "throughput", run.requests / run.wall_s, "1/s")
                results.number("own-law", subject, turn, "cpu_per_million", run.cpu_s_per_million, "s")
            one, two = runs[1], runs[2]
            ratios["throughput"].append((two.requests / two.wall_s) / (one.requests / one.wall_s))
            ratios["processor time per request"].append(two.cpu_s_per_million / one.cpu_s_per_million)
            print(f"own law, round {turn}: throughput {ratios['throughput'][-1]:.2f}", flush=True)
    lines = ["Two workers over one, 64 kept connections to nginx. Median (smallest to largest).", "",
             "| what | ratio |", "|---|---|", *(f"| {name} | {spread(values)} |" for name, values in ratios.items()), ""]
    if sharing:
        lines += ["There are two processors: the second worker has to share one with nginx, so the ratio of throughputs tells "
                  "about the machine. That of the processor time is what a second worker costs the first one.", ""]
    if os.cpu_count() < CPUS_FOR_A_FIT:
        lines.append(f"No law is fitted: {os.cpu_count()} processors, and {CPUS_FOR_A_FIT} are needed to have six numbers of "
                     "workers beside a server with processors of its own.")
    else:
        lines += _own_fit(results, cpus, small)
    results.section("nmax's own law", lines)


def _loaded(url, workers, seconds, cpus, sharing):
    """One run with that many workers, each on a processor of its own as far as there are."""
    own = cpus[1:] if not sharing else [cpus[1], cpus[0]]
    return generators.nmax(url, seconds, set(own[:workers]), workers=workers)


def _own_fit(results, cpus, small):
    """The law of nmax over its workers: half of the processors for them, the others for nginx."""
    half = len(cpus) // 2
    with servers.nginx(set(cpus[:half]), workers=half) as url:
        levels = ",".join(str(workers) for workers in range(1, half + 1))
        arguments = ["--axis", f"workers={levels}", "--budget", "60s" if small else "300s"]
        found, _ = generators.scaled(url, "tiny.yaml", set(cpus[half:]), arguments, 400, workers=None)
    results.raw("own-law-fit", "json", json.dumps(found, indent=1))
    lines = ["", f"Fitted over {levels} workers, with {half} processes of nginx:", ""]
    for name in ("alpha", "beta", "gamma"):
        if found[name] is None:
            raise Failure("no law fits nmax's own throughput; the raw data say why")
        results.number("own-law", "fit", 1, name, found[name]["estimate"], "1")
        lines.append("- {}: {:.4g} ({:.4g} to {:.4g})".format(name, found[name]["estimate"], *_ends(found[name])))
    return lines


FIT_MS_MAX = {"12 points, fit with intervals": 1, "12 points, bootstrap of 2000 folds": 50, "100000 rows, fit with intervals": 1000}


def law(results, cpus, small):
    """How long fits take, and how often their intervals hold the truth: two example programs of `nmax-usl`."""
    printed = example("nmax-usl", "speed", cpus[1], [])
    results.raw("law-speed", "txt", printed)
    times = {name: float(ms) for name, ms in re.findall(r"^(.+): ([0-9.]+) ms$", printed, re.MULTILINE)}
    lines = ["One core, fastest of some rounds.", "", "| what | ms |", "|---|---|"]
    for name, ms in times.items():
        results.number("law", name, 1, "time", ms, "ms")
        lines.append(f"| {name} | {ms:.3g} |")
    lines += ["", *(goal(f"{name}: at most {limit} ms", times[name] <= limit, small) for name, limit in FIT_MS_MAX.items())]
    results.section("Speed of fits", lines)
    sets = 200 if small else 2000
    printed = example("nmax-usl", "coverage", cpus[1], [str(sets)], codes=(0, 3), timeout_s=1800)
    results.raw("law-coverage", "txt", printed)
    covered = "Every share that has to lie within 93 to 97 % does." in printed
    results.number("law", "coverage", 1, "within_93_to_97", int(covered), "1")
    results.section("Coverage of intervals", [
        f"{sets} simulated data sets for each line; the program repeats to the digit.", "", "```text", printed.strip(), "```", "",
        goal("nominal 95 % intervals hold the truth in 93 to 97 %", covered, small)])
