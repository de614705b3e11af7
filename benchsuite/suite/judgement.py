"""Does nmax judge its runs rightly? Runs whose truth is known, because the benchmark made it so."""

import contextlib
import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from suite import generators, process, servers
from suite.results import goal

# Seven seconds have 70 windows of 100 ms, and 60 are needed to tell whether something stands still. When the machine stalls,
# windows with too few replies are joined; a run whose drift is to be found has twice as many for that.
SECONDS = 7
# Beside each run a thread on the same core only waits for a timer, so that it is known what the machine allowed.
TIMER_RATE_PER_S = 300
# What of a summary a verdict is made of.
KEPT = ("verdict", "reasons", "gates", "steady", "thresholds", "achieved_rate_per_s", "intended_rate_per_s", "dropped",
        "bare_timer_late_us")


@dataclass(frozen=True)
class Truth:
    """What is wrong in a kind of runs, or nothing, and what nmax must say in at least `least` of `runs`."""

    name: str
    runs: int
    least: int
    wanted: str
    right: object
    service: str
    plan: str = "judged.yaml"
    illness: tuple = ()
    starved: bool = False
    seconds: int = SECONDS


def _codes(summary, decisive=False):
    return {reason["code"] for reason in summary["reasons"] if reason["decides"] or not decisive}


def _is_pass(summary):
    return summary["verdict"] == "pass"


def _is_invalid(summary):
    return summary["verdict"] == "invalid"


def _is_unsteady(summary):
    return "G6_NOT_STEADY" in _codes(summary) and summary["verdict"] != "invalid"


def _is_overload(summary):
    return summary["verdict"] == "fail" and "TARGET_OVERLOADED" in _codes(summary, decisive=True)


# Slow enough that what a shared machine delays by some milliseconds is no reason to call a run INVALID.
NORMAL = "lognormal:median=60ms,p95=180ms"
TRUTHS = (
    Truth("nothing is wrong", 20, 19, "PASS", _is_pass, NORMAL),
    Truth("drifting target", 10, 10, "not steady, and not INVALID", _is_unsteady, NORMAL, illness=("--drift", "10ms/s"),
          seconds=13),
    Truth("busy process on the injector's core", 10, 10, "INVALID", _is_invalid, "fixed:1ms", plan="judged_users.yaml",
          starved=True),
    Truth("slow target", 10, 10, "FAIL with TARGET_OVERLOADED", _is_overload, "mmc:servers=4,rate=25"),
)


def judgement(results, cpus, small):
    """Runs each kind some times. A run that is judged wrongly is listed with its reasons."""
    lines = [f"Runs of {SECONDS} s, with drift longer, in windows of 100 ms against `nmax target`. Each has seeds of its own.", "",
             "| truth | wanted | runs | as wanted | verdicts | reasons and warnings, in how many runs |", "|---|---|---|---|---|---|"]
    goals, wrong = [], []
    for truth in TRUTHS:
        runs = 1 if small else truth.runs
        seen = [_run(results, truth, turn, cpus) for turn in range(1, runs + 1)]
        right = [truth.right(summary) for summary in seen]
        verdicts = Counter(summary["verdict"].upper() for summary in seen)
        codes = Counter(code for summary in seen for code in _codes(summary))
        lines.append(f"| {truth.name} | {truth.wanted} | {runs} | {sum(right)} | {_counts(verdicts)} | {_counts(codes)} |")
        goals.append(goal(f"{truth.name}: {truth.wanted} in at least {truth.least} of {truth.runs}",
                          sum(right) >= truth.least, small))
        for turn, (summary, holds) in enumerate(zip(seen, right), 1):
            if not holds:
                late_ms = summary["bare_timer_late_us"]["p99"] / 1e3
                wrong.append(f"- {truth.name}, run {turn}: {summary['verdict'].upper()}; {_reasons(summary)}. A thread that "
                             f"only waited for a timer was {late_ms:.1f} ms late at p99.")
    if wrong:
        lines += ["", "Not as wanted:", "", *wrong]
    results.section("Judgement", [*lines, "", *goals])


def _run(results, truth, turn, cpus):
    """One run; gives its summary."""
    with contextlib.ExitStack() as stack:
        served = servers.target(str(generators.NMAX), truth.service, cpus[0], "--seed", str(turn), *truth.illness)
        url, _ = stack.enter_context(served)
        if truth.starved:
            stack.enter_context(process.busy(cpus[1]))
        arguments = ["--duration", f"{truth.seconds}s", "--seed", str(turn)]
        with ThreadPoolExecutor() as pool:
            bare = pool.submit(generators.bare_timer, TIMER_RATE_PER_S, truth.seconds, cpus[1])
            summary = generators.judged(url, truth.plan, cpus[1], arguments, truth.seconds + 60)
            summary["bare_timer_late_us"] = bare.result()[0]
    name = truth.name.replace(",", "").replace("'", "").replace("/", "-per-").replace(" ", "-")
    results.raw(f"judgement-{name}-{turn}", "json", json.dumps({key: summary[key] for key in KEPT}, indent=1))
    results.number("judgement", truth.name, turn, "as_wanted", int(truth.right(summary)), "1")
    results.number("judgement", truth.name, turn, "bare_timer_p99", summary["bare_timer_late_us"]["p99"], "us")
    for gate in summary["gates"]:
        if gate["value"] is not None and gate["name"] in ("injector lag", "run queue"):
            results.number("judgement", truth.name, turn, gate["name"].replace(" ", "_"), gate["value"], gate["unit"])
    print(f"judgement, {truth.name}, run {turn}: {summary['verdict']}; {', '.join(sorted(_codes(summary)))}", flush=True)
    return summary


def _counts(counter):
    return ", ".join(f"{name} {count}" for name, count in counter.most_common()) or "none"


def _reasons(summary):
    return "; ".join(f"{reason['code']}: {reason['text']}" for reason in summary["reasons"]) or "no reason"
