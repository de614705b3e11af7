#!/usr/bin/env bash
# A gallery keeps its pictures, 1.2 MB each, in PostgreSQL. While people download them, everything is slow: nmax says what
# to look at first. Then nginx gives out the same pictures as files, and nmax says what that has changed.
#
# NMAX=/path/to/nmax says which program to use: see ../program.sh. Runs and page go to the folder `runs`, or to NMAX_RUNS_DIR. SHORT=1 makes
# it less than a minute, and throws them away.
[[ -n ${SHORT:-} ]] || NMAX_RUNS_DIR=${NMAX_RUNS_DIR:-runs}
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"
# shellcheck source=../servers.sh
. "$here/../servers.sh"

pictures=$(short 150 300)
groups=()

# confine_database: a machine with less memory than data, and with a disk of 40 MB/s, as databases have; where control
# groups (version 1) may be made. Sets `confined`.
confine_database() {
    local root=/sys/fs/cgroup memory disk
    confined=
    memory=$root/memory/nmax-example-$$ disk=$root/blkio/nmax-example-$$
    mkdir "$memory" 2>/dev/null || return 0
    groups+=("$memory")
    mkdir "$disk" 2>/dev/null || return 0
    groups+=("$disk")
    local device
    device=$(stat -c '%Hd:%Ld' "$work/database" 2>/dev/null) || return 0
    echo $((128 << 20)) >"$memory/memory.limit_in_bytes" 2>/dev/null || return 0
    echo "$device $((40 * 1000 * 1000))" >"$disk/blkio.throttle.read_bps_device" 2>/dev/null || return 0
    confined=1
}

# The groups go away when the last process in them has gone.
clean_up_groups() {
    local group
    clean_up
    for group in ${groups[@]+"${groups[@]}"}; do
        for _ in $(seq 50); do
            rmdir "$group" 2>/dev/null && break
            sleep 0.1
        done
    done
}
trap clean_up_groups EXIT

# join_groups COMMAND..: becomes the command, in the groups.
join_groups() {
    local group
    for group in ${groups[@]+"${groups[@]}"}; do
        echo "$BASHPID" >"$group/cgroup.procs"
    done
    exec "$@"
}

# fill_in FILE IMAGES: a configuration with the places of this run.
fill_in() {
    sed -e "s|IMAGES|$2|" -e "s|FOLDER|$work/web|g" -e "s|DATABASE_AT|$work/database port=$database_port|" -e "s|PORT|$port|" \
        -e "s|^OWNER\$|$php_owner|" "$here/$1" >"$work/web/$1"
}

# Ended in the order of their start, so that nobody is left who uses the database: nginx last asks PHP, PHP the database.
start_gallery() {
    make_database
    mkdir "$work/web/image"
    cp "$here/index.php" "$work/web/"
    port=$(free_port) database_port=$(free_port)
    : >"$work/web/access.log"
    fill_in fpm.conf ''
    fill_in nginx.conf ''
    start_php "$work/web/fpm.conf"
    start_nginx "$work/web/nginx.conf"
    web=${others[-1]}
    confine_database
    start_server database join_groups ${as_owner[@]+"${as_owner[@]}"} "$database_programs/postgres" \
        -D "$work/database/data" -k "$work/database" -c listen_addresses=127.0.0.1 -c port="$database_port" \
        -c max_connections=40 -c shared_buffers=16MB -c track_io_timing=on -c autovacuum=off
    wait_for database sql -p "$database_port" -c 'SELECT 1'
}

