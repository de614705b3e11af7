//! An access log as a side: the legacy system as its users met it.

use std::path::Path;

use nmax_analysis::compare::{Figures, Kind, Load, Measured, Metric, Origin, Values};
use nmax_log::traffic::{Dist, Options, Profile, RequestType, Traffic};

use super::names::Known;
use super::{Ask, Listener};
use crate::logs::{self, Logs};
use nmax_report::traffic::doubts;

/// Figures of types of requests, added up.
#[derive(Default)]
struct Sum {
    count: u64,
    failed: u64,
    time_us: Dist,
}

/// Reads a log, or the profile of one; its types are named as the runs call them.
pub(super) fn read(
    file: &Path,
    ask: &Ask,
    known: &[Known],
    listener: &mut dyn Listener,
) -> Result<(Origin, Measured), String> {
    let is_profile = file.extension().is_some_and(|ending| ending == "json") && crate::fidelity::profile(file).is_ok();
    let profile = if is_profile { crate::fidelity::profile(file)? } else { profile(file, ask, listener)? };
    let label = file.display().to_string();
    if !profile.has_durations {
        return Err(format!(
            "{label}: no times of requests were read from the log, so there is nothing to compare\n  help: where it has \
             them, name its format with --format, as the server's configuration says it; else let the server log \
             $request_time (nginx), %D (Apache), time-taken (IIS)"
        ));
    }
    let mut measured = Measured::default();
    let mut total = Sum::default();
    let mut matched: Vec<&RequestType> = Vec::new();
    for request in known {
        let Some(kind) = like(&profile, request) else { continue };
        let mut sum = Sum::default();
        sum.add(kind);
        measured.requests.insert(request.name.clone(), sum.figures());
        if !matched.iter().any(|one| one.name == kind.name) {
            matched.push(kind);
            total.add(kind);
        }
    }
    for kind in profile.types.iter().filter(|kind| !matched.iter().any(|one| one.name == kind.name)) {
        let mut sum = Sum::default();
        sum.add(kind);
        measured.requests.entry(kind.name.clone()).or_insert_with(|| sum.figures());
    }
    measured.total = total.figures();
    let counts = profile.types.iter().map(|kind| (kind.name.clone(), kind.count));
    let origin = Origin {
        label,
        kind: Kind::Log,
        is_complete: true,
        hold_s: profile.period.length_s(),
        load: Load::Unplanned,
        counts: counts.collect(),
        ..Origin::default()
    };
    Ok((origin, measured))
}

fn profile(file: &Path, ask: &Ask, listener: &mut dyn Listener) -> Result<Profile, String> {
    let read = logs::Ask {
        files: vec![file.to_owned()],
        format: ask.format.clone(),
        zone_s: ask.zone_s,
        ..logs::Ask::default()
    };
    let mut logs = Logs::open(&read).map_err(|error| error.to_string())?;
    let mut traffic = Traffic::new(Options::default());
    let counts = logs.read(listener, |record| traffic.add(record));
    let profile = traffic.finish();
    doubts(&counts).iter().for_each(|text| listener.warning(text));
    if profile.requests == 0 {
        return Err(format!(
            "{}: neither a run nor a log with requests\n  help: name the format of a log with --format; `nmax runs` lists runs",
            file.display()
        ));
    }
    Ok(profile)
}

/// The type of the log that is this request of a run: of the same name, or the one that fits with fewest holes, of those
/// the most frequent.
fn like<'a>(profile: &'a Profile, request: &Known) -> Option<&'a RequestType> {
    let by_name = profile.types.iter().find(|kind| kind.name == request.name);
    by_name.or_else(|| {
        let fits = |kind: &'a RequestType| Some((request.distance(&kind.method, &kind.template)?, kind));
        let best = profile.types.iter().filter_map(fits);
        best.min_by_key(|(distance, kind)| (*distance, u64::MAX - kind.count)).map(|(_, kind)| kind)
    })
}

impl Sum {
    fn add(&mut self, kind: &RequestType) {
        self.count += kind.count;
        let failed = kind.statuses.iter().filter(|(status, _)| !(200..400).contains(*status));
        self.failed += failed.map(|(_, count)| count).sum::<u64>();
        self.time_us.merge(&kind.time_us);
    }

    /// Bytes are left out: a log has those of bodies, as a rule, and a run all that came.
    fn figures(&self) -> Figures {
        let mut values = Values::default();
        let ms = |us: u64| us as f64 / 1e3;
        values.set(Metric::ServiceMean, self.time_us.mean().map(|us| us / 1e3));
        values.set(Metric::ServiceP50, self.time_us.quantile(0.5).map(ms));
        values.set(Metric::ServiceP95, self.time_us.quantile(0.95).map(ms));
        values.set(Metric::ServiceP99, self.time_us.quantile(0.99).map(ms));
        let share = (self.count > 0).then(|| self.failed as f64 / self.count as f64);
        values.set(Metric::FailureRate, share);
        Figures { count: self.count, values, blocks: Vec::new() }
    }
}
