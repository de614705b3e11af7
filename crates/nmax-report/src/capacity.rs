//! What is said about capacity: one page for those who decide, then what it rests on, part by part.

use nmax_capacity::answer::{self, Planned};
use nmax_capacity::plan::date::{Meeting, Order};
use nmax_capacity::plan::nodes::Plan;
use nmax_capacity::{Assumption, Assumptions, Basis, Document as Question};
use serde_json::Value;

use crate::doc::table::Table;
use crate::doc::{Banner, Document, Item, Mark, Media, Section};
use crate::{json, number};

const FOOTER: &str = "A usable load was tested at the objective. Intervals are 95 %, that of the first day above 90 %. \
                      Formulas with sources: docs/methods/capacity.md.";

pub mod cost;
pub mod date;
pub mod day;
pub mod demand;
pub mod headroom;
pub mod nodes;
mod parts;
mod picture;
pub mod supply;
pub mod vertical;

/// What to buy, when, with what headroom; the same as JSON; whether the data support it.
pub fn plan(question: &Question) -> (Document, Value, bool) {
    let planned = answer::plan(question);
    let document = Document {
        title: format!("Capacity of {}", question.name),
        banner: banner(&planned),
        sections: sections(&planned),
        footer: FOOTER,
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        ..Document::default()
    };
    let is_supported = planned.is_supported();
    (document, json::capacity_plan(&planned), is_supported)
}

/// A day under each strategy; the same as JSON; whether the data support it.
pub fn day(question: &Question) -> (Document, Value, bool) {
    let simulated = answer::day(question);
    let unsupported = simulated.about.unsupported.iter().map(|text| Item::new(Mark::Warning, text));
    let mut banner = match &simulated.study {
        Ok(study) => day::banner(study, &question.currency),
        Err(_) => not_supported(),
    };
    banner.reasons.extend(unsupported);
    let mut sections =
        simulated.study.iter().flat_map(|study| day::sections(study, &question.currency)).collect::<Vec<_>>();
    sections.push(next(&simulated.about));
    sections.push(assumptions(&simulated.about));
    let document = Document {
        title: format!("A day of {}", question.name),
        banner,
        sections: sections.into_iter().filter_map(Section::said).collect(),
        footer: FOOTER,
        nmax_version: env!("CARGO_PKG_VERSION").into(),
        ..Document::default()
    };
    let is_supported = simulated.study.is_ok();
    (document, json::capacity_day(&simulated), is_supported)
}

fn sections(planned: &Planned) -> Vec<Section> {
    let mut sections = vec![summary(planned)];
    sections.extend(planned.dates.as_ref().map(date::section));
    sections.extend(planned.path.as_ref().map(date::path));
    sections.extend(planned.forecast.iter().flat_map(demand::sections));
    sections.extend(parts::sections(planned));
    sections.extend([next(&planned.about), assumptions(&planned.about)]);
    sections.into_iter().filter_map(Section::said).collect()
}

/// Nodes of a tier, or groups of them.
fn nodes(plan: &Plan) -> String {
    match plan {
        Plan::Group(count) => number::count(count.nodes.into()),
        Plan::Shards(shards) => {
            format!("{} in {} groups of {}", shards.total(), shards.groups, shards.group.nodes)
        }
        Plan::Impossible => "no number".into(),
    }
}

/// The answer in a word, and in a sentence.
fn banner(planned: &Planned) -> Banner {
    let weeks = planned.document.plan.weeks;
    let (mark, word, meaning) = match (planned.is_supported(), &planned.dates) {
        (true, Some(dates)) => match dates.order() {
            Order::Now(_) => (Mark::Fail, "ORDER NOW".to_owned(), met(planned, "the last day to order has passed")),
            Order::By(day) => (Mark::Warning, format!("ORDER BY {day}"), met(planned, "later, it comes too late")),
            Order::NotYet => (
                Mark::Pass,
                "ENOUGH".to_owned(),
                format!("What is installed holds the demand of the next {weeks} weeks."),
            ),
        },
        _ => {
            let not = not_supported();
            (not.mark, not.word, not.meaning)
        }
    };
    let reasons = planned.about.unsupported.iter().map(|text| Item::new(Mark::Warning, text));
    Banner { mark, word, meaning, reasons: reasons.collect(), notes: Vec::new() }
}

fn not_supported() -> Banner {
    Banner {
        mark: Mark::Invalid,
        word: "NOT SUPPORTED".into(),
        meaning: "These data do not support an answer; what they do support follows.".into(),
        ..Banner::default()
    }
}

