#!/usr/bin/env bash
# A visit is recorded in a browser. A hundred such visitors are too many for a slow shop; with Varnish in front of it
# five hundred are welcome. Ends with one page that shows both runs. It works from any folder.
#
# NMAX=/path/to/nmax says which program to use: see ../program.sh. Runs and page go to the folder `runs`, or to
# NMAX_RUNS_DIR. SHORT=1 makes it less than a minute, and throws them away. VISITOR=curl visits without a browser.
[[ -n ${SHORT:-} ]] || NMAX_RUNS_DIR=${NMAX_RUNS_DIR:-runs}
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

direct_users=$(short 10 100)
cached_users=$(short 50 500)
# Users come one after the other, within about a visit: nobody sends all of them at once.
ramp=$(short 3s 8s)
hold=$(short 7s 30s)
# Four workers. In the short form they are slower, as there are fewer users.
workers=$(short 'mmc:servers=4,rate=8' 'mmc:servers=4,rate=30')

visitor=${VISITOR:-browser}
need varnishd varnish
if [[ $visitor = curl ]]; then
    need curl curl
else
    command -v google-chrome >/dev/null || need chromium chromium
    need node nodejs
    need npm npm
fi
if ! install_missing; then
    [[ $visitor = curl || ( -n $(command -v chromium) && -n $(command -v npm) ) ]] ||
        echo "Or make the visit by curl, without Chromium and Node.js: VISITOR=curl $0" >&2
    exit 77
fi
if [[ $visitor != curl ]]; then
    if ! browser=$(command -v chromium || command -v google-chrome); then
        echo "missing: chromium, though its package is installed. VISITOR=curl $0 makes the visit by curl." >&2
        exit 77
    fi
    driver=$(cd "$here/../../tests/browser" && pwd)
    node_packages "$driver" || exit 77
fi

# start_recorder: sets `proxy`; what is written to descriptor 8 is typed into it.
start_recorder() {
    mkfifo "$work/typed"
    exec 8<>"$work/typed"
    "$nmax" record "$url/" --no-browser -o visit <"$work/typed" >"$work/recorded" 2>"$work/exchanges" &
    recorder=$!
    others+=("$recorder")
    proxy=
    for _ in $(seq 600); do
        proxy=$(grep -om1 'proxy http://[0-9.:]*' "$work/recorded" "$work/exchanges" -h | head -n 1 || true)
        [[ -z $proxy ]] || break
        sleep 0.1
    done
    proxy=${proxy#proxy }
    [[ -n $proxy ]] || { cat "$work/exchanges" >&2; fail "the recorder did not start"; }
}

# step NAME: what is done next, as a person would type it.
step() {
    echo "$1" >&8
    for _ in $(seq 600); do
        ! grep -qF -- "--- $1 ---" "$work/recorded" "$work/exchanges" || return 0
        sleep 0.1
    done
    fail "the recorder did not take the name $1"
}

# browser_visit: Chromium, driven by what the browser tests of nmax use.
browser_visit() {
    local line said
    mkfifo "$work/go" "$work/said"
    exec 7<>"$work/go"
    node "$here/visit.mjs" "$driver" "$proxy" "$url/" "$browser" <"$work/go" >"$work/said" 2>"$work/browser.log" &
    others+=("$!")
    while read -r line; do
        case $line in
            next\ *) step "${line#next }" && echo go >&7 ;;
            done) said=1 && break ;;
        esac
    done <"$work/said"
    exec 7>&-
    [[ -n ${said:-} ]] || { cat "$work/browser.log" >&2; fail "the browser did not finish its visit"; }
}

# curl_visit: the same pages without a browser, and most of what they load.
curl_visit() {
    # get NAME PATH..: a step, and what is fetched in it.
    get() {
        local path
        step "$1"
        for path in "${@:2}"; do
            curl -sS --fail --proxy "$proxy" --noproxy '' -o "$work/got" "$url$path"
        done
        sleep 1.5
    }
    get arrive / /app.css /app.js /logo.png
    get gallery /gallery /gallery/{gallery.css,base.css,text.woff2,hero.jpg} /gallery/{1..8}.jpg
    get search '/search?q=oak+chair'
    get 'search again' '/search?q=lamp'
    get 'log in' /login
}

# start_varnish: in front of `url`, on `port`. Its storage is memory, its folder goes away with the rest.
start_varnish() {
    sed "s|BACKEND_PORT|${url##*:}|" "$here/site.vcl" >"$work/site.vcl"
    start_server varnish varnishd -F -j none -n "$work/varnish" -f "$work/site.vcl" -a "127.0.0.1:$port" -s malloc,64m \
        -p vsl_space=2m -p thread_pools=1
}

