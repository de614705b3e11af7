"""`nmax serve`: what watching costs after hours, how soon a page of a day is painted, whether viewers disturb a load."""

import contextlib
import gzip
import http.client
import json
import os
import statistics
import subprocess
import tempfile
import threading
import time
import urllib.request
from pathlib import Path

from suite import generators, pure
from suite.generators import ROOT
from suite.process import Failure, free_port, run, server
from suite.results import goal, spread
from suite.servers import target

HOURS, DAY_HOURS, NAMES, RATE = 8, 24, 50, 20
VIEWERS = 50
BEHIND_MAX_S, CORE_MAX, PAINTED_MAX_S, KB_MAX = 1.0, 0.03, 1.0, 150


def watching(results, rounds, cpus, small):
    """All of it."""
    _after_hours(results, rounds, cpus, small)
    _painted(results, rounds, cpus, small)
    _viewers(results, rounds, cpus, small)
    _loaded(results, rounds, cpus, small)


@contextlib.contextmanager
def _serve(runs, cpu):
    port = free_port()
    command = [str(generators.NMAX), "serve", "--runs-dir", str(runs), "--listen", f"127.0.0.1:{port}", "--read-only"]
    with server(command, cpu, port) as pid:
        yield port, pid


def cpu_s(pid):
    """Processor time of a process, s."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _get(port, path):
    with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=60) as reply:
        return json.load(reply)


def _frames(port, run_id, wanted):
    """Frames of a run as (end, s since its start; when it came), as many as wanted."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", f"/api/stream?run={run_id}")
    reply, name, frames = connection.getresponse(), "", []
    while len(frames) < wanted:
        line = reply.readline().decode()
        if not line:
            raise Failure("the stream ended before the run was watched long enough")
        line = line.strip()
        if line.startswith("event:"):
            name = line[6:].strip()
        elif line.startswith("data:") and name == "frame":
            frame = json.loads(line[5:])
            frames.append((frame["start_s"] + frame["width_s"], time.time()))
        elif name == "end":
            raise Failure("the run ended before it was watched long enough")
    connection.close()
    return frames


def _after_hours(results, rounds, cpus, small):
    """A run that was written for hours goes on, a window each second; how late its frames are, and what serving takes."""
    hours, seconds = (1 if small else HOURS), (15 if small else 60)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        args = [folder, str(hours), str(NAMES), str(RATE), str((seconds + 40) * rounds)]
        writer = pure.started("nmax-store", "day", cpus[1], args, build=("--features", "testing", *(() if small else pure.DIST)))
        written = {}

        def follow():
            for line in writer.stdout:
                second, at = line.split()
                written[int(second)] = float(at)

        writer.stdout.readline()
        threading.Thread(target=follow, daemon=True).start()
        try:
            for turn in range(1, rounds + 1):
                with _serve(folder, cpus[0]) as (port, pid):
                    run_id = _get(port, "/api/runs")["runs"][0]["id"]
                    _frames(port, run_id, 5)
                    before, began, opened = cpu_s(pid), time.monotonic(), time.time()
                    frames = _frames(port, run_id, seconds)
                    core = (cpu_s(pid) - before) / (time.monotonic() - began)
                    # Frames of windows before it are sent again to each viewer that comes.
                    known = [(written.get(round(end) - 1, 0), came) for end, came in frames]
                    behind = [came - at for at, came in known if at >= opened]
                    results.number("watching", "after hours", turn, "core", core, "ratio")
                    results.number("watching", "after hours", turn, "behind", statistics.median(behind), "s")
                    results.number("watching", "after hours", turn, "behind most", max(behind), "s")
                    print(f"watching, round {turn}: {core:.2%} of a core, at most {max(behind):.2f} s behind", flush=True)
        finally:
            writer.kill()
            writer.wait()
    core, behind, most = (list(results.values("watching", "after hours", what).values()) for what in ("core", "behind", "behind most"))
    results.section("A run that goes on after hours", [
        f"A run of {hours} h with {NAMES} names goes on, one page watches. From the written window to the frame. "
        "Median (smallest to largest) of the rounds.", "",
        "| share of a core, % | median delay, s | largest delay, s |", "|---|---|---|",
        f"| {spread([value * 100 for value in core])} | {spread(behind)} | {spread(most)} |", "",
        goal(f"at most {BEHIND_MAX_S:.0f} s behind", max(most) <= BEHIND_MAX_S, small),
        goal(f"less than {CORE_MAX:.0%} of a core", statistics.median(core) < CORE_MAX, small)])


def _painted(results, rounds, cpus, small):
    """A run of a day, opened in Chromium: until its charts are drawn."""
    hours = 2 if small else DAY_HOURS
    script = ROOT / "tests" / "browser" / "painted.mjs"
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder:
        pure.example("nmax-store", "day", cpus[1], [folder, str(hours), str(NAMES), str(RATE)], timeout_s=3600,
                     build=("--features", "testing", *(() if small else pure.DIST)))
        with _serve(folder, cpus[0]) as (port, _):
            run_id = _get(port, "/api/runs")["runs"][0]["id"]
            for turn in range(1, rounds + 1):
                done = run(["node", str(script), f"http://127.0.0.1:{port}/#/runs/{run_id}"], set(cpus), 120)
                if done.code != 0:
                    raise Failure(f"the page was not painted:\n{done.stderr[-1000:]}")
                results.number("watching", "page of a day", turn, "painted", float(done.stdout), "s")
                print(f"page of a day, round {turn}: {float(done.stdout):.2f} s", flush=True)
    painted = list(results.values("watching", "page of a day", "painted").values())
    script_kb = len(gzip.compress((ROOT / "ui" / "dist" / "app.js").read_bytes(), 9)) / 1e3
    results.number("watching", "page", 1, "script", script_kb, "kB")
    results.section("Page of a run of a day", [
        f"A run of {hours} h with {NAMES} names in Debian's Chromium, from the address to drawn charts, each round in a new browser.", "",
        "| seconds | kB of script, compressed |", "|---|---|", f"| {spread(painted)} | {script_kb:.0f} |", "",
        goal(f"in less than {PAINTED_MAX_S:.0f} s", statistics.median(painted) < PAINTED_MAX_S, small),
        goal(f"less than {KB_MAX} kB", script_kb < KB_MAX, small)])


