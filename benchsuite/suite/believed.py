"""Whether an open workload and its verdict can be believed: beside wrk2 and a bare loop, ordinary runs, stopped injectors."""

import contextlib
import itertools
import json
import os
import re
import signal
import statistics
import tempfile
import threading
from collections import Counter
from urllib.parse import urlsplit

from suite import generators, servers
from suite.process import Failure, run
from suite.results import goal, spread

RATES_PER_S = (1_000, 6_000, 20_000, 30_000, 50_000)
SECONDS = 6
CONNECTIONS = 64
BODY = "x" * 100


def open_model(results, rounds, cpus, small):
    """Response times and processor time of an open workload, one worker, beside wrk2 and the bare loop, in turn."""
    wrk2 = os.environ.get("WRK2", "")
    tools = {
        "bare loop": lambda url, rate, seconds: _bare(url, rate, seconds, 0, cpus[1]),
        "nmax": lambda url, rate, seconds: _nmax(url, rate, seconds, "0us", cpus[1]),
        "bare loop, slack 100 us": lambda url, rate, seconds: _bare(url, rate, seconds, 100, cpus[1]),
        "nmax, slack 100 us": lambda url, rate, seconds: _nmax(url, rate, seconds, "100us", cpus[1]),
    }
    if wrk2:
        tools["wrk2"] = lambda url, rate, seconds: _wrk2(wrk2, url, rate, seconds, cpus[1])
    names, rates = list(tools), RATES_PER_S[:2] if small else RATES_PER_S
    with servers.nginx(cpus[0], body=BODY) as url:
        seconds = 2 if small else SECONDS
        idle = [generators.nmax(url, seconds, cpus[1], "steady.yaml", ["workload.open.rate=1/s"]).cpu_s for _ in range(rounds)]
        for turn, cpu_s in enumerate(idle, 1):
            results.number("open idle", "nmax", turn, "cpu_s", cpu_s, "s")
        for rate, turn in itertools.product(rates, range(1, rounds + 1)):
            first = turn % len(names)
            for name in names[first:] + names[:first]:
                figures, raw = tools[name](url, rate, seconds)
                if name.startswith("nmax"):
                    own_us, unit = figures["cpu_us"]
                    figures["cpu_us"] = (own_us - statistics.median(idle) / (rate * seconds) * 1e6, unit)
                results.raw(f"open-{rate}-{re.sub('[^a-z0-9]+', '-', name)}-{turn}", "txt", raw)
                for metric, (value, unit) in figures.items():
                    results.number(f"open {rate}", name, turn, metric, value, unit)
                shown = ", ".join(f"{metric} {value:.4g} {unit}" for metric, (value, unit) in figures.items())
                print(f"open, {rate}/s, round {turn}: {name}: {shown}", flush=True)
        held = _held(results, url, cpus[1], small)
    lines = [
        f"One worker, nginx, replies of {len(BODY)} bytes, {rounds} rounds of {SECONDS} s, the tools in turn. Processor time "
        "in us per exchange; response times from the due instant in ms. Median (smallest to largest). Of nmax without what a "
        f"run of the same length at 1/s takes to start, to watch the host and to end: {spread(idle)} s.", "",
        "| rate | tool | processor | p50 | p99 | connections |", "|---|---|---|---|---|---|",
    ]
    for rate, name in itertools.product(rates, names):
        cells = [spread(results.values(f"open {rate}", name, metric).values()) for metric in METRICS]
        lines.append(f"| {rate:,}/s | {name} | {' | '.join(cells)} |")
    lines += [""] + [line for rate in rates for line in _goals(results, rate, bool(wrk2), small)] + held
    if not wrk2:
        lines.append("- gap: wrk2 is not there; the environment variable `WRK2` names its binary (github.com/giltene/wrk2)")
    results.section("Open model", lines)


METRICS = ("cpu_us", "p50_ms", "p99_ms", "connections")


