//! The steps of a scenario, in order.

use std::collections::BTreeSet;

use nmax_plan::document::write::Yaml;
use nmax_plan::units::format_duration;

use super::checks::Personal;
use super::files::Files;
use super::fill::{Changes, expanded};
use super::request::Shape;
use super::{AnalysedRecording, Pause, Shared};
use crate::journey::Step;
use crate::recording::Skipped;

/// Longest name of a transaction, in characters.
const MARK_CHARS_MAX: usize = 100;

/// A scenario as it is written.
#[derive(Default)]
pub(super) struct Scenario {
    pub(super) name: String,
    pub(super) steps: Vec<Yaml>,
    /// Its requests in the order of the document.
    pub(super) requests: Vec<Sent>,
    pub(super) resources: usize,
    pub(super) skipped: Vec<Skipped>,
    pub(super) warnings: Vec<String>,
}

/// A request step of the plan.
pub(super) struct Sent {
    /// Name under which it is measured.
    pub(super) name: String,
    /// The request and where redirects led from it, in order.
    pub(super) hops: Vec<usize>,
}

impl Sent {
    /// The entry whose reply it ends with.
    pub(super) fn last(&self) -> usize {
        self.hops.last().copied().unwrap_or_default()
    }
}

/// A scenario while it is written.
pub(super) struct Writing<'a, 'f> {
    pub(super) analysed: &'a AnalysedRecording<'a>,
    pub(super) shared: &'a Shared<'a>,
    pub(super) changes: Changes<'a>,
    pub(super) personal: Personal,
    pub(super) files: &'f mut Files,
    /// What is written so far.
    pub(super) made: Scenario,
    /// Names of headers that no request can carry.
    pub(super) unsendable: BTreeSet<String>,
}

/// Writes the steps of a journey.
pub(super) fn scenario(
    analysed: &AnalysedRecording<'_>,
    name: &str,
    shared: &Shared<'_>,
    files: &mut Files,
) -> Scenario {
    let mut writing = Writing {
        analysed,
        shared,
        changes: Changes::from_recording(analysed),
        personal: Personal::from_recording(analysed),
        files,
        made: Scenario { name: name.to_owned(), ..Scenario::default() },
        unsendable: BTreeSet::new(),
    };
    let mut steps = writing.steps();
    steps.splice(0..0, writing.delay());
    writing.warn_of_unsendable();
    if steps.is_empty() {
        // A scenario without a step is no scenario; the recording was empty.
        steps.push(Yaml::Map(vec![("get".to_owned(), Yaml::text("/"))]));
    }
    Scenario { steps, ..writing.made }
}

impl Writing<'_, '_> {
    /// Everything in order, with transactions around what was marked.
    fn steps(&mut self) -> Vec<Yaml> {
        let follows: Vec<String> = self.analysed.journey.steps.iter().map(|step| step.name.clone()).collect();
        let mut outside: Vec<Yaml> = Vec::new();
        let mut open: Option<(String, Vec<Yaml>)> = None;
        for (at, step) in self.analysed.journey.steps.iter().enumerate() {
            if self.made.requests.len() >= self.shared.steps_max {
                let (written, all) = (at, self.analysed.journey.steps.len());
                self.made.warnings.push(format!(
                    "the recording is too long for one plan: it ends after {written} of {all} steps; record shorter visits"
                ));
                break;
            }
            if let Some(mark) = &step.mark {
                close(&mut outside, open.take());
                outside.extend(self.pause(step));
                open = Some((transaction_name(mark, &follows), Vec::new()));
            } else if at > 0 {
                let pause = self.pause(step);
                open.as_mut().map_or(&mut outside, |(_, steps)| steps).extend(pause);
            }
            let list = open.as_mut().map_or(&mut outside, |(_, steps)| steps);
            list.extend(self.sets(step));
            list.extend(self.hops(step));
        }
        close(&mut outside, open);
        outside
    }

    /// What spreads users who begin together, where they pause: up to the first pause at its usual length.
    fn delay(&self) -> Option<Yaml> {
        let pauses =
            self.analysed.journey.steps.iter().skip(1).filter_map(|step| self.analysed.pauses.get(&step.entry));
        let first = pauses.map(|pause| match pause {
            Pause::Fixed(pause) | Pause::Lognormal { median: pause, .. } => *pause,
        });
        let law = vec![
            ("min".to_owned(), Yaml::plain("0s")),
            ("max".to_owned(), Yaml::plain(format_duration(first.into_iter().next()?))),
        ];
        let think = Yaml::Map(vec![("think".to_owned(), Yaml::Map(law).on_one_line())]);
        Some(think.with_note("users who begin together do not stay in step"))
    }

    /// Names the headers that were left out because no request can carry them.
    fn warn_of_unsendable(&mut self) {
        const NAMED_MAX: usize = 5;
        let shown =
            |name: &String| format!("`{}`", nmax_text::shown(name).into_owned().chars().take(60).collect::<String>());
        let names: Vec<String> = self.unsendable.iter().take(NAMED_MAX).map(shown).collect();
        if names.is_empty() {
            return;
        }
        let more = match self.unsendable.len() - names.len() {
            0 => String::new(),
            more => format!(" and {more} more"),
        };
        self.made
            .warnings
            .push(format!("headers are left out whose name or value no request can carry: {}{more}", names.join(", ")));
    }

