//! Everything from recordings to a plan, in one call.

use std::collections::HashMap;
use std::time::Duration;

use crate::correlate::{Correlations, correlate};
use crate::emit::{AnalysedRecording, Converted, Pause, Summary, emit};
use crate::journey::{Journey, PAUSE_MIN, Step, build, template_path};
use crate::options::{Options, Think};
use crate::parameters::{Feeders, Other, Parameters, names_taken, recognize};
use crate::parts::{ValueLocation, split, without_login};
use crate::recording::{Recording, Skipped, header};
use crate::redact::{Secrets, find};
use crate::select::select;
use crate::structure::Structure;

/// 95th percentile of the standard normal distribution.
const Z95: f64 = 1.644_853_6;
/// How many times the recorded pause the 95th percentile is, where one visit tells no spread: users who all pause alike
/// would stay in step.
const SPREAD: f64 = 2.0;

/// Replies that were not read to their ends, each told by itself.
const UNREAD_TOLD_MAX: usize = 10;

/// A recording and its steps.
struct Visit {
    recording: Recording,
    number: usize,
    journey: Journey,
}

/// Recordings of one journey, the first of which is told.
#[derive(Default)]
struct Group {
    visits: Vec<Visit>,
    pauses: HashMap<usize, Pause>,
    correlations: Correlations,
    parameters: Parameters,
}

/// Makes a plan of recordings, whose secrets are in their places. O(size of the recordings) but for the search of
/// correlations. Recordings of the same journey become one scenario.
pub fn convert(recordings: Vec<Recording>, options: &Options) -> Converted {
    let mut summary = Summary::default();
    let mut secrets = Secrets::new(&options.key);
    let names: Vec<String> = recordings.iter().map(|recording| recording.name.clone()).collect();
    let mut visits = Vec::new();
    for (number, mut recording) in recordings.into_iter().enumerate() {
        summary.entries += recording.entries.len();
        logins_into_headers(&mut recording);
        secrets.absorb(find(&recording, &options.key));
        let selection = select(&recording, options);
        let journey = build(&recording, &selection, options);
        let skipped = selection.skipped.into_iter();
        summary.skipped.extend(skipped.map(|skipped| Skipped { recording: number, ..skipped }));
        summary.warnings.extend(selection.warnings);
        visits.push(Visit { recording, number, journey });
    }
    summary.redactions = secrets.redactions;
    visits.iter_mut().for_each(|visit| hide_in_names(&mut visit.journey, &secrets));
    let mut groups = group(visits, &secrets, &mut summary.warnings);
    let mut feeders = Feeders::default();
    for group in &mut groups {
        understand(group, &mut feeders, &secrets, options);
        warn_of_unread(group, &mut summary.warnings);
        warn_of_cookies(group, &mut summary.warnings);
    }
    let analysed: Vec<AnalysedRecording<'_>> = groups.iter().map(analysed).collect();
    let made = emit(&analysed, &feeders, &names, &secrets, options);
    finish(made, &groups, &secrets, summary)
}

/// Logins in front of hosts become the headers that a browser sends for them, where a request has none.
fn logins_into_headers(recording: &mut Recording) {
    for entry in &mut recording.entries {
        let request = &mut entry.request;
        let Some((bare, login)) = without_login(&request.url) else {
            continue;
        };
        request.url = bare;
        if let Some(login) = login.filter(|_| header(&request.headers, "authorization").is_none()) {
            request.headers.push(("authorization".to_owned(), login));
        }
    }
}

fn hide_in_names(journey: &mut Journey, secrets: &Secrets) {
    journey.steps.iter_mut().for_each(|step| step.name = secrets.without(&step.name));
}

fn analysed(group: &Group) -> AnalysedRecording<'_> {
    let visit = &group.visits[0];
    AnalysedRecording {
        recording: &visit.recording,
        number: visit.number,
        journey: &visit.journey,
        correlations: &group.correlations,
        parameters: &group.parameters,
        pauses: &group.pauses,
    }
}

/// Adds what was known before the plan was written.
fn finish(made: Converted, groups: &[Group], secrets: &Secrets, before: Summary) -> Converted {
    let hide = |text: String| secrets.hide(&text);
    let notes = groups.iter().flat_map(|group| &group.parameters.notes);
    let skipped = before.skipped.into_iter().chain(made.summary.skipped);
    let summary = Summary {
        entries: before.entries,
        scenarios: groups.len(),
        redactions: before.redactions,
        skipped: skipped.map(|skipped| Skipped { url: hide(skipped.url), ..skipped }).collect(),
        parameters: notes.map(|note| secrets.hide(note)).collect(),
        warnings: before.warnings.into_iter().chain(made.summary.warnings).map(hide).collect(),
        ..made.summary
    };
    Converted { summary, ..made }
}

