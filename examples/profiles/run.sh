#!/usr/bin/env bash
# The six profiles, each with the answer to its question, on targets whose answers are known.
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# profile NAME COMPRESS: runs it; what it answers is the point here, not the verdict on a busy machine.
profile() {
    run plan.yaml -e "PID_FILE=$pid_file" --profile "$1" --compress "$2"
    expect_code 0 3 4
    expect_text "Profile $1" "compressed"
}

say "smoke: one user, 20 minutes in $(short 3 20) s"
start_target --service fixed:30ms
profile smoke "$(short 400 60)"
look "The rate of one user agrees with its response times, and says how many users 50/s stand for."

say "ladder: 1 %, 10 % and all of the load, 5 minutes each, in $(short 6 45) s"
start_target --service lock:25ms
profile ladder "$(short 150 20)"
look "A lock of 25 ms serves 40/s: the last step is the first with trouble."

say "peak: ramp, hold and ramp down, 2 h 35 min in $(short 5 60) s"
start_target --service lognormal:median=30ms,p95=90ms
profile peak "$(short 1860 155)"
look "The conditions hold, and the margin to the nearest one says how much room there is."

say "stress: 8 hours up to twice the load, in $(short 10 60) s"
start_target --service mmc:servers=4,rate=20
profile stress "$(short 2880 480)"
expect_text "break point"
look "Four servers of 20/s each break below 80/s: response times leave their limit first."

say "soak: a day in $(short 6 90) s"
start_target --service fixed:30ms --leak "$(short 64kB/s 64kB/s)"
profile soak "$(short 14700 980)"
look "Memory of the target grows; $(short "in its full form the example finds" "its slope has") an interval, and the time until memory is used up."

say "flood: everybody at once, 2 hours in $(short 4 40) s"
start_target --service fixed:30ms --stall at=0s,for="$(short 500ms 3s)"
profile flood "$(short 1800 180)"
look "How long it took to settle, and how bad it was before."
