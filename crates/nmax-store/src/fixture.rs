//! Runs that were never made, written by the writer of runs: for benchmarks and tests (feature `testing`).
//!
//! Everything follows from numbers, so the same arguments write the same run.

use std::hash::{DefaultHasher, Hasher};
use std::path::{Path, PathBuf};

use nmax_metrics::{
    Catalog, Code, ErrorKind, FailureExample, NameId, Nanos, Network, Outcome, Resource, Sample, Section, Window,
};

use crate::{Hold, Manifest, RunWriter, SCHEMA_VERSION, StoreError};

const SECOND: Nanos = Nanos::from_secs(1);
/// Well before the first of some minutes: the hold begins within a window of every rollup.
const WARM_UP_S: u64 = 95;
/// Hosts that are observed, what of them, its metric and unit.
const HOSTS: [&str; 2] = ["web1", "db1"];
const FIGURES: [(&str, &str, &str); 10] = [
    ("host", "cpu_utilization", "ratio"),
    ("host", "running_tasks_count", "count"),
    ("host", "memory_available_ratio", "ratio"),
    ("host", "load_average_1m", "count"),
    ("disk sda", "await_ms", "ms"),
    ("disk sda", "queue_count", "count"),
    ("disk sda", "busy_ratio", "ratio"),
    ("network eth0", "received_bytes_per_s", "bytes/s"),
    ("network eth0", "sent_bytes_per_s", "bytes/s"),
    ("process shop", "memory_bytes", "bytes"),
];

/// A run in windows of a second, which begins with a warm-up.
#[derive(Clone, Copy, Debug)]
pub struct LongRun {
    /// Length of the load, s.
    pub seconds: u64,
    /// Request names.
    pub names: u32,
    /// Exchanges per second.
    pub rate_per_s: u64,
}

/// The manifest of a run of this plan, whose hold is of these seconds.
pub fn manifest(id: &str, plan: &str, hold_s: (u64, u64)) -> Manifest {
    Manifest {
        schema_version: SCHEMA_VERSION,
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        id: id.into(),
        name: id.into(),
        note: String::new(),
        tags: Vec::new(),
        started_at: "2026-01-01T00:00:00Z".into(),
        seed: 1,
        plan: plan.into(),
        plan_sha256: "00".into(),
        target: "http://127.0.0.1:9".into(),
        machine: crate::host::machine(),
        command: "nmax run plan.yaml".into(),
        workers: 2,
        window_ns: SECOND.0,
        hold: Hold { start_ns: Nanos::from_secs(hold_s.0).0, end_ns: Some(Nanos::from_secs(hold_s.1).0) },
        authorization: None,
        scenarios: vec!["browse".into(), "shop".into()],
        checks: Vec::new(),
    }
}

