#!/usr/bin/env bash
# Users who remember, decide, repeat and sign; what they need is inserted before and removed after.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

start_target --shop --service fixed:30ms
vouchers() { "$nmax" check "$url/api/vouchers" --once | grep -o '"count":[0-9]*'; }

say "Four customers; a voucher for all of them, and one for each"
run plan.yaml -e KEY=not-a-secret --duration "$(short 4s 20s)"
expect_code 0 4 # INVALID when something else keeps this machine busy: the counts below hold all the same.
expect_text "found (items)" "price (cents)"
expect_text "fill basket" "home -> item" "item -> basket"
if grep -q 'Failures and errors' result; then fail "something failed"; fi
look "\"fill basket\" is a transaction: how often, how many failed, how long, pauses included."
look "\"home -> item\" and \"item -> basket\" are transitions between pages, found by nmax."

say "What is left in the shop"
vouchers
[[ $(vouchers) == '"count":0' ]] || fail "not every voucher was removed"

say "Ctrl-C in the middle: what was inserted is removed all the same"
"$nmax" run "$here/plan.yaml" --target "$url" -e KEY=not-a-secret --quiet >interrupted 2>&1 &
load=$!
others+=("$load")
for _ in $(seq 600); do
    [[ $(vouchers) == '"count":0' ]] || break
    sleep 0.1
done
[[ $(vouchers) != '"count":0' ]] || fail "nothing was inserted"
kill -INT "$load"
code=0
wait "$load" || code=$?
expect_code 130
vouchers
[[ $(vouchers) == '"count":0' ]] || fail "not every voucher was removed after Ctrl-C"
