#!/usr/bin/python3
"""Makes the fonts of PDF reports, crates/nmax-report/src/pdf/fonts/*.font and their license, from
DejaVu.

Needs fontTools and the fonts (Debian: fonttools, fonts-dejavu). Each file holds, in little endian:
the count of characters (u16), the size of the font in bytes (u32), for each character its code, its glyph and its
advance in thousandths of the size of the text (three u16), and the font, compressed by zlib. The same input makes the
same bytes.

Usage: scripts/fonts.py [FOLDER OF THE FONTS]
"""
import io
import struct
import sys
import zlib
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FROM = Path(sys.argv[1] if len(sys.argv) > 1 else "/usr/share/fonts/truetype/dejavu")
TO = Path(__file__).parent.parent / "crates/nmax-report/src/pdf/fonts"

BASIC = [(0x20, 0x7E), (0xA0, 0x17F)]
SYMBOLS = [
    (0x2010, 0x2027), (0x2030, 0x203A), (0x20AC, 0x20AC), (0x2190, 0x2195), (0x21D2, 0x21D2), (0x2202, 0x2202),
    (0x2206, 0x2206), (0x2211, 0x2212), (0x221A, 0x221A), (0x221E, 0x221E), (0x2248, 0x2248), (0x2260, 0x2265),
    (0x25A0, 0x25CF), (0x26A0, 0x26A0), (0x2713, 0x2718), (0xFFFD, 0xFFFD),
]
LETTERS = [
    (0x218, 0x21B), (0x300, 0x304), (0x370, 0x3FF), (0x400, 0x45F), (0x490, 0x491), (0x2070, 0x209C),
    (0x2153, 0x215E), (0x2200, 0x22FF), (0x2308, 0x230B),
]
DRAWING = [(0x2500, 0x259F)]
FONTS = {
    "sans": ("DejaVuSansCondensed.ttf", BASIC + SYMBOLS + LETTERS),
    "bold": ("DejaVuSansCondensed-Bold.ttf", BASIC + SYMBOLS + LETTERS),
    "mono": ("DejaVuSansMono.ttf", BASIC + SYMBOLS + LETTERS + DRAWING),
}


def small(path, ranges):
    """The rows of these characters, and the font with their glyphs alone."""
    font = TTFont(path, recalcTimestamp=False)
    known = font.getBestCmap()
    characters = [c for low, high in ranges for c in range(low, high + 1) if c in known]
    options = subset.Options()
    options.hinting = False
    options.layout_features = []
    options.glyph_names = False
    options.notdef_outline = True
    options.drop_tables += ["GDEF", "GPOS", "GSUB", "kern", "FFTM", "MATH", "OS/2", "name", "post"]
    job = subset.Subsetter(options)
    job.populate(unicodes=characters)
    job.subset(font)
    cmap, advances, unit = font.getBestCmap(), font["hmtx"].metrics, font["head"].unitsPerEm
    rows = [(c, font.getGlyphID(name), round(advances[name][0] * 1000 / unit)) for c, name in sorted(cmap.items())]
    out = io.BytesIO()
    font.save(out)
    return rows, out.getvalue()


TO.mkdir(parents=True, exist_ok=True)
license = TTFont(FROM / FONTS["sans"][0])["name"].getDebugName(13)
(TO / "LICENSE").write_text("\n".join(line.rstrip() for line in license.strip().splitlines()) + "\n")
for name, (file, ranges) in FONTS.items():
    rows, data = small(FROM / file, ranges)
    head = struct.pack("<HI", len(rows), len(data))
    table = b"".join(struct.pack("<HHH", *row) for row in rows)
    whole = head + table + zlib.compress(data, 9)
    (TO / f"{name}.font").write_bytes(whole)
    print(f"{name}: {len(rows)} characters, {len(data)} bytes, {len(whole)} in the file")
