// The plan tiny.yaml for k6: one small reply, its status checked.
import http from "k6/http";
import { check } from "k6";

export const options = { vus: 64, duration: __ENV.DURATION };

export default function () {
  const reply = http.get(__ENV.TARGET);
  check(reply, { "status is 200": (r) => r.status === 200 });
}

export function handleSummary(data) {
  const { http_reqs: requests, checks, http_req_duration: duration } = data.metrics;
  const result = { requests: requests.values.count, failed: checks.values.fails, duration_ms: duration.values };
  return { stdout: JSON.stringify(result, null, 1) };
}
