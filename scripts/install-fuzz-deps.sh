#!/usr/bin/env bash
# Installs what `make fuzz` needs beside cargo: cargo-fuzz (into target/fuzz-tools) and a C++ compiler for libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packages.sh
. scripts/packages.sh

need c++ g++
install_missing || exit 1

tools=target/fuzz-tools
mkdir -p "$tools"
if [[ ! -x $tools/bin/cargo-fuzz ]]; then
    echo "building cargo-fuzz in $tools (a minute, once)" >&2
    cargo install --quiet --locked cargo-fuzz --root "$tools"
fi