def _goals(results, rate, has_wrk2, small):
    def median(name, metric):
        return statistics.median(results.values(f"open {rate}", name, metric).values())

    def ratios(name, other):
        ours, theirs = (results.values(f"open {rate}", which, "cpu_us") for which in (name, other))
        return [ours[turn] / theirs[turn] for turn in ours]

    others = ["bare loop"] + (["wrk2"] if has_wrk2 else [])
    worst = max(median(name, "p99_ms") for name in others)
    tail = median("nmax", "p99_ms") / worst
    cpu = ratios("nmax", "bare loop")
    slack = ratios("nmax, slack 100 us", "bare loop, slack 100 us")
    lines = [
        goal(f"{rate:,}/s: p99 at most 2 times the larger of {' and '.join(others)}: {tail:.2f}", tail <= 2, small),
        goal(f"{rate:,}/s: processor at most 1.10 of the bare loop: {spread(cpu)}", statistics.median(cpu) <= 1.1, small),
        goal(f"{rate:,}/s: with a slack of 100 us at most 1.25: {spread(slack)}", statistics.median(slack) <= 1.25, small),
    ]
    if has_wrk2:
        closer = median("wrk2", "p50_ms") / median("nmax, slack 100 us", "p50_ms")
        lines.append(goal(f"{rate:,}/s: with the slack p50 five times closer than wrk2's: {closer:.1f}", closer >= 5, small))
    little = statistics.median(
        count / max(needed, 1) for count, needed in
        zip(results.values(f"open {rate}", "nmax", "connections").values(),
            results.values(f"open {rate}", "nmax", "little").values(), strict=True))
    return [*lines, goal(f"{rate:,}/s: connections at most 3 times Little's law: {little:.1f}", little <= 3, small)]


def _held(results, url, cpu, small):
    """The highest rate that one worker holds, against what its closed model does."""
    seconds = 2 if small else 5
    closed = generators.nmax(url, seconds, cpu)
    most = closed.requests / seconds
    results.number("held", "closed", 1, "rate", most, "1/s")
    held = 0
    for share in (0.70, 0.75, 0.80, 0.85, 0.90, 0.95):
        done = generators.nmax(url, seconds, cpu, "steady.yaml", [f"workload.open.rate={most * share:.0f}/s"])
        summary = json.loads(done.raw)
        late_ms = summary["total"]["response_time_ms"]["p50"]
        completed = summary["total"]["rate_per_s"] / (most * share)
        results.number("held", f"{share:.2f}", 1, "completed", completed, "1")
        results.number("held", f"{share:.2f}", 1, "p50", late_ms, "ms")
        if completed >= 0.99 and late_ms < 10:
            held = share
    text = f"the highest rate that one worker holds is at least 0.9 of its closed model's ({most:,.0f}/s): {held:.2f}"
    return [goal(text, held >= 0.9, small)]


def _bare(url, rate, seconds, slack_us, cpu):
    program = generators.built("bare_open")
    command = [str(program), str(urlsplit(url).port), str(rate), str(seconds), str(slack_us), str(CONNECTIONS)]
    done = run(command, cpu, seconds + 60)
    found = re.search(r"response_us p50 (\d+) p99 (\d+) connections (\d+) .*cpu_us/exchange ([\d.]+)", done.stdout)
    if done.code != 0 or found is None:
        raise Failure(f"bare_open ended with {done.code}:\n{done.stdout}{done.stderr}")
    p50, p99, connections, cpu_us = found.groups()
    return _figures(float(cpu_us), int(p50) / 1e3, int(p99) / 1e3, int(connections)), done.stdout


def _nmax(url, rate, seconds, slack, cpu):
    done = generators.nmax(url, seconds, cpu, "steady.yaml", [f"workload.open.rate={rate}/s", f"pacing_slack={slack}"])
    summary = json.loads(done.raw)
    response = summary["total"]["response_time_ms"]
    connections = summary["connections"]["opened"]
    figures = _figures(done.cpu_s_per_million, response["p50"], response["p99"], connections)
    figures["little"] = (rate * response["mean"] / 1e3, "1")
    return figures, done.raw


