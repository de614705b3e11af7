//! Questions of capacity, with values that may be moved.

use nmax_capacity::Document;
use nmax_report::capacity;
use nmax_run::Trouble;

use crate::api;
use crate::page::of_document;
use crate::plans::Plans;
use crate::refusal::Refusal;

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

/// The answer of a document of the folder, with other values as in `growth=1.5`.
pub(crate) fn answer(
    plans: &Plans,
    name: &str,
    is_day: bool,
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
    let document = nmax_run::capacity::question_of_text(&path, &text, &set).map_err(Trouble::from)?;
    let (report, ..) = if is_day { capacity::day(&document) } else { capacity::plan(&document) };
    let sliders = MOVED.iter().map(|one| api::Slider {
        id: one.id.to_owned(),
        name: one.name.to_owned(),
        value: (one.value)(&document),
        least: one.span.0,
        most: one.span.1,
        unit: one.unit.to_owned(),
        about: one.about.to_owned(),
    });
    Ok(api::CapacityPage {
        name: name.to_owned(),
        report: of_document(&report),
        sliders: sliders.collect(),
        has_day: document.day.is_some(),
    })
}
