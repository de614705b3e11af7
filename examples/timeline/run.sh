#!/usr/bin/env bash
# A node hangs during the run: before, during, after, and how long until it is as before. Then the same with Ctrl-C.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

start_target --shop --service fixed:30ms
hang=(-e "PID_FILE=$pid_file" -e "LENGTH=$(short 10s 60s)" -e "WINDOW=$(short 100ms 250ms)" -e "AT=$(short 4s 20s)"
    -e "HANG=$(short 1s 5s)" --allow-exec)
# What state the target is in: T is stopped by a signal.
state() { sed 's/.*) //; s/ .*//' "/proc/$target/stat"; }

say "Without --allow-exec nothing on this host is touched"
"$nmax" run "$here/plan.yaml" "${hang[@]:0:10}" --target "$url" && fail "a signal was allowed without being asked for"

say "A node hangs for $(short 1 5) s in the middle of the run"
run plan.yaml "${hang[@]}"
expect_code 0 3 4 # Users wait while the node hangs: conditions may fail, which is not the point here.
expect_text "node hangs" "before" "during" "after"
[[ $(state) != T ]] || fail "the target still hangs after the run"
look "\"recovery\" is counted from the undo: requests that waited must end, then times are as they were before."

say "Ctrl-C while it hangs: the undo comes first"
"$nmax" run "$here/plan.yaml" --target "$url" --quiet "${hang[@]}" -e HANG=1h -e AT=500ms >interrupted 2>&1 &
load=$!
others+=("$load")
for _ in $(seq 600); do
    [[ $(state) != T ]] || break
    sleep 0.1
done
[[ $(state) == T ]] || fail "the target never hung"
kill -INT "$load"
code=0
wait "$load" || code=$?
expect_code 130
[[ $(state) != T ]] || fail "the target was left hanging"
echo "The run ended with 130, and the target answers again:"
grep -m1 '^run' interrupted
