"""Memory and sockets: many thinking users, many open connections, and a long run."""

import json
import statistics

from suite import generators, servers
from suite.process import Failure
from suite.results import goal

RSS_MAX_BYTES = 1_200_000_000
GROWTH_MAX_BYTES = 1_000_000
# Tried from the highest down: what one processor of a small machine holds is not known before.
RATES_PER_S = (50_000, 40_000, 30_000, 20_000, 10_000)


def thinking(results, cpus, small):
    """Memory of users who have made a request, got a cookie and think, without a connection."""
    users, ramp_s = (1_000, 2) if small else (100_000, 100)
    settings = [f"workload.closed.vus={users}", f"stages.0.ramp={ramp_s}s"]
    with servers.nginx(cpus[0]) as url:
        before = servers.requests(url)
        result = generators.nmax(url, 10, cpus[1], "thinking.yaml", settings, slack_s=ramp_s + 120)
        # The command may look once whether the target can be reached; the question itself counts, too.
        done = servers.requests(url) - before - 1
    if done < users:
        raise Failure(f"only {done:,} of {users:,} users made their request")
    results.raw("memory-thinking", result.suffix, result.raw)
    results.number("memory", "nmax", 1, "thinking_rss_max", result.rss_max_bytes, "bytes")
    results.number("memory", "nmax", 1, "thinking_rss_per_user", result.rss_max_bytes / users, "bytes")
    results.section("Thinking users", [
        f"{users:,} users, each with a completed request and a cookie, connections closed: at most "
        f"{result.rss_max_bytes / 1e6:,.0f} MB resident, {result.rss_max_bytes / users / 1024:.1f} KiB per user.", "",
        goal("100,000 of them in at most 1.2 GB", result.rss_max_bytes <= RSS_MAX_BYTES, small),
    ])


def sockets(results, cpus, small):
    """Connections open at once, each of them used."""
    users, ramp_s = (500, 2) if small else (15_000, 15)
    settings = [f"workload.closed.vus={users}", f"stages.0.ramp={ramp_s}s"]
    with servers.nginx(cpus[0]) as url:
        result = generators.nmax(url, 15, cpus[1], "open_sockets.yaml", settings, slack_s=ramp_s + 120)
    summary = json.loads(result.raw)
    open_max = summary["injector"]["open_files_max"]
    results.raw("memory-sockets", result.suffix, result.raw)
    results.number("memory", "nmax", 1, "open_files_max", open_max, "1")
    results.number("memory", "nmax", 1, "sockets_rss_max", result.rss_max_bytes, "bytes")
    results.section("Open sockets", [
        f"{users:,} users who keep their connection: {open_max:,} open files, no failure, "
        f"{result.rss_max_bytes / 1e6:,.0f} MB resident.", "",
        goal("15,000 at once", open_max >= users, small),
    ])


def growth(results, cpus, small):
    """Resident memory between minute 1 and minute 5 of a run at an even rate."""
    first_s, last_s = (3, 8) if small else (60, 300)
    with servers.nginx(cpus[0]) as url:
        rate = next((rate for rate in RATES_PER_S if _holds(url, rate, cpus[1])), None)
        if rate is None:
            raise Failure(f"this machine does not hold {RATES_PER_S[-1]:,}/s")
        seen = []
        result = generators.nmax(url, last_s + 2, cpus[1], "steady.yaml", [f"workload.open.rate={rate}/s"],
                                 look=lambda pid, at_s: seen.append((at_s, rss_bytes(pid))))
    around = [[rss for at_s, rss in seen if rss and abs(at_s - wanted_s) <= 1] for wanted_s in (first_s, last_s)]
    if not all(around):
        raise Failure("the memory of nmax could not be read")
    first, last = (statistics.median(values) for values in around)
    results.raw("memory-growth", "csv", "second,rss_bytes\n" + "".join(f"{at_s:.2f},{rss}\n" for at_s, rss in seen[::20]))
    results.raw("memory-growth-summary", result.suffix, result.raw)
    results.number("memory", "nmax", 1, "growth_rate", rate, "1/s")
    results.number("memory", "nmax", 1, "growth", last - first, "bytes")
    share = "" if rate == RATES_PER_S[0] else f" (the highest of {RATES_PER_S} that this machine holds)"
    results.section("Growth of memory", [
        f"{rate:,}/s{share}: {first / 1e6:.2f} MB after {first_s} s, {last / 1e6:.2f} MB after {last_s} s, "
        f"{(last - first) / 1e6:+.2f} MB.", "",
        goal("less than 1 MB from minute 1 to minute 5", last - first < GROWTH_MAX_BYTES, small),
    ])


def _holds(url, rate, cpu):
    """Whether nmax on this machine reaches that rate, in a run of some seconds."""
    try:
        result = generators.nmax(url, 4, cpu, "steady.yaml", [f"workload.open.rate={rate}/s"])
    except Failure:
        return False
    return json.loads(result.raw)["achieved_rate_per_s"] >= 0.99 * rate


def rss_bytes(pid):
    """Resident memory of a process; 0 when it is gone."""
    try:
        with open(f"/proc/{pid}/status", encoding="utf-8") as file:
            lines = [line for line in file if line.startswith("VmRSS:")]
    except OSError:
        return 0
    return int(lines[0].split()[1]) * 1024 if lines else 0