fn met(planned: &Planned, then: &str) -> String {
    let met = planned.dates.as_ref().map(|dates| meeting(dates.rows[0].meets)).unwrap_or_default();
    format!("Pessimistic demand meets supply {met}; {then}.")
}

/// When, in words.
pub(crate) fn meeting(meets: Meeting) -> String {
    match meets {
        Meeting::Already => "today".into(),
        Meeting::On(day) => format!("on {day}"),
        Meeting::NotWithin(weeks) => format!("not within {weeks} weeks"),
        Meeting::Never => "never: it does not grow".into(),
    }
}

/// What somebody who decides has to know.
fn summary(planned: &Planned) -> Section {
    let document = planned.document;
    let per_s = number::rate;
    let mut facts: Vec<(String, String)> = Vec::new();
    let mut fact = |name: &str, text: String| facts.push((name.to_owned(), text));
    if let (Some(supply), Some(capacity)) = (&planned.supply, &planned.capacity) {
        let tier = &supply.tiers[planned.binds];
        let range =
            capacity.interval.map(|(low, high)| format!(" ({} to {})", per_s(low), per_s(high))).unwrap_or_default();
        let binds = if supply.tiers.len() > 1 { format!("; {} limits it", tier.name) } else { String::new() };
        let survive = document.plan.survive.phrase();
        fact("what there is does", format!("{}{range} after {survive}{binds}", per_s(capacity.value)));
    }
    if let (Some(forecast), Some(load)) = (&planned.forecast, planned.load_per_s) {
        fact("demand", format!("{} now, {} within {} weeks", per_s(forecast.now()), per_s(load), forecast.weeks));
    }
    if let Some(dates) = &planned.dates {
        let [low, middle, high] = &dates.rows;
        let text = [low, middle, high].map(|row| format!("{} {}", row.demand, meeting(row.meets)));
        fact("demand meets supply", text.join(", "));
    }
    if let Some(supply) = &planned.supply {
        for (tier, needed) in supply.tiers.iter().zip(planned.chosen()) {
            let more = needed.pessimistic.nodes().map(|nodes| match nodes.saturating_sub(tier.now) {
                0 if matches!(needed.pessimistic, Plan::Shards(_)) => {
                    format!("; {} are there, which is enough once they are such groups", tier.now)
                }
                0 => format!("; {} are there, which is enough", tier.now),
                more => format!("; {} are there: buy {more}", tier.now),
            });
            let text = format!(
                "{} for {} ({} at the pessimistic end; {} by the linear rule){}",
                nodes(&needed.estimate),
                per_s(needed.need_per_s),
                nodes(&needed.pessimistic),
                needed.linear.nodes,
                more.unwrap_or_default()
            );
            fact(&format!("{} needed", tier.name), text);
        }
    }
    if let (Some(headroom), Some(doubling_s)) = (&planned.headroom, document.plan.surges.doubling_s) {
        let answer = headroom.doubling(doubling_s);
        let text = format!(
            "a doubling every {} is survived for {}; machines take {}",
            number::span(doubling_s),
            if answer.survived_s.is_finite() { number::span(answer.survived_s) } else { "ever".into() },
            number::span(headroom.actuation_s)
        );
        fact("headroom", text);
    }
    Section::new("summary", "In short").with(|body| {
        body.facts(facts);
    })
}

/// What would make the answer better, with the command that measures it.
fn next(about: &Assumptions) -> Section {
    Section::new("next", "What to measure next").with(|body| {
        if !about.next.is_empty() {
            body.items(about.next.iter().map(|(what, command)| Item::new(Mark::Point, what).code(command)));
        }
    })
}

/// Everything that is taken as given, and where it comes from.
fn assumptions(about: &Assumptions) -> Section {
    let count = |basis: Basis| about.list.iter().filter(|one| one.basis == basis).count();
    let aside =
        [Basis::Measured, Basis::Assumed, Basis::Vendor].map(|basis| format!("{} {}", count(basis), basis.word()));
    Section::new("assumptions", "What it rests on").aside(aside.join(", ")).with(|body| {
        if about.list.is_empty() {
            return;
        }
        body.on(Media::ALL).table(
            Table::from_rows(about.list.iter())
                .named()
                .word("what", |one: &Assumption| one.what.as_str())
                .short("", 0)
                .word("value", |one: &Assumption| one.value.as_str())
                .short("value", 28)
                .word("basis", |one: &Assumption| one.basis.word())
                .short("basis", 9)
                .sentence("note", |one: &Assumption| one.note.as_str())
                .below(),
        );
    })
}
