#!/usr/bin/env bash
# Loads a small shop for about a minute, finds the peak of a system in another, and writes three reports. `make demo`
# calls it; it works from any folder.
#
# NMAX=/path/to/nmax skips the build and uses that program.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
work=$(mktemp -d)
target_pid=

stop_target() {
    [[ -n $target_pid ]] || return 0
    kill "$target_pid" 2>/dev/null || true
    wait "$target_pid" 2>/dev/null || true
    target_pid=
}

stop() {
    stop_target
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 && -z ${NO_COLOR:-} ]] || say() { printf '\n%s\n' "$*"; }

if [[ -z ${NMAX:-} ]]; then
    say "Building nmax (some minutes the first time)"
    cargo build --release --package nmax --manifest-path "$root/Cargo.toml"
    folder=${CARGO_TARGET_DIR:-$root/target}
    [[ $folder = /* ]] || folder=$PWD/$folder
    NMAX=$folder/release/nmax
fi

# Sets `address`; what was started before is stopped.
start() { # NAME FLAGS..
    local name=$1
    shift
    stop_target
    : >"$work/addresses"
    "$NMAX" target "$@" >"$work/addresses" &
    target_pid=$!
    for _ in $(seq 600); do
        [[ -s $work/addresses ]] && break
        kill -0 "$target_pid" 2>/dev/null || { echo "The $name did not start." >&2; exit 1; }
        sleep 0.1
    done
    address=$(head -n 1 "$work/addresses")
    [[ -n $address ]] || { echo "The $name did not tell its address." >&2; exit 1; }
    echo "It listens on $address and stops with this demo."
}

say "1. A shop on this machine: half of its replies take over 50 ms, one in twenty over 150 ms"
start shop --shop --service lognormal:median=50ms,p95=150ms

worst=0
reports=
run() { # PLAN
    local code=0
    load "$1" || code=$?
    if [[ $code -eq 4 ]]; then
        echo
        echo "INVALID: something else kept this machine busy, so requests left late. Such numbers do not judge the shop,"
        echo "and nmax says so. Once more:"
        code=0
        load "$1" || code=$?
    fi
    case $code in
        0) ;;
        3) echo "FAIL: the shop missed a threshold. The lines above say which." ;;
        4) echo "INVALID again. Close other programs, then run the demo again." ;;
        130) exit 130 ;;
        *) echo "The run ended with exit code $code." ;;
    esac
    [[ $code -le $worst ]] || worst=$code
    reports+=$(report_of_last_run || true)$'\n'
}

load() { # PLAN
    touch "$work/before"
    "$NMAX" run "$here/$1" --target "$address" --runs-dir "$root/runs" --tag demo
}

report_of_last_run() {
    find "$root/runs" -mindepth 2 -maxdepth 2 -name report.html -newer "$work/before" -printf '  file://%p\n'
}

say "2. Open workload: 40 visitors arrive per second, whether the shop is fast or slow (25 s)"
run open.yaml
say "3. Closed workload: 30 customers log in, fill a basket and order, each waiting for its replies (25 s)"
run closed.yaml

say "4. At how many users does a system do most? Contention 0.03, coherency 0.0043: by the law 15 users, 323/s (1 min)"
start system --service usl:alpha=0.03,beta=0.0043,gamma=50
echo "nmax does not know that. It raises the load until throughput falls, then measures where it learns most:"
echo
touch "$work/before"
code=0
"$NMAX" scale "$address" --budget 60s --max 100 --runs-dir "$root/runs" --name peak --tag demo || code=$?
[[ $code -ne 130 ]] || exit 130
[[ $code -ne 4 ]] || echo "The data of this machine bear no law. The lines above say why; close other programs, then run the demo again."
[[ $code -le $worst ]] || worst=$code
reports+=$(report_of_last_run || true)$'\n'

say "The reports, to open in a browser:"
echo "$reports"
echo "Next: docs/tutorial.md, or a server of your own: $NMAX run http://127.0.0.1:8080/ -c 10 -d 10s"
exit "$worst"
