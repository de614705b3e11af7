#!/usr/bin/env bash
# Starts the system of run.sh anew with so many servers behind one lock: set-servers.sh NMAX PORT PID_FILE SERVERS
set -euo pipefail
nmax=$1 port=$2 pid_file=$3 servers=$4
if [[ -s $pid_file ]]; then
    kill "$(cat "$pid_file")" 2>/dev/null || true
    while kill -0 "$(cat "$pid_file")" 2>/dev/null; do sleep 0.05; done
fi
# It outlives this script, so it must not hold what the caller reads.
"$nmax" target --listen "$port" --service "mmc:servers=$servers,rate=100+lock:2ms" --for-time 10m </dev/null >/dev/null 2>&1 &
echo $! >"$pid_file"
for _ in $(seq 600); do
    (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null && exit 0
    sleep 0.05
done
echo "the system does not listen on port $port" >&2
exit 1
