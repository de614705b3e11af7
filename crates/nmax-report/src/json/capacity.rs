//! Answers of capacity as JSON.

use nmax_capacity::answer::Planned;
use nmax_capacity::demand::forecast::{Band, Forecast};
use nmax_capacity::plan::date::{Dates, Meeting, Order, Row};
use nmax_capacity::plan::nodes::{Needed, Plan, Survive};
use nmax_capacity::supply::{Supply, Tier};
use nmax_capacity::{Assumption, Assumptions, Basis, Figure};
use nmax_json::{Micro, Pico, Version, Word, records};
use serde_json::Value;

/// What all answers of capacity have in common.
const ABOUT: &str =
    "Rates are requests of users per second, unless a tier is named. Intervals are 95 %. Unknown is null.";
const BASES: [&str; 3] = [Basis::Measured.word(), Basis::Assumed.word(), Basis::Vendor.word()];

/// The answer of `nmax capacity plan`; [`capacity_plan_schema`] describes it.
pub fn capacity_plan(planned: &Planned) -> Value {
    nmax_json::value::<Answer, _>(planned)
}

/// The schema of `nmax capacity plan --json`. Every key is required; what is unknown is null.
pub fn capacity_plan_schema() -> Value {
    nmax_json::schema::<Answer>("nmax capacity plan", ABOUT)
}

fn day(meeting: Meeting) -> Option<String> {
    match meeting {
        Meeting::On(day) => Some(day.to_string()),
        _ => None,
    }
}

fn word(meeting: Meeting) -> &'static str {
    match meeting {
        Meeting::Already => "already",
        Meeting::On(_) => "on",
        Meeting::NotWithin(_) => "not_within",
        Meeting::Never => "never",
    }
}

const MEETINGS: [&str; 4] = ["already", "on", "not_within", "never"];

records! {
    struct Answer(planned: &Planned<'_>) {
        schema_version: Version = Version;
        name: String = &planned.document.name;
        objective: String = &planned.document.objective;
        currency: String = &planned.document.currency;
        supported: bool = planned.is_supported(), "Whether the data support an answer.";
        supply: Option<SupplyRecord> = &planned.supply;
        capacity_per_s: Option<FigureRecord> = &planned.capacity, "Of what is installed, after the loss that is survived.";
        demand: Option<DemandRecord> = &planned.forecast;
        dates: Option<DatesRecord> = &planned.dates;
        needed: Vec<NeededRecord> = planned.needed.iter().flat_map(|(_, needed)| needed).collect::<Vec<_>>();
        about: AboutRecord = &planned.about;
    }
    struct FigureRecord(figure: &Figure) {
        value: Micro;
        low: Option<Micro> = figure.interval.map(|(low, _)| low);
        high: Option<Micro> = figure.interval.map(|(_, high)| high);
        basis: Word = figure.basis.word(), in BASES;
    }
    struct CoefficientRecord(figure: &Figure) {
        value: Pico;
        low: Option<Pico> = figure.interval.map(|(low, _)| low);
        high: Option<Pico> = figure.interval.map(|(_, high)| high);
        basis: Word = figure.basis.word(), in BASES;
    }
    struct SupplyRecord(supply: &Supply) {
        tiers: Vec<TierRecord> = &supply.tiers;
    }
    struct TierRecord(tier: &Tier) {
        name: String;
        usable_per_s: FigureRecord = &tier.usable, "Of one node, requests at this tier.";
        alpha: CoefficientRecord = &tier.law.contention;
        beta: CoefficientRecord = &tier.law.coherency;
        zones: u64 = u64::from(tier.zones);
        nodes: u64 = u64::from(tier.now), "Installed.";
        visits: Micro, "Requests at this tier per request of a user.";
    }
    struct DemandRecord(forecast: &Forecast) {
        method: Word = forecast.method.word(), "What the forecast rests on.";
        today: String = forecast.today.to_string();
        weeks: u64;
        now_per_s: Micro = forecast.now();
        peak_per_s: Micro = forecast.peak(), "Largest median ahead.";
        peak_high_per_s: Micro = forecast.peak_high(), "Largest upper end ahead.";
        growth_per_week: Option<CoefficientRecord> = forecast.model.as_ref().ok().map(|model| model.growth().per_week).as_ref();
        mase: Option<Micro> = forecast.backtest.as_ref().ok().map(|test| test.mase),
            "Error on held-out weeks over that of the seasonal naive forecast.";
        bands: Vec<BandRecord> = &forecast.bands;
    }
    struct BandRecord(band: &Band) {
        date: String = band.date.to_string();
        low: Micro;
        median: Micro;
        high: Micro;
        naive: Option<Micro>;
    }
    struct DatesRecord(dates: &Dates) {
        supply_per_s: FigureRecord = &dates.supply, "What demand is held against: the capacity less the margin.";
        lead_days: u64 = dates.lead_days.unsigned_abs();
        rows: Vec<DateRow> = dates.rows.iter().collect::<Vec<_>>();
        first_early: Option<String> = day(dates.first.early), "Lower end of the 90 % interval of the first day above supply.";
        first_median: Option<String> = day(dates.first.median);
        first_late: Option<String> = day(dates.first.late);
        within: Micro = dates.first.within, "Share of futures that are above supply at all within the weeks looked ahead.";
    }
    struct DateRow(row: &Row) {
        demand: Word, in ["pessimistic", "expected", "optimistic"];
        meets: Word = word(row.meets), in MEETINGS;
        date: Option<String> = day(row.meets);
        order_by: Option<String> = match row.order {
            Order::Now(day) | Order::By(day) => Some(day.to_string()),
            Order::NotYet => None,
        };
    }
    struct NeededRecord(one: &Needed) {
        tier: String = &one.tier;
        survive: Word = one.survive.name(), in Survive::ALL.map(Survive::name);
        load_per_s: Micro = one.need_per_s, "With the margin.";
        nodes: Option<u64> = one.estimate.nodes().map(u64::from), "By the estimates; null when no number of nodes does.";
        nodes_pessimistic: Option<u64> = one.pessimistic.nodes().map(u64::from);
        nodes_linear: u64 = u64::from(one.linear.nodes);
        groups: u64 = match &one.pessimistic {
            Plan::Shards(shards) => u64::from(shards.groups),
            _ => 1,
        }, "At the pessimistic end.";
        supported: bool = one.is_supported();
    }
    struct AboutRecord(about: &Assumptions) {
        rests_on: Vec<AssumptionRecord> = &about.list;
        unsupported: Vec<String> = &about.unsupported;
        next: Vec<NextRecord> = &about.next;
    }
    struct AssumptionRecord(one: &Assumption) {
        what: String;
        value: String;
        basis: Word = one.basis.word(), in BASES;
        note: String;
    }
    struct NextRecord(next: &(String, String)) {
        what: String = &next.0;
        command: String = &next.1;
    }
}
