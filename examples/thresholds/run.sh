#!/usr/bin/env bash
# Every metric as a condition; then a run that ends itself because it hurts.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

say "Every metric once"
start_target --shop --service fixed:30ms
run plan.yaml --duration "$(short 4s 20s)"
expect_code 0 4 # The conditions are wide; a busy machine that sends late is not the point here.
expect_text "page_time p95 < 3s for request home" "response_time p50 < 1s for tag office" "checks >= 99%"
if grep -q '✗' result; then fail "a condition does not hold"; fi
look "Each condition has its value and its margin: how far it is from not holding."

say "Half of all requests fail: after one second of it the run ends itself"
start_target --shop --service fixed:30ms --errors 50%
begin=$SECONDS
run abort.yaml
expect_code 3 4 # INVALID besides, on a busy machine.
expect_text "THRESHOLD_ABORT" "had not held for 1s"
((SECONDS - begin < 30)) || fail "the run was not ended early"
look "It ended after $((SECONDS - begin)) s of 60, is never a PASS, and its teardown was still done."
