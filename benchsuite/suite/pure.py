"""Speed of parts without a network: pages read by CSS, resources discovered, people made up."""

import csv
import os
import re
import statistics
import subprocess

from suite import generators
from suite.generators import ROOT
from suite.process import Failure, run
from suite.results import goal, spread

CSS_OVERHEAD_MAX = 0.10
PEOPLE_PER_S_MIN = 2e6


def css(results, cpus, small):
    """Microseconds per page of 20 KB, every page another one: the parser alone, extraction by CSS, discovery."""
    printed = example("nmax-extract", "pages", cpus[1], ["3" if small else "15"])
    results.raw("css", "csv", printed)
    rows = list(csv.DictReader(printed.splitlines()))
    for row in rows:
        for name in ("parser", "css_one", "css_two", "discovery"):
            results.number("css", name, int(row["round"]), "page", float(row[name]), "us")
    parser = results.values("css", "parser", "page")
    names = {"parser": "parser alone", "css_one": "one value by CSS", "css_two": "two values by CSS",
             "discovery": "resources discovered"}
    lines = [f"Pages of {rows[0]['bytes']} bytes, no two alike, {len(rows)} rounds. Median (smallest to largest).", "",
             "| what | us per page | more than the parser, % |", "|---|---|---|"]
    over = {}
    for name, text in names.items():
        pages = results.values("css", name, "page")
        ratios = [pages[turn] / parser[turn] - 1 for turn in pages]
        over[name] = statistics.median(ratios)
        more = spread([ratio * 100 for ratio in ratios]) if name != "parser" else "0"
        lines.append(f"| {text} | {spread(pages.values())} | {more} |")
    lines += ["", goal("extraction by CSS at most 10 % more than the parser alone", over["css_one"] <= CSS_OVERHEAD_MAX, small)]
    results.section("Pages", lines)


def data(results, rounds, cpus, small):
    """People per second of processor time: the library into memory, and the command into a file."""
    printed = example("nmax-data", "rate", cpus[1], [])
    results.raw("data-library", "txt", printed)
    for kind, rate in re.findall(r"^(.+): ([0-9.]+) million records/s", printed, re.MULTILINE):
        results.number("data", kind, 1, "library", float(rate) * 1e6, "1/s")
    people = 200_000 if small else 5_000_000
    for turn in range(1, rounds + 1):
        command = [str(generators.NMAX), "data", "generate", "person", "-n", str(people), "-o", "/dev/null"]
        done = run(command, cpus[1], 300)
        if done.code != 0:
            raise Failure(f"no people were made:\n{done.stderr[-2000:]}")
        results.raw(f"data-command-{turn}", "txt", f"{done.cpu_s} s\n{done.stderr}")
        results.number("data", "person", turn, "command", people / done.cpu_s, "1/s")
        print(f"data, round {turn}: {people / done.cpu_s / 1e6:.2f} million people/s", flush=True)
    command = results.values("data", "person", "command").values()
    library = results.values("data", "person", "library")[1]
    results.section("Generated people", [
        "All columns as CSV, on one core.", "", "| what | million people per second |", "|---|---|",
        f"| library, into memory, fastest of five | {library / 1e6:.2f} |",
        f"| `nmax data generate`, {people:,} records, per second of processor time | "
        f"{spread([rate / 1e6 for rate in command])} |", "",
        goal("2 million per second and core, by the command", statistics.median(command) >= PEOPLE_PER_S_MIN, small),
    ])


# As what is given to users.
DIST = ("--profile", "dist")


def example(package, name, cpu, arguments, codes=(0,), timeout_s=300, build=DIST):
    """What an example program prints on processor `cpu`. `codes` are the good exit codes, `build` the flags of its build."""
    done = run([_built(package, name, build), *arguments], cpu, timeout_s)
    if done.code not in codes:
        raise Failure(f"{name} of {package} ended with {done.code}:\n{done.stderr[-2000:]}")
    return done.stdout


def started(package, name, cpu, arguments, build=DIST):
    """An example program that goes on, on processor `cpu`; its lines can be read from `stdout`."""
    return subprocess.Popen([_built(package, name, build), *arguments], stdout=subprocess.PIPE, text=True,
                            preexec_fn=lambda: os.sched_setaffinity(0, {cpu}))


def _built(package, name, build):
    """The program of an example."""
    command = ["cargo", "build", "--quiet", *build, "--package", package, "--example", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure(f"{name} of {package} could not be built:\n{done.stderr[-2000:]}")
    return str(ROOT / "target" / ("dist" if set(DIST) <= set(build) else "debug") / "examples" / name)
