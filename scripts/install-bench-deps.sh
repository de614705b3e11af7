#!/usr/bin/env bash
# Installs what the benchmarks compare with and measure by: wrk, nginx, openssl, strace, valgrind, goaccess (Debian
# packages), k6 (Go module).
# A tool that cannot be had is named; the benchmark then reports a gap instead of a number.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/bench-tools
mkdir -p "$tools"

install_package() { # COMMAND PACKAGE
  command -v "$1" >/dev/null && return
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing $2" >&2
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$2" >"$tools/install-$2.log" 2>&1 ||
      { echo "apt-get install $2 failed; see $tools/install-$2.log" >&2; exit 1; }
  else
    echo "missing: $1. Install it first, for example: sudo apt-get install $2" >&2
    exit 1
  fi
}

PATH="$PATH:/usr/sbin" # where nginx lives
install_package python3 python3
install_package nginx nginx-light
install_package wrk wrk
install_package openssl openssl
install_package strace strace
install_package valgrind valgrind
install_package goaccess goaccess

if [ ! -x "$tools/k6" ]; then
  if command -v go >/dev/null; then
    echo "building k6 in $tools (a few minutes, once)" >&2
    GOBIN="$PWD/$tools" go install go.k6.io/k6@latest >"$tools/install-k6.log" 2>&1 ||
      echo "k6 could not be built (see $tools/install-k6.log); it stays a gap in the results" >&2
  else
    echo "no Go compiler here, so no k6; it stays a gap in the results" >&2
  fi
fi