def _viewers(results, rounds, cpus, small):
    """Send lag of the same load, with and without viewers, in turns."""
    seconds = 5 if small else 20
    for turn in range(1, rounds + 1):
        order = [0, VIEWERS] if turn % 2 else [VIEWERS, 0]
        for viewers in order:
            with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, target(str(generators.NMAX), "fixed:2ms", cpus[1]) as (url, _):
                lag = _loaded_run(url, folder, cpus, seconds, viewers)
            for what in ("p50", "p99"):
                results.number("watching", f"{viewers} viewers", turn, f"lag {what}", lag[what], "ms")
            print(f"viewers, round {turn}: {viewers} viewers, send lag p99 {lag['p99']:.3f} ms", flush=True)
    lines = ["| viewers | send lag p50, ms | send lag p99, ms |", "|---|---|---|"]
    for viewers in (0, VIEWERS):
        figures = [spread(results.values("watching", f"{viewers} viewers", f"lag {what}").values()) for what in ("p50", "p99")]
        lines.append(f"| {viewers} | {figures[0]} | {figures[1]} |")
    with_, without = (results.values("watching", f"{viewers} viewers", "lag p99") for viewers in (VIEWERS, 0))
    # Noise: by how much rounds without viewers differ among themselves.
    noise = max(without.values()) / min(without.values())
    ratio = statistics.median(with_[turn] / without[turn] for turn in with_)
    results.section("Viewers beside a load", [
        f"`nmax run --ui` at 500/s for {seconds} s, in turns without and with {VIEWERS} viewers of its page, on the processors of the "
        "target and the load.", "", *lines, "",
        f"Ratio of p99 with to without, median of pairs: {ratio:.2f}; rounds without differ by {noise:.2f}.", "",
        goal("viewers move send lag no more than rounds differ", ratio <= max(noise, 1.25), small)])


def _loaded_run(url, folder, cpus, seconds, viewers):
    """The send lag of a run of so many seconds, whose page so many watch."""
    port = free_port()
    command = [str(generators.NMAX), "run", url, "-r", "500/s", "-d", f"{seconds}s", "--runs-dir", folder, "--workers", "1",
               "--samples", "none", "--exit-zero", "--json", "--quiet", f"--ui=127.0.0.1:{port}"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                               preexec_fn=lambda: os.sched_setaffinity(0, {cpus[0]}))
    threads = [threading.Thread(target=_view, args=(port, seconds), daemon=True) for _ in range(viewers)]
    time.sleep(1.5)
    for thread in threads:
        thread.start()
    out, _ = process.communicate(timeout=seconds + 60)
    return json.loads(out)["total"]["send_lag_ms"]


def _view(port, seconds):
    with contextlib.suppress(OSError, http.client.HTTPException, IndexError, KeyError, Failure):
        run_id = _get(port, "/api/runs")["runs"][0]["id"]
        _get(port, f"/api/runs/{run_id}/course")
        _frames(port, run_id, seconds)


def _loaded(results, rounds, cpus, small):
    """`nmax serve` under a load of nmax itself."""
    seconds = 3 if small else 10
    ask = {"list of runs": "/api/runs", "page of a run": "/api/runs/{id}", "course of a run": "/api/runs/{id}/course", "the page": "/"}
    with tempfile.TemporaryDirectory(dir="/var/tmp") as folder, target(str(generators.NMAX), "fixed:2ms", cpus[1]) as (url, _):
        generators_command = [str(generators.NMAX), "run", url, "-r", "200/s", "-d", "20s", "--runs-dir", folder, "--quiet", "--exit-zero"]
        run(generators_command, cpus[0], 60)
        with _serve(folder, cpus[1]) as (port, _):
            run_id = _get(port, "/api/runs")["runs"][0]["id"]
            for turn in range(1, rounds + 1):
                for name, path in ask.items():
                    of = f"http://127.0.0.1:{port}{path.replace('{id}', run_id)}"
                    command = [str(generators.NMAX), "run", of, "-c", "4", "-d", f"{seconds}s", "--runs-dir", f"{folder}/own", "--workers", "1",
                               "--json", "--quiet", "--exit-zero"]
                    total = json.loads(run(command, cpus[0], 120).stdout)["total"]
                    if total["failed"] + total["errors"]:
                        raise Failure(f"{name}: {total['failed']} failed, {total['errors']} without a reply")
                    results.number("watching", name, turn, "rate", total["rate_per_s"], "1/s")
                    results.number("watching", name, turn, "p95", total["response_time_ms"]["p95"], "ms")
    lines = ["| what is asked for | replies per second | p95, ms |", "|---|---|---|"]
    for name in ask:
        rate, p95 = (spread(results.values("watching", name, what).values()) for what in ("rate", "p95"))
        lines.append(f"| {name} | {rate} | {p95} |")
    results.section("The server under load", [f"By `nmax run -c 4` for {seconds} s, the server on one processor.", "", *lines])
