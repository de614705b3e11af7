"""What a request costs a generator: runs in turn, and tables of them."""

import statistics

from suite import generators
from suite.process import Failure
from suite.results import spread

# What is kept of a run, its unit, and how a table calls it.
FIGURES = {
    "user_s_per_million": ("s", "user s"),
    "system_s_per_million": ("s", "system s"),
    "cpu_s_per_million": ("s", "both"),
    "switches_per_thousand": ("1", "switches per 1,000"),
}


def in_turn(results, benchmark, rounds, tools):
    """Runs each tool once per round, each round beginning with another one."""
    if "wrk" not in generators.available()[0]:
        raise Failure("wrk is not installed")
    names = list(tools)
    for turn in range(1, rounds + 1):
        for name in names[turn % len(names):] + names[: turn % len(names)]:
            result = tools[name]()
            results.raw(f"{benchmark}-{name.replace(', ', '-').replace(' ', '-')}-{turn}", result.suffix, result.raw)
            used, millions = result.used, result.requests / 1e6
            figures = (used.user_s / millions, used.system_s / millions, used.cpu_s / millions, used.switches / millions / 1e3)
            for (metric, (unit, _)), value in zip(FIGURES.items(), figures):
                results.number(benchmark, name, turn, metric, value, unit)
            results.number(benchmark, name, turn, "requests", result.requests, "1")
            print(f"{benchmark}, round {turn}: {name} {figures[0]:.2f} user + {figures[1]:.2f} system s per million", flush=True)


def ratios(results, benchmark, name, other):
    """The median ratio of each figure of `name` to that of `other`, formed within rounds. Each ratio is kept."""
    medians = {}
    for metric in FIGURES:
        mine, others = (results.values(benchmark, of, metric) for of in (name, other))
        by_turn = {turn: mine[turn] / others[turn] for turn in mine if others.get(turn)}
        for turn, ratio in by_turn.items() if not results.values(benchmark, f"{name}/{other}", metric) else ():
            results.number(benchmark, f"{name}/{other}", turn, metric, ratio, "1")
        medians[metric] = statistics.median(by_turn.values())
    return medians


def table(results, benchmark):
    """The figures of each tool per million requests, and two of its ratios to wrk."""
    names = sorted({row[1] for row in results.numbers if row[0] == benchmark}, key=lambda name: ("wrk" not in name, name))
    titles = [title for _, title in FIGURES.values()]
    lines = ["Per million requests; median (smallest to largest). Ratios are formed within a round.", "",
             f"| generator | {' | '.join(titles)} | user, of wrk's | both, of wrk's |", "|---" * (len(titles) + 3) + "|"]
    for name in names:
        cells = [spread(results.values(benchmark, name, metric).values()) for metric in FIGURES]
        of_wrk = ratios(results, benchmark, name, "wrk") if name != "wrk" else dict.fromkeys(FIGURES, 1)
        cells += [f"{of_wrk[metric]:.3g}" for metric in ("user_s_per_million", "cpu_s_per_million")]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines
