#!/usr/bin/env bash
# Runs the fuzz targets in turn, FUZZ_SECONDS each; names of targets as arguments choose among them.
# An input that breaks a target is kept in target/fuzz/artifacts; as a new file in fuzz/seeds it becomes a test.
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${FUZZ_SECONDS:-600}
work=target/fuzz
PATH="$PWD/target/fuzz-tools/bin:$PATH"
# Bytes of the longest input, by target: what reaches its limits, and little more.
declare -A length_max=([codec]=16384 [cookies]=16384 [urls]=2048 [plan]=8192 [har]=16384 [curl]=4096 [redaction]=8192
  [secrets]=8192 [log]=8192 [metrics]=8192 [frame]=8192 [html]=16384 [jsonpath]=8192)
targets=("$@")
[ ${#targets[@]} -gt 0 ] || targets=(codec cookies urls plan har curl redaction secrets log metrics frame html jsonpath)
for target in "${targets[@]}"; do
  if [ -z "${length_max[$target]:-}" ]; then
    echo "there is no fuzz target \`$target\`; there are: ${!length_max[*]}" >&2
    exit 2
  fi
done

# No sanitizer: there is no unsafe code of ours, and so the stable compiler will do.
cargo fuzz build --sanitizer none --target-dir "$work/build"
programs=$work/build/$(rustc -vV | sed -n 's/^host: //p')/release

failed=0
for target in "${targets[@]}"; do
  corpus=$work/corpus/$target artifacts=$work/artifacts/$target log=$work/$target.log
  mkdir -p "$corpus" "$artifacts"
  echo "fuzzing $target for $seconds s"
  status=0
  "$programs/$target" "$corpus" "fuzz/seeds/$target" \
    -max_total_time="$seconds" -max_len="${length_max[$target]}" -timeout=10 -rss_limit_mb=1024 \
    -dict="fuzz/dictionaries/$target.dict" -artifact_prefix="$artifacts/" -print_final_stats=1 >"$log" 2>&1 || status=$?
  executions=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
  coverage=$(grep -o 'cov: [0-9]*' "$log" | tail -n 1 | cut -d ' ' -f 2 || true)
  if [ "$status" = 0 ]; then
    echo "  clean: ${executions:-0} executions, ${coverage:-0} edges covered"
  else
    failed=1
    echo "  FAILED after ${executions:-0} executions, input in $artifacts; $log says:" >&2
    grep -A 3 -E 'panicked at|^==[0-9]+== ERROR' "$log" | head -n 12 >&2
  fi
done
exit $failed
