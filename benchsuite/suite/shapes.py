"""Cost of other shapes of traffic than a plain request: TLS, and a scenario of three steps. In turn with wrk."""

import statistics

from suite import generators, servers
from suite.process import Failure
from suite.results import goal, spread


def tls(results, rounds, seconds, cpus):
    """Kept TLS connections. wrk checks no certificate, so nmax does not either; both do so once per connection."""
    def nmax(url):
        return generators.nmax(url, seconds, cpus[1], settings=["defaults.tls.insecure=true"])

    def wrk(url):
        return generators.wrk(url, seconds, cpus[1])

    with servers.nginx(cpus[0], tls=True) as url:
        ratios = _in_turn(results, "tls", rounds, {"wrk": lambda: wrk(url), "nmax": lambda: nmax(url)})
    _section(results, "Cost per request over TLS", "tls", ratios, 0.95, f"{rounds} rounds of {seconds} s, kept connections")


def scenario(results, rounds, seconds, cpus):
    """A scenario of three steps with a cookie and a check of each body, against wrk's plain request."""
    with servers.nginx(cpus[0]) as url:
        ratios = _in_turn(results, "scenario", rounds, {
            "wrk": lambda: generators.wrk(url, seconds, cpus[1]),
            "nmax": lambda: generators.nmax(url, seconds, cpus[1], "scenario.yaml"),
        })
    what = f"{rounds} rounds of {seconds} s; nmax: three steps, cookies, a check of each body; wrk: one plain request"
    _section(results, "Cost per request of a scenario", "scenario", ratios, 1.1, what)


def _in_turn(results, benchmark, rounds, tools):
    """Runs each tool once per round, each round beginning with another one. Gives nmax / wrk by round."""
    if "wrk" not in generators.available()[0]:
        raise Failure("wrk is not installed")
    names = list(tools)
    cost = {name: {} for name in names}
    for turn in range(1, rounds + 1):
        for name in names[turn % len(names):] + names[: turn % len(names)]:
            result = tools[name]()
            cost[name][turn] = result.cpu_s_per_million
            results.raw(f"{benchmark}-{name}-{turn}", result.suffix, result.raw)
            results.number(benchmark, name, turn, "cpu_s_per_million", result.cpu_s_per_million, "s")
            results.number(benchmark, name, turn, "requests", result.requests, "1")
            print(f"{benchmark}, round {turn}: {name} {result.cpu_s_per_million:.2f} CPU s per million", flush=True)
    ratios = {turn: cost["nmax"][turn] / cost["wrk"][turn] for turn in cost["nmax"]}
    for turn, ratio in ratios.items():
        results.number(benchmark, "nmax/wrk", turn, "ratio", ratio, "1")
    return ratios


def _section(results, title, benchmark, ratios, limit, what):
    lines = [f"{what}. Median (smallest to largest).", "", "| generator | CPU s per million |", "|---|---|"]
    for name in ("wrk", "nmax"):
        lines.append(f"| {name} | {spread(results.values(benchmark, name, 'cpu_s_per_million').values())} |")
    lines += ["", f"nmax / wrk: {spread(ratios.values())}", ""]
    results.section(title, [*lines, goal(f"at most {limit} of wrk's", statistics.median(ratios.values()) <= limit)])
