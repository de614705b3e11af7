#!/usr/bin/env bash
# Four runs, four judgements: believed and good, believed and bad, not to be believed, and not steady.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# judge CODE FLAGS..: runs the plan until it ends with CODE, three times at most: other work on this machine may rightly
# make a run INVALID, and two of these judgements are about a machine that is quiet.
judge() {
    local wanted=$1 length=$2
    shift 2
    for _ in 1 2 3; do
        run plan.yaml -e "LENGTH=$length" "$@"
        [[ $code -ne $wanted ]] || return 0
    done
    expect_code "$wanted" "$(short 4 "$wanted")"
}

say "1. A target that keeps up: PASS"
start_target --service fixed:60ms
judge 0 "$(short 4s 20s)"

say "2. A target that is too slow: FAIL, overload of the target, never INVALID for it"
start_target --service mmc:servers=1,rate=20
judge 3 "$(short 4s 20s)"
[[ $code -eq 4 ]] || expect_text "TARGET_OVERLOADED"

say "3. A busy process on the injector's core: INVALID, whatever the target does"
# The first that this script may use.
core=$(sed -n 's/^Cpus_allowed_list:[^0-9]*\([0-9]*\).*/\1/p' /proc/self/status)
start_target
taskset -c "$core" sh -c 'while :; do :; done' &
others+=("$!")
busy=$!
judge 4 "$(short 6s 20s)" --workers 1 --pin "$core" --set workload.open=null --set workload.closed.vus=16
expect_text "G[34]_" # Late, or waiting for a processor.
kill "$busy"

say "4. A target that gets slower all the time: not steady"
for _ in 1 2 3; do
    start_target --service fixed:40ms --drift "$(short 10ms/s 3ms/s)"
    run plan.yaml -e "LENGTH=$(short 14s 40s)" --set workload.open.rate=110/s --set workload.open.max_in_flight=500
    expect_code 0 3 4
    [[ $code -eq 4 && $text != *"not steady"* ]] || break
done
if [[ $code -eq 4 && $text != *"not steady"* ]]; then
    echo "Not shown on this machine: it is too busy for a valid run. Close other programs, then run this again." >&2
    exit 77
fi
expect_text "not steady"

say "What the codes mean"
for explained in TARGET_OVERLOADED G4_RUN_QUEUE G3_INJECTOR_LAG G6_NOT_STEADY; do
    "$nmax" explain "$explained"
done
