"""A fleet on this machine: how long it takes to begin, whether its requests are later than those of one process, and fifty injectors."""

import contextlib
import json
import math
import os
import statistics
import subprocess
import tempfile
import time
from pathlib import Path

from suite import servers
from suite.generators import NMAX, ROOT
from suite.process import Failure, free_port, server
from suite.results import goal, spread

NATS = ROOT / "target" / "test-tools" / "nats-server"
BEGIN_S_MAX = 10
INJECTORS = 50
READY = "it waits for runs"


def joining(results, rounds, cpus, small):
    """One server of NATS, one target, and processes of nmax, all on this machine."""
    rounds = 2 if small else rounds
    with tempfile.TemporaryDirectory() as folder, nats(folder, cpus) as broker, \
            servers.target(str(NMAX), "fixed:1ms", cpus[0]) as (target, _):
        fleet = Fleet(Path(folder), broker, target)
        begins(results, fleet, rounds, small)
        lags(results, fleet, rounds, small)
        many(results, fleet, 5 if small else INJECTORS, small)


def begins(results, fleet, rounds, small):
    """From `nmax fleet join` to ready, and from `nmax fleet run` to the first request at the target, four injectors waiting."""
    for turn in range(1, rounds + 1):
        with fleet.joined(4) as (_, ready_s):
            results.number("joining", "join", turn, "ready", max(ready_s), "s")
            before, began = fleet.arrived(), time.monotonic()
            run = fleet.ordered(4, 40, 3)
            while fleet.arrived() == before:
                if run.poll() is not None:
                    raise Failure(f"the run ended before its first request:\n{run.stderr.read()}")
                time.sleep(0.01)
            results.number("joining", "run", turn, "first_request", time.monotonic() - began, "s")
            summary = done(run)
            arrived = fleet.arrived() - before
            if summary["total"]["count"] != arrived:
                raise Failure(f"{arrived} requests arrived, and the report has {summary['total']['count']}")
        print(f"joining, round {turn}", flush=True)
    ready, first = (list(results.values("joining", *key).values()) for key in (("join", "ready"), ("run", "first_request")))
    results.section("A fleet begins", [
        f"{rounds} rounds, four injectors with `--capacity`. Median (smallest to largest), s.", "",
        f"- from `nmax fleet join` to ready, the slowest of four: {spread(ready)}",
        f"- from `nmax fleet run` to the first request at the target: {spread(first)}", "",
        goal(f"first load in less than {BEGIN_S_MAX} s in every round", max(first) < BEGIN_S_MAX, small)])


def lags(results, fleet, rounds, small):
    """The same plan by `nmax run` and by a fleet of one, in turn."""
    rate, seconds = 500, 3 if small else 8
    figures = ["p50", "p99"]
    with fleet.joined(1):
        for turn in range(1, rounds + 1):
            orders = [("alone", lambda: fleet.alone(rate, seconds)), ("fleet", lambda: fleet.ordered(1, rate, seconds))]
            for subject, order in orders if turn % 2 else orders[::-1]:
                summary = done(order())
                results.raw(f"lag-{subject}-{turn}", "json", json.dumps(summary["injector"]))
                for figure in figures:
                    results.number("lag-of-a-fleet", subject, turn, figure, summary["injector"]["injector_lag_ms"][figure], "ms")
            print(f"lag of a fleet, round {turn}", flush=True)
    lines, holds = [], True
    for figure in figures:
        one, many_ = (results.values("lag-of-a-fleet", subject, figure) for subject in ("alone", "fleet"))
        ratios = [many_[turn] / one[turn] for turn in one]
        low, high = interval(ratios)
        holds &= low <= 1
        lines.append(f"| {figure} | {spread(one.values())} | {spread(many_.values())} | {statistics.median(ratios):.3f} | {low:.3f} to {high:.3f} |")
    results.section("Send lag of an injector in a fleet", [
        f"{rate} requests per second for {seconds} s, one worker, {rounds} rounds, in turn. Lag in ms: median (smallest to largest); "
        "ratio within each round: median, and its 95 % interval by order statistics.", "",
        "| quantile | `nmax run` | in a fleet | ratio | interval |", "|---|---|---|---|---|", *lines, "",
        goal("no ratio is above 1 beyond its interval", holds, small)])


