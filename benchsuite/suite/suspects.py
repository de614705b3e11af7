"""Does nmax suspect what is to blame? Systems with one bottleneck of known kind, which is real work of `nmax target`.

Every kind is run with its source observed, and once more with that source left out. Then the right answer is that nobody
looked there, with nothing above it that is said to make requests wait.
"""

import contextlib
import json
import os
import shutil
import socket
import tempfile
from dataclasses import dataclass
from pathlib import Path

from suite import generators, pressure, servers
from suite.process import Failure, free_port, run, server
from suite.results import goal

SECONDS = 20
WARM_UP = 4
# Users of the runs of each kind: from little waiting to much.
USERS = (6, 9, 12, 16, 24)
# Labels that blame a resource for what requests wait for.
BLAMING = ("WAIT", "SATURATED")
WAITS = "WAIT"
NOBODY_LOOKED = "NOT OBSERVED"


@dataclass(frozen=True)
class Kind:
    """A bottleneck: what the target is told, and how the source is left out that would show it."""

    name: str
    bottleneck: str
    # `exporter`: what the target says of itself decides; `host`: what its host says; None: nmax sees it from its own side.
    source: str | None
    path: str = "/hello"
    memory_bytes: int = 0
    # Service time of another server, which the target may ask.
    other: str = ""


KINDS = (
    Kind("cpu", "cpu:work=12ms", "host"),
    Kind("lock", "lock:held=8ms,name=orders", "exporter"),
    Kind("disk", "disk:bytes=128kB,writes=12,dir=/var/tmp", "host"),
    # All that this application could wait for is watched: the server that it asks for other paths, too.
    Kind("pool", "pool:size=2,held=25ms,name=orders /stock=dependency:url={other}hello,name=stock", "exporter", other="fixed:1ms"),
    Kind("memory", "memory:bytes=400MB,touch=400kB", "host", memory_bytes=192 << 20),
    Kind("network", "network:bytes_per_s=2MB", None, path="/bytes/20000"),
    Kind("dependency", "dependency:url={other}hello,name=stock", "exporter", other="mmc:servers=2,rate=40"),
)


def suspects(results, rounds, cpus, small, only=None):
    """Runs every kind `rounds` times with its source, and as often without it."""
    kinds = [kind for kind in KINDS if only is None or kind.name in only]
    rounds = 1 if small else rounds
    lines = [f"Runs of {SECONDS} s against `nmax target` on one processor with one bottleneck, {USERS} users in turn.", "",
             "| kind | first | in the first three | left out: NOT OBSERVED first | left out: false WAIT above |", "|---|---|---|---|---|"]
    wrong, seen, hidden = [], [], []
    for kind in kinds:
        shown = [_judge(results, kind, turn, cpus, True, wrong) for turn in range(1, rounds + 1)]
        seen += shown
        row = f"| {kind.name} | {_share(s['first'] for s in shown)} | {_share(s['three'] for s in shown)} |"
        if kind.source is None:
            lines.append(f"{row} nmax itself is the source | |")
            continue
        blind = [_judge(results, kind, turn, cpus, False, wrong) for turn in range(1, rounds + 1)]
        hidden += blind
        lines.append(f"{row} {_share(b['not_observed'] for b in blind)} | {_share(b['false_wait'] for b in blind)} |")
    first, three = (sum(s[key] for s in seen) / max(len(seen), 1) for key in ("first", "three"))
    said = sum(b["not_observed"] and not b["false_wait"] for b in hidden)
    lines += ["", f"All kinds: first {first:.0%}, in the first three {three:.0%} of {len(seen)} runs; "
                  f"what was left out is named as such, with no false WAIT above it, in {said} of {len(hidden)}."]
    if wrong:
        lines += ["", "Not as wanted:", "", *wrong]
    results.section("Suspects", [
        *lines, "",
        goal("the true resource is first in at least 80 %", first >= 0.8, small),
        goal("the true resource is in the first three in at least 95 %", three >= 0.95, small),
        goal("one that is not observed is NOT OBSERVED in all, with no WAIT above it", said == len(hidden), small),
    ])


def _share(flags):
    flags = list(flags)
    return f"{sum(flags)} of {len(flags)}"


