#!/usr/bin/env bash
# Four questions of capacity, and what may be said about each. Loads nothing.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

pages=$NMAX_RUNS_DIR/capacity
mkdir -p "$pages"

# capacity VERB STORY CODE: prints the answer and writes its page. Sets `text`, its words one space apart.
capacity() {
    printf '$ nmax capacity %s examples/capacity/%s.yaml\n\n' "$1" "$2"
    code=0
    "$nmax" capacity "$1" "$here/$2.yaml" -o "$pages/$2.html" >"$work/result" 2>&1 || code=$?
    cat "$work/result"
    text=$(tr -s '[:space:]' ' ' <"$work/result")
    expect_code "$3"
}

say "1. Weeks: which step, and when must it be ordered?"
capacity plan weeks 0
expect_text "36 processors" "64 processors" "vendor's"
look "The envelope is wide: by the hardware alone the present server lasts for months, with the database it does not."

say "2. Two tiers: 10,000 requests per second"
capacity plan tiers 0
expect_text "app needed" "store needed" "USD"
look "The tier that binds is named. Each number says whether it was measured or assumed."

say "3. A slashdot day on a budget"
capacity day slashdot 0
expect_text "HOLDS" "cache in front" "hit rate"
look "A cache keeps the day for less than machines cost. What breaks it first is its hit rate."

say "4. The Sunday without a management plane"
capacity day sunday 0
expect_text "HOLDS" "one zone more" "autoscaled"
look "Autoscaling asks a management plane that does not answer. Nodes that stand there need nothing from it."
