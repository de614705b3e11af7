# shellcheck shell=bash disable=SC2034,SC2154 # What it reads is set by common.sh, what it sets is read elsewhere.
# Real servers for examples: nginx, PHP and PostgreSQL of Debian's packages, on free ports or on sockets in $work, ended with
# the example. To be read after common.sh.

need nginx nginx-light
need_file '/usr/sbin/php-fpm*' php-fpm
need php php-cli
need_file '/usr/lib/php/*/pgsql.so' php-pgsql
need_file '/usr/lib/postgresql/*/bin/initdb' postgresql
install_or_skip

# Programs of Debian that are in nobody's PATH, of whatever version.
newest() { compgen -G "$1" | sort -V | tail -n 1; }
database_programs=$(newest '/usr/lib/postgresql/*/bin')
php_fpm=$(newest '/usr/sbin/php-fpm*')
pgsql_so=$(newest '/usr/lib/php/*/pgsql.so')

# PostgreSQL refuses to run as root, and then has to own its folder. Everything is in $work and on the loopback.
as_owner=() php_owner=
mkdir "$work/database" "$work/web"
chmod 755 "$work"
if [[ $(id -u) = 0 ]]; then
    as_owner=(setpriv --reuid=postgres --regid=postgres --clear-groups)
    chown postgres "$work/database"
    php_owner='user = www-data'
fi

sql() { "$database_programs/psql" -q -v ON_ERROR_STOP=1 -h "$work/database" -U shop postgres "$@"; }

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
