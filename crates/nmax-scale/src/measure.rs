//! What a level measured, from the windows of its run.

use std::collections::HashSet;
use std::path::Path;

use nmax_analysis::find_steady_part;
use nmax_metrics::{Aggregate, Catalog, Nanos, Section, Window};
use nmax_plan::plan::{Plan, Scenario};
use nmax_store::{RunReader, StoreError};

/// What throughput counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Count {
    /// Exchanges.
    Requests,
    /// Iterations of the mix.
    Iterations,
    /// Transactions of this name.
    Transaction(String),
}

impl Count {
    /// From its words; the plan must have the transaction.
    pub(crate) fn parse(text: &str, plan: &Plan) -> Result<Self, String> {
        let known = nmax_engine::program::catalog(plan, 1).transactions;
        match text.split_once(':') {
            None if text == "requests" => Ok(Self::Requests),
            None if text == "iterations" => Ok(Self::Iterations),
            Some(("transaction", name)) if known.iter().any(|known| known == name) => {
                Ok(Self::Transaction(name.to_owned()))
            }
            Some(("transaction", name)) => {
                let help = match known.as_slice() {
                    [] => "the plan has none; count requests or iterations".to_owned(),
                    known => format!("the plan has {}", known.join(", ")),
                };
                Err(format!("--count {text}: there is no transaction `{name}`\n  help: {help}"))
            }
            _ => Err(format!(
                "--count {text}: this is not counted\n  help: write requests, iterations or transaction:NAME"
            )),
        }
    }

    /// As on the command line.
    pub(crate) fn describe(&self) -> String {
        match self {
            Self::Requests => "requests".into(),
            Self::Iterations => "iterations".into(),
            Self::Transaction(name) => format!("transaction:{name}"),
        }
    }

    /// Unit of throughput.
    pub(crate) fn unit(&self) -> String {
        match self {
            Self::Requests => "requests/s".into(),
            Self::Iterations => "iterations/s".into(),
            Self::Transaction(name) => format!("{name}/s"),
        }
    }
}

/// Sums of a window, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Slice {
    /// What is counted and was ok.
    pub(crate) ok: u64,
    /// What is counted and was not.
    pub(crate) bad: u64,
    /// Sum of the times of what was counted, ok or not, ns.
    pub(crate) time_ns: f64,
    /// Iterations of the mix that were completed.
    pub(crate) iterations: u64,
    /// Integral of the iterations in flight, ns.
    pub(crate) in_flight_ns: f64,
}

impl Slice {
    /// Mean time of what was counted, seconds.
    pub(crate) fn time_s(&self) -> Option<f64> {
        let n = self.ok + self.bad;
        (n > 0).then(|| self.time_ns / n as f64 / 1e9)
    }

    fn add(&mut self, other: &Self) {
        self.ok += other.ok;
        self.bad += other.bad;
        self.time_ns += other.time_ns;
        self.iterations += other.iterations;
        self.in_flight_ns += other.in_flight_ns;
    }

    /// Both sections count: what ended in the window is its throughput, whenever it was due.
    fn from_window(window: &Window, count: &Count, catalog: &Catalog, mix: &Mix) -> Self {
        let mut slice = Self::default();
        for section in Section::ALL {
            let aggregate = &window.aggregate;
            slice.in_flight_ns += aggregate.load(section).in_flight_ns as f64;
            let (done, failed, time_ns) = iterations(aggregate, section, &mix.scenarios);
            slice.iterations += done;
            let (ok, bad, time_ns) = match count {
                Count::Iterations => (done - failed, failed, time_ns),
                Count::Requests => requests(aggregate, section, catalog, mix),
                Count::Transaction(name) => transactions(aggregate, section, catalog, name),
            };
            slice.ok += ok;
            slice.bad += bad;
            slice.time_ns += time_ns;
        }
        slice
    }
}

fn sum_ns(times: &nmax_metrics::Histogram) -> f64 {
    times.exact().sum_ns as f64
}

