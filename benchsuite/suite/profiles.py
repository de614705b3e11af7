"""Do profiles find what is there? A break point known by theory, and a leak known because it was put in."""

import json
from concurrent.futures import ThreadPoolExecutor

from suite import generators, queueing, servers
from suite.process import Failure
from suite.results import goal, spread

SERVERS, RATE_PER_S, LIMIT_MS = 4, 250, 18
BREAK_POINT_OFF_MAX = 0.05
# What of a summary an answer is made of.
KEPT = ("verdict", "reasons", "profile", "compress", "observed", "achieved_rate_per_s", "total")


def stress(results, rounds, cpus, small):
    """The load at which p95 of an M/M/4 queue leaves its limit: as the profile finds it, and by theory."""
    true = queueing.load_at(LIMIT_MS / 1e3, 0.95, SERVERS, RATE_PER_S)
    compress = 960 if small else 360
    offs, inside = [], 0
    for turn in range(1, 2 if small else rounds + 1):
        with servers.target(str(generators.NMAX), f"mmc:servers={SERVERS},rate={RATE_PER_S}", cpus[0],
                            "--seed", str(turn)) as (url, _):
            summary = generators.judged(url, "stress.yaml", cpus[1], ["--compress", str(compress), "--seed", str(turn)],
                                        300, [f"thresholds=['response_time p95 < {LIMIT_MS}ms']"])
        results.raw(f"stress-{turn}", "json", json.dumps({key: summary[key] for key in KEPT}, indent=1))
        found = _finding(summary, "BREAK_POINT")
        if found["value"] is None:
            raise Failure(f"no break point: {found['text']}")
        offs.append(found["value"] / true - 1)
        inside += found["low"] <= true <= found["high"]
        for metric in ("value", "low", "high"):
            results.number("stress", "nmax", turn, f"break_point_{metric}", found[metric], "1/s")
        results.number("stress", "nmax", turn, "off", offs[-1] * 100, "%")
        print(f"stress, run {turn}: {found['value']:.1f}/s, {offs[-1] * 100:+.1f} %", flush=True)
    results.number("stress", "theory", 1, "break_point", true, "1/s")
    values = results.values("stress", "nmax", "break_point_value").values()
    results.section("Break point", [
        f"`--profile stress --compress {compress}` ({8 * 3600 // compress} s from 0 to 1,000/s) against an M/M/{SERVERS} queue "
        f"of {RATE_PER_S}/s each. p95 of the response times is {LIMIT_MS} ms at {true:.1f}/s by theory.", "",
        f"Found: {spread(values, 4)}/s in {len(offs)} runs; off by {', '.join(f'{off * 100:+.1f} %' for off in offs)}; the "
        f"interval holds the truth in {inside}.", "",
        goal("each within 5 %", max(abs(off) for off in offs) <= BREAK_POINT_OFF_MAX, small),
    ])


def soak(results, cpus, small):
    """A target that leaks 1 MB/min and one that does not, both at once."""
    compress = 1440 if small else 288
    kinds = {"leak": ("--leak", "1MB/min"), "no leak": ()}
    with ThreadPoolExecutor() as pool:
        runs = {name: pool.submit(_soak, options, cpus, compress) for name, options in kinds.items()}
    found = {}
    for name, run in runs.items():
        summary = run.result()
        results.raw(f"soak-{name.replace(' ', '-')}", "json", json.dumps({key: summary[key] for key in KEPT}, indent=1))
        found[name] = _finding(summary, "MEMORY_SLOPE")
        for metric in ("value", "low", "high"):
            results.number("soak", name, 1, f"slope_{metric}", found[name][metric], "bytes/min")
    lines = [f"`--profile soak --compress {compress}` ({24 * 60 // compress} min at 50/s), two targets at once.", "",
             "| target | slope, MB/min (95 %) | called a leak | text |", "|---|---|---|---|"]
    for name, slope in found.items():
        value, low, high = (slope[key] / 1e6 for key in ("value", "low", "high"))
        lines.append(f"| {name} | {value:.3f} ({low:.3f} to {high:.3f}) | {'yes' if slope['trouble'] else 'no'} | "
                     f"{slope['text']} |")
    lines += ["", goal("a leak of 1 MB/min is found", found["leak"]["trouble"], small),
              goal("no leak where there is none", not found["no leak"]["trouble"], small)]
    results.section("Leak", lines)


def _soak(options, cpus, compress):
    with servers.target(str(generators.NMAX), "fixed:2ms", cpus[0], *options) as (url, pid):
        return generators.judged(url, "soak.yaml", cpus[1], ["--compress", str(compress)], 600,
                                 [f"observe.0.process.pid={pid}"])


def _finding(summary, code):
    """The finding of that code; a run without one is no result."""
    found = [finding for finding in summary["profile"]["findings"] if finding["code"] == code]
    if not found:
        raise Failure(f"no {code} among the findings: {summary['profile']['headline']}")
    return found[0]
