#!/usr/bin/env bash
# Starts the target of run.sh anew with so many threads: set-threads.sh NMAX PORT PID_FILE THREADS
set -euo pipefail
nmax=$1 port=$2 pid_file=$3 threads=$4
if [[ -s $pid_file ]]; then
    kill "$(cat "$pid_file")" 2>/dev/null || true
    while kill -0 "$(cat "$pid_file")" 2>/dev/null; do sleep 0.05; done
fi
# The target outlives this script, so it must not hold what the caller reads.
"$nmax" target --listen "$port" --workers "$threads" --service cpu:4ms --for-time 10m </dev/null >/dev/null 2>&1 &
echo $! >"$pid_file"
for _ in $(seq 100); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && exit 0
    sleep 0.05
done
echo "the target does not listen on port $port" >&2
exit 1