    fn pause(&self, step: &Step) -> Option<Yaml> {
        let think = match self.analysed.pauses.get(&step.entry)? {
            Pause::Fixed(time) => Yaml::plain(format_duration(*time)),
            Pause::Lognormal { median, p95 } => Yaml::Map(vec![
                ("median".to_owned(), Yaml::plain(format_duration(*median))),
                ("p95".to_owned(), Yaml::plain(format_duration(*p95))),
            ])
            .on_one_line(),
        };
        Some(Yaml::Map(vec![("think".to_owned(), think)]))
    }

    /// Values that are made before a step because it is the first to send them.
    fn sets(&self, step: &Step) -> Option<Yaml> {
        let is_first = |entries: &mut dyn Iterator<Item = usize>| {
            let order = |entry: usize| {
                let steps = &self.analysed.journey.steps;
                steps.iter().position(|step| step.hops().any(|hop| hop == entry))
            };
            let first = entries.filter_map(|entry| Some((order(entry)?, entry))).min();
            first.is_some_and(|(_, entry)| step.hops().any(|hop| hop == entry))
        };
        let mut values: Vec<(String, Yaml)> = Vec::new();
        for made in &self.analysed.correlations.generated {
            let Some((name, template)) = &made.set else { continue };
            if is_first(&mut made.uses.iter().map(|(at, _)| at.entry)) {
                let note = format!("made by the client: {}", made.what.replace(['\n', '\r'], " "));
                values.push((name.clone(), Yaml::text(template).with_note(note)));
            }
        }
        for (entry, name, template) in &self.analysed.parameters.sets {
            if step.hops().any(|hop| hop == *entry) {
                values.push((name.clone(), Yaml::text(template)));
            }
        }
        (!values.is_empty()).then(|| Yaml::Map(vec![("set".to_owned(), Yaml::Map(values))]))
    }

    /// The request, and its redirects as steps of their own where one of them carries or gives a value.
    fn hops(&mut self, step: &Step) -> Vec<Yaml> {
        let gives = |entry: usize| self.analysed.correlations.values.iter().any(|value| value.from == entry);
        let is_told = step.redirects.iter().any(|&hop| self.changes.has_any(hop))
            || step.hops().take(step.redirects.len()).any(gives);
        if !is_told {
            return vec![self.one(&Shape {
                entry: step.entry,
                last: step.last(),
                name: Some(&step.name),
                resources: &step.resources,
                is_page: step.is_page,
            })];
        }
        let last = step.last();
        let hops: Vec<usize> = step.hops().collect();
        let shape = |&hop: &usize| Shape {
            entry: hop,
            last: hop,
            name: (hop == step.entry).then_some(step.name.as_str()),
            resources: if hop == last { &step.resources } else { &[] },
            is_page: step.is_page && hop == last,
        };
        hops.iter().map(|hop| self.one(&shape(hop))).collect()
    }

    fn one(&mut self, shape: &Shape<'_>) -> Yaml {
        let (yaml, name) = self.request(shape);
        let response = self.analysed.recording.entries[shape.last].response.as_ref();
        if let Some(status) = response.map(|response| response.status).filter(|status| *status >= 400) {
            self.made.warnings.push(format!(
                "{name} was answered with status {status} in the recording, and the plan expects that again: leave the \
                 step out if it was a mistake"
            ));
        }
        let is_followed = shape.last != shape.entry;
        let journey = &self.analysed.journey.steps;
        let followed = journey.iter().find(|step| is_followed && step.entry == shape.entry);
        self.made
            .requests
            .push(Sent { name, hops: followed.map_or_else(|| vec![shape.entry], |step| step.hops().collect()) });
        yaml
    }
}

/// Ends a transaction.
fn close(outside: &mut Vec<Yaml>, open: Option<(String, Vec<Yaml>)>) {
    let Some((name, steps)) = open.filter(|(_, steps)| !steps.is_empty()) else {
        return;
    };
    outside.push(Yaml::Map(vec![
        ("transaction".to_owned(), Yaml::text(expanded(&name))),
        ("steps".to_owned(), Yaml::List(steps)),
    ]));
}

/// A mark as the name of a transaction; a request that follows redirects must not have the same one.
fn transaction_name(mark: &str, taken: &[String]) -> String {
    let name: String = mark.chars().filter(|c| !c.is_control()).take(MARK_CHARS_MAX).collect();
    // Names of transactions have no holes.
    let name = if name.contains("${") { name.replace('$', "") } else { name };
    let name = name.trim();
    match name {
        "" => "marked".to_owned(),
        name if taken.iter().any(|own| own == name) => format!("{name} (marked)"),
        name => name.to_owned(),
    }
}