def _judge(results, kind, turn, cpus, watched, wrong):
    summary = _run(kind, turn, cpus, watched)
    what = f"{kind.name}{'' if watched else ' left out'}"
    diagnosis = summary.get("diagnosis") or {"suspects": [], "others": [], "refused": ["the summary has no diagnosis"]}
    ranked = diagnosis.get("suspects", [])
    kinds = [suspect["kind"] for suspect in ranked]
    # What is not observed blames nobody: only labels that blame count as naming a resource.
    blamed = [suspect["kind"] for suspect in ranked if suspect["label"] in BLAMING]
    outcome = {
        "first": ranked != [] and ranked[0]["label"] in BLAMING and kinds[0] == kind.name,
        "three": kind.name in blamed,
        # Three suspects cannot name all that nobody watched; all are listed after them.
        "not_observed": ranked != [] and _is_not_observed(ranked[0]) and kind.name in
                        [one["kind"] for one in [*ranked, *diagnosis["others"]] if _is_not_observed(one)],
        "false_wait": _false_wait(ranked),
    }
    said = "; ".join(f"{s['kind']} {s.get('name') or ''} on {s['host']} {s['label']}".replace("  ", " ")
                     for s in ranked) or "; ".join(diagnosis.get("refused", [])) or "nothing"
    holds = outcome["first"] if watched else outcome["not_observed"] and not outcome["false_wait"]
    print(f"suspects, {what}, run {turn}: {'as wanted' if holds else 'NOT AS WANTED'}: {said}", flush=True)
    if not holds:
        wrong.append(f"- {what}, run {turn} ({summary['verdict'].upper()}): {said}")
    for key, value in outcome.items():
        results.number("suspects", what, turn, key, int(value), "1")
    results.number("suspects", what, turn, "throughput", summary["total"]["rate_per_s"], "1/s")
    results.number("suspects", what, turn, "response_mean", summary["total"]["response_time_ms"]["mean"], "ms")
    name = f"suspects-{what.replace(' ', '-')}-{turn}"
    results.raw(name, "json", json.dumps({"verdict": summary["verdict"], "reasons": summary["reasons"],
                                          "diagnosis": diagnosis}, indent=1))
    return outcome


def _is_not_observed(suspect):
    return suspect["label"] == NOBODY_LOOKED


def _false_wait(ranked):
    """Whether a resource is said to make requests wait, above those that nobody watched."""
    for suspect in ranked:
        if suspect["label"] == WAITS:
            return True
        if _is_not_observed(suspect):
            return False
    return False


PLAN = """
nmax: 1
name: suspects
target: http://{host}:{port}
scenarios:
  look:
    steps:
      - {{ get: {path} }}
workload:
  closed: {{ vus: {users} }}
warm_up: {warm_up}s
"""


def _run(kind, turn, cpus, watched):
    """One run; gives its summary. The server has a processor, the generator another."""
    nmax = str(generators.NMAX)
    with contextlib.ExitStack() as stack:
        values = {"other": stack.enter_context(servers.target(nmax, kind.other, cpus[0]))[0]} if kind.other else {}
        port = free_port()
        command = [nmax, "target", "--listen", f"127.0.0.1:{port}", "--seed", str(turn)]
        for bottleneck in kind.bottleneck.format(**values).split():
            command += ["--bottleneck", bottleneck]
        enter = stack.enter_context(pressure.memory_limit(kind.memory_bytes)) if kind.memory_bytes else None
        pid = stack.enter_context(server(command, cpus[0], port, patience_s=30, before=enter))
        runs = stack.enter_context(tempfile.TemporaryDirectory())
        is_hidden_host = kind.source == "host" and not watched
        plan = PLAN.format(host=_elsewhere() if is_hidden_host else "127.0.0.1", port=port, path=kind.path,
                           users=USERS[(turn - 1) % len(USERS)], warm_up=WARM_UP)
        plan += _observe(kind, watched, port, pid)
        Path(runs, "plan.yaml").write_text(plan, encoding="utf-8")
        load = [nmax, "run", os.path.join(runs, "plan.yaml"), "--seed", str(turn), "--workers", "1", "--duration",
                f"{SECONDS}s", "--runs-dir", os.path.join(runs, "runs"), "--samples", "none", "--json", "--exit-zero", "--quiet"]
        finished = run(load, cpus[1], WARM_UP + SECONDS + 60)
        if "KEEP_RUNS" in os.environ:
            # To look at it by hand.
            name = f"{kind.name}-{'seen' if watched else 'hidden'}-{turn}"
            shutil.copytree(runs, os.path.join(os.environ["KEEP_RUNS"], name), dirs_exist_ok=True)
    if finished.code != 0:
        raise Failure(f"nmax ended with {finished.code}:\n{finished.stderr[-2000:]}")
    summary = json.loads(finished.stdout)
    summary["run"].pop("machine", None)
    return summary


def _elsewhere():
    """A name of this host that does not say so: to nmax a host of which nothing is observed."""
    name = socket.gethostname()
    with contextlib.suppress(OSError):
        if socket.gethostbyname(name).startswith("127."):
            return name
    raise Failure(f"the name of this host, {name}, is not one of the loopback; /etc/hosts can make it so")


def _observe(kind, watched, port, pid):
    """What the plan observes: the server's process where that tells something new, and what the server says of itself."""
    lines = []
    if kind.source != "host" or watched:
        lines.append(f"  - {{ process: {{ pid: {pid} }}, name: target }}")
    if kind.source != "exporter" or watched:
        elsewhere = "" if kind.source != "host" or watched else f", host: {_elsewhere()}"
        lines.append(f"  - {{ prometheus: 'http://127.0.0.1:{port}/metrics', name: target{elsewhere} }}")
    return "observe:\n" + "\n".join(lines) + "\n" if lines else ""