/// Visits of the same journey, in the order of the first of each.
fn group(visits: Vec<Visit>, secrets: &Secrets, warnings: &mut Vec<String>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for visit in visits {
        if visit.journey.steps.is_empty() {
            warnings.push(format!("{}: nothing in it can be replayed, see what was left out", visit.recording.name));
            continue;
        }
        let found = groups.iter_mut().find_map(|group| Some((differing(&group.visits[0], &visit)?, group)));
        match found {
            Some((differing, group)) => {
                group.visits.push(visit);
                let before = group.visits[0].journey.steps.iter().map(|step| step.varying.clone());
                let varying: Vec<Vec<usize>> = before.zip(differing).map(|(own, more)| [own, more].concat()).collect();
                for visit in &mut group.visits {
                    visit.journey.vary(&visit.recording, &varying);
                    hide_in_names(&mut visit.journey, secrets);
                }
            }
            None => groups.push(Group { visits: vec![visit], ..Group::default() }),
        }
    }
    groups
}

/// Which segments of the path of each step differ in two visits of one journey: the same things were done, with other
/// articles. `None` where they are different journeys.
fn differing(first: &Visit, second: &Visit) -> Option<Vec<Vec<usize>>> {
    let (own, other) = (&first.journey.steps, &second.journey.steps);
    if own.len() != other.len() {
        return None;
    }
    own.iter().zip(other).map(|(own, other)| differing_in_step((first, own), (second, other))).collect()
}

/// Which segments differ in two steps: slugs below the same word, to which the server gives pages of one kind.
fn differing_in_step((first, own): (&Visit, &Step), (second, other): (&Visit, &Step)) -> Option<Vec<usize>> {
    if own.name == other.name {
        return Some(Vec::new());
    }
    let entries = (&first.recording.entries[own.entry], &second.recording.entries[other.entry]);
    let (a, b) = (split(&entries.0.request.url), split(&entries.1.request.url));
    let (own_path, other_path) = (template_path(a.path), template_path(b.path));
    let (own_segments, other_segments): (Vec<&str>, Vec<&str>) =
        (own_path.split('/').collect(), other_path.split('/').collect());
    let is_same_call = entries.0.request.method == entries.1.request.method && a.origin == b.origin;
    if !is_same_call || own_segments.len() != other_segments.len() {
        return None;
    }
    let differing: Vec<usize> = (0..own_segments.len()).filter(|at| own_segments[*at] != other_segments[*at]).collect();
    let is_slug =
        |text: &str| text == "{id}" || text.contains(['-', '_', '%']) || text.bytes().any(|byte| byte.is_ascii_digit());
    let are_slugs = differing.iter().all(|at| *at >= 2 && is_slug(own_segments[*at]) && is_slug(other_segments[*at]));
    let last = |visit: &Visit, step: &Step| Structure::from_entry(&visit.recording.entries[step.last()]);
    let are_pages_alike = match (last(first, own), last(second, other)) {
        (Some(own), Some(other)) => !own.is_another_than(&other),
        (own, other) => own.is_none() && other.is_none(),
    };
    (are_slugs && are_pages_alike).then_some(differing)
}

/// Finds out what goes from replies to requests and what differs from user to user.
fn understand(group: &mut Group, feeders: &mut Feeders, secrets: &Secrets, options: &Options) {
    group.pauses = pauses(&group.visits, options);
    let (first, others) = group.visits.split_at_mut(1);
    let visit = &mut first[0];
    let again = others.first().map(|other| (&other.recording, &other.journey));
    group.correlations = correlate(&visit.recording, &visit.journey, again);
    let alike: Vec<Other<'_>> = others.iter().map(|other| alike(&visit.journey, other)).collect();
    let carried = carriers(&group.correlations);
    visit.journey.promote(&visit.recording, |entry| carried.contains(&entry));
    hide_in_names(&mut visit.journey, secrets);
    feeders.taken.extend(names_taken(&group.correlations));
    group.parameters =
        recognize((&visit.recording, &visit.journey), &alike, &group.correlations, secrets, options, feeders);
}

