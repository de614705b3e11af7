"""What a million requests cost an injector of a fleet, in seconds of processor time, beside the same run of one machine."""

import contextlib
import json
import os
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from suite import generators
from suite.generators import ROOT
from suite.process import Failure, free_port, run, server
from suite.results import spread
from suite.servers import nginx
from suite.watching import cpu_s

SECONDS = 20
RATE = 2_000


def _nats():
    """Path of nats-server."""
    path = os.pathsep.join([str(ROOT / "target" / "test-tools"), os.environ.get("PATH", "")])
    found = shutil.which("nats-server", path=path)
    if found is None:
        raise Failure("nats-server is missing; run scripts/install-test-deps.sh")
    return found


@contextlib.contextmanager
def _joined(folder, cpus):
    """A NATS server on the first processor and an injector on the second; gives the address and the number of the injector."""
    port = free_port()
    (folder / "nats.conf").write_text(
        f'listen: "127.0.0.1:{port}"\njetstream {{ store_dir: "{folder}/js", sync_interval: always, max_file: 8G }}\n',
        encoding="utf-8")
    url = f"nats://127.0.0.1:{port}"
    key = run([str(generators.NMAX), "fleet", "key", "--dir", str(folder)], cpus[0], 30)
    if key.code != 0:
        raise Failure(f"nmax fleet key ended with {key.code}:\n{key.stderr}")
    with server([_nats(), "-c", str(folder / "nats.conf")], cpus[0], port), open(folder / "join.log", "wb") as log:
        command = [str(generators.NMAX), "fleet", "join", url, "--trust", str(folder / "fleet.trust"), "--workers", "1",
                   "--capacity", "100000", "--spool", str(folder / "spool"), "--allow-target", "127.0.0.0/8"]
        injector = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=folder,
                                    preexec_fn=lambda: os.sched_setaffinity(0, {cpus[1]}))
        try:
            for _ in range(100):
                if b"waits for runs" in (folder / "join.log").read_bytes():
                    break
                time.sleep(0.1)
            else:
                raise Failure("the injector did not join:\n" + (folder / "join.log").read_text(encoding="utf-8"))
            yield url, injector.pid
        finally:
            injector.terminate()
            injector.wait(30)


def fleet_cost(results, rounds, cpus, small):
    """Both in turns, at a rate that one injector holds."""
    seconds = 3 if small else SECONDS
    with tempfile.TemporaryDirectory(dir="/var/tmp") as name, nginx(cpus[0]) as target, _joined(Path(name), cpus) as joined:
        folder, (url, injector) = Path(name), joined
        for turn in range(1, rounds + 1):
            plan = folder / "plan.yaml"
            plan.write_text(f"nmax: 1\ntarget: {target}\nscenarios: {{ a: {{ steps: [{{ get: / }}] }} }}\n"
                            f"workload: {{ open: {{ rate: {RATE}/s }} }}\nduration: {seconds}s\n", encoding="utf-8")
            common = [str(plan), "--json", "--exit-zero", "--runs-dir", str(folder / "runs")]
            alone = run([str(generators.NMAX), "run", *common, "--workers", "1"], cpus[1], seconds + 60)
            _keep(results, turn, "alone", alone, alone.cpu_s)
            before = cpu_s(injector)
            order = [str(generators.NMAX), "fleet", "run", *common, "--nats", url, "--fleet-key", str(folder / "fleet.key")]
            ordered = run(order, cpus[0], seconds + 120)
            _keep(results, turn, "in a fleet", ordered, cpu_s(injector) - before)
    of = lambda subject, figure: spread(results.values("fleet-cost", subject, figure).values())  # noqa: E731
    subjects = ["alone", "in a fleet"]
    results.section("Cost of a fleet", [
        f"Processor time of the injector's process at {RATE:,}/s, one worker on one processor, against nginx on the other, beside NATS "
        "and the one who ordered the run. Median (smallest to largest).", "",
        "| run | s per million requests | requests per second |", "|---|---|---|",
        *[f"| {subject} | {of(subject, 'cpu_per_million')} | {of(subject, 'rate')} |" for subject in subjects]])


def _keep(results, turn, subject, done, cpu):
    """The numbers of one run."""
    if done.code != 0:
        raise Failure(f"nmax ended with {done.code}:\n{done.stderr[-1000:]}")
    summary = json.loads(done.stdout)
    results.raw(f"fleet-cost-{subject.replace(' ', '-')}-{turn}", "json",
                json.dumps({"total": summary["total"], "verdict": summary["verdict"]}))
    total = summary["total"]
    if total["failed"] + total["errors"] > 0:
        raise Failure(f"{subject}: {total['failed']} failed and {total['errors']} had errors")
    if abs(total["rate_per_s"] / RATE - 1) > 0.05:
        raise Failure(f"{subject}: {total['rate_per_s']:.0f}/s were sent of {RATE}/s")
    results.number("fleet-cost", subject, turn, "cpu_per_million", cpu / total["count"] * 1e6, "s")
    results.number("fleet-cost", subject, turn, "rate", total["rate_per_s"], "1/s")
