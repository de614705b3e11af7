#!/usr/bin/env bash
# A run that Prometheus sees while it goes on: scraped, and by remote write. It works from any folder.
# shellcheck source=../common.sh
. "$(dirname "${BASH_SOURCE[0]}")/../common.sh"

need prometheus prometheus
need curl curl
install_or_skip

start_target
metrics=$(free_port)
sed "s|127.0.0.1:9464|127.0.0.1:$metrics|" "$here/prometheus.yml" >"$work/prometheus.yml"
start_prometheus() {
    start_server prometheus prometheus --config.file="$work/prometheus.yml" --storage.tsdb.path="$work/prometheus" \
        --web.listen-address="127.0.0.1:$port" --web.enable-remote-write-receiver
}
start_on_free_port prometheus start_prometheus
wait_for prometheus curl -sf "http://127.0.0.1:$port/-/ready"
say "Prometheus on http://127.0.0.1:$port scrapes http://127.0.0.1:$metrics/metrics each second"

length=$(short 8s 60s)
run plan.yaml --duration "$length" --prometheus "127.0.0.1:$metrics" --remote-write "http://127.0.0.1:$port/api/v1/write"
# 4: a busy machine sends late, and says so.
expect_code 0 4

# ask EXPRESSION: its value.
ask() {
    curl -s --data-urlencode "query=$1" "http://127.0.0.1:$port/api/v1/query" |
        grep -o '"value":\[[^]]*\]' | head -n 1 | grep -o '"[^"]*"\]' | tr -d '"]'
}
requests=$(ask 'sum(nmax_requests_total{job="nmax",nmax_phase="hold"})')
look "nmax and Prometheus agree: $requests requests"
sent=$(grep -m 1 -A 2 '"total": {' "$NMAX_RUNS_DIR"/*/summary.json | grep -o '"count": [0-9]*' | grep -o '[0-9]*')
[[ $requests = "$sent" ]] || fail "Prometheus counts $requests requests, nmax $sent"
look "p95 by Prometheus, from buckets: $(ask 'histogram_quantile(0.95, sum by (le) (http_client_request_duration_seconds_bucket{job="nmax"}))') s"
