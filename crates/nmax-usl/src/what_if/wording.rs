//! What-ifs in sentences.

use super::{Growth, Measured, Outlook, Override, WhatIf, bears_peak};
use crate::analysis::wording::{list, number, percent};
use crate::gate::BEYOND;
use crate::law::Usl;

/// What was assumed and what follows, in sentences.
pub(super) fn text(outlook: &Outlook, measured: Option<Measured>, question: &WhatIf) -> Vec<String> {
    let mut text = Vec::new();
    if !question.assumed.is_empty() {
        text.push(format!("Assumed, not measured: {}.", question.assumed.describe(&outlook.law)));
        text.push(peak_text(outlook, measured, question));
    }
    for (name, edge) in [("optimistic", question.optimistic), ("realistic", question.realistic)] {
        if let Some(edge) = edge {
            text.push(format!("Assumed for the {name} edge: {}.", edge.describe(&outlook.law)));
        }
    }
    if let Some(growth) = question.growth {
        text.push(growth_text(outlook, measured, growth, question));
    }
    text.push(match measured {
        Some(measured) => format!(
            "Nothing is said beyond twice what was measured: N = {} and {}/s.",
            number(BEYOND * measured.n_hi),
            number(BEYOND * measured.x_max)
        ),
        None => "The coefficients were given and nothing was measured here, so nothing limits these figures but the \
                 assumption."
            .to_owned(),
    });
    text
}

fn peak_text(outlook: &Outlook, measured: Option<Measured>, question: &WhatIf) -> String {
    let peak = |(n, x): (f64, f64)| format!("N = {} with {}/s", number(n), number(x));
    match (outlook.peak, outlook.assumed_peak) {
        (Some(before), Some(after)) => format!(
            "The peak would move from {} to {} (assumed), and throughput there {} by {}.",
            peak(before),
            peak(after),
            if after.1 < before.1 { "falls" } else { "rises" },
            percent((after.1 / before.1 - 1.0).abs())
        ),
        (None, Some(after)) => format!("The peak would lie at {} (assumed).", peak(after)),
        (_, None) if !bears_peak(measured, &question.assumed) => {
            "No peak of the assumed curve is said: it would rest on the \
                 measured β, and the data bear no peak of the law. Assume a β as well to see what follows from it."
                .to_owned()
        }
        (_, None) => "With the assumed coefficients no peak lies within what may be said.".to_owned(),
    }
}

fn growth_text(outlook: &Outlook, measured: Option<Measured>, growth: Growth, question: &WhatIf) -> String {
    let WhatIf { assumed, optimistic, realistic, .. } = question;
    let assumed = Some(*assumed).filter(|changes| !changes.is_empty());
    let edges = [
        ("the law as it is", Some(outlook.law), Some(Override::default())),
        ("the assumed law", Some(outlook.assumed), assumed),
        ("the optimistic law", outlook.optimistic, *optimistic),
        ("the realistic law", outlook.realistic, *realistic),
    ];
    let edges =
        edges.into_iter().filter(|(_, _, changes)| changes.is_some_and(|changes| bears_peak(measured, &changes)));
    let passes = |law: Usl| {
        let n = law.peak_concurrency()?;
        outlook.weeks.iter().find(|week| week.place.n > n).map(|week| week.week)
    };
    let told: Vec<String> = edges
        .filter_map(|(name, law, _)| {
            Some(match passes(law?) {
                Some(week) => format!("past the peak of {name} in week {week}"),
                None => format!("not past a peak of {name}"),
            })
        })
        .collect();
    let told = if told.is_empty() {
        "whether that is past a peak is not said, since the data bear no peak of the law".to_owned()
    } else {
        list(told)
    };
    let beyond = outlook.weeks.iter().find(|week| week.place.law.is_none()).map_or_else(String::new, |week| {
        format!(" From week {} on nothing is said, since that lies beyond the limit.", week.week)
    });
    let last = outlook.weeks.last().map_or(growth.load, |week| week.place.n);
    format!(
        "With growth of {} a week (assumed) N rises from {} to {} in {} weeks: {}.{beyond}",
        percent(growth.per_week),
        number(growth.load),
        number(last),
        growth.weeks,
        told
    )
}
