//! A run's own traffic, summed up as that of a log, and held beside the traffic that its plan was made from.
//!
//! Every exchange of such a run is told to the [`Feed`], window by window; what it keeps is bounded by the visits under
//! way. At the end both profiles are compared. In the run's directory, `fidelity.json` has the comparison and
//! `traffic.json` the profile of the run, so that it can be compared with another source later.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use nmax_engine::measure::exchange_events::ExchangeEvents;
use nmax_log::fidelity::{Row, compare};
use nmax_log::record::Record;
use nmax_log::replay::Schedule;
use nmax_log::traffic::{Options, Period, Profile, Traffic, Types};
use nmax_metrics::Nanos;
use nmax_report::view::Likeness;
use nmax_secrets::Redactor;
use nmax_secrets::targets::Hider;
use serde_json::Value;

mod rows;
pub use rows::schema;

/// The comparison, in the run's directory.
pub const FIDELITY: &str = "fidelity.json";
/// The run's own traffic, in its directory.
pub const TRAFFIC: &str = "traffic.json";
/// Largest profile that is read.
const PROFILE_BYTES_MAX: u64 = 256 << 20;

/// What a run is compared with.
pub struct Reference {
    /// Its name: a file.
    pub name: String,
    /// Its traffic.
    pub profile: Profile,
    /// What a reader of a comparison should know of it.
    pub note: Option<String>,
    /// Who its visitors are.
    pub visitors: Visitors,
}

/// Who sends the requests of a run.
pub enum Visitors {
    /// Each iteration is a visit of its own.
    Iterations,
    /// Iteration n is request n of a log, whose visitor sends it.
    Log(Arc<Schedule>),
}

/// Sums up the exchanges of a run.
pub struct Feed {
    source: Arc<Reference>,
    traffic: Traffic,
    hider: Hider,
    origin_us: i64,
    hold_end: Nanos,
    /// When the last exchange was sent.
    last: Nanos,
    left_out: u64,
}

/// A run's traffic beside that of its source.
pub struct Fidelity {
    /// What it is compared with.
    pub source: String,
    /// The traffic of the run.
    pub profile: Profile,
    /// The comparison.
    pub rows: Vec<Row>,
    /// What a reader should know.
    pub notes: Vec<String>,
}

impl Feed {
    /// Nothing yet of a run that began at `origin_us`, µs since 1970, and that is judged by its hold.
    pub fn new(source: Arc<Reference>, origin_us: i64, hold: (Nanos, Nanos), redactor: &Redactor) -> Self {
        let at = |instant: Nanos| origin_us.saturating_add_unsigned(instant.0 / 1_000);
        let options = Options {
            period: Some(Period { from_us: at(hold.0), to_us: at(hold.1) }).filter(|_| hold.1 < Nanos::MAX),
            session_timeout_s: source.profile.sessions.timeout_s.max(1),
            types: Some(Types::from_profile(&source.profile)),
            // What a log calls a robot is a visitor like others here: it was sent on purpose.
            with_robots: true,
            ..Options::default()
        };
        Self {
            source,
            traffic: Traffic::new(options),
            hider: Hider::knowing(redactor),
            origin_us,
            hold_end: hold.1,
            last: Nanos::ZERO,
            left_out: 0,
        }
    }

    /// Takes the exchanges of a window.
    pub fn take(&mut self, told: &ExchangeEvents) {
        self.left_out += told.left_out;
        let mut visit = String::new();
        // A log in whole seconds does not show shorter pauses; the run is looked at with the same eyes.
        let resolution_us = self.source.profile.resolution_us.max(1);
        for (one, method, target) in told.iter() {
            visit.clear();
            let _ = write!(visit, "{}-{}", one.user, one.iteration);
            let at_us = self.origin_us.saturating_add_unsigned(one.sent.0 / 1_000);
            let from = match &self.source.visitors {
                Visitors::Iterations => None,
                Visitors::Log(schedule) => schedule.record(one.iteration),
            };
            let of_visit = Record { session: visit.as_bytes(), ..Record::default() };
            self.last = self.last.max(one.sent);
            let target = self.hider.hide(target);
            self.traffic.add(&Record {
                arrival_us: at_us - at_us.rem_euclid(i64::from(resolution_us)),
                is_arrival: true,
                resolution_us,
                duration_us: Some(one.done.since(one.sent).0 / 1_000),
                upstream_us: None,
                method,
                target,
                status: one.status.unwrap_or(0),
                bytes: Some(one.bytes),
                ..from.unwrap_or(of_visit)
            });
        }
    }

    /// The comparison of everything that came.
    pub fn finish(self) -> Fidelity {
        let profile = self.traffic.finish();
        let mut fidelity = Fidelity::new(self.source.name.clone(), &self.source.profile, profile);
        fidelity.notes.extend(self.source.note.clone());
        if self.hold_end < Nanos::MAX && self.last < Nanos(self.hold_end.0 / 20 * 19) {
            let note = "the load ended before its plan did, so rates are too low";
            fidelity.notes.push(note.to_owned());
        }
        if self.left_out > 0 {
            fidelity.notes.push(format!(
                "{} exchanges were skipped because they came too fast, and are not in this comparison",
                self.left_out
            ));
        }
        fidelity
    }
}

impl Fidelity {
    /// The comparison of a run with a source of this name.
    pub fn new(name: String, source: &Profile, run: Profile) -> Self {
        Self { rows: compare(source, &run), source: name, profile: run, notes: Vec::new() }
    }

    /// Writes it into the directory of the run.
    pub fn write(&self, directory: &Path) -> std::io::Result<()> {
        let text = format!("{:#}\n", self.to_json());
        fs::write(directory.join(FIDELITY), text)?;
        let traffic = serde_json::to_string(&self.profile).map_err(std::io::Error::other)?;
        fs::write(directory.join(TRAFFIC), traffic + "\n")
    }

    /// The comparison as a document.
    pub fn to_json(&self) -> Value {
        nmax_json::value::<rows::Compared, _>(self)
    }

    /// It as reports show it.
    pub fn likeness(&self) -> Likeness {
        rows::likeness(&self.source, &self.rows, &self.notes)
    }
}

/// A traffic profile from a file; the error says what to do.
pub fn profile(file: &Path) -> Result<Profile, String> {
    let help = "`nmax import log` writes such files beside its plans, as NAME.traffic.json";
    let failed = |why: String| format!("{}: no traffic profile: {why}\n  help: {help}", file.display());
    let about = fs::metadata(file).map_err(|error| failed(error.to_string()))?;
    if !about.is_file() || about.len() > PROFILE_BYTES_MAX {
        return Err(failed("it is not a file of at most 256 MiB".into()));
    }
    let text = fs::read_to_string(file).map_err(|error| failed(error.to_string()))?;
    let profile: Profile = serde_json::from_str(&text).map_err(|error| failed(error.to_string()))?;
    let known = nmax_log::traffic::SCHEMA_VERSION;
    if profile.schema_version != known {
        let version = profile.schema_version;
        return Err(failed(format!("its schema_version is {version}, and this program reads {known}")));
    }
    Ok(profile)
}

/// The comparison that is in the directory of a run, if there is one; without the profile of the run.
pub fn stored(directory: &Path) -> Option<Fidelity> {
    let text = fs::read_to_string(directory.join(FIDELITY)).ok()?;
    let (source, rows, notes) = rows::of_json(&serde_json::from_str(&text).ok()?)?;
    Some(Fidelity { source, profile: Profile::default(), rows, notes })
}
