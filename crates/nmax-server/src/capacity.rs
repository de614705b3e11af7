//! Questions of capacity, with values that may be moved.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use hyper::StatusCode;
use nmax_capacity::Document;
use nmax_capacity::demand::{Logs, Series, Source};
use nmax_report::capacity;
use nmax_run::load::LoadError;
use nmax_run::logs::Listener;
use nmax_run::{Trouble, capacity::count};

use crate::api;
use crate::page::of_document;
use crate::plans::{Plans, problems};
use crate::refusal::Refusal;

/// Days of each strategy while a slider is moved.
const QUICK_SEEDS: usize = 3;
/// Series that are kept.
const SERIES_MAX: usize = 4;

/// Series that were counted in access logs: that takes long, and no slider changes what a log holds.
#[derive(Default)]
pub(crate) struct Counted(Mutex<VecDeque<(Key, Series)>>);

/// The folder and the files in it, with the length and the change of each.
type Key = (PathBuf, Logs, Vec<Option<(u64, SystemTime)>>);

/// Does not listen.
struct Deaf;

impl Listener for Deaf {
    fn read(&mut self, _: u64, _: u64) {}

    fn ended(&mut self) {}
}

impl Counted {
    /// Puts the series of its logs in the place of their names. Who asks for the same meanwhile waits for it.
    fn count(&self, document: &mut Document, folder: &Path) -> Result<(), Trouble> {
        let Some(demand) = &mut document.demand else { return Ok(()) };
        let Source::Logs(logs) = &demand.source else { return Ok(()) };
        let state = |file: &String| {
            let found = folder.join(file).metadata().ok()?;
            Some((found.len(), found.modified().ok()?))
        };
        let key = (folder.to_owned(), logs.clone(), logs.files.iter().map(state).collect());
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, series)) = kept.iter().find(|(known, _)| *known == key) {
            demand.source = Source::Series(series.clone());
            return Ok(());
        }
        count(document, folder, &mut Deaf)?;
        if let Some(Source::Series(series)) = document.demand.as_ref().map(|demand| &demand.source) {
            kept.push_front((key, series.clone()));
            kept.truncate(SERIES_MAX);
        }
        Ok(())
    }
}

/// A value that may be moved.
struct Moved {
    id: &'static str,
    /// In the document.
    path: &'static str,
    name: &'static str,
    unit: &'static str,
    about: &'static str,
    /// Least and most.
    span: (f64, f64),
    value: fn(&Document) -> f64,
}

/// The values, in the order of the page.
const MOVED: [Moved; 5] = [
    Moved {
        id: "growth",
        path: "assume.growth",
        name: "More growth",
        unit: "% per week",
        about: "on top of the forecast",
        span: (-5.0, 10.0),
        value: |document| document.assume.growth_per_week * 100.0,
    },
    Moved {
        id: "demand",
        path: "assume.demand",
        name: "Demand",
        unit: "times",
        about: "of what is forecast",
        span: (0.25, 4.0),
        value: |document| document.assume.demand,
    },
    Moved {
        id: "headroom",
        path: "plan.margin",
        name: "Headroom",
        unit: "%",
        about: "margin above the forecast peak",
        span: (0.0, 100.0),
        value: |document| document.plan.margin * 100.0,
    },
    Moved {
        id: "lag",
        path: "assume.lag",
        name: "Lag",
        unit: "times",
        about: "of the time from a decision to a node that serves, and of lead times",
        span: (0.1, 10.0),
        value: |document| document.assume.lag,
    },
    Moved {
        id: "price",
        path: "assume.price",
        name: "Price",
        unit: "times",
        about: "of what is stated",
        span: (0.1, 5.0),
        value: |document| document.assume.price,
    },
];

/// The first of what is wrong with a document, with its place.
fn wrong(error: &LoadError) -> Refusal {
    let problems = problems(error);
    let Some(first) = problems.first() else { return Refusal::from(error.to_string()) };
    let place = if first.line > 0 { format!("line {}, column {}: ", first.line, first.column) } else { String::new() };
    let more = if problems.len() > 1 { format!(" ({} errors in all)", problems.len()) } else { String::new() };
    Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, format!("{place}{}{more}", first.text), first.help.clone())
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Of {
    Plan,
    /// A day, by so many seeds as the document says, or by few.
    Day {
        is_quick: bool,
    },
}

/// The answer of a document of the folder, with other values as in `growth=1.5`.
pub(crate) fn answer(
    (plans, counted): (&Plans, &Counted),
    name: &str,
    of: Of,
    value: impl Fn(&str) -> Result<Option<f64>, Refusal>,
) -> Result<api::CapacityPage, Refusal> {
    let path = plans.path(name)?;
    let mut set = Vec::new();
    for one in &MOVED {
        if let Some(given) = value(one.id)? {
            let unit = if one.unit.starts_with('%') { one.unit } else { "" };
            set.push((one.path.to_owned(), format!("{given}{unit}")));
        }
    }
    let text = plans.read(name)?.text;
    let asked = |set: &[_]| nmax_run::capacity::question_of_text(&path, &text, set).map_err(|error| wrong(&error));
    let stated = asked(&[])?;
    let mut document = asked(&set)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    nmax_scale::capacity::measure(&mut document, folder)?;
    counted.count(&mut document, folder)?;
    let mut is_quick = false;
    if let (Of::Day { is_quick: true }, Some(day)) = (of, &mut document.day) {
        is_quick = day.seeds > QUICK_SEEDS;
        day.seeds = day.seeds.min(QUICK_SEEDS);
    }
    let (report, ..) = if of == Of::Plan { capacity::plan(&document) } else { capacity::day(&document) };
    let sliders = MOVED.iter().map(|one| {
        let (value, stated) = ((one.value)(&document), (one.value)(&stated));
        api::Slider {
            id: one.id.to_owned(),
            name: one.name.to_owned(),
            value,
            stated,
            least: one.span.0.min(stated),
            most: one.span.1.max(stated),
            unit: one.unit.to_owned(),
            about: one.about.to_owned(),
        }
    });
    Ok(api::CapacityPage {
        name: name.to_owned(),
        report: of_document(&report),
        sliders: sliders.collect(),
        has_day: document.day.is_some(),
        is_quick,
    })
}
