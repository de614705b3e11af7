//! `plan` of the document.

use jiff::civil::Date;
use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Node, Words, keywords, tables};

use super::demand::date;
use super::headroom::{self, ACTUATION, RAMP, STEP};
use crate::demand::forecast::HORIZON_MAX;
use crate::plan::headroom::{Actuation, Surges};
use crate::plan::nodes::Survive;

/// Longest lead time.
const LEAD_DAYS_MAX: i64 = 3 * 365;

const SURVIVE: Words<Survive> = &[("none", Survive::None), ("zone", Survive::Zone), ("n+2", Survive::TwoNodes)];

tables! {
    PLAN "`plan`" {
        key "horizon": Text, "How far to look ahead, such as `26 weeks` (the default).";
        key "today": Text, "Today, such as `2026-11-24`; by default the last day of the series.";
        key "lead_time": Text, "From an order to its use, such as `10 weeks` or `3 days`; none by default.";
        key "margin": Share, "What is added to the forecast peak; 0% by default.";
        key "survive": OneOf(|| keywords(SURVIVE)), "What the nodes survive: none, zone (the default) or n+2.";
        key "actuation": Object(&ACTUATION), "How long scaling out takes, by its parts.";
        key "doubling": Duration, "Time in which load doubles on a bad day.";
        key "ramp": Object(&RAMP), "How load grows on a bad day, in a straight line.";
        key "step": Object(&STEP), "How load jumps on a bad day.";
    };
}

/// What is planned.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// Weeks to look ahead.
    pub weeks: u64,
    /// Today, where it is stated.
    pub today: Option<Date>,
    /// From an order to its use, in days.
    pub lead_days: i64,
    /// What is added to the forecast peak; .2 is 20 %.
    pub margin: f64,
    /// What the nodes survive.
    pub survive: Survive,
    /// How long scaling out takes.
    pub actuation: Option<Actuation>,
    /// How load may grow meanwhile.
    pub surges: Surges,
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            weeks: 26,
            today: None,
            lead_days: 0,
            margin: 0.0,
            survive: Survive::default(),
            actuation: None,
            surges: Surges::default(),
        }
    }
}

/// Reads it.
pub(super) fn decode(decoder: &mut Decoder, node: &Node) -> Option<Plan> {
    let fields = decoder.fields(node, &PLAN)?;
    let mut plan = Plan::default();
    fields.set(&mut plan.weeks, "horizon", |node| {
        let days = days(decoder, node, 7 * HORIZON_MAX as i64)?;
        match days / 7 {
            0 => decoder.wrong(node.at, "the horizon is less than a week", "write a horizon such as `26 weeks`").none(),
            weeks => Some(weeks as u64),
        }
    });
    plan.today = fields.optional("today", |node| date(decoder, node))?;
    fields.set(&mut plan.lead_days, "lead_time", |node| days(decoder, node, LEAD_DAYS_MAX));
    fields.set(&mut plan.margin, "margin", |node| decoder.share(node));
    fields.set(&mut plan.survive, "survive", |node| decoder.choose(node, SURVIVE));
    plan.actuation = fields.get("actuation").and_then(|node| headroom::actuation(decoder, node));
    plan.surges = headroom::surges(decoder, fields);
    Some(plan)
}

/// A time in whole days, at most so many.
fn days(decoder: &mut Decoder, node: &Node, days_max: i64) -> Option<i64> {
    match super::values::days(decoder, node)? {
        days if days <= days_max as f64 => Some(days.ceil() as i64),
        _ => {
            let remedy = format!("write at most {} weeks", days_max / 7);
            decoder.wrong(node.at, "this is too long", remedy).none()
        }
    }
}