def many(results, fleet, count, small):
    """Fifty processes at a low rate: do they run, are the counts equal, and what does one cost?"""
    rate, seconds = 2 * count, 10 if small else 30
    with fleet.joined(count) as (injectors, _):
        waiting = [(cpu_s(one.pid), rss_bytes(one.pid)) for one in injectors]
        before, began = fleet.arrived(), time.monotonic()
        time.sleep(5)
        idle = [(cpu_s(one.pid) - then[0]) / (time.monotonic() - began) for one, then in zip(injectors, waiting)]
        start = [cpu_s(one.pid) for one in injectors]
        began = time.monotonic()
        summary = done(fleet.ordered(count, rate, seconds), 300)
        wall_s = time.monotonic() - began
        used = [(cpu_s(one.pid) - then) / wall_s for one, then in zip(injectors, start)]
        memory = [rss_bytes(one.pid) / 1e6 for one in injectors]
    counted, arrived = summary["total"]["count"], fleet.arrived() - before
    for name, value in [("planned", rate * seconds), ("counted", counted), ("arrived", arrived), ("injectors", len(summary["injectors"]))]:
        results.number("fifty", f"{count} injectors", 1, name, value, "1")
    for number, values in enumerate(zip(memory, idle, used), 1):
        for name, value, unit in zip(("memory", "cpu_waiting", "cpu_of_a_run"), values, ("MB", "1", "1")):
            results.number("fifty", f"injector {number}", 1, name, value, unit)
    results.raw("fifty", "json", json.dumps(summary))
    results.section(f"{count} injectors as processes on this machine", [
        f"{rate} requests per second together, {seconds} s. Of each process: median (smallest to largest).", "",
        f"- planned {rate * seconds:,}, in the report {counted:,}, at the target {arrived:,}, injectors in the report {len(summary['injectors'])}",
        f"- memory, MB: {spread(memory)}",
        f"- processors while it waits: {spread(idle)}; from order to report: {spread(used)}", "",
        goal("plan, report and target have the same count", rate * seconds == counted == arrived, small)])


class Fleet:
    """Processes of a fleet in a folder."""

    def __init__(self, folder, broker, target):
        self.folder, self.broker, self.target, self.joins = folder, broker, target, 0
        self.run("fleet", "key")
        self.run("fleet", "check", "--nats", broker)

    def run(self, *arguments):
        return subprocess.run([str(NMAX), *arguments], cwd=self.folder, capture_output=True, text=True, check=True)

    def start(self, *arguments):
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        return subprocess.Popen([str(NMAX), *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, text=True, **pipes)

    @contextlib.contextmanager
    def joined(self, count):
        """So many injectors that wait for runs, and how long each took, s."""
        injectors, ready_s = [], []
        files = []
        try:
            for _ in range(count):
                self.joins += 1
                files.append(self.folder / f"join-{self.joins}")
                arguments = ["--capacity", "100000", "--workers", "1", "--spool", f"spool-{self.joins}", "--allow-target", "127.0.0.0/8"]
                with open(files[-1], "w", encoding="utf-8") as log:
                    began = time.monotonic()
                    injectors.append(subprocess.Popen([str(NMAX), "fleet", "join", self.broker, *arguments], cwd=self.folder,
                                                      stdin=subprocess.DEVNULL, stdout=log, stderr=log))
                ready_s.append(began)
                if count <= 4:
                    ready_s[-1] = waited(injectors[-1], files[-1]) - began
            for injector, file in zip(injectors, files):
                waited(injector, file)
            yield injectors, ready_s
        finally:
            for injector in injectors:
                injector.terminate()
            for injector in injectors:
                injector.wait(60)

    def plan(self, rate, seconds):
        text = (f"nmax: 1\ntarget: {self.target}\ngraceful_stop: 1s\nscenarios: {{ a: {{ steps: [{{ get: / }}] }} }}\n"
                f"workload: {{ open: {{ rate: {rate}/s }} }}\nduration: {seconds}s\n")
        (self.folder / "plan.yaml").write_text(text, encoding="utf-8")

    def ordered(self, injectors, rate, seconds):
        self.plan(rate, seconds)
        flags = ["--injectors", str(injectors), "--nats", self.broker, "--json", "--exit-zero", "--quiet"]
        return self.start("fleet", "run", "plan.yaml", *flags)

    def alone(self, rate, seconds):
        self.plan(rate, seconds)
        return self.start("run", "plan.yaml", "--workers", "1", "--json", "--exit-zero", "--quiet")

    def arrived(self):
        return servers.truth(self.target)["requests"]


@contextlib.contextmanager
def nats(folder, cpus):
    """A server with JetStream; its address."""
    if not NATS.is_file():
        raise Failure("nats-server is not installed; scripts/install-test-deps.sh installs it")
    port = free_port()
    config = Path(folder) / "nats.conf"
    config.write_text(f"listen: \"127.0.0.1:{port}\"\njetstream {{ store_dir: \"{folder}/js\", sync_interval: always, max_file: 8G }}\n",
                      encoding="utf-8")
    with server([str(NATS), "-c", str(config)], cpus[0], port):
        yield f"nats://127.0.0.1:{port}"


def waited(injector, file):
    """When an injector was ready."""
    while READY not in file.read_text(encoding="utf-8"):
        if injector.poll() is not None:
            raise Failure(f"an injector ended:\n{file.read_text(encoding='utf-8')}")
        time.sleep(0.005)
    return time.monotonic()


def done(process, timeout_s=120):
    """What a run printed."""
    out, err = process.communicate(timeout=timeout_s)
    if process.returncode != 0:
        raise Failure(f"nmax ended with {process.returncode}:\n{err[-2000:]}")
    return json.loads(out)


def interval(values):
    """The 95 % interval of a median by order statistics; all of the values where they are too few."""
    values, n = sorted(values), len(values)
    below, skipped = 0.0, -1
    while skipped + 1 < n and below + math.comb(n, skipped + 1) / 2**n <= 0.025:
        skipped += 1
        below += math.comb(n, skipped) / 2**n
    low = max(skipped, 0)
    return values[low], values[n - 1 - low]


def cpu_s(pid):
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rss_bytes(pid):
    status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) * 1024
