#!/usr/bin/env bash
# Installs what `make fuzz` needs beside cargo: cargo-fuzz (into target/fuzz-tools) and a C++ compiler for libFuzzer.
set -euo pipefail
cd "$(dirname "$0")/.."

tools=target/fuzz-tools
mkdir -p "$tools"

if ! command -v c++ >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing a C++ compiler" >&2
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends g++ >/dev/null
  else
    echo "missing: a C++ compiler. Install one first, for example: sudo apt-get install g++" >&2
    exit 1
  fi
fi

if [ ! -x "$tools/bin/cargo-fuzz" ]; then
  echo "building cargo-fuzz in $tools (a minute, once)" >&2
  cargo install --quiet --locked cargo-fuzz --root "$tools"
fi
