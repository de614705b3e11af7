#!/usr/bin/env bash
# Six tables of measurements, and what may be said about each. Loads nothing: it takes a second.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

data=$here/../../testdata/usl

# usl CODE ARGS..: prints the answer; CODE is the exit code that it must have. Sets `text`, its words one space apart.
usl() {
    local expected=$1 shown
    shift
    shown=$*
    shown=${shown//"$data/"/}
    printf '$ nmax usl %s\n\n' "${shown//"$here/"/}"
    code=0
    "$nmax" usl "$@" >"$work/result" 2>&1 || code=$?
    cat "$work/result"
    text=$(tr -s '[:space:]' ' ' <"$work/result")
    expect_code "$expected"
}

say "1. memcached 1.2.8, as the slides of 2010 fitted it: γ is what one thread did"
usl 0 fit "$data/memcached-1.2.8.csv" --method ols2
expect_text ".0255" ".0210" "286"
look "α .0255 and β .0210, the coefficients of slide 37. By themselves they put the peak at 6.82 threads."

say "2. The same seven points with relative errors, and γ fitted too"
usl 0 fit "$data/memcached-1.2.8.csv"
expect_text "286"
look "β is the same. α is not known: its interval holds 0. The peak that was measured is shown, that of the law is not."

say "3. Data in prison: two threads do more than twice what one does"
usl 4 fit "$here/prison.csv"
expect_text "EFFICIENCY_OVER_ONE" "prison"
look "Exit code 4. The row to measure again is N = 1, on a warm cache. Without it, from row 4 on:"
usl 0 fit "$here/prison.csv" --rows 4..
look "The law behind these numbers is α .03, β .0005, γ 1000."

say "4. A patch: did contention fall, or does it only look so?"
usl 0 compare before="$here/before.csv" after="$here/after.csv"
expect_text "contention" "coherency"
look "α fell, and by how much at least; for β these data show no difference. So the peak hardly moved, but it is higher."

say "5. What if the database were not there? Contention .005 in place of .03, and a load that grows 3 % a week"
usl 0 what-if --coefficients 0.03,0.0005,1000 --optimistic alpha=0.005 --realistic alpha=0.02 \
    --growth 3%/week --weeks 26 --load 12
expect_text "assumed"
look "Less contention makes the peak higher; it hardly moves it. Less coherency would move it."

say "6. A peak that is none: four cores, and a law with a peak at 159 threads"
usl 0 fit "$data/sysbench-cpu.csv"
expect_text "cap"
look "The cap is named, at 27,346 per second. No peak of the law is printed: the law is 106 behind in AICc."
