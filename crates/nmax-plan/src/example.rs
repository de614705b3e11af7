//! The commented plan that `nmax init` writes.

/// Valid for the shop of `nmax target`; a test decodes it.
pub const PLAN: &str = r#"# A plan of nmax. `nmax check THIS_FILE` explains it, `nmax run THIS_FILE` runs it.
nmax: 1                                # version of this document
name: shop
target: http://127.0.0.1:8080          # scheme, host and port; `--target URL` overrides it

defaults:
  connection: keep-alive               # keep-alive | per-iteration | per-request
  visitor: returning                   # returning | new (fresh connections in each iteration) | { new: 30% }
  timeout: 10s                         # from the intended start of a request to its last byte

# Rows of a CSV file with a header row, read with ${terms.q}:
# data:
#   terms: { csv: terms.csv, pick: random }    # sequential | unique | random | zipf

scenarios:
  browse:
    steps:
      - get: /
        expect: { status: 200 }
      - think: { median: 1s, p95: 3s } # lognormal; also 2s, or { min: 1s, max: 3s }
      - get: /search
        name: search                   # the name in the report
        query: { q: oak }              # encoded when sent
        extract:
          item: { css: "a.item@href", pick: random }
      - think: 500ms
      - get: ${item}                   # a value from the reply before
        name: item

  sign-up:
    steps:
      - get: /signup
        extract:
          csrf: { css: "input[name=csrf]@value" }
      - post: /signup
        name: sign up
        form:
          email: user-${iteration}@example.test
          password: correct horse
          csrf: ${csrf}
        expect: { status: [302, 409] } # 409: the account is there from an earlier run

workload:
  mix: { browse: 90, sign-up: 10 }     # exact, in an order given by the seed
  open: { rate: 20/s }                 # iterations per second; or closed: { vus: 10 }

stages:                                # without stages: `duration: 30s`
  - { ramp: 5s, to: 100% }
  - { hold: 20s }                      # the statistics are those of the hold
  - { ramp: 5s, to: 0 }

thresholds:                            # besides failure_rate < 5% and dropped < 1%
  - response_time p95 < 400ms
  - response_time p99 < 1s for request search
  - rate >= 99%                        # of the intended rate
"#;

#[cfg(test)]
mod tests;
