#!/usr/bin/env bash
# Installs what the benchmarks compare with and measure by: wrk, nginx, openssl, strace, valgrind, goaccess (Debian
# packages), k6 (Go module, into target/bench-tools). Where there is no Go compiler the benchmark reports a gap instead of
# the numbers of k6.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packages.sh
. scripts/packages.sh

need python3 python3
need nginx nginx-light
need wrk wrk
need openssl openssl
need strace strace
need valgrind valgrind
need goaccess goaccess
install_missing || exit 1

tools=target/bench-tools
mkdir -p "$tools"
if [[ ! -x $tools/k6 ]]; then
    if command -v go >/dev/null; then
        echo "building k6 in $tools (a few minutes, once)" >&2
        GOBIN=$PWD/$tools go install go.k6.io/k6@latest >"$tools/install-k6.log" 2>&1 ||
            echo "k6 could not be built (see $tools/install-k6.log); it stays a gap in the results" >&2
    else
        echo "missing: a Go compiler, so k6 stays a gap in the results. To have it: sudo apt-get install golang-go" >&2
    fi
fi