def _wrk2(program, url, rate, seconds, cpu):
    command = [program, "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", f"-R{rate}", "--latency", url]
    done = run(command, cpu, seconds + 60)
    count = re.search(r"(\d+) requests in", done.stdout)
    quantiles = [_milliseconds(done.stdout, percent) for percent in ("50.000", "99.000")]
    if done.code != 0 or count is None or None in quantiles:
        raise Failure(f"wrk2 ended with {done.code}:\n{done.stdout}{done.stderr}")
    return _figures(done.cpu_s / int(count[1]) * 1e6, *quantiles, CONNECTIONS), done.stdout


def _milliseconds(text, percent):
    found = re.search(rf"^\s*{re.escape(percent)}%\s+([\d.]+)(us|ms|s|m)$", text, re.MULTILINE)
    return found and float(found[1]) * {"us": 1e-3, "ms": 1, "s": 1e3, "m": 6e4}[found[2]]


def _figures(cpu_us, p50_ms, p99_ms, connections):
    return {"cpu_us": (cpu_us, "us"), "p50_ms": (p50_ms, "ms"), "p99_ms": (p99_ms, "ms"), "connections": (connections, "1")}


def ordinary(results, cpus, small):
    """A hundred runs as people make them: how many end INVALID, and for what reason."""
    rates = (1, 20, 200, 2_000)
    targets = ("nginx", "fixed:1ms", "fixed:10ms", "fixed:100ms")
    runs = list(itertools.product(rates, targets, (False, True), (False, True)))
    # 64 ways, and once more those that are the most delicate: quick targets beside the injector.
    runs += [way for way in runs if way[1] in ("nginx", "fixed:1ms") and way[2]] + runs[:20]
    verdicts, told = Counter(), []
    for number, (rate, target, shares, judges) in enumerate(runs[:8] if small else runs, 1):
        everywhere = set(cpus)
        with _target(target, everywhere if shares else cpus[0]) as url:
            arguments = ["--rate", f"{rate}/s", "--duration", "2s" if small else "3s"]
            summary = _planless(url, arguments, everywhere if shares else cpus[1], judges)
        results.raw(f"ordinary-{number}", "json", json.dumps(summary, indent=1))
        verdicts[summary["verdict"]] += 1
        what = f"{rate}/s, {target}, {'same processors' if shares else 'apart'}, {'with' if judges else 'no'} conditions"
        print(f"ordinary, run {number}: {what}: {summary['verdict']}", flush=True)
        if summary["verdict"] == "invalid":
            reasons = "; ".join(f"{reason['code']}: {reason['text']}" for reason in summary["reasons"] if reason["decides"])
            told.append(f"- run {number}, {what}: {reasons}")
    for verdict, count in verdicts.items():
        results.number("ordinary", verdict, 1, "runs", count, "1")
    lines = [f"{sum(verdicts.values())} runs of 3 s: " + ", ".join(f"{n} {verdict}" for verdict, n in verdicts.items()), ""]
    text = "at most 2 INVALID, each with a reason that a user would accept"
    results.section("Ordinary runs", [*lines, *told, "", goal(text, verdicts["invalid"] <= 2, small)])


@contextlib.contextmanager
def _target(name, cpu):
    if name == "nginx":
        with servers.nginx(cpu, body=BODY) as url:
            yield url
    else:
        with servers.target(str(generators.NMAX), name, cpu) as (url, _):
            yield url


def _planless(url, arguments, cpu, judges, during=None):
    """`nmax run URL` as a person starts it. `judges`: with conditions that the target keeps by far. Gives its summary."""
    with tempfile.TemporaryDirectory() as folder:
        command = [str(generators.NMAX), "run"]
        if judges:
            plan = os.path.join(folder, "judged.yaml")
            with open(plan, "w", encoding="utf-8") as file:
                file.write(JUDGED.format(url=url, rate=arguments[1], duration=arguments[3]))
            command += [plan]
        else:
            command += [url, *arguments]
        command += ["--runs-dir", folder, "--json", "--exit-zero", "--quiet", "--samples", "none"]
        done = run(command, cpu, 120, look=during)
    if done.code != 0 or not done.stdout:
        raise Failure(f"nmax ended with {done.code}:\n{done.stderr}")
    summary = json.loads(done.stdout)
    if isinstance(summary.get("run"), dict):
        summary["run"].pop("machine", None)
    return summary