# run NAME: the plan as it is, under that name.
run_gallery() {
    code=0
    "$nmax" run "$here/plan.yaml" --target "http://127.0.0.1:$port" --name "$1" --note "$2" --tag "$1" --quiet \
        -e PICTURES="$pictures" -e LOG="$work/web/access.log" -e STATUS="http://127.0.0.1:$port/status?openmetrics" \
        -e PHP="${php_fpm##*/}" -e DATABASE="postgres://shop@127.0.0.1:$database_port/postgres" \
        --set duration="$(short 12s 40s)" >"$work/$1.txt" 2>&1 || code=$?
    cat "$work/$1.txt"
    text=$(tr -s '[:space:]' ' ' <"$work/$1.txt")
    # 3: the pages do not keep their conditions; 4: a busy machine sends late, and says so.
    expect_code 0 3 4
    "$nmax" report last --format html -o "$work/$1.html" >/dev/null
}

say "A gallery of nginx, PHP and PostgreSQL, with $pictures pictures of 1.2 MB in the database"
start_gallery
sql -p "$database_port" -c 'CREATE TABLE pictures (id int PRIMARY KEY, name text, taken timestamptz, body bytea)' \
    -c 'ALTER TABLE pictures ALTER body SET STORAGE EXTERNAL'
php -n -d "extension=$pgsql_so" "$here/fill.php" "host=$work/database port=$database_port dbname=postgres user=shop" \
    "$work/web/image" "$pictures"
sql -p "$database_port" -c CHECKPOINT
if [[ -n $confined ]]; then
    echo "PostgreSQL has 128 MB of memory, and reads 40 MB/s from its disk"
else
    echo "All pictures fit into memory, as this script may not limit PostgreSQL here: that takes root and control groups of"
    echo "version 1. So the database is hardly slow, and the story may end without its point."
fi

say "1. Pictures come out of the database"
run_gallery in-the-database 'pictures in the database'
first_code=$code
look "What to look at first, and why, stands under that heading"

say "2. nginx gives out the same pictures as files"
fill_in nginx.conf "location /image/ { alias $work/web/image/; default_type image/jpeg; }"
kill -HUP "$web"
sleep 2
run_gallery as-files 'pictures as files'
second_code=$code

say "3. What has changed?"
code=0
"$nmax" compare "$(newest "$NMAX_RUNS_DIR/*-in-the-database-*")" "$(newest "$NMAX_RUNS_DIR/*-as-files-*")" --force \
    -o "$work/compare.html" >"$work/compared" 2>&1 || code=$?
cat "$work/compared"
expect_code 0 3 # Pages ask for more when pictures are quick; that those are is looked at below.

# What the story promises. What a busy machine made INVALID is told without suspects.
for name in in-the-database as-files; do
    grep -qE '^GET /image/\{id\} +[0-9,]+ +0 %' "$work/$name.txt" || fail "pictures failed"
done
if [[ -n $confined && $first_code -ne 4 ]]; then
    grep -qE '^ +1 (WAIT|SATURATED) (disk|database) ' "$work/in-the-database.txt" ||
        fail "neither the disk of the database nor its buffers are to be looked at first"
fi
faster=
! grep -q '^✓ GET .image.*response_time' "$work/compared" || faster=1
is_busy=
[[ $first_code -ne 4 && $second_code -ne 4 ]] || is_busy=1
[[ -n $faster || -z $confined || -n $is_busy ]] || fail "pictures did not become faster"
if [[ -z ${SHORT:-} ]]; then
    cp "$work/compare.html" "$NMAX_RUNS_DIR/images-in-the-database.html"
    look "The comparison as a page: $NMAX_RUNS_DIR/images-in-the-database.html; the reports are beside it"
fi
if [[ -z $faster && -n $is_busy ]]; then
    echo
    echo "Not shown on this machine: it is too busy for valid runs. Close other programs, then run this again." >&2
    exit 77
fi
if [[ -z $faster ]]; then
    echo
    echo "Not shown on this machine: pictures are not faster beyond noise, since PostgreSQL had them all in memory. As root, with" >&2
    echo "control groups of version 1, the script limits PostgreSQL." >&2
    [[ $(id -u) = 0 ]] || echo "  sudo $0" >&2
    exit 77
fi
