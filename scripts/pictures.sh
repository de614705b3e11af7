#!/usr/bin/env bash
# Makes pictures of every report and of every page of `nmax serve` in target/pictures: in light, dark, 375 pixels wide, reports
# on paper as well, and the pages of PDFs; and of these the README's in docs/pictures. Runs take about three minutes; KEEP=1 takes those of the last time.
#
# NMAX=/path/to/nmax says which program to use. Needs Chromium, Node.js, pdftoppm and pngquant, and installs what it may.
set -euo pipefail
cd "$(dirname "$0")/.."
# shellcheck source=packages.sh
. scripts/packages.sh
need chromium chromium
need node nodejs
need npm npm
need pdftoppm poppler-utils
need pngquant pngquant
install_missing && node_packages tests/browser || exit 1

nmax=${NMAX:-$PWD/target/release/nmax} out=$PWD/target/pictures target= server=
export NMAX_RUNS_DIR=$out/runs
trap '[[ -z $target$server ]] || kill $target $server' EXIT

# serve FLAGS..: a target on a free port in place of the one before; sets `url`.
serve() {
    [[ -z $target ]] || kill "$target"
    mkfifo "$out/address"
    "$nmax" target "$@" >"$out/address" &
    target=$!
    read -r url <"$out/address" && url=$(grep -o 'http://[^ ]*' <<<"$url")
    rm "$out/address"
}

# load NAME FLAGS..: a run under a name of its own; whatever its verdict is.
load() { "$nmax" run scripts/pictures.yaml --target "$url" --name "$1" --exit-zero -q "${@:2}" >"$out/$1.txt"; }

run_all() {
    rm -rf "$out" && mkdir -p "$out"
    serve --shop --service lognormal:median=50ms,p95=150ms
    load "shop before" --tag release --note "first release"
    # More files than the run may open make numbers that say nothing about the shop.
    (ulimit -n 64 && load "shop limited" --tag release --set workload.open.rate=120/s --set 'stages=[{ hold: 5s }]') || true
    for seed in 1 2 3 4 5 6; do load short --seed "$seed" --tag before --set 'stages=[{ hold: 4s }]'; done
    serve --shop --service lognormal:median=70ms,p95=200ms
    for seed in 1 2 3 4 5 6; do load short --seed "$seed" --tag after --set 'stages=[{ hold: 4s }]'; done
    serve --shop --service lognormal:median=50ms,p95=150ms --errors 3%
    load "shop checkout" --tag release --note "replies of the new cache"
    serve --service usl:alpha=0.03,beta=0.0043,gamma=50
    "$nmax" scale "$url" --budget 45s --name scale >"$out/scale.txt" || true
}

# newest NAME: the directory of the newest run of a name.
newest() { find "$NMAX_RUNS_DIR" -mindepth 1 -maxdepth 1 -name "*-$1-*" | sort | tail -n 1; }

[[ -n ${KEEP:-} && -d $NMAX_RUNS_DIR ]] || run_all
# written NAME WHAT..: a report as a page and as PDF.
written() { "$nmax" report "${@:2}" --exit-zero -o "$out/$1.html" -o "$out/$1.pdf" >"$out/$1.said"; }

written run-pass "$(newest shop-before)"
written run-fail "$(newest shop-checkout)"
written run-invalid "$(newest shop-limited)"
written baseline "$(newest shop-checkout)" --baseline "$(newest shop-before)"
written scale "$(newest scale)"
written campaign --campaign release
"$nmax" compare tag:before tag:after --exit-zero -o "$out/compare.html" >"$out/compare.txt"
"$nmax" trend short -o "$out/trend.html" >"$out/trend.txt"
node tests/browser/photograph.mjs "$(command -v chromium)" "$out" docs/pictures

# The pages of runs, with one that is running.
serve --shop --service lognormal:median=50ms,p95=150ms --errors 3%
mkdir -p "$out/plans"
sed "s#^target:.*#target: $url#" scripts/pictures.yaml >"$out/plans/shop.yaml"
cp scripts/pictures-capacity.yaml "$out/plans/capacity.yaml"
"$nmax" serve --listen 127.0.0.1:0 --plans "$out/plans" >"$out/serve.txt" &
server=$!
until grep -q 'token=.*' "$out/serve.txt"; do sleep 0.1; done
node tests/browser/photograph-page.mjs "$(command -v chromium)" "$(grep -o 'http://[^ ]*token=.*' "$out/serve.txt")" "$out" docs/pictures
pngquant --force --ext .png docs/pictures/*.png
