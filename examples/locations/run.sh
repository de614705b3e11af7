#!/usr/bin/env bash
# The same page from an old line and from a new one.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

start_target --shop --service fixed:30ms
say "Ten users look at a page: two of them behind 256 kbit/s, eight behind 100 Mbit/s"
run plan.yaml --duration "$(short 5s 30s)" --set "defaults.visitor=new"
expect_code 0 4 # A page behind a slow line takes seconds; late by a few milliseconds does not change that.
expect_text "adsl" "fibre" "page_time p95 < 10s for tag adsl"

# The same figures for programs: the page behind the old line takes several times as long.
"$nmax" show last --json >result.json
median() { # LOCATION
    awk -v name="\"$1\": {" '
        /^  "locations"/ { within = 1 }
        within && index($0, name) { here = 1 }
        here && /"page_time_ms"/ { page = 1 }
        page && /"p50"/ { gsub(/[^0-9.]/, "", $2); print $2; exit }' result.json
}
adsl=$(median adsl)
fibre=$(median fibre)
look "Half of the pages took ${adsl} ms behind 256 kbit/s, and ${fibre} ms behind 100 Mbit/s."
awk -v slow="$adsl" -v fast="$fibre" 'BEGIN { exit !(slow > 2 * fast) }' || fail "the old line is not slower"
look "A condition with \`for tag adsl\` is about the users of that location alone."
