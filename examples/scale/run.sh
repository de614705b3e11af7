#!/usr/bin/env bash
# How three systems scale: one whose law is known, one that queues for a lock, and one that is given more servers.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

# scale FLAGS..: finds the law of the target and prints it; sets `code` and `text` as `run` does. 4 means that the data bear
# no law, which is what a resource that is full leaves behind, and other work on this machine.
scale() {
    code=0
    "$nmax" scale "$here/plan.yaml" --target "$url" --quiet "$@" >"$work/result" 2>&1 || code=$?
    cat "$work/result"
    text=$(tr -s '[:space:]' ' ' <"$work/result")
    expect_code 0 4
    expect_text "The largest throughput measured is" "Levels in the order of their runs"
}

# number_after WORDS: the number that follows them in the result; nothing when they are not there.
number_after() { sed -n "s/.*$1 \([0-9.]*[0-9]\).*/\1/p" <<<"$text"; }

# between LOW NUMBER HIGH
between() { awk -v low="$1" -v is="$2" -v high="$3" 'BEGIN { exit !(low <= is && is <= high) }'; }

# Long enough for some hundred replies; the real work varies from one to the next, and needs more of them.
levels=() real_levels=()
if [[ -n ${SHORT:-} ]]; then
    levels=(--level-time 500ms --warm-up 300ms)
    real_levels=(--level-time 1s --warm-up 300ms)
fi

say "1. A law that is known: contention 0.05, coherency 0.0042; its peak is at 15 users with 232/s"
start_target --service usl:alpha=0.05,beta=0.00422,gamma=40
scale --budget "$(short 15s 90s)" ${levels[@]+"${levels[@]}"}
peak=$(number_after "By the law throughput peaks at N =")
if [[ -n $peak ]]; then
    between 10 "$peak" 22 || fail "a peak at $peak users is not the law's"
    look "found: a peak at $peak users; the target was told 15"
else
    look "the data do not bear a peak of the law; the lines above say why (a busy machine, or too little time)"
fi

say "2. Real work: 18 ms elsewhere, 0.2 ms of processor time, and a lock that is held for 2 ms"
start_target --workers 2 --service exponential:18ms+cpu:200us+lock:2ms
scale --budget "$(short 15s 90s)" --max 64 --demand lock=2ms ${real_levels[@]+"${real_levels[@]}"}
most=$(number_after "The largest throughput measured is")
between 1 "$most" 520 || fail "a lock that is held for 2 ms cannot be taken $most times a second"
look "at most $most/s were done; a lock held for 2 ms can be taken 500 times a second. What queues for one thing does not
   get slower with more users, it stays at that thing's limit: a cap (knee) explains it better than the law does."

say "3. A knob of the system: how many servers? Each does 100 a second, all need the same lock for 2 ms, one costs 0.10 an hour"
stop_target
port=$(free_port)
url=http://127.0.0.1:$port
servers_pid=$work/servers.pid
end_servers() { [[ ! -s $servers_pid ]] || kill "$(cat "$servers_pid")" 2>/dev/null || true; }
trap 'end_servers; clean_up' EXIT
"$here/set-servers.sh" "$nmax" "$port" "$servers_pid" 1
scale --axis "servers=$(short 1,2,4 1,2,4,8)" --apply "'$here/set-servers.sh' '$nmax' $port '$servers_pid' {servers}" \
    --allow-exec --price 0.10/h --budget "$(short 25s 180s)" --max 64 ${real_levels[@]+"${real_levels[@]}" --replicates 1}
expect_text "servers=1 " "servers=4 "
look "the best throughput at each number of servers, and what a million requests cost there. Up to four, each adds its 100/s;
   then the lock is full, and what is paid for more of them buys less."
