"""Where results go: a directory per run with raw output, every number, a summary and the machine."""

import csv
import datetime
import os
import platform
import re
import shutil
import socket
import statistics
import subprocess
from pathlib import Path

from suite.generators import K6, NMAX, ROOT
from suite.servers import find_nginx


class Results:
    """Collects numbers and writes them. Every number has a benchmark, a subject, a round, a metric and a unit."""

    def __init__(self, name):
        day = datetime.date.today().isoformat()
        runs = ROOT / "benchsuite" / "runs"
        wanted = [runs / f"{day}-{name}", *(runs / f"{day}-{name}-{n}" for n in range(2, 100))]
        self.directory = next(path for path in wanted if not path.exists())
        (self.directory / "raw").mkdir(parents=True)
        self.load = os.getloadavg()
        self.numbers = []
        self.sections = []

    def raw(self, name, suffix, text):
        """Keeps what a tool printed."""
        path = self.directory / "raw" / f"{name}.{suffix}"
        path.write_text(clean(text).rstrip() + "\n", encoding="utf-8")

    def number(self, benchmark, subject, turn, metric, value, unit):
        """Keeps a number of round `turn`."""
        self.numbers.append((benchmark, subject, turn, metric, value, unit))

    def values(self, benchmark, subject, metric):
        """The kept values, by round."""
        return {row[2]: row[4] for row in self.numbers if (row[0], row[1], row[3]) == (benchmark, subject, metric)}

    def section(self, title, lines):
        """Adds a section to the summary and prints it."""
        self.sections.append("\n".join([f"## {title}", "", *lines, ""]))
        print("\n" + self.sections[-1], flush=True)

    def write(self):
        """Writes the files. Called at the end and when a benchmark fails: what there is, is kept."""
        with open(self.directory / "summary.csv", "w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(["benchmark", "subject", "round", "metric", "value", "unit"])
            writer.writerows([*row[:4], f"{row[4]:.6g}", row[5]] for row in self.numbers)
        text = "\n".join(["# Benchmarks", "", "Machine: machine.txt. Every number: summary.csv.", "", *self.sections])
        (self.directory / "summary.md").write_text(clean(text), encoding="utf-8")
        (self.directory / "machine.txt").write_text(clean(machine(self.load)), encoding="utf-8")


def spread(values, digits=3):
    """Median with smallest and largest, such as `0.72 (0.70 to 0.75)`."""
    values = list(values)
    numbers = [statistics.median(values), min(values), max(values)]
    median, low, high = (f"{number:.{digits}g}" if abs(number) < 10**digits else f"{number:,.0f}" for number in numbers)
    return f"{median} ({low} to {high})"


def goal(text, holds, small=False):
    """A line that says whether a goal is reached. A small run, made to try things out, does not judge."""
    if small:
        return f"- not judged by a small run: {text}"
    return f"- {'reached' if holds else 'MISSED'}: {text}"


def clean(text):
    """`text` without the paths and the name of this machine."""
    text = text.replace(str(ROOT) + os.sep, "").replace(str(ROOT), ".").replace(str(Path.home()), "~")
    return re.sub(rf"\b{re.escape(socket.gethostname())}\b", "host", text)


def machine(load):
    """What the numbers depend on: processor, memory, kernel and versions; no names."""
    lines = [
        f"processor: {_field('/proc/cpuinfo', 'model name')}",
        f"processors: {os.cpu_count()}",
        f"memory: {_field('/proc/meminfo', 'MemTotal')}",
        f"kernel: {platform.system()} {platform.release()} {platform.machine()}",
        f"load when the benchmarks began: {' '.join(f'{value:.2f}' for value in load)} (1, 5, 15 minutes)",
        f"commit: {_first_line('git', '-C', str(ROOT), 'rev-parse', '--short', 'HEAD')}",
        f"nmax: {_first_line(str(NMAX), '--version')}",
        f"rustc: {_first_line('rustc', '--version')}",
        f"wrk: {_first_line('wrk', '-v')}",
        f"nginx: {_first_line(find_nginx(), '-v')}",
        f"k6: {_first_line(str(K6), 'version')}",
        f"goaccess: {_first_line('goaccess', '--version')}",
    ]
    return "\n".join(lines) + "\n"


def _field(path, name):
    with open(path, encoding="utf-8") as file:
        values = [line.split(":", 1)[1].strip() for line in file if line.startswith(name) and ":" in line]
    return values[0] if values else "unknown"


def _first_line(*command):
    if shutil.which(command[0]) is None:
        return "not installed"
    done = subprocess.run(command, capture_output=True, text=True, timeout=30, check=False)
    lines = (done.stdout + done.stderr).strip().splitlines()
    return lines[0] if lines else "unknown"
