#!/usr/bin/env bash
# Why a request of 0.1 s takes 15 s: ab and nmax against one Apache, in one table. It works from any folder.
#
# NMAX=/path/to/nmax says which program to use: see ../program.sh. SHORT=1 lets Apache wait 2 s in place of 15.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

need apache2 apache2
need ab apache2-utils
install_or_skip

timeout_s=$(short 2 15)
# Runs of nmax last longer than Apache waits, so that the wait is seen to its end.
hold_s=$((timeout_s + 2))
modules=/usr/lib/apache2/modules
chmod 755 "$work"

# The application: every reply takes 0.1 s.
start_target --service fixed:100ms
application=${url#http://}

# Apache in front of it.
start_apache() {
    sed -e "s|FOLDER|$work|g" -e "s|MODULES|$modules|g" -e "s|PORT|$port|" -e "s|APPLICATION|$application|" \
        -e "s|TIMEOUT|$timeout_s|" "$here/apache.conf" >"$work/apache.conf"
    start_server apache apache2 -DFOREGROUND -f "$work/apache.conf"
}
start_on_free_port apache start_apache
url=http://127.0.0.1:$port/

echo "Apache on $url waits $timeout_s s on a kept connection; the application behind it needs 0.1 s."

# Each line: the tool and what it is told. All run at the same time, as none of them needs the processor.
ab_run() { # NAME FLAG...
    ab -q -n 4 -c 4 "${@:2}" "$url" >"$work/$1.txt" 2>&1 || true
}
nmax_run() { # NAME FLAG...
    "$nmax" run "$here/plan.yaml" --target "$url" --duration "${hold_s}s" --runs-dir "$work/runs-$1" \
        --workers 1 --exit-zero --quiet --json "${@:2}" >"$work/$1.json" 2>"$work/$1.err" || true
}
version=(--set defaults.version=1.0)
jobs=()
ab_run ab & jobs+=($!)
ab_run ab-k -k & jobs+=($!)
nmax_run keep --set defaults.connection=keep-alive & jobs+=($!)
nmax_run iteration --set defaults.connection=per-iteration & jobs+=($!)
nmax_run request --set defaults.connection=per-request & jobs+=($!)
nmax_run keep10 "${version[@]}" & jobs+=($!)
nmax_run request10 "${version[@]}" --set defaults.connection=per-request & jobs+=($!)
wait "${jobs[@]}"

# The value of a key in the JSON of a run, by the way to it; `-` when it is not there.
value() { # NAME KEY...
    awk -v way="${*:2}" '
        BEGIN { count = split(way, keys, " ") }
        found { next }
        {
            match($0, /^ */); depth = RLENGTH / 2
            if (depth >= 1 && depth <= at) at = depth - 1
            line = $0
            if (depth == at + 1 && index(line, "\"" keys[depth] "\":")) {
                at = depth
                if (at == count) { sub(/^[^:]*: */, "", line); sub(/,$/, "", line); print line; found = 1 }
            }
        }
        END { if (!found) print "-" }' "$work/$1.json"
}
row() { printf '%-24s %-22s %14s %18s\n' "$@"; }
ab_row() { # NAME FLAGS WORDS
    local ms
    ms=$(awk '/^ *50%/ { print $2 }' "$work/$1.txt")
    [[ -n $ms ]] || { cat "$work/$1.txt" >&2; fail "ab gave no result"; }
    row "$2" "$3" "$ms ms" "not told"
}
nmax_row() { # NAME FLAGS WORDS
    local ms held seconds
    ms=$(value "$1" total service_time_ms p50)
    [[ $ms != - ]] || { cat "$work/$1.err" >&2; fail "nmax gave no result"; }
    held=$(value "$1" connections held count)
    seconds=$(value "$1" connections held seconds max)
    [[ $held != - ]] || held=0
    if [[ $held = 0 ]]; then
        row "$2" "$3" "$(printf '%.0f' "$ms") ms" "none"
    else
        row "$2" "$3" "$(printf '%.0f' "$ms") ms" "$held of $(printf '%.1f' "$seconds") s"
    fi
}

echo
row "tool" "connections" "median request" "sockets held"
ab_row ab "ab" "HTTP/1.0, says nothing"
ab_row ab-k "ab -k" "HTTP/1.0 keep-alive"
nmax_row keep "nmax" "keep-alive"
nmax_row iteration "nmax" "per-iteration"
nmax_row request "nmax" "per-request (close)"
nmax_row keep10 "nmax, HTTP/1.0" "keep-alive"
nmax_row request10 "nmax, HTTP/1.0" "per-request (close)"
echo
echo "The reply is complete after 0.1 s: its Content-Length says so. Apache then keeps the socket for $timeout_s s."
echo "ab without -k waits for that close and counts it as response time. nmax ends a reply where its framing ends it,"
echo "and names the socket that stayed open (SOCKET_HELD)."
