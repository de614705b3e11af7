"""What the recorder costs: time added to an exchange, many connections at once, a large download."""

import contextlib
import http.client
import json
import ssl
import statistics
import tempfile
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from suite import generators, servers
from suite.memory import rss_bytes
from suite.process import Failure, free_port, server
from suite.results import goal, spread

ADDED_MAX_MS = 2
CONNECTIONS = 200
DOWNLOAD_GROWTH_MAX_BYTES = 4e6
# Exchanges before those that are measured: connections, certificates, caches.
WARM_UP = 20
PIECE_BYTES = 1 << 18
# Between the end of the download and the last look at the memory.
SETTLE_S = 0.5
# Longest wait for a reply, and for the plan of a recording.
WAIT_S = 120
KINDS = {"plain": False, "TLS": True}


def recorder(results, rounds, cpus, small):
    """The recorder between a client and nginx: median exchange, 200 connections, a download of 1 GB."""
    pairs, each, size = (30, 2, 32_000_000) if small else (500, 5, 1_000_000_000)
    for kind, tls in KINDS.items():
        _added(results, kind, tls, rounds, pairs, cpus)
        _crowd(results, kind, tls, each, cpus)
        _download(results, kind, tls, size, cpus)
    _section(results, rounds, pairs, each, size, small)


def _added(results, kind, tls, rounds, pairs, cpus):
    """The same requests directly and through the recorder, in turn, each over one kept connection."""
    count = rounds * (pairs + WARM_UP)
    with servers.nginx(cpus[0], tls=tls) as url, _recording(url, cpus[1], exchanges=count) as (proxy, _):
        for turn in range(1, rounds + 1):
            ways = {"direct": _Client(url), "recorded": _Client(url, proxy)}
            took = {way: [] for way in ways}
            for number in range(pairs + WARM_UP):
                for way in sorted(ways, reverse=number % 2):
                    began = time.perf_counter_ns()
                    ways[way].get("/item")
                    took[way].append((time.perf_counter_ns() - began) / 1e6)
            for client in ways.values():
                client.close()
            medians = {way: statistics.median(times[WARM_UP:]) for way, times in took.items()}
            for way, median in medians.items():
                results.number("recorder", f"{kind}, {way}", turn, "median", median, "ms")
            added = medians["recorded"] - medians["direct"]
            results.number("recorder", kind, turn, "added_to_median", added, "ms")
            results.raw(f"recorder-{kind}-{turn}", "csv", "direct_ms,recorded_ms\n" + "".join(
                f"{direct:.4f},{recorded:.4f}\n" for direct, recorded in zip(*(took[way][WARM_UP:] for way in ways))))
            print(f"recorder, {kind}, round {turn}: {added:.3f} ms added to {medians['direct']:.3f} ms", flush=True)


def _crowd(results, kind, tls, each, cpus):
    """Connections that are all open before any of them asks."""
    gate = threading.Barrier(CONNECTIONS)
    failures = []

    def visit(url, proxy):
        try:
            client = _Client(url, proxy)
            client.open()
            gate.wait(WAIT_S)
            for _ in range(each):
                client.get("/item")
            gate.wait(WAIT_S)
            client.close()
        except (OSError, Failure, threading.BrokenBarrierError, http.client.HTTPException) as failure:
            gate.abort()
            failures.append(repr(failure))

    with servers.nginx(cpus[0], tls=tls) as url, _recording(url, cpus[1], exchanges=CONNECTIONS * each) as (proxy, pid):
        began = time.monotonic()
        crowd = [threading.Thread(target=visit, args=(url, proxy)) for _ in range(CONNECTIONS)]
        for thread in crowd:
            thread.start()
        for thread in crowd:
            thread.join()
        took_s, rss = time.monotonic() - began, rss_bytes(pid)
    if failures:
        raise Failure(f"of {CONNECTIONS} connections ({kind}) {len(failures)} failed: {failures[0]}")
    results.number("recorder", kind, 1, "connections", CONNECTIONS, "1")
    results.number("recorder", kind, 1, "connections_wall_s", took_s, "s")
    results.number("recorder", kind, 1, "connections_rss", rss, "bytes")
    print(f"recorder, {kind}: {CONNECTIONS} connections in {took_s:.1f} s", flush=True)


def _download(results, kind, tls, size, cpus):
    """Resident memory while a large body passes, and after it, when the part that is kept of it is written."""
    with tempfile.TemporaryDirectory() as folder:
        with open(Path(folder) / "large", "wb") as file:
            file.truncate(size)
        with servers.nginx(cpus[0], tls=tls, files=folder) as url, _recording(url, cpus[1], exchanges=1) as (proxy, pid):
            client, seen = _Client(url, proxy), [(0, rss_bytes(pid))]
            began = time.monotonic()
            for received in client.pieces("/files/large"):
                if received - seen[-1][0] >= size / 200:
                    seen.append((received, rss_bytes(pid)))
            took_s = time.monotonic() - began
            client.close()
            time.sleep(SETTLE_S)
            after = rss_bytes(pid)
    if received != size:
        raise Failure(f"{received:,} of {size:,} bytes came through the recorder ({kind})")
    early = max(rss for at, rss in seen if at <= size / 10)
    late = max(rss for _, rss in seen)
    seen.append((received, after))
    results.raw(f"recorder-{kind}-download", "csv", "received,rss_bytes\n" + "".join(f"{at},{rss}\n" for at, rss in seen))
    for metric, value, unit in (("download_rss_before", seen[0][1], "bytes"), ("download_rss_max", late, "bytes"),
                                ("download_growth", late - early, "bytes"), ("download_rss_after", after, "bytes"),
                                ("download_rate", size / 1e6 / took_s, "MB/s")):
        results.number("recorder", kind, 1, metric, value, unit)
    print(f"recorder, {kind}: {size / 1e6:,.0f} MB at {size / 1e6 / took_s:,.0f} MB/s, at most {late / 1e6:.1f} MB", flush=True)


