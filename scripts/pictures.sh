#!/usr/bin/env bash
# Makes the README's pictures in docs/pictures anew: the terminal and the report of the demo's open run, and the picture
# of its scalability. Runs the demo first; RUNS=folder takes the runs that are there. Needs python3 and Chromium.
set -euo pipefail
cd "$(dirname "$0")/.."
export NMAX=${NMAX:-$PWD/target/release/nmax} NMAX_RUNS_DIR=${RUNS:-$PWD/target/pictures}
[[ -n ${RUNS:-} ]] || { rm -rf "$NMAX_RUNS_DIR" && examples/shop/demo.sh; }
exec python3 scripts/pictures.py
