"""Access logs: read, made into a plan, and sent again at their own times."""

import itertools
import json
import os
import shutil
import statistics
import tempfile
from pathlib import Path

from suite import generators, pure, servers, visits
from suite.process import Failure, run
from suite.results import goal, spread

PARSER_MB_PER_S_MIN = 400
PLAN_S_MAX = 30
# Ten million lines are a day.
PER_S = 116
REPLAY_PER_S = 5_000
REPLAY_LAG_MAX_US = 1_000
# All but one of goaccess's panels: what is left is little more than its parser.
PANELS = ("REQUESTS REQUESTS_STATIC NOT_FOUND HOSTS OS BROWSERS VISIT_TIMES VIRTUAL_HOSTS REFERRERS REFERRING_SITES "
          "KEYPHRASES STATUS_CODES REMOTE_USER CACHE_STATUS GEO_LOCATION MIME_TYPE TLS_TYPE").split()


def import_log(results, rounds, cpus, small):
    """The parser alone, and a log to a plan; goaccess beside it with a share of the same lines, in turn."""
    lines, share = (100_000, 20_000) if small else (10_000_000, 500_000)
    has_goaccess = shutil.which("goaccess") is not None
    build = () if small else pure.DIST
    with tempfile.TemporaryDirectory(dir=_large()) as folder:
        log, part = Path(folder) / "shop.log", Path(folder) / "part.log"
        size = visits.write(log, lines, PER_S, 1)
        with open(log, "rb") as whole, open(part, "wb") as file:
            file.writelines(itertools.islice(whole, share))
        tools = {"nmax": lambda: _nmax(part, cpus)}
        if has_goaccess:
            tools["goaccess, one panel"] = lambda: _goaccess(part, cpus, PANELS)
            tools["goaccess, all panels"] = lambda: _goaccess(part, cpus, ())
        names = list(tools)
        for turn in range(1, rounds + 1):
            printed = pure.example("nmax-log", "speed", cpus[1], ["--json"], build=build)
            results.raw(f"import-log-parser-{turn}", "jsonl", printed)
            for row in map(json.loads, printed.splitlines()):
                results.number("import-log", f"parser, {row['format']}", turn, "mb_per_s", row["mb_per_s"], "MB/s")
            for name in names[turn % len(names):] + names[: turn % len(names)]:
                _keep(results, name, turn, tools[name](), part.stat().st_size)
            _keep(results, "nmax, all lines", turn, _nmax(log, cpus), size)
    _section(results, lines, share, size, has_goaccess, small)


def _nmax(log, cpus):
    """The log to a plan, on all processors."""
    command = [str(generators.NMAX), "import", "log", str(log), "--output", str(log.with_suffix("")), "--force", "--json",
               "--target", "http://127.0.0.1:8080"]
    done = _done(run(command, set(cpus), 600), "nmax")
    found = json.loads(done.stdout)
    if found["rejected"] or not found["sessions"]:
        raise Failure(f"nmax left out {found['rejected']} lines and found {found['sessions']} sessions")
    return done


def _goaccess(log, cpus, without):
    """The log to goaccess's report, without those panels."""
    report = log.with_suffix(".json")
    command = ["goaccess", str(log), "--no-global-config", "--no-progress", "--log-format=COMBINED", "-o", str(report)]
    done = _done(run(command + [f"--ignore-panel={panel}" for panel in without], set(cpus), 1800), "goaccess")
    general = json.loads(report.read_text(encoding="utf-8"))["general"]
    if general["failed_requests"] or not general["valid_requests"]:
        raise Failure(f"goaccess read {general['valid_requests']} and refused {general['failed_requests']} lines")
    return done


