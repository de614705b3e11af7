"""Starts a plan in `nmax serve`, follows the run and prints its verdict: client.py ADDRESS PLAN, with the printed ADDRESS."""
import json
import sys
from urllib.request import HTTPCookieProcessor, Request, build_opener

address, token = sys.argv[1].split("#token=")
browser, headers = build_opener(HTTPCookieProcessor()), {}


def ask(path, body=None):
    return browser.open(Request(f"{address}api/{path}", body and json.dumps(body).encode(), headers))


headers["X-Nmax-Key"] = json.load(ask("session", {"token": token}))["key"]
run = json.load(ask("runs", {"plan": sys.argv[2], "tags": ["api"]}))["id"]
for line in ask(f"stream?run={run}&after=0"):
    name, _, value = line.decode().rstrip().partition(": ")
    event = value if name == "event" else event if name == "data" else ""
    if (name, event) == ("data", "frame"):
        frame = json.loads(value)
        print(f"{frame['start_s']:4.1f} s: {frame['values']['started']:g} iterations/s, p95 {frame['values']['p95']} ms")
    elif event in ("end", "gone"):
        break
print(json.load(ask(f"runs/{run}"))["row"]["state"])
