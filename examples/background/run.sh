#!/usr/bin/env bash
# A mix of users, and beside it a batch job that starts later.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

start_target --shop --service fixed:30ms
say "20 iterations per second of shoppers; after a third of the run two workers read the catalogue"
run plan.yaml --compress "$(short 15 1)"
expect_code 0 3 4 # Whether this machine is quiet is not the point here.
expect_text "beside catalogue job" "all items" "GET /basket"

look "The job has rows of its own. The rate of the load is that of the mix: the job adds nothing to it."
look "GET / and GET /search keep their times while the job runs, or they do not: that is the question."

"$nmax" show last --json >result.json
rate=$(sed -n 's/^  "intended_rate_per_s": \([0-9.]*\),$/\1/p' result.json)
[[ $rate == 20* ]] || fail "the intended rate is $rate, not that of the mix"
grep -q '"background"' result.json || fail "the job is not told apart"