/// What is of the mix: only that is counted, for only that is varied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Mix {
    /// Indexes of its scenarios.
    scenarios: Vec<usize>,
    /// Names of requests that only the background has.
    beside: HashSet<String>,
}

impl Mix {
    fn from_plan(plan: &Plan) -> Self {
        let scenarios = (0..plan.scenarios.len()).filter(|index| plan.scenarios[*index].weight > 0.0);
        let (mixed, mut beside) = (names(mix(plan)), names(background(plan)));
        beside.retain(|name| !mixed.contains(name));
        Self { scenarios: scenarios.collect(), beside }
    }
}

fn mix(plan: &Plan) -> impl Iterator<Item = &Scenario> {
    plan.scenarios.iter().filter(|scenario| scenario.weight > 0.0)
}

fn background(plan: &Plan) -> impl Iterator<Item = &Scenario> {
    plan.background.iter().map(|beside| &plan.scenarios[beside.scenario])
}

/// Names of requests that do not vary.
fn names<'a>(scenarios: impl Iterator<Item = &'a Scenario>) -> HashSet<String> {
    let requests = scenarios.flat_map(Scenario::calls);
    requests.filter_map(|request| Some(request.name.as_constant()?.to_owned())).collect()
}

/// Whether requests of the background can be told from those of the mix by their names.
pub(crate) fn is_told_apart(plan: &Plan) -> bool {
    let mixed = names(mix(plan));
    let mut requests = background(plan).flat_map(Scenario::calls);
    requests.all(|request| {
        let is_other = request.name.as_constant().is_some_and(|name| !mixed.contains(name));
        is_other && request.page().is_none()
    })
}

fn requests(aggregate: &Aggregate, section: Section, catalog: &Catalog, mix: &Mix) -> (u64, u64, f64) {
    let mut sums = (0, 0, 0.0);

    let is_beside = |id| mix.beside.contains(catalog.requests.name(id));
    for (index, stats) in aggregate.requests(section) {
        // Looked up only where there is a background.
        if !mix.beside.is_empty() && is_beside(index) {
            continue;
        }
        sums.0 += stats.ok();
        sums.1 += stats.failed() + stats.errors();
        let sets = stats.outcomes.iter().flatten();
        sums.2 += sets.map(|set| sum_ns(&set.response)).sum::<f64>();
    }
    sums
}

fn iterations(aggregate: &Aggregate, section: Section, mix: &[usize]) -> (u64, u64, f64) {
    let mut sums = (0, 0, 0.0);
    for stats in mix.iter().filter_map(|index| aggregate.scenarios.get(section, *index)) {
        sums.0 += stats.completed;
        sums.1 += stats.failed.min(stats.completed);
        sums.2 += sum_ns(&stats.iteration_time);
    }
    sums
}

fn transactions(aggregate: &Aggregate, section: Section, catalog: &Catalog, name: &str) -> (u64, u64, f64) {
    let index = catalog.transactions.iter().position(|known| known == name);
    let stats = index.and_then(|index| aggregate.transactions.get(section, index));
    stats.map_or((0, 0, 0.0), |stats| (stats.count - stats.failed.min(stats.count), stats.failed, sum_ns(&stats.time)))
}

/// The steady part of a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Measured {
    /// Its beginning, seconds since the run's origin.
    pub(crate) from_s: f64,
    /// Its end.
    pub(crate) to_s: f64,
    /// Sums over it.
    pub(crate) sums: Slice,
    /// Relative change of the throughput in it, when it does not stand still.
    pub(crate) moves: Option<f64>,
}

impl Measured {
    /// Its length, seconds.
    pub(crate) fn length_s(&self) -> f64 {
        self.to_s - self.from_s
    }

    /// Throughput of what was ok, per second.
    pub(crate) fn x(&self) -> f64 {
        self.sums.ok as f64 / self.length_s()
    }

