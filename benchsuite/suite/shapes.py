"""Cost of other shapes of traffic than a plain request: TLS, scenarios of three steps. In turn with wrk."""

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
        _in_turn(results, "tls", rounds, {"wrk": lambda: wrk(url), "nmax": lambda: nmax(url)})
    _section(results, "Cost per request over TLS", "tls", 0.95, f"{rounds} rounds of {seconds} s, kept connections")


def scenario(results, rounds, seconds, cpus):
    """A scenario of three steps with a cookie and a check of each body, against wrk's plain request."""
    with servers.nginx(cpus[0]) as url:
        _in_turn(results, "scenario", rounds, {
            "wrk": lambda: generators.wrk(url, seconds, cpus[1]),
            "nmax": lambda: generators.nmax(url, seconds, cpus[1], "scenario.yaml"),
        })
    what = f"{rounds} rounds of {seconds} s; nmax: three steps, cookies, a check of each body; wrk: one plain request"
    _section(results, "Cost per request of a scenario", "scenario", 1.1, what)


def extraction(results, rounds, seconds, cpus):
    """Values found in each reply, put into the next request; cookies and checks. Against wrk's plain request."""
    def nmax(url, way):
        return generators.nmax(url, seconds, cpus[1], "extraction.yaml", [f"workload.mix={{ {way}: 1 }}"])

    with servers.nginx(cpus[0]) as url:
        _in_turn(results, "extraction", rounds, {
            "wrk": lambda: generators.wrk(url, seconds, cpus[1]),
            "wrk, same reply": lambda: generators.wrk(url + "item/in", seconds, cpus[1]),
            "nmax, JSONPath": lambda: nmax(url, "json"),
            "nmax, regex": lambda: nmax(url, "regex"),
        })
    what = (f"{rounds} rounds of {seconds} s; nmax: three steps, in each a value found in the reply and sent with the next "
            "request in path and header, a cookie kept, status and body checked; wrk: one plain request")
    _section(results, "Cost per request with extraction", "extraction", 1.6, what)


def _in_turn(results, benchmark, rounds, tools):
    """Runs each tool once per round, each round beginning with another one."""
    if "wrk" not in generators.available()[0]:
        raise Failure("wrk is not installed")
    names = list(tools)
    for turn in range(1, rounds + 1):
        for name in names[turn % len(names):] + names[: turn % len(names)]:
            result = tools[name]()
            results.raw(f"{benchmark}-{name.replace(', ', '-').replace(' ', '-')}-{turn}", result.suffix, result.raw)
            results.number(benchmark, name, turn, "cpu_s_per_million", result.cpu_s_per_million, "s")
            results.number(benchmark, name, turn, "requests", result.requests, "1")
            print(f"{benchmark}, round {turn}: {name} {result.cpu_s_per_million:.2f} CPU s per million", flush=True)


def _section(results, title, benchmark, limit, what):
    """Costs, and their ratios to wrk's plain request, formed within a round."""
    names = sorted({row[1] for row in results.numbers if row[0] == benchmark}, key=lambda name: ("wrk" not in name, name))
    cost = {name: results.values(benchmark, name, "cpu_s_per_million") for name in names}
    lines = [f"{what}. Median (smallest to largest).", "", "| generator | CPU s per million | of wrk's |", "|---|---|---|"]
    medians = {}
    for name, by_turn in cost.items():
        ratios = {turn: value / cost["wrk"][turn] for turn, value in by_turn.items()}
        for turn, ratio in ratios.items() if name != "wrk" else ():
            results.number(benchmark, f"{name}/wrk", turn, "ratio", ratio, "1")
        medians[name] = statistics.median(ratios.values())
        lines.append(f"| {name} | {spread(by_turn.values())} | {1 if name == 'wrk' else spread(ratios.values())} |")
    judged = [ratio for name, ratio in medians.items() if name.startswith("nmax")]
    results.section(title, [*lines, "", goal(f"at most {limit} of wrk's", max(judged) <= limit)])