impl LongRun {
    /// Writes the run below `root` and finishes it; `plan` is added to its plan. Returns its directory.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, root: &Path, plan: &str) -> Result<PathBuf, StoreError> {
        let mut writer = self.begin(root, plan)?;
        let catalog = self.catalog();
        (0..self.seconds).try_for_each(|second| self.second(&mut writer, &catalog, second))?;
        let directory = writer.path().to_owned();
        self.end(&mut writer)?;
        writer.finish("{\"verdict\": \"pass\"}\n", "")?;
        Ok(directory)
    }

    /// A writer of the run.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(&self, root: &Path, plan: &str) -> Result<RunWriter, StoreError> {
        let (seconds, rate) = (self.seconds - WARM_UP_S, self.rate_per_s);
        let text = format!(
            "nmax: 1\ntarget: http://127.0.0.1:9\nworkload: {{ open: {{ rate: {rate}/s }} }}\nwarm_up: {WARM_UP_S}s\n\
             duration: {seconds}s\nscenarios:\n  browse: {{ steps: [{{ get: / }}] }}\n  shop: {{ steps: [{{ get: / }}] }}\n{plan}"
        );
        RunWriter::create(root, &manifest("long", &text, (WARM_UP_S, self.seconds)))
    }

    /// Names of the run.
    pub fn catalog(&self) -> Catalog {
        let mut catalog = Catalog { scenarios: vec!["browse".into(), "shop".into()], ..Catalog::default() };
        (0..self.names).for_each(|number| {
            catalog.requests.intern(&format!("GET /resource/{number}"));
        });
        catalog
    }

    /// Writes what came in a second.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn second(&self, writer: &mut RunWriter, catalog: &Catalog, second: u64) -> Result<(), StoreError> {
        writer.window(&self.window(second), catalog)?;
        for (host, name) in HOSTS.iter().enumerate() {
            for (number, (source, metric, unit)) in FIGURES.iter().enumerate() {
                let bits = mixed(second * 1_000 + host as u64 * 100 + number as u64);
                writer.resource(&Resource {
                    at: Nanos(Nanos::from_secs(second).0 + bits % 900_000_000),
                    host: (*name).into(),
                    source: (*source).into(),
                    metric: (*metric).into(),
                    value: (bits >> 40) as f64 / 64.0,
                    unit: (*unit).into(),
                })?;
            }
        }
        if second % 60 == 59 {
            writer.failure(&self.failure(second))?;
        }
        Ok(())
    }

    /// Writes what is known at the end.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn end(&self, writer: &mut RunWriter) -> Result<(), StoreError> {
        let at = Nanos::from_secs(self.seconds);
        for (metric, value) in
            [("workers_count", 2), ("workers_cpus_count", 2), ("load_ended_s", self.seconds), ("ended_s", self.seconds)]
        {
            let (host, source, unit) = ("injector".into(), "run".into(), "count".into());
            writer.resource(&Resource { at, host, source, metric: metric.into(), value: value as f64, unit })?;
        }
        Ok(())
    }

    /// What was measured in a second.
    pub fn window(&self, second: u64) -> Window {
        let mut window = Window::new(second, SECOND);
        let section = if second < WARM_UP_S { Section::Outside } else { Section::Hold };
        for number in 0..self.rate_per_s {
            let sample = self.sample(second * self.rate_per_s + number);
            window.aggregate.record(section, &sample);
            let took = sample.done.0 - sample.intended.0;
            let scenario = window.aggregate.scenarios.get_mut(section, usize::from(sample.scenario));
            (scenario.started, scenario.completed) = (scenario.started + 1, scenario.completed + 1);
            scenario.ended_within += u64::from(section == Section::Hold);
            scenario.iteration_time.record(took);
            window.aggregate.load_mut(section).in_flight_ns += u128::from(took);
        }
        let load = window.aggregate.load_mut(section);
        (load.due, load.started, load.in_flight_max) = (self.rate_per_s, self.rate_per_s, 4);
        (load.cpu, load.worker_time) = (Nanos::from_millis(100), Nanos::from_secs(2));
        window
    }

    /// An exchange: two in a hundred fail, one in a thousand gets no reply, and its time depends on its name and goes up and
    /// down over hours.
    fn sample(&self, number: u64) -> Sample {
        let bits = mixed(number);
        let (outcome, status) = match bits % 1_000 {
            0 => (Outcome::Error(ErrorKind::Timeout), None),
            1..=10 => (Outcome::Failed, Some(500)),
            11..=20 => (Outcome::Failed, Some(404)),
            _ => (Outcome::Ok, Some(200)),
        };
        let name = (bits >> 10) as u32 % self.names;
        let intended = number * SECOND.0 / self.rate_per_s;
        let usual = 2_000_000 * (1 + u64::from(name)) + 500_000 * (intended / Nanos::from_secs(3_600).0 % 12);
        let service = usual + (1 << (bits >> 24 & 23)) + (bits >> 32 & 0x3f_ffff);
        let sent = Nanos(intended + (bits >> 16 & 0xffff));
        let done = Nanos(sent.0 + service);
        let opens = bits >> 60 == 0;
        let connect = Nanos(if opens { 300_000 + (bits >> 40 & 0xf_ffff) } else { 0 });
        Sample {
            name: NameId(name),
            scenario: (bits >> 48 & 1) as u16,
            outcome,
            status: status.map(Code::new),
            intended: Nanos(intended),
            sent: Some(sent + connect),
            first_byte: Some(Nanos(sent.0 + service / 2)),
            done: done + connect,
            network: Network { connect, ..Network::default() },
            send: Nanos::ZERO,
            slot_wait: Nanos::ZERO,
            bytes_received: 200 + (bits >> 50),
            bytes_sent: 120,
            bytes_decoded: bits >> 50,
        }
    }

    fn failure(&self, second: u64) -> FailureExample {
        FailureExample {
            at: Nanos::from_secs(second),
            name: "GET /resource/0".into(),
            scenario: "browse".into(),
            outcome: Outcome::Failed,
            kind: "500".into(),
            after: None,
            status: Some(Code::new(500)),
            text: "status 500".into(),
            request: "GET /resource/0 HTTP/1.1\r\n".into(),
            reply: "HTTP/1.1 500 Internal Server Error\r\n".into(),
            response_time: SECOND,
        }
    }
}

/// Well mixed bits of a number, the same in every run.
pub fn mixed(number: u64) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write_u64(number);
    hasher.finish()
}
