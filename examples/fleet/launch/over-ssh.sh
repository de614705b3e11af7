#!/usr/bin/env bash
# Makes each host of a list an injector, and ends them again. The hosts need a shell and sshd; the program is copied there.
#
#   over-ssh.sh start hosts.txt tls://broker:4222 [flags of `nmax fleet join`]
#   over-ssh.sh status hosts.txt
#   over-ssh.sh stop hosts.txt
#
# A line of the list is a host as ssh knows it, and a region where there are several:
#   load1.example.com eu
#   deploy@load2.example.com us
#
# NMAX is the program [default: nmax of the path], NMAX_FLEET_TRUST the file of `nmax fleet key` [fleet.trust], NMAX_FOLDER the
# folder on the hosts [nmax-injector], SSH_CONFIG a file of ssh's settings, such as ports and keys.
set -euo pipefail

usage() {
    sed -n '2,/^set/s/^# \{0,1\}//p' "${BASH_SOURCE[0]}" >&2
    exit 2
}

[[ $# -ge 2 ]] || usage
verb=$1 hosts=$2
shift 2
[[ -r $hosts ]] || { echo "$hosts: there is no such list of hosts" >&2; exit 2; }
folder=${NMAX_FOLDER:-nmax-injector}
settings=(-o BatchMode=yes -o ConnectTimeout=10)
[[ -z ${SSH_CONFIG:-} ]] || settings+=(-F "$SSH_CONFIG")

# on HOST COMMAND: runs a command there.
on() {
    ssh "${settings[@]}" "$1" "$2" </dev/null
}

start() {
    local host=$1 region=$2 there=$folder/$1
    local flags=("${@:3}")
    [[ -z $region ]] || flags+=(--region "$region")
    # Under another name first: a program that runs cannot be written over.
    on "$host" "mkdir -p '$there'" &&
        scp -q "${settings[@]}" "$program" "$host:$there/nmax.new" &&
        scp -q "${settings[@]}" "${NMAX_FLEET_TRUST:-fleet.trust}" "$host:$there/fleet.trust" &&
        on "$host" "cd '$there' && chmod 700 nmax.new && mv nmax.new nmax && chmod 600 fleet.trust &&
            { setsid ./nmax fleet join $(printf '%q ' "${flags[@]}") >log 2>&1 </dev/null & echo \$! >pid; }" &&
        echo "$host: started; its log is $there/log"
}

stop() {
    on "$1" "cd '$folder/$1' && if kill -INT \$(cat pid) 2>/dev/null; then echo '$1: asked to end'; else echo '$1: was not there'; fi"
}

status() {
    on "$1" "cd '$folder/$1' && if kill -0 \$(cat pid) 2>/dev/null; then echo '$1: is there'; else echo '$1: is not there'; fi; tail -n 3 log"
}

case $verb in
start)
    [[ $# -ge 1 ]] || usage
    program=$(command -v "${NMAX:-nmax}") || { echo "${NMAX:-nmax}: there is no such program; set NMAX" >&2; exit 2; }
    ;;
stop | status) ;;
*) usage ;;
esac
failed=0
while read -r host region _; do
    [[ -n $host && $host != \#* ]] || continue
    "$verb" "$host" "${region:-}" "$@" || { echo "$host: cannot be reached, or refuses" >&2; failed=1; }
done <"$hosts"
exit "$failed"