# load NAME URL USERS: the recorded plan, as it is, under that load; each visit is one of a new visitor. Once more when
# something else kept the machine busy, so that nmax was late (4).
load() {
    try_load "$@"
    if [[ $code -eq 4 && -z ${SHORT:-} ]]; then
        echo "INVALID: such numbers judge nothing. Once more:"
        try_load "$@"
    fi
    cp "$work/result" "$work/$1.txt"
    "$nmax" report last --format csv -o "$work/$1.csv" >/dev/null
    "$nmax" report last --format html -o "$work/$1.html" >/dev/null
}
try_load() {
    code=0
    "$nmax" run "$work/visit.yaml" --target "$2" --name "$1" --quiet --set 'defaults.visitor=new' \
        --set "workload={closed: {vus: $3}}" --set duration=null \
        --set "stages=[{ramp: $ramp, to: 100%}, {hold: $hold}]" >"$work/result" 2>&1 || code=$?
    cat "$work/result"
    # In a short hold, users of a busy machine may begin nothing: a condition without samples does not hold (3).
    expect_code 0 4 ${SHORT:+3}
}

# value NAME REQUEST COLUMN: of the CSV of a run; COLUMN as its head names it.
value() {
    awk -F, -v request="$2" -v column="$3" '
        NR == 1 { for (i = 1; i <= NF; i++) if ($i == column) at = i }
        $1 == request { print $at; exit }' "$work/$1.csv"
}

rounded() { printf '%.0f' "$(value "$1" total "$2")"; }

verdict() { awk 'NR == 1 { print $2 }' "$work/$1.txt"; }

# page_time NAME PAGE SHARE: p50 or p95 of a page with all that it loads, as the table of a run tells it.
page_time() {
    awk -v page="$2  " -v share="$3" '
        /^Pages / { inside = 1 }
        /^$/ { inside = 0 }
        inside && index($0, page) == 1 {
            # count, failed in %, then each time with its unit
            split(substr($0, index($0, "%") + 1), field, " ")
            at = share == "p50" ? 1 : 3
            print field[at] " " field[at + 1]
            found = 1
            exit
        }
        END { if (!found) print "-" }' "$work/$1.txt"
}

say "The shop: four workers, and every request needs one of them"
start_target --shop --service "$workers"
echo "$url"

say "A visit is recorded"
start_recorder
if [[ $visitor = curl ]]; then
    echo "by curl"
    curl_visit
else
    echo "by $(basename "$browser"), without a window"
    browser_visit
fi
echo q >&8
wait "$recorder" || fail "the recorder ended with an error"
exec 8>&-
sed -n '/ exchanges/p; /^Values/,/^$/p; /^Cookies/,/^$/p' "$work/recorded"

say "Without Varnish: $direct_users users"
load without "$url" "$direct_users"
grep -q 'GET /gallery' "$work/without.csv" || fail "the plan does not hold the visit"

say "With Varnish: $cached_users users"
start_on_free_port varnish start_varnish
load with "http://127.0.0.1:$port" "$cached_users"
counted() { varnishstat -n "$work/varnish" -1 -f "MAIN.$1" | awk '{ print $2 }'; }
hits=$(counted cache_hit) all=$(counted client_req) asked=$(counted backend_req)

say "Side by side"
line() { printf '%-34s %16s %16s\n' "$@"; }
{
    line "" "without Varnish" "with Varnish"
    line "users" "$direct_users" "$cached_users"
    line "verdict" "$(verdict without)" "$(verdict with)"
    line "requests per second" "$(rounded without rate_per_s)" "$(rounded with rate_per_s)"
    line "failed requests" "$(rounded without failed)" "$(rounded with failed)"
    for page in 'GET /' 'GET /gallery' 'GET /search' 'GET /login'; do
        for share in p50 p95; do
            line "page $page, $share" "$(page_time without "$page" $share)" "$(page_time with "$page" $share)"
        done
    done
    line "requests that the shop saw" "all" "$asked of $all"
} >"$work/table"
cat "$work/table"

# One page: the table, and both reports in it.
mkdir -p "$NMAX_RUNS_DIR"
page=$NMAX_RUNS_DIR/with-and-without-varnish.html
escaped() { sed -e 's/&/\&amp;/g' -e 's/</\&lt;/g' -e 's/"/\&quot;/g' "$1"; }
{
    cat <<'HEAD'
<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>With and without Varnish</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 1.5rem }
iframe { width: 100%; height: 80vh; border: 1px solid #ccc }
</style>
<h1>With and without Varnish</h1>
HEAD
    echo "<pre>" && escaped "$work/table" && echo "</pre>"
    echo "<h2>Without Varnish: $direct_users users</h2>"
    echo "<iframe title=\"Without Varnish\" srcdoc=\"$(escaped "$work/without.html")\"></iframe>"
    echo "<h2>With Varnish: $cached_users users</h2>"
    echo "<iframe title=\"With Varnish\" srcdoc=\"$(escaped "$work/with.html")\"></iframe>"
} >"$page"
[[ $page = "$work"/* ]] || look "Both reports on one page: $page"

# What the story promises.
[[ $(value without total failed) = 0 && $(value with total failed) = 0 ]] || fail "requests failed"
slower=$(value without 'GET /' response_time_p50_ms) faster=$(value with 'GET /' response_time_p50_ms)
# A short form has a handful of pages, whose times on a busy machine judge nothing.
[[ -n ${SHORT:-} ]] || awk -v a="$slower" -v b="$faster" 'BEGIN { exit !(b < a) }' || fail "Varnish made the front page slower"
[[ $hits -gt $((all / 2)) ]] || fail "Varnish answered $hits of $all requests itself"
