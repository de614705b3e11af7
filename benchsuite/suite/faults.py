"""Real faults of a fleet, some times: the tests of `crates/nmax/tests/faults`, and what each counted."""

import json
import os
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from suite.generators import ROOT
from suite.process import Failure
from suite.results import goal, spread

AT_ONCE = int(os.environ.get("AT_ONCE", "6"))
COUNTS = ["planned", "counted", "errors", "dropped", "arrived", "doubled", "lost_part_seconds"]


def faults(results, rounds, small):
    """Each test of faults in each round, some at a time: they wait for most of their time."""
    program = os.environ.get("FAULTS") or built()
    tests = [line.removesuffix(": test") for line in said([program, "--list"]).splitlines() if line.endswith(": test")]
    jobs = [(turn, test) for turn in range(1, (1 if small else rounds) + 1) for test in tests]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        found = []
        for line in pool.map(lambda job: once(program, *job), jobs):
            found.append(line)
            results.raw("faults", "jsonl", "\n".join(json.dumps(line) for line in found))
    rows = []
    for test in tests:
        of = [line for line in found if line["test"] == test]
        whole = [line for line in of if "counted" in line]
        for line in whole:
            for name in COUNTS:
                results.number("faults", test, line["round"], name, line[name], "1")
        passed = sum(line["passed"] for line in of)
        cells = [spread([line[name] for line in whole]) if whole else "–" for name in COUNTS]
        rows.append(f"| {whole[0]['fault'] if whole else test} | {passed} of {len(of)} | {' | '.join(cells)} |")
    passed = all(line["passed"] for line in found)
    doubled = sum(line.get("doubled", 0) for line in found)
    results.section("Faults of a fleet", [
        "Four injectors in network namespaces, three servers of NATS, 40 requests per second. Counts of requests: median (smallest "
        "to largest). Lost: seconds of parts of the load that the report names.", "",
        "| fault | passed | planned | in the report | errors | dropped | in the target's log | loaded twice | lost, s |",
        "|---|---|---|---|---|---|---|---|---|", *rows, "",
        goal(f"nothing is loaded twice ({doubled} requests of {len(found)} runs)", doubled == 0, small),
        goal("totals are those of the target's log, and what is missing is named, in each", passed, small)])


def once(program, turn, test):
    """Runs a test; what it counted, or what it said."""
    with tempfile.NamedTemporaryFile() as file:
        command = [program, "--exact", test, "--nocapture"]
        environment = {**os.environ, "NMAX_FAULTS": file.name}
        done = subprocess.run(command, cwd=ROOT / "crates" / "nmax", env=environment, capture_output=True, text=True, check=False)
        lines = Path(file.name).read_text(encoding="utf-8").splitlines()
    counted = json.loads(lines[0]) if lines else {}
    passed = done.returncode == 0 and bool(lines)
    words = {} if passed else {"said": (done.stdout + done.stderr)[-4000:]}
    print(f"faults, round {turn}, {test}: {'passed' if passed else 'FAILED'} {words.get('said', '')[:1500]}", flush=True)
    return {**counted, "test": test, "round": turn, "passed": passed, **words}


def built():
    """The test program, as cargo builds it."""
    command = ["cargo", "test", "--package", "nmax", "--test", "faults", "--no-run", "--message-format=json"]
    messages = [json.loads(line) for line in said(command).splitlines() if line.startswith("{")]
    programs = [message["executable"] for message in messages if message.get("target", {}).get("name") == "faults"]
    if not programs:
        raise Failure("cargo built no test program `faults`")
    return programs[-1]


def said(command):
    """What a program printed."""
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{command[0]} ended with {done.returncode}:\n{done.stderr[-2000:]}")
    return done.stdout
