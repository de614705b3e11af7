#!/usr/bin/env bash
# The six profiles, each with the answer to its question, on targets whose answers are known.
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# profile NAME COMPRESS FLAGS..: runs it; what it answers is the point here, not the verdict on a busy machine.
profile() {
    run plan.yaml -e "PID_FILE=$pid_file" --profile "$1" --compress "$2" "${@:3}"
    expect_code 0 3 4
    expect_text "Profile $1" "compressed"
}

say "smoke: one user, 20 minutes in $(short 3 20) s"
start_target --service fixed:30ms
profile smoke "$(short 400 60)"
expect_text "the plan works"
look "The rate of one user agrees with its response times, and says how many users 50/s stand for."

say "ladder: 1 %, 10 % and all of the load, 5 minutes each, in $(short 6 45) s"
start_target --service lock:25ms
profile ladder "$(short 150 20)"
expect_text "first trouble with concurrency at 50/s"
look "A lock of 25 ms serves 40/s: the last step is the first with trouble."

say "peak: ramp, hold and ramp down, 2 h 35 min in $(short 5 60) s"
start_target --service lognormal:median=30ms,p95=90ms
profile peak "$(short 1860 155)"
expect_text "3 conditions hold"
look "The conditions hold, and the margin to the nearest one says how much room there is."

say "stress: 8 hours up to twice the load, in $(short 10 60) s"
start_target --service mmc:servers=4,rate=20
# A queue must build up before users feel it: a short ramp to 150/s has passed 80/s by then, a long one to 100/s hardly.
profile stress "$(short 2880 480)" --set workload.open.rate="$(short 75/s 50/s)" \
    --set 'thresholds.0=response_time p95 < 250ms'
expect_text "break point at" "first broke p95"
broke=${text#*break point at }
broke=${broke%%/s*}
awk -v broke="$broke" 'BEGIN { exit !(broke > 60 && broke < 120) }' || fail "$broke/s is far from what the target can do"
look "Four servers of 20/s each can do 80/s; it broke at $broke/s. The longer the ramp, the nearer."

say "soak: a day in $(short 14 90) s"
start_target --service fixed:30ms --leak "$(short 640kB/s 64kB/s)" --stall "at=500ms,for=300ms,every=$(short 1500ms 10s)"
profile soak "$(short 6400 980)"
expect_text "memory of \`target\` grows and does not stop"
[[ -n ${SHORT:-} ]] || expect_text "every 1" # Some seconds are short for a rhythm on a busy machine.
look "Memory of the target grows, by how much and until when; and every $(short 1.5 10) s it stands still for 300 ms."

say "flood: everybody at once, 2 hours in $(short 5 40) s"
# The target stalls when it starts. The iteration that comes before a heavy profile would wait for the end of that.
start_target --service fixed:30ms --stall at=0s,for="$(short 1500ms 5s)"
profile flood "$(short 1440 180)" --no-smoke
expect_text "settle"
look "The target answers nobody at first: how long it took to settle, and how bad it was before."
