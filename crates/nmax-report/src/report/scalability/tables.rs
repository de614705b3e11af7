//! Points and models of fits, levels and settings of campaigns.

use nmax_usl::{Analysis, Point, Rung, Zone};

use crate::doc::table::{Cell, Emphasis, Table};
use crate::number::{self, UNKNOWN, milliseconds};
use crate::scalability::{Knob, Level, ScaleView, wording};

/// What was measured beside the law.
pub(super) fn points<'a>(analysis: &'a Analysis, unit: &str) -> Table<&'a Point> {
    let band = |(low, high)| format!("{} to {}", wording::plain(low), wording::plain(high));
    Table::from_rows(&analysis.points)
        .word("row", |point| point.row.to_string())
        .number("N", |point| wording::plain(point.n))
        .short("N", 8)
        .number(format!("X, {unit}"), |point| wording::plain(point.x))
        .short("X", 10)
        .number("R", |point| milliseconds(point.r_s.map(|s| s * 1e3)))
        .short("R", 9)
        .number("capacity", |point| wording::plain_or_unknown(point.capacity))
        .number("efficiency", |point| number::share_or_unknown(point.efficiency.or(point.efficiency_of_law)))
        .short("eff.", 8)
        .number(format!("law, {unit}"), |point| wording::plain_or_unknown(point.fitted))
        .short("law", 10)
        .number("95 % band", |point| number::or_unknown(point.band, band))
        .number("off by", |point| wording::distance(point.x, point.fitted))
        .short("off by", 9)
        .number("zone", |point| point.zone.map_or(UNKNOWN, Zone::name))
        .short("zone", 6)
}

/// Models, the best first; nothing where none could be fitted.
pub(super) fn ladder(analysis: &Analysis) -> Option<Table<&Rung>> {
    let leads = |rung: &Rung| wording::winner(analysis.winner) == rung.model.name();
    let coefficients = |rung: &Rung| {
        let named = rung.curve.coefficients().into_iter();
        named.map(|(name, value)| format!("{} {}", name.name(), wording::plain(value))).collect::<Vec<_>>().join(", ")
    };
    let table = Table::from_rows(&analysis.ladder)
        .word("model", |rung| {
            Cell::word(Emphasis::Plain, rung.model.name()).text(if leads(rung) { "(leads)" } else { "" })
        })
        .short("  model", 12)
        .number("k", |rung| rung.k.to_string())
        .short("k", 3)
        .number("AICc", |rung| wording::fixed(rung.aicc, 1))
        .short("AICc", 10)
        .number("behind", |rung| wording::fixed(rung.delta, 1))
        .short("behind", 10)
        .word("coefficients", coefficients)
        .word("", |rung| if leads(rung) { "leads" } else { "" })
        .only_short("  ", 7);
    analysis.ladder.iter().any(|rung| rung.aicc.is_finite()).then_some(table)
}

/// Settings of the system under test, each at its best load.
pub(super) fn knobs(view: &ScaleView) -> Table<&Knob> {
    let table = Table::from_rows(&view.knobs)
        .word("setting", |knob| wording::setting(&knob.values))
        .short("", 0)
        .number("load", |knob| wording::plain_or_unknown(knob.load))
        .short("load", 9)
        .number(format!("X, {}", view.fit.x_unit()), |knob| wording::plain_or_unknown(knob.x))
        .short("X", 12)
        .number("R", |knob| milliseconds(knob.r_ms))
        .number("runs", |knob| knob.runs.to_string())
        .short("runs", 6)
        .number("", |knob| milliseconds(knob.r_ms))
        .only_short("R", 12)
        .number("price per hour", |knob| wording::plain_or_unknown(knob.price_per_h))
        .number("cost per million ok", |knob| wording::plain_or_unknown(knob.price_per_million));
    let is_priced = view.knobs.iter().any(|knob| knob.price_per_million.is_some());
    let table = if is_priced { table.short("cost/10⁶", 12) } else { table };
    table.sentence("note", |knob| &knob.why).below()
}

/// Levels in the order of their runs.
pub(super) fn levels(view: &ScaleView) -> Table<&Level> {
    Table::from_rows(&view.levels)
        .word("#", |level| level.number.to_string())
        .number("", |level| level.number.to_string())
        .only_short("#", 4)
        .word("purpose", |level| &level.purpose)
        .word("setting", |level| &level.setting)
        .number("level", |level| wording::plain(level.level))
        .short("level", 9)
        .number("N", |level| wording::plain_or_unknown(level.n))
        .short("N", 9)
        .number(format!("X, {}", view.fit.x_unit()), |level| wording::plain_or_unknown(level.x))
        .short("X", 11)
        .number("R", |level| milliseconds(level.r_ms))
        .short("R", 9)
        .word("verdict", |level| &level.verdict)
        .short("  verdict", 11)
        .word("fitted", |level| if level.used { "yes" } else { "no" })
        .sentence("note", |level| match (level.used, level.why.as_str()) {
            (true, why) => why.to_owned(),
            (false, "") => "not fitted: not used".to_owned(),
            (false, why) => format!("not fitted: {why}"),
        })
        .below()
        .word("run", |level| &level.run)
        .word("", |level| if level.setting.is_empty() { &level.purpose } else { &level.setting })
        .only_short("  ", 0)
}