    /// Mean time of what was counted, seconds.
    pub(crate) fn time_s(&self) -> Option<f64> {
        self.sums.time_s()
    }

    /// Mean number of iterations in flight.
    pub(crate) fn in_flight(&self) -> f64 {
        self.sums.in_flight_ns / 1e9 / self.length_s()
    }

    /// Share of what was counted that was not ok.
    pub(crate) fn bad_share(&self) -> f64 {
        let n = self.sums.ok + self.sums.bad;
        if n == 0 { 0.0 } else { self.sums.bad as f64 / n as f64 }
    }
}

/// The steady part: from the end of the warm-up, or of the transient behind it, to the end of the load.
///
/// - `windows`: of equal width, by number, from the first of the run
/// - `from`, `to`: numbers of the windows that were planned to be measured
///
/// `None` when there is no window in that part.
pub(crate) fn steady(windows: &[Slice], from: usize, to: usize, width: Nanos) -> Option<Measured> {
    let to = to.min(windows.len());
    let part = windows.get(from..to).filter(|part| !part.is_empty())?;
    let counts: Vec<u64> = part.iter().map(|slice| slice.ok).collect();
    let settled = find_steady_part(&counts);
    let mut sums = Slice::default();
    part[settled.skipped..].iter().for_each(|slice| sums.add(slice));
    let at_s = |index: usize| (index as u64 * width.0) as f64 / 1e9;
    Some(Measured { from_s: at_s(from + settled.skipped), to_s: at_s(to), sums, moves: settled.moves })
}

/// What the windows of a level hold.
pub(crate) struct Seen {
    /// Its steady part, if there is one.
    pub(crate) measured: Option<Measured>,
    /// Iterations of the mix from the beginning of the run to the end of the level.
    pub(crate) iterations: u64,
    /// What ended after the level.
    pub(crate) late: Slice,
}

/// Reads a level from the directory of its run.
///
/// - `loaded_to_s`: when its load ended, seconds since the run's origin, where that was before its time: what follows is
///   no part of it
pub(crate) fn read(directory: &Path, plan: &Plan, count: &Count, loaded_to_s: Option<f64>) -> Result<Seen, StoreError> {
    let reader = RunReader::open(directory)?;
    let mix = Mix::from_plan(plan);
    let mut windows: Vec<Slice> = Vec::new();
    let times = nmax_engine::times(plan);
    let width = Nanos::from(plan.window);
    let number = |at: Nanos| (at.0 / width.0) as usize;
    let (from, planned) = (number(times.hold.0), number(times.hold.1));
    let loaded = loaded_to_s.map_or(planned, |at_s| (at_s * 1e9 / width.0 as f64) as usize);
    let to = planned.min(loaded);
    let mut late = Slice::default();
    for window in reader.windows()? {
        let window = window?;
        let index = window.index as usize;
        let slice = Slice::from_window(&window, count, reader.catalog(), &mix);
        if index >= to {
            late.add(&slice);
            continue;
        }
        windows.resize(index, Slice::default());
        windows.push(slice);
    }
    Ok(Seen {
        measured: steady(&windows, from, to, width),
        iterations: windows.iter().map(|slice| slice.iterations).sum(),
        late,
    })
}

