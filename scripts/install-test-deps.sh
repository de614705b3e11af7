#!/usr/bin/env bash
# Checks what `cargo test` needs beside the crates: cargo and a C compiler (ring compiles assembler and C).
# Installs a missing compiler where it may, else says what to install.
set -euo pipefail

if ! command -v cargo >/dev/null; then
  echo "missing: cargo. Install Rust 1.90 or newer, for example with rustup." >&2
  exit 1
fi

if ! command -v cc >/dev/null; then
  if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
    echo "installing a C compiler" >&2
    apt-get update -qq
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends gcc libc6-dev >/dev/null
  else
    echo "missing: a C compiler. Install one first, for example: sudo apt-get install gcc libc6-dev" >&2
    exit 1
  fi
fi
