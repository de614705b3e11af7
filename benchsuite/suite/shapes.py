"""Cost of other shapes of traffic than a plain request: TLS, scenarios of three steps. In turn with wrk."""

from suite import costs, generators, servers
from suite.results import goal


def tls(results, rounds, seconds, cpus):
    """Kept TLS connections. wrk checks no certificate, so nmax does not either; both do so once per connection."""
    def nmax(url):
        return generators.nmax(url, seconds, cpus[1], settings=["defaults.tls.insecure=true"])

    def wrk(url):
        return generators.wrk(url, seconds, cpus[1])

    with servers.nginx(cpus[0], tls=True) as url:
        costs.in_turn(results, "tls", rounds, {"wrk": lambda: wrk(url), "nmax": lambda: nmax(url)})
    _section(results, "Cost per request over TLS", "tls", 0.88, f"{rounds} rounds of {seconds} s, kept connections")


def scenario(results, rounds, seconds, cpus):
    """A scenario of three steps with a cookie and a check of each body, against wrk's plain request."""
    with servers.nginx(cpus[0]) as url:
        costs.in_turn(results, "scenario", rounds, {
            "wrk": lambda: generators.wrk(url, seconds, cpus[1]),
            "nmax": lambda: generators.nmax(url, seconds, cpus[1], "scenario.yaml"),
        })
    what = f"{rounds} rounds of {seconds} s; nmax: three steps, cookies, a check of each body; wrk: one plain request"
    _section(results, "Cost per request of a scenario", "scenario", 1.0, what)


def extraction(results, rounds, seconds, cpus):
    """Values found in each reply, put into the next request; cookies and checks. Against wrk's plain request."""
    def nmax(url, way):
        return generators.nmax(url, seconds, cpus[1], "extraction.yaml", [f"workload.mix={{ {way}: 1 }}"])

    with servers.nginx(cpus[0]) as url:
        costs.in_turn(results, "extraction", rounds, {
            "wrk": lambda: generators.wrk(url, seconds, cpus[1]),
            "wrk, same reply": lambda: generators.wrk(url + "item/in", seconds, cpus[1]),
            "nmax, JSONPath": lambda: nmax(url, "json"),
            "nmax, regex": lambda: nmax(url, "regex"),
        })
    what = (f"{rounds} rounds of {seconds} s; nmax: three steps, in each a value found in the reply and sent with the next "
            "request in path and header, a cookie kept, status and body checked; wrk: one plain request")
    _section(results, "Cost per request with extraction", "extraction", 1.4, what, "nmax, JSONPath")


def _section(results, title, benchmark, limit, what, judged="nmax"):
    """Costs, and what they are of those of wrk's plain request."""
    lines = [f"{what}.", "", *costs.table(results, benchmark), ""]
    ratio = costs.ratios(results, benchmark, judged, "wrk")["cpu_s_per_million"]
    results.section(title, [*lines, goal(f"{judged}: at most {limit} of wrk's", ratio <= limit)])
