//! Whether two sides may be compared: what was run, on what, under which load, and whether it may be believed.

use nmax_plan::schedule::Stage;

/// Relative difference of loads, and of lengths, that is no difference.
const SAME: f64 = 0.02;
/// Relative difference of lengths up to which two sides are compared.
const LENGTHS_MAX: f64 = 0.25;
/// Half the sum of the differences of shares from which on the mix is another one.
const MIX_MAX: f64 = 0.02;

/// Where figures come from.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Origin {
    /// What a person calls it: an id, a file.
    pub label: String,
    /// Name of the run.
    pub name: String,
    /// Why it was made, in the user's words.
    pub note: String,
    /// Labels of the user.
    pub tags: Vec<String>,
    /// Beginning, RFC 3339 UTC.
    pub started_at: String,
    /// Base URL of the system under test.
    pub target: String,
    /// A run, or a log.
    pub kind: Kind,
    /// `pass`, `fail` or `invalid`; empty of a log.
    pub verdict: String,
    /// Whether it came to its planned end.
    pub is_complete: bool,
    /// SHA-256 of the plan.
    pub plan_sha256: String,
    /// Length of the hold, s.
    pub hold_s: f64,
    /// The load.
    pub load: Load,
    /// The named shape of the run, if it has one.
    pub profile: Option<String>,
    /// The shape itself.
    pub stages: Vec<Stage>,
    /// Version of nmax.
    pub nmax_version: String,
    /// Worker threads of the injector.
    pub workers: u64,
    /// The injector's machine, in a word.
    pub machine: String,
    /// Requests and their exchanges.
    pub counts: Vec<(String, u64)>,
}

/// What figures come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Kind {
    /// A run of ours.
    #[default]
    Run,
    /// An access log.
    Log,
}

/// The load of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Load {
    /// As users came, whoever they were.
    #[default]
    Unplanned,
    /// Iterations per second.
    Open(f64),
    /// Virtual users.
    Closed(f64),
}

/// Something that a reader of a comparison has to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caveat {
    /// A sentence.
    pub text: String,
    /// Whether the comparison would say something else than people think.
    pub refuses: bool,
}

fn told(text: String) -> Caveat {
    Caveat { text, refuses: false }
}

fn refused(text: String) -> Caveat {
    Caveat { text, refuses: true }
}

/// What stands between two sides and a fair comparison.
pub fn caveats(before: &[Origin], after: &[Origin]) -> Vec<Caveat> {
    let all: Vec<&Origin> = before.iter().chain(after).collect();
    let mut found = Vec::new();
    twice(before, after, &mut found);
    for origin in &all {
        of_one(origin, &mut found);
    }
    let Some(first) = usual(&all) else {
        found.push(refused("both sides are logs, and a log says nothing about the load behind it".into()));
        return found;
    };
    let side = |one: &Origin| before.iter().any(|origin| origin.label == one.label);
    for origin in all.iter().filter(|origin| origin.kind == Kind::Run && origin.label != first.label) {
        let both = match (side(first), side(origin)) {
            (true, true) => ", both before,",
            (false, false) => ", both after,",
            _ => "",
        };
        loads(first, origin, both, &mut found);
    }
    if all.iter().any(|origin| origin.kind == Kind::Log) {
        of_logs(&all, &mut found);
    }
    between(before, after, &mut found);
    found
}

/// The run that was loaded as most others were, the first of several: what is odd differs from it.
fn usual<'a>(all: &[&'a Origin]) -> Option<&'a Origin> {
    let runs = || all.iter().copied().filter(|origin| origin.kind == Kind::Run);
    let alike = |one: &Origin| runs().filter(|other| is_like(one, other)).count();
    let mut best: Option<(usize, &Origin)> = None;
    for run in runs() {
        let count = alike(run);
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, run));
        }
    }
    best.map(|(_, run)| run)
}

/// Whether two runs were loaded so alike that they may be compared.
fn is_like(one: &Origin, other: &Origin) -> bool {
    let mut found = Vec::new();
    loads(one, other, "", &mut found);
    found.iter().all(|caveat| !caveat.refuses)
}

