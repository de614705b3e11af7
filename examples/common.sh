# shellcheck shell=bash
# What the examples share; each `run.sh` and `story.sh` reads it. Not to be run by itself.
#
# SHORT=1 makes an example some seconds long, and NMAX_RUNS_DIR=FOLDER keeps the runs with their reports, which are thrown
# away otherwise. NMAX=/path/to/nmax says which program to use: see program.sh.
#
# An example ends with 77 when this machine lacks what it needs, with 1 when it does not show what it promises.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[1]}")" && pwd)
# shellcheck source=program.sh
. "$(dirname "${BASH_SOURCE[0]}")/program.sh"
work=$(mktemp -d)
[[ -z ${NMAX_RUNS_DIR:-} ]] || NMAX_RUNS_DIR=$(realpath -m "$NMAX_RUNS_DIR")
export NMAX_RUNS_DIR=${NMAX_RUNS_DIR:-$work/runs}
cd "$work"
target=
others=()
declare -A servers=()

clean_up() {
    stop_target
    for pid in ${others[@]+"${others[@]}"}; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    cd / && rm -rf "$work"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# say TEXT: a heading.
say() { printf '\n== %s\n\n' "$*"; }

# look TEXT: what a person should look at.
look() { printf '\n-> %s\n' "$*"; }

# short SHORT LONG: the one that fits the form in which the example runs.
short() { if [[ -n ${SHORT:-} ]]; then echo "$1"; else echo "$2"; fi; }

# fail TEXT: the example did not show what it promises.
fail() { printf '\nNot as promised: %s\n' "$*" >&2; exit 1; }

# install_or_skip: after `need` and `need_file`; ends the example when something stays missing.
install_or_skip() { install_missing || exit 77; }

# answers PORT: whether somebody listens on that port of the loopback.
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

# start_server NAME COMMAND..: runs it until the end of the example; what it says is in NAME.log.
start_server() {
    "${@:2}" >"$work/$1.log" 2>&1 &
    others+=("$!")
    servers[$1]=$!
}

# comes_up NAME COMMAND..: waits until the command succeeds; fails when the server ends before.
comes_up() {
    for _ in $(seq 600); do
        kill -0 "${servers[$1]}" 2>/dev/null || return 1
        ! "${@:2}" >/dev/null 2>&1 || return 0
        sleep 0.1
    done
    return 1
}

# wait_for NAME COMMAND..: until the command succeeds.
wait_for() {
    if ! comes_up "$@"; then
        cat "$work/$1.log" >&2
        fail "$1 did not start"
    fi
}

# start_on_free_port NAME COMMAND..: the command starts the server NAME on `port`, once more on another one when somebody
# was quicker to take it.
start_on_free_port() {
    for _ in 1 2 3 4 5; do
        port=$(free_port)
        "${@:2}"
        ! comes_up "$1" answers "$port" || return 0
    done
    cat "$work/$1.log" >&2
    fail "$1 did not start"
}

# start_target FLAGS..: a target on a free port; sets `url`, `target` (its process) and `pid_file`.
start_target() {
    stop_target
    pid_file=$work/target.pid
    : >"$work/addresses"
    "$nmax" target "$@" >"$work/addresses" &
    target=$!
    echo "$target" >"$pid_file"
    for _ in $(seq 600); do
        [[ -s $work/addresses ]] && break
        kill -0 "$target" 2>/dev/null || fail "the target did not start"
        sleep 0.1
    done
    url=$(grep -om1 'http://[^ ]*' "$work/addresses")
}

# stop_target: also one that a signal has stopped.
stop_target() {
    [[ -n $target ]] || return 0
    kill "$target" 2>/dev/null || true
    kill -CONT "$target" 2>/dev/null || true
    wait "$target" 2>/dev/null || true
    target=
}

# run PLAN FLAGS..: loads the target and prints the result; sets `code`, and `text` with its words one space apart.
run() {
    local plan=$1
    shift
    code=0
    "$nmax" run "$here/$plan" --target "$url" --quiet "$@" >"$work/result" 2>&1 || code=$?
    cat "$work/result"
    text=$(tr -s '[:space:]' ' ' <"$work/result")
}

# expect_text WORDS..: each stands in the last result; `*` is any text.
expect_text() {
    local words
    for words; do
        # shellcheck disable=SC2053 # The words are a pattern.
        [[ $text == *$words* ]] || fail "the result does not say \`$words\`"
    done
}

# expect_code CODE..: the last run ended with one of these. 4 is INVALID: a busy machine sends late, and says so.
expect_code() {
    local one
    for one; do
        [[ $code -ne $one ]] || return 0
    done
    fail "the run ended with exit code $code, not $*"
}
