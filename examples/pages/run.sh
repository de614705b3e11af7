#!/usr/bin/env bash
# Loads two pages of the small shop as browsers do: first with users who come back, then with new ones. It takes some
# eight seconds and works from any folder; NMAX=/path/to/nmax says which program to use.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
nmax=${NMAX:-nmax}
work=$(mktemp -d)
target=

stop() {
    if [[ -n $target ]]; then
        kill "$target" 2>/dev/null || true
        wait "$target" 2>/dev/null || true
    fi
    rm -rf "$work"
}
trap stop EXIT

"$nmax" target --shop --service fixed:10ms >"$work/addresses" &
target=$!
for _ in $(seq 600); do
    [[ -s $work/addresses ]] && break
    kill -0 "$target" 2>/dev/null || { echo "The shop did not start." >&2; exit 1; }
    sleep 0.1
done
url=$(grep -om1 'http://[^ ]*' "$work/addresses")

cd "$work"
for visitor in returning new; do
    printf '\n%s visitors\n\n' "$visitor"
    "$nmax" run "$here/plan.yaml" --target "$url" --set "defaults.visitor=$visitor" --exit-zero
done