def _done(done, name):
    if done.code != 0:
        raise Failure(f"{name} ended with {done.code}:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return done


def _keep(results, name, turn, done, size):
    results.raw(f"import-log-{name.replace(', ', '-').replace(' ', '-')}-{turn}", "txt",
                f"{done.wall_s:.3f} s, {done.cpu_s:.3f} CPU s, {done.rss_max_bytes} bytes resident\n{done.stderr}")
    results.number("import-log", name, turn, "mb_per_cpu_s", size / 1e6 / done.cpu_s, "MB/s")
    results.number("import-log", name, turn, "wall_s", done.wall_s, "s")
    results.number("import-log", name, turn, "rss_max", done.rss_max_bytes, "bytes")
    print(f"import-log, round {turn}: {name} {size / 1e6 / done.cpu_s:.1f} MB per CPU s, {done.wall_s:.1f} s", flush=True)


def _section(results, lines, share, size, has_goaccess, small):
    def column(name, metric, unit=1.0):
        return spread([value / unit for value in results.values("import-log", name, metric).values()])

    parsers = [name for name in dict.fromkeys(row[1] for row in results.numbers if row[0] == "import-log")
               if name.startswith("parser")]
    text = ["The parser alone, one core, lines in memory. Median (smallest to largest).", "",
            "| format | MB/s |", "|---|---|",
            *(f"| {name.removeprefix('parser, ')} | {column(name, 'mb_per_s')} |" for name in parsers), "",
            f"Logs in the combined format: {lines:,} lines ({size / 1e6:,.0f} MB), and the first {share:,} of them. nmax: "
            "sessions, scenarios and baseline found, a plan written; goaccess: its report as JSON.", "",
            "| what | lines | MB per CPU second | seconds | MB resident |", "|---|---|---|---|---|"]
    rows = [("nmax, all lines", lines), ("nmax", share)]
    rows += [("goaccess, one panel", share), ("goaccess, all panels", share)] if has_goaccess else []
    text += [f"| {name.removesuffix(', all lines')} | {count:,} | {column(name, 'mb_per_cpu_s')} | {column(name, 'wall_s')} | "
             f"{column(name, 'rss_max', 1e6)} |" for name, count in rows]
    text += [] if has_goaccess else ["| goaccess | not installed | gap | gap | gap |"]
    parser = statistics.median(results.values("import-log", "parser, combined", "mb_per_s").values())
    seconds = statistics.median(results.values("import-log", "nmax, all lines", "wall_s").values())
    text += ["", goal("combined lines at 400 MB/s and core", parser >= PARSER_MB_PER_S_MIN, small),
             goal("10 million lines to a plan in at most 30 s", seconds <= PLAN_S_MAX, small)]
    results.section("Logs to plans", text)


def replay(results, rounds, cpus, small):
    """How late requests of a log are sent, in turn with a thread that only waits for as many instants."""
    seconds = 2 if small else 20
    with tempfile.TemporaryDirectory() as folder, servers.nginx(cpus[0]) as url:
        log = Path(folder) / "shop.log"
        visits.write(log, REPLAY_PER_S * seconds, REPLAY_PER_S, 1)
        for turn in range(1, rounds + 1):
            bare, printed = generators.bare_timer(REPLAY_PER_S, seconds, cpus[1])
            results.raw(f"replay-bare-timer-{turn}", "json", printed)
            summary = generators.replayed(url, log, cpus[1], seconds + 120)
            results.raw(f"replay-nmax-{turn}", "json", json.dumps(summary, indent=1))
            total, dropped = summary["total"], summary["dropped"]["total"]
            if total["errors"] or total["count"] + dropped != REPLAY_PER_S * seconds:
                raise Failure(f"{total['count']} sent, {dropped} dropped, {total['errors']} without a reply")
            for quantile in ("p50", "p99", "p999", "max"):
                results.number("replay", "bare timer", turn, f"late_{quantile}", bare[quantile], "us")
                results.number("replay", "nmax", turn, f"late_{quantile}", total["send_lag_ms"][quantile] * 1e3, "us")
            results.number("replay", "nmax", turn, "dropped", dropped, "1")
            print(f"replay, round {turn}: p99 {total['send_lag_ms']['p99'] * 1e3:.0f} us, bare timer {bare['p99']:.0f} us",
                  flush=True)
    text = [f"`nmax replay` of a log with {REPLAY_PER_S:,} requests in each of {seconds} s, one worker, nginx, {rounds} rounds. "
            "Sent after the scheduled offset, us. Median (smallest to largest).", "",
            "| quantile | nmax | bare timer |", "|---|---|---|"]
    for quantile, name in (("p50", "p50"), ("p99", "p99"), ("p999", "p99.9"), ("max", "max")):
        late = [spread(results.values("replay", who, f"late_{quantile}").values()) for who in ("nmax", "bare timer")]
        text.append(f"| {name} | {late[0]} | {late[1]} |")
    dropped = sum(results.values("replay", "nmax", "dropped").values())
    p99 = statistics.median(results.values("replay", "nmax", "late_p99").values())
    text += ["", f"Dropped: {dropped:,}.", "",
             goal("p99 at most 1 ms", p99 <= REPLAY_LAG_MAX_US and not dropped, small)]
    results.section("Replay of a log", text)


def _large():
    """A folder for files of gigabytes: beside the builds, where /tmp may be memory."""
    folder = generators.ROOT / "target" / "bench-tools"
    os.makedirs(folder, exist_ok=True)
    return folder
