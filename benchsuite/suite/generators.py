"""The generators under comparison, each as a function from a target to a result."""

import json
import os
import re
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from suite.process import Failure, Finished, run

ROOT = Path(__file__).resolve().parents[2]
NMAX = Path(os.environ.get("NMAX", Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "dist" / "nmax"))
K6 = ROOT / "target" / "bench-tools" / "k6"
PLANS = ROOT / "benchsuite" / "plans"
CONNECTIONS = 64


@dataclass(frozen=True)
class Result:
    """One run: requests with a good reply, what the generator used for them, and what it printed."""

    requests: int
    used: Finished
    raw: str
    suffix: str

    @property
    def cpu_s(self):
        return self.used.cpu_s

    @property
    def wall_s(self):
        return self.used.wall_s

    @property
    def rss_max_bytes(self):
        return self.used.rss_max_bytes

    @property
    def cpu_s_per_million(self):
        return self.cpu_s / self.requests * 1e6


def wrk(url, seconds, cpu):
    """wrk with one thread."""
    command = ["wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--latency", url]
    done = _done(run(command, cpu, seconds + 30), "wrk")
    if "Non-2xx" in done.stdout or "Socket errors" in done.stdout:
        raise Failure(f"wrk had failed requests:\n{done.stdout}")
    requests = re.search(r"(\d+) requests in", done.stdout)
    if requests is None:
        raise Failure(f"wrk printed no count:\n{done.stdout}")
    return Result(int(requests[1]), done, done.stdout, "txt")


def k6(url, seconds, cpu):
    """k6 with one VU per connection."""
    command = [str(K6), "run", "--quiet", "--no-usage-report", str(ROOT / "benchsuite" / "tiny.k6.js")]
    environment = {"TARGET": url, "DURATION": f"{seconds}s"}
    done = _done(run(command, cpu, seconds + 60, environment), "k6")
    result = json.loads(done.stdout)
    if result["failed"]:
        raise Failure(f"k6 had {result['failed']} failed requests")
    return Result(result["requests"], done, done.stdout, "json")


def nmax(url, seconds, cpu, plan="tiny.yaml", settings=(), look=None, slack_s=60, workers=1):
    """nmax with one worker, or so many. `settings` are `key=value` pairs of the plan; `look` as in `process.run`.

    A run that nmax itself calls invalid is kept: on a small machine the generator is meant to be busy.
    """
    with tempfile.TemporaryDirectory() as runs:
        command = _nmax_command(url, runs, plan, settings, workers=workers) + ["--duration", f"{seconds}s"]
        done = _done(run(command, cpu, seconds + slack_s, look=look), "nmax")
    summary = _summary(done)
    total = summary["total"]
    bad = total["failed"] + total["errors"]
    if bad or not (total["count"] or plan == "thinking.yaml"):
        raise Failure(f"nmax had {bad} failed of {total['count']} requests")
    raw = json.dumps(summary, indent=1)
    return Result(total["count"], done, raw, "json")


def judged(url, plan, cpu, arguments, timeout_s, settings=()):
    """nmax with one worker, as `nmax`, in a run whose verdict is what counts. Gives its summary."""
    with tempfile.TemporaryDirectory() as runs:
        command = _nmax_command(url, runs, plan, settings) + ["--samples", "none", *arguments]
        return _summary(_done(run(command, cpu, timeout_s), "nmax"))


def scaled(url, plan, cpu, arguments, timeout_s, workers=1):
    """`nmax scale`; gives what it found, and how long it took in seconds. Without `workers` they are its axis."""
    with tempfile.TemporaryDirectory() as runs:
        command = [str(NMAX), "scale", str(PLANS / plan), "--target", url, "--runs-dir", runs, "--json", "--exit-zero", "--quiet"]
        command += ["--workers", str(workers)] if workers else []
        done = _done(run(command + arguments, cpu, timeout_s), "nmax")
    return _summary(done), done.wall_s


def replayed(url, log, cpu, timeout_s):
    """`nmax replay` of a log at its own times with one worker, in a run whose lateness is what counts. Gives its summary."""
    with tempfile.TemporaryDirectory() as runs:
        command = [str(NMAX), "replay", str(log), "--target", url, "--workers", "1", "--runs-dir", runs, "--samples", "none"]
        return _summary(_done(run([*command, "--json", "--exit-zero", "--quiet"], cpu, timeout_s), "nmax"))


def _summary(done):
    """What nmax printed, without names of the machine: machine.txt describes it."""
    summary = json.loads(done.stdout)
    if isinstance(summary.get("run"), dict):
        summary["run"].pop("machine", None)
    # Of `nmax scale`: the folder of the levels, which is gone.
    summary.pop("subtitle", None)
    return summary


def nmax_under(tool, url, iterations, cpu, program=NMAX, plan="tiny.yaml", settings=()):
    """Does that many iterations by nmax under the command `tool`. Gives what the tool printed on stderr."""
    with tempfile.TemporaryDirectory() as runs:
        command = tool + _nmax_command(url, runs, plan, [f"workload.iterations={iterations}", *settings], program)
        command += ["--samples", "none"]
        return _done(run(command, cpu, 600), tool[0]).stderr


def wrk_under(tool, url, seconds, cpu):
    """wrk under the command `tool`. Gives the number of its requests."""
    done = _done(run([*tool, "wrk", "-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", url], cpu, 600), tool[0])
    return int(re.search(r"(\d+) requests in", done.stdout)[1])


def _nmax_command(url, runs, plan, settings, program=NMAX, workers=1):
    command = [str(program), "run", str(PLANS / plan), "--target", url, "--workers", str(workers), "--runs-dir", runs]
    command += ["--json", "--exit-zero", "--quiet"]
    for setting in settings:
        command += ["--set", setting]
    return command


def bare_timer(rate, seconds, cpu):
    """Lateness of a thread that only waits for a timer: quantiles in microseconds, and what was printed."""
    done = _done(run([str(built("bare_timer")), str(rate), str(seconds)], cpu, seconds + 60), "bare_timer")
    return json.loads(done.stdout), done.stdout


def built(name):
    """A C program of this folder, built."""
    program = ROOT / "target" / "bench-tools" / name
    program.parent.mkdir(parents=True, exist_ok=True)
    everywhere = os.sched_getaffinity(0)
    _done(run(["cc", "-O2", "-o", str(program), str(ROOT / "benchsuite" / f"{name}.c")], everywhere, 60), "cc")
    return program


def available():
    """The generators that are installed, by name, and the names of those that are not."""
    if not NMAX.exists():
        raise Failure("nmax is not built; run `cargo build --profile dist -p nmax`")
    found = {"wrk": (wrk, shutil.which("wrk")), "nmax": (nmax, NMAX), "k6": (k6, K6.exists() and os.access(K6, os.X_OK))}
    present = {name: function for name, (function, where) in found.items() if where}
    return present, [name for name in found if name not in present]


def _done(finished, name):
    if finished.code != 0:
        raise Failure(f"{name} ended with {finished.code}:\n{finished.stdout[-2000:]}{finished.stderr[-2000:]}")
    return finished