JUDGED = """nmax: 1
name: ordinary
target: {url}
scenarios: {{ s: {{ steps: [{{ get: / }}] }} }}
workload: {{ open: {{ rate: {rate} }} }}
duration: {duration}
thresholds: ["response_time p95 < 2s", "failure_rate < 1%"]
"""

STOPS = {
    "stopped from 2 s to 7 s": [(2.0, 5.0)],
    "stopped 100 ms of every second": [(second + 0.5, 0.1) for second in range(1, 8)],
    "stopped 400 ms of every second": [(second + 0.3, 0.4) for second in range(1, 8)],
}


def stopped(results, cpus, small):
    """nmax is stopped by a signal while it runs, or its control group is frozen: open and closed workloads."""
    models = {"closed": ["--vus", "10"], "open": ["--rate", "200/s"]}
    lines, holds = ["| what | model | verdict | reasons |", "|---|---|---|---|"], True
    for (what, stops), (model, arguments) in itertools.product(STOPS.items(), models.items()):
        with servers.target(str(generators.NMAX), "fixed:50ms", cpus[0]) as (url, _):
            summary = _stopped(url, [*arguments, "--duration", "9s"], cpus[1], stops)
        codes = ", ".join(reason["code"] for reason in summary["reasons"] if reason["decides"])
        results.raw(f"stopped-{re.sub('[^a-z0-9]+', '-', what)}-{model}", "json", json.dumps(summary, indent=1))
        lines.append(f"| {what} | {model} | {summary['verdict']} | {codes} |")
        holds = holds and summary["verdict"] == "invalid"
        print(lines[-1], flush=True)
    results.section("Stopped injector", [*lines, "", goal("INVALID in every one", holds, small)])


def _stopped(url, arguments, cpu, stops):
    timers = []

    def begin(pid, _elapsed):
        if not timers:
            for at, length in stops:
                timers.append(threading.Timer(at, os.kill, (pid, signal.SIGSTOP)))
                timers.append(threading.Timer(at + length, os.kill, (pid, signal.SIGCONT)))
            for timer in timers:
                timer.start()

    try:
        return _planless(url, arguments, cpu, False, begin)
    finally:
        for timer in timers:
            timer.cancel()


def pools(results, rounds, cpus, small):
    """Eight slots over 1, 2 and 8 workers: the same verdict and the same p95."""
    lines, rows = ["| workers | verdict | p95, ms |", "|---|---|---|"], {}
    for turn, workers in itertools.product(range(1, rounds + 1), (1, 2, 8)):
        with servers.target(str(generators.NMAX), "exponential:30ms", cpus[0]) as (url, _):
            arguments = ["--rate", "160/s", "--duration", "4s" if small else "20s", "-c", "8", "--workers", str(workers)]
            summary = _planless(url, arguments, cpus[1], False)
        results.raw(f"pools-{workers}-{turn}", "json", json.dumps(summary, indent=1))
        p95 = summary["total"]["response_time_ms"]["p95"]
        results.number("pools", str(workers), turn, "p95", p95, "ms")
        rows.setdefault(workers, []).append((summary["verdict"], p95))
        print(f"pools, round {turn}: {workers} workers: {summary['verdict']}, p95 {p95:.1f} ms", flush=True)
    for workers, row in rows.items():
        verdicts = ", ".join(f"{count} {verdict}" for verdict, count in Counter(verdict for verdict, _ in row).items())
        lines.append(f"| {workers} | {verdicts} | {spread(p95 for _, p95 in row)} |")
    medians = {workers: statistics.median(p95 for _, p95 in row) for workers, row in rows.items()}
    off = max(medians.values()) / min(medians.values())
    same = len({verdict for row in rows.values() for verdict, _ in row}) == 1
    results.section("Slots and workers", [*lines, "", goal(f"the same verdict, p95 within 10 %: {off:.2f}", same and off <= 1.1, small)])
