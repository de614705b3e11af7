//! Answers of capacity as JSON.

use nmax_capacity::answer::{Planned, Simulated};
use nmax_capacity::cost::Bill;
use nmax_capacity::cost::sensitivity::Influence;
use nmax_capacity::day::{self, Point, Study};
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

/// The answer of `nmax capacity day`; [`capacity_day_schema`] describes it.
pub fn capacity_day(simulated: &Simulated) -> Value {
    nmax_json::value::<Day, _>(simulated)
}

/// The schema of `nmax capacity day --json`. Every key is required; what is unknown is null.
pub fn capacity_day_schema() -> Value {
    nmax_json::schema::<Day>("nmax capacity day", ABOUT)
}

fn date(meeting: Meeting) -> Option<String> {
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
        cost_per_h: Option<BillRecord> = planned.bills.as_ref().map(|(now, _)| now), "Of what is installed, at the load of the peak.";
        cost_per_h_needed: Option<BillRecord> = planned.bills.as_ref().and_then(|(_, needed)| needed.as_ref());
        influences: Vec<InfluenceRecord> = &planned.influences, "What moves nodes, or their price per hour, the largest first.";
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
        first_early: Option<String> = date(dates.first.early), "Lower end of the 90 % interval of the first day above supply.";
        first_median: Option<String> = date(dates.first.median);
        first_late: Option<String> = date(dates.first.late);
        within: Micro = dates.first.within, "Share of futures that are above supply at all within the weeks looked ahead.";
    }
    struct DateRow(row: &Row) {
        demand: Word, in ["pessimistic", "expected", "optimistic"];
        meets: Word = word(row.meets), in MEETINGS;
        date: Option<String> = date(row.meets);
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
    struct BillRecord(bill: &Bill) {
        total: Micro = bill.total();
        nodes: Micro;
        requests: Micro;
        transfer: Micro;
    }
    struct InfluenceRecord(one: &Influence) {
        input: String = &one.input.name;
        low: Pico = one.ends.0;
        high: Pico = one.ends.1;
        answer_low: Option<Micro> = one.answers.0;
        answer_high: Option<Micro> = one.answers.1;
    }
    struct Day(simulated: &Simulated<'_>) {
        schema_version: Version = Version;
        name: String = &simulated.document.name;
        currency: String = &simulated.document.currency;
        supported: bool = simulated.study.is_ok();
        study: Option<StudyRecord> = simulated.study.as_ref().ok();
        about: AboutRecord = &simulated.about;
    }
    struct StudyRecord(study: &Study) {
        days: u64 = study.compared.seeds as u64, "Simulated for each strategy.";
        risk_minutes: Micro = study.risk.minutes, "Minutes out of the objective that a day may have.";
        risk_chance: Micro = study.risk.chance, "Share of days that may have more.";
        peak_per_s: Micro;
        most_per_s: Micro, "Most that any number of nodes does within the objective.";
        best: String = &study.best().policy.name;
        recommended: Option<String> = study.recommended().map(|found| &found.policy.name), "Null when none keeps the risk.";
        strategies: Vec<StrategyRecord> = &study.compared.strategies;
        cheapest: Vec<StrategyRecord> = &study.cheapest.found, "Sizes of the strategies that keep the risk, where there are any.";
        impossible: Vec<String> = &study.cheapest.impossible;
        keeps_risk: bool = study.breaking.keeps_risk;
        limits: Vec<LimitRecord> = &study.breaking.limits, "What breaks the day, or would mend it, the smallest change first.";
        doubling_s: Micro = study.headroom.0;
        survives_s: Option<Micro> = study.headroom.1, "How long a load that doubles so often is met; null when not at all.";
        lag_s: Micro, "Median time from the request for a node to its service.";
    }
    struct StrategyRecord(one: &day::Strategy) {
        name: String = &one.policy.name;
        nodes: u64 = one.policy.nodes as u64, "At midnight.";
        target: Option<Micro> = one.policy.autoscale.map(|scale| scale.target);
        cost: EstimateRecord = &one.cost;
        cost_per_request: PreciseRecord = &one.cost_per_request;
        minutes_out: EstimateRecord = &one.minutes_out;
        lost: EstimateRecord = &one.lost;
        failed_attempts: EstimateRecord = &one.failed;
        guessed: EstimateRecord = &one.guessed;
        sessions_lost: EstimateRecord = &one.sessions_lost;
        longest_wait_s: EstimateRecord = &one.longest_wait_s;
        node_hours: EstimateRecord = &one.node_hours;
        risk: Micro = one.risk.0, "Share of days with more minutes out of the objective than are allowed.";
        risk_low: Micro = one.risk.1.0;
        risk_high: Micro = one.risk.1.1;
        keeps_risk: bool;
        overload: OverloadRecord = &one.overload;
        series: Vec<PointRecord> = &one.typical.series, "The day whose minutes out of the objective are the median.";
    }
    struct EstimateRecord(one: &day::Estimate) {
        mean: Micro;
        low: Micro = one.interval.0;
        high: Micro = one.interval.1;
        median: Micro;
    }
    struct PreciseRecord(one: &day::Estimate) {
        mean: Pico;
        low: Pico = one.interval.0;
        high: Pico = one.interval.1;
        median: Pico;
    }
    struct OverloadRecord(one: &day::Overload) {
        verdict: Word = one.verdict.name(), in day::Verdict::ALL.map(day::Verdict::name);
        goodput_twice: Micro = one.goodput[0], "At twice the usable load, over that at the usable load.";
        goodput_thrice: Micro = one.goodput[1];
        amplification: Micro, "Attempts per request.";
        recovered_s: Option<Micro>, "After the load is gone; null when it stays collapsed.";
    }
    struct PointRecord(point: &Point) {
        at_s: Micro;
        demand_per_s: Micro = point.demand;
        capacity_per_s: Micro = point.capacity;
        answered_per_s: Micro = point.answered;
        guessed_per_s: Micro = point.guessed;
        lost_per_s: Micro = point.lost;
        waiting: Micro;
        nodes: Micro;
    }
    struct LimitRecord(limit: &day::Limit) {
        variable: Word = limit.variable.name(), in day::Variable::ALL.map(day::Variable::name);
        now: Micro;
        edge: Option<Micro>;
        change: Option<Micro>, "As a share of the value now, or of the worst value where that is 0.";
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
