#!/usr/bin/env bash
# Builds the page of `nmax serve` into ui/dist, which is committed, so that cargo never calls npm. With --check it builds
# elsewhere and fails when the committed types or files are not what the sources make. Needs npm.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packages.sh
. scripts/packages.sh
need node nodejs
need npm npm
install_missing || exit 1
node_packages ui || exit 1
cd ui

to=.
if [ "${1:-}" = --check ]; then
    to=$(mktemp -d)
    trap 'rm -rf "$to"' EXIT
    mkdir "$to/src"
fi
npx openapi-typescript openapi.json -o "$to/src/api.d.ts" >/dev/null 2>&1
npx svelte-check --fail-on-warnings >/dev/null
npx vite build --logLevel error --emptyOutDir --outDir "$(realpath "$to")/dist"
if [ "$to" != . ]; then
    diff -q "$to/src/api.d.ts" src/api.d.ts && diff -qr "$to/dist" dist || { echo "run: make ui" >&2; exit 1; }
fi