/// Processor time of observed processes between two instants, in cores; `None` when nothing was observed.
pub(crate) fn cores_used(directory: &Path, from_s: f64, to_s: f64) -> Result<Option<f64>, StoreError> {
    let reader = RunReader::open(directory)?;
    let mut by_source: Vec<(String, f64, u64)> = Vec::new();
    for resource in reader.resources()? {
        let resource = resource?;
        let at_s = resource.at.as_secs_f64();
        let is_cpu = resource.metric == "cpu_cores" && resource.source.starts_with("process ");
        if !is_cpu || at_s < from_s || at_s > to_s || !resource.value.is_finite() {
            continue;
        }
        match by_source.iter_mut().find(|(known, _, _)| *known == resource.source) {
            Some((_, sum, n)) => {
                *sum += resource.value;
                *n += 1;
            }
            None => by_source.push((resource.source, resource.value, 1)),
        }
    }
    let means = by_source.iter().map(|(_, sum, n)| sum / *n as f64);
    Ok((!by_source.is_empty()).then(|| means.sum()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: Nanos = Nanos::from_millis(100);

    fn slice(ok: u64) -> Slice {
        Slice { ok, time_ns: ok as f64 * 1e6, in_flight_ns: 3e8, ..Slice::default() }
    }

    #[test]
    fn only_the_measured_part_counts() {
        let mut windows = vec![slice(1_000); 5];
        windows.extend([slice(20); 30]);
        windows.extend([slice(500); 4]);
        let measured = steady(&windows, 5, 35, WIDTH).unwrap();
        assert_eq!((measured.from_s, measured.to_s), (0.5, 3.5));
        assert!((measured.x() - 200.0).abs() < 1e-9);
        assert!((measured.time_s().unwrap() - 1e-3).abs() < 1e-12);
        assert!((measured.in_flight() - 3.0).abs() < 1e-9);
        assert_eq!(measured.moves, None);
    }

    #[test]
    fn a_transient_behind_the_warm_up_is_left_out() {
        let mut windows = vec![slice(0); 5];
        windows.extend([slice(10); 5]);
        windows.extend([slice(20); 35]);
        let measured = steady(&windows, 5, 45, WIDTH).unwrap();
        assert_eq!(measured.from_s, 1.0);
        assert!((measured.x() - 200.0).abs() < 1e-9);
    }

    #[test]
    fn a_run_that_ended_before_its_measured_part_has_none() {
        assert_eq!(steady(&[slice(1); 3], 5, 35, WIDTH), None);
        assert_eq!(steady(&[], 0, 10, WIDTH), None);
    }

    /// Only the mix is varied, so only the mix is counted.
    #[test]
    fn requests_of_the_background_are_not_counted() {
        let plan = |beside: &str| {
            let text = format!(
                "nmax: 1\nname: p\ntarget: http://server.test\nscenarios:\n  a: {{ steps: \
                 [{{ get: /a }}] }}\n  b: {{ weight: 0, steps: [{{ get: {beside} }}] }}\nworkload: {{ closed: {{ vus: 1 }}, background: {{ b: {{ closed: {{ vus: 1 }} }} }} }}\n"
            );
            nmax_testkit::plans::plan(&text)
        };
        let apart = plan("/b");
        assert!(is_told_apart(&apart));
        let catalog = nmax_engine::program::catalog(&apart, 10);
        let mut aggregate = Aggregate::default();
        for (name, times) in [("/a", 3), ("/b", 5)] {
            let of = catalog.requests.list().iter().find(|known| known.contains(name)).unwrap();
            let id = catalog.requests.find(of).unwrap();
            let stats = aggregate.request_mut(Section::Hold, id);
            let ok = stats.outcomes[0].get_or_insert_default();
            (0..times).for_each(|_| ok.response.record(1_000_000));
        }
        assert_eq!(requests(&aggregate, Section::Hold, &catalog, &Mix::from_plan(&apart)).0, 3);
        assert_eq!(requests(&aggregate, Section::Hold, &catalog, &Mix::default()).0, 8);
        assert!(!is_told_apart(&plan("/a")), "one name for both");
    }

    #[test]
    fn what_is_counted_is_read() {
        let plan = nmax_testkit::plans::home_page("workload: { closed: { vus: 1 } }");
        assert_eq!(Count::parse("requests", &plan), Ok(Count::Requests));
        assert_eq!(Count::parse("iterations", &plan), Ok(Count::Iterations));
        for wrong in ["", "request", "transaction:nothing", "x:y"] {
            let error = Count::parse(wrong, &plan).unwrap_err();
            assert!(error.contains("help:"), "{error}");
        }
    }
}