/// Labels of the runs without which the others may be compared; empty when a side would be, or when others stand in the way.
pub fn odd(before: &[Origin], after: &[Origin]) -> Vec<String> {
    let all: Vec<&Origin> = before.iter().chain(after).collect();
    let Some(usual) = usual(&all) else { return Vec::new() };
    let is_odd = |origin: &Origin| {
        let mut found = Vec::new();
        of_one(origin, &mut found);
        !found.is_empty() || origin.kind == Kind::Run && !is_like(usual, origin)
    };
    let rest = |side: &[Origin]| -> Vec<Origin> { side.iter().filter(|origin| !is_odd(origin)).cloned().collect() };
    let (one, other) = (rest(before), rest(after));
    if one.is_empty() || other.is_empty() || caveats(&one, &other).iter().any(|caveat| caveat.refuses) {
        return Vec::new();
    }
    let odd = all.into_iter().filter(|origin| is_odd(origin));
    odd.map(|origin| origin.label.clone()).collect()
}

/// One run on both sides, or twice on one.
fn twice(before: &[Origin], after: &[Origin], found: &mut Vec<Caveat>) {
    let all: Vec<&str> = before.iter().chain(after).map(|origin| origin.label.as_str()).collect();
    let mut told_of: Vec<&str> = Vec::new();
    for (place, label) in all.iter().enumerate() {
        if all[..place].contains(label) && !told_of.contains(label) {
            told_of.push(label);
            found.push(refused(format!("{label} is given twice: a run is not a replication of itself")));
        }
    }
}

fn of_one(origin: &Origin, found: &mut Vec<Caveat>) {
    let label = &origin.label;
    if origin.verdict == "invalid" {
        found.push(refused(format!("{label} is INVALID: its numbers cannot be relied on")));
    }
    if !origin.is_complete {
        found.push(refused(format!("{label} did not come to its planned end")));
    }
}

/// Whether both were loaded alike; `both` says of which side they are, if of one.
fn loads(first: &Origin, other: &Origin, both: &str, found: &mut Vec<Caveat>) {
    let pair = format!("{} and {}{both}", first.label, other.label);
    let apart = |a: f64, b: f64| (a - b).abs() > SAME * a.abs().max(b.abs());
    match (first.load, other.load) {
        (Load::Open(a), Load::Open(b)) if apart(a, b) => {
            found.push(refused(format!("{pair} have different loads: {}/s and {}/s", plain(a), plain(b))));
        }
        (Load::Closed(a), Load::Closed(b)) if apart(a, b) => {
            found.push(refused(format!("{pair} have different loads: {} and {} virtual users", plain(a), plain(b))));
        }
        (Load::Open(_), Load::Closed(_)) | (Load::Closed(_), Load::Open(_)) => {
            found.push(refused(format!(
                "one of {pair} has an open workload and one a closed one: one waits for replies and one does not"
            )));
        }
        _ => {}
    }
    if first.profile != other.profile {
        let word = |origin: &Origin| origin.profile.clone().unwrap_or_else(|| "none".into());
        found.push(refused(format!("{pair} have different profiles: {} and {}", word(first), word(other))));
    } else if first.stages != other.stages && found.iter().all(|caveat| !caveat.text.starts_with(&pair)) {
        found.push(told(format!("{pair} have different stages")));
    }
    let apart = (first.hold_s - other.hold_s).abs() / first.hold_s.max(other.hold_s).max(f64::MIN_POSITIVE);
    let text = format!("{pair} hold for {:.1} s and {:.1} s", first.hold_s, other.hold_s);
    if apart > LENGTHS_MAX {
        found.push(refused(text));
    } else if apart > SAME {
        found.push(told(text));
    }
}

