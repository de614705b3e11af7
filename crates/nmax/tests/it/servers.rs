//! Real servers: nginx, varnish and Apache, each with a configuration of its own, checked against their own logs.
//!
//! A server that is not installed fails its tests by name; `scripts/install-test-deps.sh` installs all of them.
//!
//! # Layout
//! - harness: `process` (a server in a folder, on a free port, ended with the test), `access` (its log), `certificates`
//! - tests: `nginx`, `nginx_tls`, `pages`, `uploads`, `fidelity` (of what nginx logged), `breakdown` (both sides), `apache`, `varnish`, `prometheus` (which sees a live run), `story` (the example with ab)

mod access;
mod certificates;
mod process;
mod recorded;

mod apache;
mod breakdown;
mod fidelity;
mod nginx;
mod nginx_tls;
mod pages;
mod prometheus;
pub(crate) mod story;
mod uploads;
mod varnish;

use serde_json::Value;

use crate::bench::{Bench, count};

/// Runs a plan to its end. Gives the summary.
fn run(bench: &Bench, plan: &str) -> Value {
    bench.write("plan.yaml", plan);
    bench.nmax(&["run", "plan.yaml", "--json", "--exit-zero", "--workers", "1"]).exits(0).json()
}

/// A plan of one VU more than one, so that connections are told from visitors: 4 VUs, 20 iterations each.
fn closed(target: &str, defaults: &str, steps: &str) -> String {
    format!(
        "nmax: 1\ntarget: {target}\ndefaults: {{ {defaults} }}\nscenarios: {{ s: {{ steps: [{steps}] }} }}\n\
         workload: {{ closed: {{ vus: {VUS} }}, iterations: {ITERATIONS} }}\n"
    )
}

const VUS: u64 = 4;
const ITERATIONS: u64 = 80;

/// Every exchange of the run was ok, and there were as many.
#[track_caller]
fn assert_all_ok(summary: &Value, want: u64) {
    let total = &summary["total"];
    assert_eq!(count(&total["ok"]), want, "{summary:#}");
    assert_eq!(count(&total["count"]), want, "{summary:#}");
}

/// A count under `connections`.
#[track_caller]
fn connections(summary: &Value, key: &str) -> u64 {
    count(&summary["connections"][key])
}
