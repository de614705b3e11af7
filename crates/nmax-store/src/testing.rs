//! Helpers of this crate's tests: scratch directories, a manifest, a finished run.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

pub(crate) use nmax_metrics::testing::{sample, window, windows};
use nmax_metrics::{Catalog, ErrorKind, FailureExample, Nanos, Outcome, Resource};

use crate::{Hold, Manifest, RunWriter, SCHEMA_VERSION};

/// A directory of its own, removed at the end.
pub(crate) struct Scratch(PathBuf);

impl Scratch {
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("nmax-store-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub(crate) fn manifest(id: &str, started_at: &str) -> Manifest {
    Manifest {
        schema_version: SCHEMA_VERSION,
        nmax_version: "0.1.0".into(),
        id: id.into(),
        name: "shop: peak/1".into(),
        note: "first try".into(),
        tags: vec!["nightly".into()],
        started_at: started_at.into(),
        seed: u64::MAX,
        plan: "nmax: 1\n".into(),
        plan_sha256: "00".into(),
        target: "http://127.0.0.1:8080".into(),
        machine: crate::host::machine(),
        command: "nmax run plan.yaml".into(),
        workers: 2,
        window_ns: 1_000_000_000,
        hold: Hold { start_ns: 0, end_ns: None },
        authorization: None,
        scenarios: vec!["browse".into(), "sign-up".into()],
        checks: vec!["status is 200".into()],
    }
}

pub(crate) fn catalog(requests: usize) -> Catalog {
    let mut catalog = Catalog {
        scenarios: vec!["browse".into(), "sign-up".into()],
        checks: vec!["status is 200".into()],
        pages: vec!["home".into(), "item".into()],
        transitions: vec!["home -> item".into()],
        locations: vec!["adsl".into(), "fibre".into()],
        transactions: vec!["order".into()],
        metrics: vec!["trend cart_total EUR".into(), "counter items".into()],
        ..Catalog::default()
    };
    (0..requests).for_each(|index| {
        catalog.requests.intern(&format!("GET /{index}"));
    });
    catalog
}

pub(crate) fn failure(kind: &str) -> FailureExample {
    FailureExample {
        at: Nanos::from_millis(1_500),
        name: "GET /0".into(),
        scenario: "browse".into(),
        outcome: Outcome::Error(ErrorKind::Timeout),
        kind: kind.into(),
        after: None,
        status: None,
        text: "no reply within 30 s".into(),
        request: "GET /0 HTTP/1.1\r\n".into(),
        reply: String::new(),
        response_time: Nanos::from_secs(30),
    }
}

pub(crate) fn resource() -> Resource {
    Resource {
        at: Nanos::from_secs(1),
        host: "injector".into(),
        source: "worker 0".into(),
        metric: "cpu_utilization".into(),
        value: 0.5,
        unit: "ratio".into(),
    }
}

/// Writes a finished run with some of everything, and returns its directory.
pub(crate) fn written_run(root: &Path) -> PathBuf {
    let mut writer = RunWriter::create(root, &manifest("ab12", "2026-01-31T12:00:05Z")).unwrap();
    let directory = writer.path().to_owned();
    windows(6).iter().for_each(|window| writer.window(window, &catalog(4)).unwrap());
    writer.failure(&failure("timeout")).unwrap();
    writer.resource(&resource()).unwrap();
    writer.event(Nanos::from_secs(1), "INTERRUPTED", "Ctrl-C").unwrap();
    writer.finish(r#"{"verdict": "pass"}"#, "<!doctype html>").unwrap();
    directory
}

/// What a run goes by whose load was changed.
pub(crate) fn steered() -> crate::Steered {
    let hold = crate::Hold { start_ns: 1, end_ns: None };
    crate::Steered { plan: "nmax: 1\nsteered:\n  - at: 1s\n".into(), plan_sha256: "01".into(), hold }
}