fn of_logs(all: &[&Origin], found: &mut Vec<Caveat>) {
    let logs: Vec<&str> =
        all.iter().filter(|origin| origin.kind == Kind::Log).map(|origin| origin.label.as_str()).collect();
    found.push(told(format!(
        "{}: a log's times are measured at the server, a run's at the client, so the way between them is in one and not in \
         the other",
        logs.join(", ")
    )));
    let rate = |origin: &Origin| {
        let count: u64 = origin.counts.iter().map(|(_, count)| count).sum();
        (origin.hold_s > 0.0).then(|| count as f64 / origin.hold_s)
    };
    let of = |kind: Kind| all.iter().find(|origin| origin.kind == kind).and_then(|origin| rate(origin));
    if let (Some(log), Some(run)) = (of(Kind::Log), of(Kind::Run)) {
        found.push(told(format!(
            "the log has {} requests per second and the run {}: a system is not as fast under another load",
            plain(log),
            plain(run)
        )));
    }
}

/// A number with two digits after the point, where it has any.
fn plain(value: f64) -> String {
    if value.fract() == 0.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// Something that is known of an origin, in words.
type Fact = fn(&Origin) -> String;

/// What one side has in common and the other has not.
fn between(before: &[Origin], after: &[Origin], found: &mut Vec<Caveat>) {
    let is_run = |origin: &&Origin| origin.kind == Kind::Run;
    let values = |side: &[Origin], of: fn(&Origin) -> String| -> Vec<String> {
        let mut values: Vec<String> = side.iter().filter(is_run).map(of).filter(|value| !value.is_empty()).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let facts: [(&str, Fact); 4] = [
        ("targets", |origin| origin.target.clone()),
        ("versions of nmax", |origin| origin.nmax_version.clone()),
        ("injectors", |origin| origin.machine.clone()),
        ("numbers of workers", |origin| origin.workers.to_string()),
    ];
    for (what, of) in facts {
        let (one, other) = (values(before, of), values(after, of));
        if !one.is_empty() && !other.is_empty() && one != other {
            let list = |values: &[String]| values.join(", ");
            found.push(told(format!("both sides have different {what}: {} and {}", list(&one), list(&other))));
        }
    }
    let plans = |side: &[Origin]| values(side, |origin| origin.plan_sha256.clone());
    let (one, other) = (plans(before), plans(after));
    if one.len() > 1 || other.len() > 1 || (!one.is_empty() && !other.is_empty() && one != other) {
        let targets = |side: &[Origin]| values(side, |origin| origin.target.clone());
        let text = if targets(before) == targets(after) {
            "the plans are not the same; the `plan` in `manifest.json` of the runs shows how they differ"
        } else {
            "the plans are not the same, maybe by their targets alone; the `plan` in their `manifest.json` shows it"
        };
        found.push(told(text.into()));
    }
    let apart = mix(before, after);
    if apart > MIX_MAX && before.iter().chain(after).all(|origin| origin.kind == Kind::Run) {
        let share = 100.0 * apart;
        found.push(told(format!(
            "the mix of requests differs by {share:.1} % of them, so the rows of the total compare different things"
        )));
    }
}

/// Half the sum of the differences of the shares of requests.
fn mix(before: &[Origin], after: &[Origin]) -> f64 {
    let shares = |side: &[Origin]| {
        let mut shares: std::collections::BTreeMap<String, f64> = std::collections::BTreeMap::new();
        let all: u64 = side.iter().flat_map(|origin| &origin.counts).map(|(_, count)| count).sum();
        for (name, count) in side.iter().flat_map(|origin| &origin.counts) {
            *shares.entry(name.clone()).or_default() += *count as f64 / all.max(1) as f64;
        }
        shares
    };
    let (one, other) = (shares(before), shares(after));
    let of = |shares: &std::collections::BTreeMap<String, f64>, name: &String| shares.get(name).copied().unwrap_or(0.0);
    let names: std::collections::BTreeSet<&String> = one.keys().chain(other.keys()).collect();
    names.into_iter().map(|name| (of(&one, name) - of(&other, name)).abs()).sum::<f64>() / 2.0
}

#[cfg(test)]
mod tests;