/// Another visit of the same journey, with what there is in the place of each request of the first.
fn alike<'a>(first: &Journey, other: &'a Visit) -> Other<'a> {
    let steps = first.steps.iter().zip(&other.journey.steps);
    Other {
        recording: &other.recording,
        entries: steps.flat_map(|(own, theirs)| own.hops().zip(theirs.hops())).collect(),
    }
}

/// Entries that send or give a correlated value, so they cannot be resources.
fn carriers(correlations: &Correlations) -> Vec<usize> {
    let is_sent = |place: &ValueLocation| {
        !matches!(place, ValueLocation::Cookie(_)) && *place != ValueLocation::Header("referer".into())
    };
    let uses = correlations.uses().filter(|(at, _)| is_sent(&at.place)).map(|(at, _)| at.entry);
    uses.chain(correlations.values.iter().map(|value| value.from)).collect()
}

/// Pauses by the entries of the first visit: lognormal, by a rule for one visit and fitted to several.
fn pauses(visits: &[Visit], options: &Options) -> HashMap<usize, Pause> {
    let mut pauses = HashMap::new();
    for (at, step) in visits[0].journey.steps.iter().enumerate() {
        let thinks: Vec<Duration> = visits.iter().filter_map(|visit| visit.journey.steps[at].think).collect();
        // A pause that most did not make was none.
        if thinks.len() * 2 >= visits.len() && !thinks.is_empty() {
            let is_fixed = matches!(options.think, Think::Fixed(_));
            pauses.insert(step.entry, if is_fixed { Pause::Fixed(thinks[0]) } else { fitted(&thinks) });
        }
    }
    pauses
}

/// The lognormal distribution with the mean and deviation of the logarithms; of one pause, it is the median, and the spread
/// is [`SPREAD`].
fn fitted(thinks: &[Duration]) -> Pause {
    let logs: Vec<f64> = thinks.iter().map(|think| think.as_secs_f64().max(1e-3).ln()).collect();
    let count = logs.len() as f64;
    let mean = logs.iter().sum::<f64>() / count;
    let variance = logs.iter().map(|log| (log - mean).powi(2)).sum::<f64>() / (count - 1.0).max(1.0);
    // Nobody pauses to the millisecond.
    let rounded = |log: f64| {
        let s = log.exp().clamp(PAUSE_MIN.as_secs_f64(), 86_400.0);
        let grain_ms: u32 = if s < 1.0 { 10 } else { 100 };
        let grains = (s * 1000.0 / f64::from(grain_ms)).round();
        Duration::from_millis(grains as u64 * u64::from(grain_ms))
    };
    let spread = if logs.len() > 1 { Z95 * variance.sqrt() } else { SPREAD.ln() };
    let (median, p95) = (rounded(mean), rounded(mean + spread));
    if p95 > median { Pause::Lognormal { median, p95 } } else { Pause::Fixed(median) }
}

/// Replies that were given up may hold values that requests send.
fn warn_of_unread(group: &Group, warnings: &mut Vec<String>) {
    let recording = &group.visits[0].recording;
    let unread = &group.correlations.unread;
    for (entry, why) in unread.iter().take(UNREAD_TOLD_MAX) {
        let entry = &recording.entries[*entry];
        let url = entry.request.url.split(['?', '#']).next().unwrap_or_default();
        warnings.push(format!(
            "{}: the reply of entry {}, {} {url}, was not searched for values to its end: {why}",
            recording.name, entry.number, entry.request.method
        ));
    }
    if let Some(more @ 1..) = unread.len().checked_sub(UNREAD_TOLD_MAX) {
        warnings.push(format!("{}: {more} more replies were not read to their ends either", recording.name));
    }
}

/// Cookies that no reply of the recording set are in no user's jar.
fn warn_of_cookies(group: &Group, warnings: &mut Vec<String>) {
    if group.visits[0].recording.is_command {
        return;
    }
    let unset = group.correlations.jar.iter().filter(|cookie| cookie.set_by.is_none());
    let names: Vec<&str> = unset.map(|cookie| cookie.name.as_str()).take(5).collect();
    if !names.is_empty() {
        warnings.push(format!(
            "cookies that no reply of the recording set are not sent: {}; if the site needs them, record in a fresh \
             browser profile from the first page on",
            names.join(", ")
        ));
    }
}

#[cfg(test)]
mod tests;
