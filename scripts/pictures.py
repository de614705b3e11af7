"""Photographs what nmax says: terminals with their colors, and reports. See pictures.sh."""

import html
import os
import pty
import re
import subprocess
import tempfile
from pathlib import Path

NMAX, RUNS, OUT = os.environ["NMAX"], Path(os.environ["NMAX_RUNS_DIR"]), Path("docs/pictures")
# Columns of the terminal; pixels of a column and of a line.
COLUMNS, COLUMN, LINE = 84, 9.0, 20
# What the numbers of a color sequence look like.
STYLES = {1: "font-weight:bold", 2: "opacity:.65", 31: "color:#ff7b72", 32: "color:#3fb950", 33: "color:#d29922", 36: "color:#39c5cf"}


def said(*args):
    """What a command prints on a terminal."""
    near, far = pty.openpty()
    subprocess.run(["stty", "cols", str(COLUMNS)], stdin=far, check=True)
    child = subprocess.Popen([NMAX, *args], stdin=subprocess.DEVNULL, stdout=far, stderr=far, env={**os.environ, "TERM": "xterm-256color"})
    os.close(far)
    text = b""
    while True:
        try:
            part = os.read(near, 65536)
        except OSError:  # The other end is closed.
            break
        if not part:
            break
        text += part
    child.wait()
    return text.decode().replace("\r", "")


def colored(text):
    """Sequences of color as spans."""
    def span(match):
        styles = [STYLES[int(number)] for number in match[1].split(";") if number and int(number) in STYLES]
        return f'</span><span style="{";".join(styles)}">'
    # A character of another font keeps the width of a column.
    text = re.sub("[^\x00-\x7f]", lambda cell: f"<i>{cell[0]}</i>", html.escape(text))
    return "<span>" + re.sub("\x1b\\[([0-9;]*)m", span, text) + "</span>"


def photograph(page, name, width, height, scale=1.5):
    """A picture of a page's first pixels, in light."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", f"--user-data-dir={folder}",
             f"--force-device-scale-factor={scale}", f"--window-size={width},{height}", f"--screenshot={OUT / name}", page],
            check=True, stderr=subprocess.DEVNULL,
        )


def terminal(name, command, text):
    """A picture of a command and its first lines."""
    with tempfile.NamedTemporaryFile("w", suffix=".html") as page:
        body = f"<b style='opacity:.65'>$</b> {html.escape(command)}\n{colored(text)}"
        page.write(
            "<meta charset='utf-8'><style>i { display: inline-block; width: 1ch; height: 1em; font-style: normal }</style>"
            "<body style='margin:0;background:#0d1117;color:#e6edf3'>"
            f"<pre style='margin:0;padding:16px;font:15px/{LINE}px \"DejaVu Sans Mono\",monospace'>{body}</pre>"
        )
        page.flush()
        lines = text.rstrip("\n").count("\n") + 2
        photograph(f"file://{page.name}", name, int(COLUMNS * COLUMN) + 40, lines * LINE + 32)


def run(part):
    """The newest run whose name has a part."""
    return sorted(RUNS.glob(f"*-{part}-*"))[-1]


def main():
    OUT.mkdir(parents=True, exist_ok=True)
    opened, scale = run("shop-open"), run("scale-peak")
    terminal("run.png", "nmax run open.yaml", said("show", os.path.relpath(opened)))
    text = said("show", os.path.relpath(scale))
    terminal("scale.png", "nmax scale http://127.0.0.1:8080/", text[: text.index("\n\n", text.index("Meaning"))])
    photograph(f"file://{(opened / 'report.html').resolve()}", "report.png", 1200, 1000, 1)


main()
