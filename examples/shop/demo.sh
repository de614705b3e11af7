#!/usr/bin/env bash
# Loads a small shop for about a minute, finds the peak of a system in another, and writes three reports. `make demo`
# calls it; it works from any folder.
#
# NMAX=/path/to/nmax says which program to use: see ../program.sh. Runs go to the folder `runs` of the source tree, or to
# NMAX_RUNS_DIR. SHORT=1 makes it a quarter of a minute.
#
# Ends with the worst exit code of the three runs.
# shellcheck source=../common.sh
# Where nothing is built yet, the demo does not wait for what it does not need: files of raw exchanges.
# shellcheck disable=SC2034 # ../program.sh reads it.
first_build=(--no-default-features)
NMAX_RUNS_DIR=${NMAX_RUNS_DIR:-$(dirname "${BASH_SOURCE[0]}")/../../runs}
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[[ -t 1 && -z ${NO_COLOR:-} ]] || say() { printf '\n%s\n' "$*"; }

# start FLAGS..: a target; says where it listens.
start() {
    start_target "$@"
    echo "It listens on $url and stops with this demo."
}

say "1. A shop on this machine: half of its replies take over 50 ms, one in twenty over 150 ms"
start --shop --service lognormal:median=50ms,p95=150ms

# A little shorter than the plans say: the build has taken its time.
stages=(--set 'stages=[{ramp: 3s, to: 100%}, {hold: 15s}]') levels=()
if [[ -n ${SHORT:-} ]]; then
    stages=(--set 'stages=[{ramp: 500ms, to: 100%}, {hold: 2s}]')
    levels=(--level-time 500ms --warm-up 200ms)
fi
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
    "$nmax" run "$here/$1" --target "$url" --tag demo "${stages[@]}"
}

report_of_last_run() {
    find "$NMAX_RUNS_DIR" -mindepth 2 -maxdepth 2 -name report.html -newer "$work/before" -printf '  file://%p\n'
}

say "2. Open workload: 40 visitors arrive per second, whether the shop is fast or slow (18 s)"
run open.yaml
say "3. Closed workload: 30 customers log in, fill a basket and order, each waiting for its replies (18 s)"
run closed.yaml

say "4. At how many users does a system do most? Contention 0.03, coherency 0.0043: by the law 15 users, 323/s (1 min)"
start --service usl:alpha=0.03,beta=0.0043,gamma=50
echo "nmax does not know that. It raises the load until throughput falls, then measures where it learns most:"
echo
touch "$work/before"
code=0
"$nmax" scale "$url" --budget "$(short 10s 60s)" --max 100 --name peak --tag demo ${levels[@]+"${levels[@]}"} || code=$?
[[ $code -ne 130 ]] || exit 130
[[ $code -ne 4 ]] || echo "The data of this machine bear no law. The lines above say why; close other programs, then run the demo again."
[[ $code -le $worst ]] || worst=$code
reports+=$(report_of_last_run || true)$'\n'

say "The reports, to open in a browser:"
echo "$reports"
echo "All runs in the browser, at http://127.0.0.1:7171/: $nmax serve --runs-dir $NMAX_RUNS_DIR"
echo "Next: docs/tutorial.md, or a server of your own: $nmax run http://127.0.0.1:8080/ -c 10 -d 10s"
echo "\`make build\` adds what this demo did not need: files of raw exchanges."
exit "$worst"
