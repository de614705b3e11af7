"""The benchmarks: cost per request, send lag, calibration, and a note on system calls."""

import json
import re
import statistics

from suite import costs, generators, servers
from suite.process import Failure
from suite.results import goal, spread

RATE_PER_S = 20_000
LAG_SECONDS = 10
SERVICES = ("fixed:5ms", "lognormal:median=5ms,p95=20ms")
CALIBRATION_RATE_PER_S = 500


def cost(results, rounds, seconds, cpus):
    """Processor time per million requests; tools take turns, ratios are formed within a round."""
    tools, missing = generators.available()
    with servers.nginx(cpus[0]) as url:
        costs.in_turn(results, "cost", rounds, {name: lambda tool=tool: tool(url, seconds, cpus[1]) for name, tool in tools.items()})
    lines = [f"{rounds} rounds of {seconds} s, {generators.CONNECTIONS} kept connections.", "", *costs.table(results, "cost")]
    lines += [f"| {name} | not installed | gap |||||" for name in missing] + [""]
    of_wrk = costs.ratios(results, "cost", "nmax", "wrk")
    lines += [goal("user time at most 1.1 of wrk's", of_wrk["user_s_per_million"] <= 1.1),
              goal("all processor time at most 0.87 of wrk's", of_wrk["cpu_s_per_million"] <= 0.87)]
    if "k6" in tools:
        of_k6 = costs.ratios(results, "cost", "nmax", "k6")
        lines.append(goal("at most a twelfth of k6's", of_k6["cpu_s_per_million"] <= 1 / 12))
    results.section("Cost per request", lines)


def lag(results, rounds, cpus):
    """Send lag of an open workload on one worker, in turn with a thread that only waits for the same instants."""
    with servers.nginx(cpus[0]) as url:
        for turn in range(1, rounds + 1):
            bare, printed = generators.bare_timer(RATE_PER_S, LAG_SECONDS, cpus[1])
            results.raw(f"lag-bare-timer-{turn}", "json", printed)
            for quantile, late_us in bare.items():
                results.number("lag", "bare timer", turn, f"late_{quantile}", late_us, "us")
            settings = [f"workload.open.rate={RATE_PER_S}/s"]
            result = generators.nmax(url, LAG_SECONDS, cpus[1], "steady.yaml", settings)
            results.raw(f"lag-nmax-{turn}", result.suffix, result.raw)
            summary = json.loads(result.raw)
            send_lag = summary["total"]["send_lag_ms"]
            for quantile in ("p50", "p99", "p999", "max"):
                results.number("lag", "nmax", turn, f"send_lag_{quantile}", send_lag[quantile] * 1e3, "us")
            results.number("lag", "nmax", turn, "achieved_rate", summary["achieved_rate_per_s"], "1/s")
            results.number("lag", "nmax", turn, "cpu_share", result.cpu_s / result.wall_s * 100, "%")
            print(f"lag, round {turn}: p99 {send_lag['p99'] * 1e3:.0f} us, bare timer {bare['p99']:.0f} us", flush=True)
    lines = [
        f"Open workload, {RATE_PER_S:,}/s, one worker, {rounds} rounds of {LAG_SECONDS} s.", "",
        "| what | median (smallest to largest) |", "|---|---|",
    ]
    for metric, text in (
        ("send_lag_p50", "send lag p50, us"), ("send_lag_p99", "send lag p99, us"),
        ("send_lag_p999", "send lag p99.9, us"), ("send_lag_max", "send lag max, us"),
        ("achieved_rate", "achieved rate, 1/s"), ("cpu_share", "processor, %"),
    ):
        lines.append(f"| {text} | {spread(results.values('lag', 'nmax', metric).values())} |")
    for quantile, text in (("p50", "p50"), ("p99", "p99"), ("p999", "p99.9"), ("max", "max")):
        late = results.values("lag", "bare timer", f"late_{quantile}").values()
        lines.append(f"| bare timer late {text}, us | {spread(late)} |")
    p99 = statistics.median(results.values("lag", "nmax", "send_lag_p99").values())
    results.section("Send lag", [*lines, "", goal("p99 at most 60 us", p99 <= 60)])


def calibration(results, rounds, cpus):
    """Rate and service time against what the target says about itself."""
    lines = [
        f"Open workload, {CALIBRATION_RATE_PER_S}/s, {rounds} rounds of {LAG_SECONDS} s, against `nmax target`. "
        "Differences are nmax minus truth, the largest of the rounds.", "",
        "| service time | rate off, % | p50 off, us (allowed) | p99 off, us (allowed) | p99.9 off, us |",
        "|---|---|---|---|---|",
    ]
    holds = True
    for service in SERVICES:
        off = [_calibrate(results, service, turn, cpus) for turn in range(1, rounds + 1)]
        rate = max((row["rate"] for row in off), key=abs)
        holds = holds and all(abs(row["rate"]) <= 0.5 for row in off)
        cells = [f"{rate:+.3f}"]
        for quantile in ("p50", "p99"):
            worst, allowed = max((row[quantile] for row in off), key=lambda pair: abs(pair[0]) / pair[1])
            holds = holds and abs(worst) <= allowed
            cells.append(f"{worst:+.0f} ({allowed:.0f})")
        cells.append(f"{max((row['p999'][0] for row in off), key=abs):+.0f}")
        lines.append(f"| {service} | {' | '.join(cells)} |")
    lines += ["", goal("rate within 0.5 %, p50 and p99 of service time within 1 % + 60 us", holds)]
    results.section("Calibration", lines)


def _calibrate(results, service, turn, cpus):
    """One run. Gives the difference of rate in %, and per quantile (difference, allowed) in microseconds."""
    with servers.target(str(generators.NMAX), service, cpus[0]) as (url, _):
        settings = [f"workload.open.rate={CALIBRATION_RATE_PER_S}/s"]
        result = generators.nmax(url, LAG_SECONDS, cpus[1], "steady.yaml", settings)
        truth = servers.truth(url)
    subject = re.split("[:=]", service)[0]
    results.raw(f"calibration-{subject}-{turn}", result.suffix, result.raw)
    results.raw(f"calibration-{subject}-{turn}-truth", "json", json.dumps(truth, indent=1))
    summary = json.loads(result.raw)
    # Requests around the edges of the phase may be in one count only.
    if abs(truth["requests"] / summary["total"]["count"] - 1) > 0.005:
        raise Failure(f"the target counted {truth['requests']} requests, nmax {summary['total']['count']}")
    rate = (summary["achieved_rate_per_s"] / CALIBRATION_RATE_PER_S - 1) * 100
    results.number("calibration", subject, turn, "rate_off", rate, "%")
    off = {"rate": rate}
    for quantile in ("p50", "p99", "p999"):
        true_us = truth["service_time_ms"][quantile] * 1e3
        seen_us = summary["total"]["service_time_ms"][quantile] * 1e3
        off[quantile] = (seen_us - true_us, true_us * 0.01 + 60)
        results.number("calibration", subject, turn, f"{quantile}_true", true_us, "us")
        results.number("calibration", subject, turn, f"{quantile}_off", seen_us - true_us, "us")
    print(f"calibration, round {turn}: {service} p99 off by {off['p99'][0]:+.0f} us", flush=True)
    return off
