#!/usr/bin/env bash
# A server is slow: what to look at first, what changes when that is changed, and which requests were slow.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

length=$(short 5s 20s)

# load HELD LABEL: a server whose lock is held for that long by each request, and a run.
load() {
    start_target --bottleneck "lock:held=$1,name=stock"
    run plan.yaml -e "LENGTH=$length" -e "METRICS=$url/metrics" --tag "$2" --note "lock held for $1"
    # 4: a busy machine sends late, and says so; then there are no suspects.
    expect_code 0 4
    [[ $code -eq 4 ]] || expect_text "What to look at first 1 WAIT lock stock on this host"
}

say "1. Each request holds a lock for 10 ms"
load 10ms before
before=$(compgen -G "$NMAX_RUNS_DIR/*-stock-*" | sort | tail -n 1)
look "The lock is first: how many waited, what that is of each request's time, and what would prove it wrong"

say "2. The same, with the lock held for 2 ms"
load 2ms after

say "3. Did it help?"
code=0
"$nmax" compare "$before" last --force >"$work/result" 2>&1 || code=$?
cat "$work/result"
text=$(tr -s '[:space:]' ' ' <"$work/result")
expect_code 0
expect_text "✓ order response_time"

say "4. Which requests, and when?"
"$nmax" slice "$before" --by status --over-time
"$nmax" slice last --by status --over-time
