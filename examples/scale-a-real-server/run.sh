#!/usr/bin/env bash
# What limits a shop of nginx, PHP and PostgreSQL? One row of the stock, which every order changes. Then the same with
# sixteen rows, and what that has changed.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# Programs of Debian that are in nobody's PATH, of whatever version.
newest() { local found; found=$(compgen -G "$1" | sort -V | tail -n 1) && echo "$found"; }
PATH=$PATH:/usr/sbin
database_programs=$(newest '/usr/lib/postgresql/*/bin' || dirname "$(command -v postgres || echo missing)")
php_fpm=$(command -v php-fpm || newest '/usr/sbin/php-fpm[0-9]*' || true)
missing=()
command -v nginx >/dev/null || missing+=(nginx-light)
[[ -n $php_fpm ]] || missing+=(php-fpm)
[[ -n $(newest '/usr/lib/php/*/pgsql.so' || true) ]] || missing+=(php-pgsql)
[[ -x $database_programs/initdb ]] || missing+=(postgresql)
if [[ ${#missing[@]} -gt 0 ]]; then
    echo "skipped: ${missing[*]} missing (names of Debian packages). Nothing was measured."
    exit 0
fi

# PostgreSQL refuses to run as root, and then has to own its folder. Everything is in $work and on the loopback.
as_owner=() php_owner=
mkdir "$work/database" "$work/web"
chmod 755 "$work"
if [[ $(id -u) = 0 ]]; then
    as_owner=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    chown postgres "$work/database"
    php_owner='user = www-data'
fi

# start_server NAME COMMAND..: runs it until the end of the example; what it says is in NAME.log.
start_server() {
    "${@:2}" >"$work/$1.log" 2>&1 &
    others+=("$!")
}

# wait_for NAME COMMAND..: until the command succeeds.
wait_for() {
    for _ in $(seq 100); do
        ! "${@:2}" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    cat "$work/$1.log" >&2
    fail "$1 did not start"
}

sql() { "$database_programs/psql" -q -v ON_ERROR_STOP=1 -h "$work/database" -U shop postgres "$@"; }
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# order ROWS: one order; its reply with its head.
order() {
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'GET /order?rows=%s HTTP/1.0\r\n\r\n' "$1" >&3
    cat <&3
    exec 3>&-
}

# fill_in FILE: a configuration with the places of this run.
fill_in() {
    sed -e "s|FOLDER|$work/web|g" -e "s|DATABASE_AT|$work/database|" -e "s|SERVICES_AT|$services|" -e "s|PORT|$port|" \
        -e "s|^OWNER\$|$php_owner|" "$here/$1" >"$work/web/$1"
}

# Ended in the order of their start, so that nobody is left who uses the database: nginx last asks PHP, PHP the database.
start_shop() {
    local folder=$work/database/data
    # Two services elsewhere: the catalog needs 20 ms on average, the payment 4 ms.
    start_target --service /hello=exponential:20ms --service /echo=exponential:4ms
    services=$url
    ${as_owner[@]+"${as_owner[@]}"} env LC_ALL=C "$database_programs/initdb" -D "$folder" -U shop -A trust --no-sync >"$work/initdb.log" ||
        fail "no database could be made"
    cp "$here/order.php" "$work/web/"
    for _ in 1 2 3 4 5; do
        port=$((10000 + RANDOM % 20000))
        answers "$port" || break
    done
    fill_in nginx.conf
    fill_in fpm.conf
    # Not as a service of this machine: without a port, its socket in this folder.
    start_server php "$php_fpm" --nodaemonize -n -d "extension=$(newest '/usr/lib/php/*/pgsql.so')" -y "$work/web/fpm.conf"
    start_server nginx nginx -p "$work/web" -e "$work/nginx.log" -c "$work/web/nginx.conf"
    start_server database ${as_owner[@]+"${as_owner[@]}"} "$database_programs/postgres" -D "$folder" -k "$work/database" \
        -c listen_addresses= -c max_connections=100
    wait_for database sql -c 'SELECT 1'
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

number_after() { sed -n "s/.*$1 \([0-9.]*[0-9]\).*/\1/p" <<<"$text"; }

start_shop
# The same numbers of users in both, since a law of few users and a law of many may differ without a change.
flags=(--axis "vus=$(short 1,2,4,8,16,32 1,2,4,8,12,16,32)" --replicates "$(short 1 3)" --budget "$(short 20s 3m)")
[[ -z ${SHORT:-} ]] || flags+=(--level-time 1s --warm-up 300ms)

say "1. For how long does an order hold its row, when nobody else orders?"
orders=$(short 50 200)
held=$(for _ in $(seq "$orders"); do order 1; done | sed -n 's/^Server-Timing: held;dur=\([0-9.]*\).*/\1/p' |
    awk '{ sum += $1 } END { if (NR) printf "%.2f", sum / NR }')
[[ -n $held ]] || fail "the shop does not say for how long"
ceiling=$(awk -v held="$held" 'BEGIN { printf "%.0f", 1000 / held }')
look "$held ms (mean of $orders orders): the payment, and the end of the transaction. One row bears $ceiling orders a second."

say "2. Every order changes the same row"
scale one-row 1 --demand "row=${held}ms" "${flags[@]}"
one_most=$(number_after "The largest throughput measured is")

say "3. The stock is spread over sixteen rows"
scale sixteen-rows 16 "${flags[@]}"
sixteen_most=$(number_after "The largest throughput measured is")

say "4. What has changed?"
"$nmax" usl compare one-row.csv sixteen-rows.csv --dimension vus || true
awk -v one="$one_most" -v sixteen="$sixteen_most" -v least="$(short 1.2 2)" 'BEGIN { exit !(sixteen > least * one) }' ||
    fail "$sixteen_most/s with sixteen rows is not much more than $one_most/s with one"
look "$one_most/s at most with one row, $sixteen_most/s with sixteen; the lines above say what has changed in the law."
