# Real servers for examples: nginx, PHP and PostgreSQL of Debian's packages, on free ports or on sockets in $work, ended with
# the example. To be read after common.sh.

# Programs of Debian that are in nobody's PATH, of whatever version.
newest() { local found; found=$(compgen -G "$1" | sort -V | tail -n 1) && echo "$found"; }
PATH=$PATH:/usr/sbin
database_programs=$(newest '/usr/lib/postgresql/*/bin' || dirname "$(command -v postgres || echo missing)")
php_fpm=$(command -v php-fpm || newest '/usr/sbin/php-fpm[0-9]*' || true)
pgsql_so=$(newest '/usr/lib/php/*/pgsql.so' || true)
missing=()
command -v nginx >/dev/null || missing+=(nginx-light)
[[ -n $php_fpm ]] || missing+=(php-fpm)
[[ -n $pgsql_so ]] || missing+=(php-pgsql)
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
    for _ in $(seq 600); do
        ! "${@:2}" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    cat "$work/$1.log" >&2
    fail "$1 did not start"
}

sql() { "$database_programs/psql" -q -v ON_ERROR_STOP=1 -h "$work/database" -U shop postgres "$@"; }
answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# free_port: one that nobody answers at.
free_port() {
    local port
    for _ in 1 2 3 4 5; do
        port=$((10000 + RANDOM % 20000))
        answers "$port" || break
    done
    echo "$port"
}

# make_database: an empty one in $work/database/data, owned by the user `shop`.
make_database() {
    ${as_owner[@]+"${as_owner[@]}"} env LC_ALL=C "$database_programs/initdb" -D "$work/database/data" -U shop -A trust \
        --no-sync >"$work/initdb.log" || fail "no database could be made"
}

# start_php CONFIGURATION: PHP's own server of processes; not as a service of this machine.
start_php() {
    start_server php "$php_fpm" --nodaemonize -n -d "extension=$pgsql_so" -y "$1"
}

# start_nginx CONFIGURATION
start_nginx() {
    start_server nginx nginx -p "$work/web" -e "$work/nginx.log" -c "$1"
}

# start_database FLAGS..: its socket is in $work/database.
start_database() {
    start_server database ${as_owner[@]+"${as_owner[@]}"} "$database_programs/postgres" -D "$work/database/data" \
        -k "$work/database" "$@"
    wait_for database sql -c 'SELECT 1'
}