@contextlib.contextmanager
def _recording(url, cpu, exchanges):
    """`nmax record` for `url` on processor `cpu`: the port of its proxy and its process. It must record that many exchanges."""
    with tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = [str(generators.NMAX), "record", url, "--no-browser", "--insecure", "--quiet", "--port", str(port),
                   "--output", f"{folder}/visit"]
        with server(command, cpu, port, patience_s=WAIT_S) as pid:
            yield port, pid
        recording = Path(folder) / "visit.har"
        if not recording.exists():
            raise Failure("the recorder left no recording")
        entries = json.loads(recording.read_text(encoding="utf-8"))["log"]["entries"]
        good = sum(entry["response"]["status"] == 200 for entry in entries)
        if good != exchanges or len(entries) != exchanges:
            raise Failure(f"the recording holds {len(entries)} exchanges, {good} of them good; {exchanges} were made")


class _Client:
    """One kept connection to nginx, direct or through the proxy at a loopback port."""

    def __init__(self, url, proxy=None):
        parts = urlsplit(url)
        self.base = "" if proxy is None or parts.scheme == "https" else url.rstrip("/")
        host, port = parts.hostname, parts.port
        at = (host, port) if proxy is None else (host, proxy)
        if parts.scheme == "https":
            # The certificate is nginx's own or the recorder's: who answers is not the question.
            trust = ssl.create_default_context()
            trust.check_hostname, trust.verify_mode = False, ssl.CERT_NONE
            self.connection = http.client.HTTPSConnection(*at, timeout=WAIT_S, context=trust)
            if proxy is not None:
                self.connection.set_tunnel(host, port)
        else:
            self.connection = http.client.HTTPConnection(*at, timeout=WAIT_S)

    def open(self):
        self.connection.connect()

    def close(self):
        self.connection.close()

    def get(self, path):
        for _ in self.pieces(path):
            pass

    def pieces(self, path):
        """Asks for `path`, and gives after each piece of the body how much has come."""
        self.connection.request("GET", self.base + path)
        reply = self.connection.getresponse()
        if reply.status != 200:
            raise Failure(f"{path} was answered with {reply.status}")
        received = 0
        while piece := reply.read(PIECE_BYTES):
            received += len(piece)
            yield received


def _section(results, rounds, pairs, each, size, small):
    def only(kind, metric):
        return results.values("recorder", kind, metric)[1]

    text = [f"nginx directly and through `nmax record`, in turn over one kept connection each: {rounds} rounds of {pairs} "
            "exchanges with a reply of some 100 bytes. Median of a round, ms: median (smallest to largest).", "",
            "| connections | direct | recorded | added |", "|---|---|---|---|"]
    for kind in KINDS:
        ways = [spread(results.values("recorder", f"{kind}, {way}", "median").values()) for way in ("direct", "recorded")]
        more = spread(results.values("recorder", kind, "added_to_median").values())
        text.append(f"| {kind} | {ways[0]} | {ways[1]} | {more} |")
    text += ["", f"{CONNECTIONS} connections, all open before any of them asks, {each} exchanges each; then one download of "
             f"{size / 1e6:,.0f} MB. Every exchange was answered with 200 and is in the recording.", "",
             "| connections | seconds for all 200 | MB resident then | MB/s of the download | MB resident meanwhile, at most "
             "| growth after the first tenth, MB | MB resident once it is kept |", "|---|---|---|---|---|---|---|"]
    for kind in KINDS:
        text.append(f"| {kind} | {only(kind, 'connections_wall_s'):.1f} | {only(kind, 'connections_rss') / 1e6:.1f} | "
                    f"{only(kind, 'download_rate'):,.0f} | {only(kind, 'download_rss_max') / 1e6:.1f} | "
                    f"{only(kind, 'download_growth') / 1e6:.1f} | {only(kind, 'download_rss_after') / 1e6:.1f} |")
    added = max(statistics.median(results.values("recorder", kind, "added_to_median").values()) for kind in KINDS)
    growth = max(only(kind, "download_growth") for kind in KINDS)
    text += ["", goal("at most 2 ms more for the median exchange", added <= ADDED_MAX_MS, small),
             goal("200 connections at once", True, small),
             goal("1 GB in constant memory: at most 4 MB more after the first tenth", growth <= DOWNLOAD_GROWTH_MAX_BYTES, small)]
    results.section("Recorder", text)
