#!/usr/bin/env bash
# What limits a shop of nginx, PHP and PostgreSQL? One row of the stock, which every order changes. Then the same with
# sixteen rows, and what that has changed.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# shellcheck source=../servers.sh
. "$here/../servers.sh"

# mean_held: for how long the orders held their row, in ms; nginx keeps what the application says about each.
mean_held() {
    awk -F'dur=' 'NF == 2 { sum += $2; orders++ } END { if (orders) printf "%.1f", sum / orders }' "$work/web/held.log"
}

# fill_in FILE: a configuration with the places of this run.
fill_in() {
    sed -e "s|FOLDER|$work/web|g" -e "s|DATABASE_AT|$work/database|" -e "s|SERVICES_AT|$services|" -e "s|PORT|$port|" \
        -e "s|^OWNER\$|$php_owner|" "$here/$1" >"$work/web/$1"
}

# Ended in the order of their start, so that nobody is left who uses the database: nginx last asks PHP, PHP the database.
start_shop() {
    # Two services elsewhere: the catalog needs 60 ms, the payment 30 ms. They vary little, so that noise stays small.
    start_target --service /hello=uniform:57ms..63ms --service /echo=uniform:28ms..32ms
    services=$url
    make_database
    cp "$here/order.php" "$work/web/"
    port=$(free_port)
    fill_in nginx.conf
    fill_in fpm.conf
    start_php "$work/web/fpm.conf"
    start_nginx "$work/web/nginx.conf"
    start_database -c listen_addresses= -c max_connections=100
    sql -c 'CREATE TABLE stock (id int PRIMARY KEY, amount bigint NOT NULL) WITH (fillfactor = 10)' \
        -c 'INSERT INTO stock SELECT id, 1000000000 FROM generate_series(1, 16) AS id'
    url=http://127.0.0.1:$port
    wait_for nginx answers "$port"
}

# scale NAME ROWS FLAGS..: the law of the shop with so many rows; keeps its points in NAME.csv.
scale() {
    local name=$1 rows=$2 scaled
    shift 2
    code=0
    "$nmax" scale "$here/plan.yaml" --target "$url" -e "ROWS=$rows" --name "$name" --quiet "$@" \
        >"$work/result" 2>&1 || code=$?
    cat "$work/result"
    text=$(tr -s '[:space:]' ' ' <"$work/result")
    expect_code 0 4
    expect_text "The largest throughput measured is" "Levels in the order of their runs"
    scaled=$(newest "$NMAX_RUNS_DIR/*-scale-$name-*")
    [[ -s $scaled/points.csv ]] || fail "there are no points in $scaled"
    cp "$scaled/points.csv" "$work/$name.csv"
}

# usl ARGS..: `nmax usl`; its answer is in $work/result, and in `text`.
usl() {
    printf '$ nmax usl %s\n\n' "$*"
    code=0
    "$nmax" usl "$@" >"$work/result" 2>&1 || code=$?
    text=$(tr -s '[:space:]' ' ' <"$work/result")
    expect_code 0 4
}

number_after() { sed -n "s/.*$1 \([0-9.]*[0-9]\).*/\1/p" <<<"$text"; }

start_shop
# The same numbers of users in both, since a law of few users and a law of many may differ without a change. The row is full
# from four users on; what happens far beyond shows the law.
flags=(--axis "vus=$(short 1,8,12,16 1,2,4,6,8,12,16)" --replicates "$(short 1 3)" --budget "$(short 14s 4m)"
    --level-time "$(short 1s 6s)" --warm-up "$(short 500ms 1s)")

say "1. Every order changes the same row"
scale one-row 1 "${flags[@]}"
one_most=$(number_after "The largest throughput measured is")
held=$(mean_held)
[[ -n $held ]] || fail "the shop does not say for how long"

say "2. Is the row what is full? Meanwhile an order held it for $held ms on average, by the stopwatch of the shop"
usl fit one-row.csv --dimension vus --demand "row=${held}ms"
sed -n '/^ceiling/p; /^ceiling/,/^[^ ]/{/^ /p}' "$work/result"
if [[ $text == *"row is full"* || $text == *"row explains the contention"* ]]; then
    look "nmax counted orders, the shop measured time, and both come to the same end: the row, and nothing else."
else
    look "the two do not meet (a busy machine, or too little time); the lines above say how far apart they are"
fi

say "3. The stock is spread over sixteen rows"
scale sixteen-rows 16 "${flags[@]}"
sixteen_most=$(number_after "The largest throughput measured is")

say "4. What has changed?"
usl compare one-row.csv sixteen-rows.csv --dimension vus
cat "$work/result"
# measured NAME: whether no level was left out; a busy machine may make those with most users INVALID.
measured() { [[ $(wc -l <"$work/$1.csv") -gt $(short 4 7) ]]; }
if measured one-row && measured sixteen-rows; then
    awk -v one="$one_most" -v sixteen="$sixteen_most" -v least="$(short 1.2 2)" 'BEGIN { exit !(sixteen > least * one) }' ||
        fail "$sixteen_most/s with sixteen rows is not much more than $one_most/s with one"
fi
if [[ $text == *"Contention α fell"* ]]; then
    verdict="contention fell, by more than noise"
else
    verdict="whether contention fell, these data do not bear (a busy machine, or too little time)"
fi
look "$one_most/s at most with one row, $sixteen_most/s with sixteen; $verdict."
