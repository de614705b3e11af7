"""An access log of a made-up shop, the same bytes from the same seed."""

import datetime
import math
import random

# Visitors who are on the site at any time. Who leaves makes room for a new one.
ACTIVE = 2_000
ITEMS = 50_000
BEGIN = datetime.datetime(2026, 11, 20, tzinfo=datetime.timezone.utc)
AGENTS = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36",
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 "
    "Mobile/15E148 Safari/604.1",
    "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
)
# What follows a page: the share up to which, and the page. Behind the last share the visitor leaves.
NEXT = {
    "": ((0.6, "home"), (1.0, "item")),
    "home": ((0.4, "search"), (0.8, "item")),
    "search": ((0.7, "item"), (0.85, "search")),
    "item": ((0.35, "item"), (0.55, "search"), (0.7, "cart")),
    "cart": ((0.3, "item"), (0.7, "checkout")),
    "checkout": (),
}
SITE = "https://shop.example"


def write(path, lines, per_s, seed):
    """Writes `lines` lines in the combined format, `per_s` of them in each second. Gives their bytes."""
    draw = random.Random(seed).random
    visitors = [_visitor(draw) for _ in range(ACTIVE)]
    stamp, second = "", None
    with open(path, "w", encoding="ascii") as file:
        for number in range(lines):
            if second != int(number / per_s):
                second = int(number / per_s)
                at = BEGIN + datetime.timedelta(seconds=second)
                stamp = at.strftime("%d/%b/%Y:%H:%M:%S +0000")
            which = int(draw() * ACTIVE)
            visitor = visitors[which]
            page = _next(visitor[2], draw())
            if page is None:
                visitor = visitors[which] = _visitor(draw)
                page = _next("", draw())
            target = _target(page, draw)
            referer = SITE + visitor[3] if visitor[3] else "-"
            file.write(f'{visitor[0]} - - [{stamp}] "GET {target} HTTP/1.1" 200 {int(draw() * 40_000) + 300} '
                       f'"{referer}" "{visitor[1]}"\n')
            visitor[2], visitor[3] = page, target
        return file.tell()


def _visitor(draw):
    """Address, browser, no page yet."""
    number = int(draw() * (1 << 24))
    return [f"10.{number >> 16}.{number >> 8 & 255}.{number & 255}", AGENTS[int(draw() * len(AGENTS))], "", ""]


def _next(page, chance):
    return next((name for share, name in NEXT[page] if chance < share), None)


def _target(page, draw):
    """Path and query. Few items are asked for often, many seldom: Zipf's law with an exponent near 1."""
    if page == "home":
        return "/"
    if page in ("item", "search"):
        item = int(math.exp(draw() * math.log(ITEMS)))
        return f"/item/{item}" if page == "item" else f"/search?q=lamp+{item}"
    return f"/{page}"
