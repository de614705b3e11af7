//! `supply` of the document.

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Entry, Fields, Node, Shape, Value, tables};
use nmax_plan::threshold::{self, Limit, Metric, Op, Stat};
use nmax_usl::table::{ColumnSelection, Wanted};

use super::grid::{Grid, read_file};
use super::prices::per_hour;
use super::values::{above_zero, days, figure};
use crate::origin::Figure;
use crate::supply::tested::{Objective, TestedLevel, TestedRun};
use crate::supply::utilization::Sighting;
use crate::supply::{Gain, NodesQuestion, Question, Upgrade, UsableQuestion};

/// Most tiers.
const TIERS_MAX: usize = 20;
/// Most upgrades of a tier.
const UPGRADES_MAX: usize = 50;
/// Most nodes and zones.
const COUNT_MAX: u64 = 100_000;
/// Zones where the document does not say.
const ZONES_DEFAULT: u32 = 3;
/// Groups that can share nothing, where the document does not say.
const GROUPS_DEFAULT: u32 = 9;
/// Failures that are allowed where the objective does not say.
const FAILURE_RATE_DEFAULT: f64 = 0.01;

const RATES: Shape = Either(&[Rate, List(&Rate)]);
const NUMBERS: Shape = Either(&[Number, List(&Number)]);
const TIMES: Shape = Either(&[Duration, List(&Duration)]);

tables! {
    TIERS "`supply`" {
        required "tiers": Map(&Object(&TIER)), "Tiers by name, such as `app` and `store`; a request visits each.";
    };
    TIER "`supply`" {
        required "usable": Either(&[RATES, Object(&USABLE)]),
            "What one node does at the objective: a rate such as `1200/s`, or where it is measured.";
        key "nodes": Object(&NODES), "How capacity grows with nodes; assumed contention of 0.5% to 3% by default.";
        key "saturation": Rate, "Throughput of a node that is saturated, at any response time.";
        key "zones": Whole(1, COUNT_MAX), "Zones that nodes are spread over; 3 by default.";
        key "groups": Whole(1, COUNT_MAX),
            "Most groups of nodes that share nothing, where one group cannot hold the load; 9 by default.";
        required "now": Whole(1, COUNT_MAX), "Nodes that are installed.";
        key "visits": Number, "Requests at this tier per request of a user; 1 by default.";
        key "price": Text, "Price of a node, such as `0.50/h` or `350/month`.";
        key "upgrades": List(&Object(&UPGRADE)), "What can be bought, in order.";
    };
    USABLE "`usable`" {
        key "levels": Text, "CSV of tested loads of one node: load, p99_ms (or the quantile that the objective limits), failure_rate, achieved; a row for each run.";
        key "campaign": Text, "Directory of an `nmax scale` over rates, of one node.";
        key "demand": TIMES, "Time of the busiest resource per request; with `target`.";
        key "utilization": Text, "CSV: throughput, and a column for each resource with its utilization; with `target`.";
        key "target": Share, "Largest share of the busiest resource, such as `60%`.";
        key "think": Duration, "Think time of a user, for the bounds; 0s by default.";
        key "rating": Number, "A vendor's rating of the node, in units per second; with `per_request`.";
        key "per_request": Number, "Units of the rating that a request takes.";
    };
    NODES "`nodes`" {
        key "alpha": NUMBERS, "Contention between nodes. An estimate, or a list of low end, estimate and high end.";
        key "beta": NUMBERS, "Coherency of nodes; 0 by default. An estimate, or a list of low end, estimate and high end.";
        key "tested": Whole(1, COUNT_MAX), "Largest number of nodes that the coefficients were measured at.";
        key "table": Text, "CSV of throughput over nodes: nodes, x; a row for each run.";
        key "campaign": Text, "Directory of an `nmax scale` over nodes.";
    };
    UPGRADE "an upgrade" {
        required "name": Text, "What it is called.";
        key "gain": Number, "Capacity becomes this many times the one before.";
        key "rating": Number, "Nodes with this rating of a vendor in place of the present ones; with `usable: {rating: ..}`.";
        key "nodes": Whole(1, COUNT_MAX), "This many nodes are then there.";
        required "in": Text, "Time from the order to service, such as `12 weeks`.";
        key "price": Number, "What it costs, once.";
    };
}

/// Every tier, in order.
pub(super) fn decode(decoder: &mut Decoder, node: &Node, limits: Option<&Objective>) -> Vec<Question> {
    let is_several = matches!(&node.value, Value::Map(entries) if entries.iter().any(|entry| entry.key == "tiers"));
    if !is_several {
        return decoder
            .fields(node, &TIER)
            .and_then(|fields| tier(decoder, "nodes", fields, limits))
            .into_iter()
            .collect();
    }
    let Some(tiers) = decoder.fields(node, &TIERS).and_then(|fields| fields.get("tiers")) else {
        return Vec::new();
    };
    let entries = decoder.map(tiers, "`tiers`");
    if entries.is_empty() || entries.len() > TIERS_MAX {
        decoder.wrong(
            tiers.at,
            format!("{} tiers; 1 to {TIERS_MAX} can be planned", entries.len()),
            "write a tier for each kind of node",
        );
        return Vec::new();
    }
    let mut found = Vec::new();
    for entry in entries {
        let fields = decoder.fields(&entry.value, &TIER);
        found.extend(fields.and_then(|fields| tier(decoder, &entry.key, fields, limits)));
    }
    found
}

fn tier(decoder: &mut Decoder, name: &str, fields: Fields, limits: Option<&Objective>) -> Option<Question> {
    let usable = fields.get("usable").and_then(|node| usable(decoder, node, limits));
    let nodes = fields.optional("nodes", |node| nodes(decoder, node));
    let whole = |decoder: &mut Decoder, key| fields.optional(key, |node| decoder.whole(node, 1, COUNT_MAX));
    let (zones, groups, now) = (whole(decoder, "zones"), whole(decoder, "groups"), whole(decoder, "now"));
    let saturation =
        fields.optional("saturation", |node| above_zero(decoder, node, |decoder, node| decoder.rate(node)));
    let visits = fields.optional("visits", |node| above_zero(decoder, node, |decoder, node| decoder.number(node)));
    let price = fields.optional("price", |node| decoder.unit(node, per_hour));
    let is_rated = matches!(usable, Some(UsableQuestion::Rating(..)));
    let upgrades = fields.optional("upgrades", |node| upgrades(decoder, node, is_rated));
    Some(Question {
        name: name.to_owned(),
        usable: usable?,
        nodes: nodes?.unwrap_or(NodesQuestion::Unknown),
        saturation_per_s: saturation?,
        zones: zones?.map_or(ZONES_DEFAULT, |zones| zones as u32),
        groups: groups?.map_or(GROUPS_DEFAULT, |groups| groups as u32),
        now: now?? as u32,
        visits: visits?.unwrap_or(1.0),
        price_per_h: price?,
        upgrades: upgrades?.unwrap_or_default(),
    })
}

fn usable(decoder: &mut Decoder, node: &Node, limits: Option<&Objective>) -> Option<UsableQuestion> {
    if !matches!(node.value, Value::Map(_)) {
        return figure(decoder, node, |decoder, node| above_zero(decoder, node, |decoder, node| decoder.rate(node)))
            .map(UsableQuestion::Stated);
    }
    let fields = decoder.fields(node, &USABLE)?;
    let only = source(decoder, fields, &["levels", "campaign", "demand", "utilization", "rating"], "`usable`")?;
    let needs = |decoder: &mut Decoder, key: &'static str| {
        if fields.get(key).is_none() {
            let message = format!("`{}` says nothing without `{key}`", only.key);
            decoder.wrong(only.key_at, message, format!("add `{key}: ...`"));
        }
        fields.get(key)
    };
    let target = |decoder: &mut Decoder| {
        let node = needs(decoder, "target")?;
        let share = decoder.share(node)?;
        if share > 0.0 && share < 1.0 {
            return Some(share);
        }
        decoder
            .wrong(node.at, "a target lies above 0% and below 100%", "write it as `60%`; a queue at 100% never ends")
            .none()
    };
    match only.key.as_str() {
        "levels" => levels(decoder, &only.value, limits).map(UsableQuestion::Levels),
        "campaign" => decoder.expanded(&only.value).map(UsableQuestion::Campaign),
        "demand" => {
            let seconds = |decoder: &mut Decoder, node: &Node| Some(decoder.duration_above_zero(node)?.as_secs_f64());
            let demand = figure(decoder, &only.value, seconds);
            let target = target(decoder);
            Some(UsableQuestion::Demand(demand?, target?))
        }
        "utilization" => {
            let seen = utilizations(decoder, &only.value);
            let target = target(decoder);
            let think = fields.optional("think", |node| decoder.duration(node));
            let (names, sightings) = seen?;
            let think_s = think?.unwrap_or_default().as_secs_f64();
            Some(UsableQuestion::Utilizations { names, sightings, target: target?, think_s })
        }
        _ => {
            let rating = above_zero(decoder, &only.value, |decoder, node| decoder.number(node));
            let per_request = needs(decoder, "per_request")
                .and_then(|node| above_zero(decoder, node, |decoder, node| decoder.number(node)));
            Some(UsableQuestion::Rating(rating?, per_request?))
        }
    }
}

/// The one key that says where something comes from.
fn source<'n>(decoder: &mut Decoder, fields: Fields<'n>, keys: &[&str], what: &str) -> Option<&'n Entry> {
    let both = |first: &Entry, second: &Entry| {
        (format!("{what} comes from `{}` or from `{}`, not from both", first.key, second.key), "keep one of them")
    };
    let (none, remedy) = (format!("{what} says nothing"), format!("add one of: {}", keys.join(", ")));
    decoder.only(fields, keys, both, (&none, &remedy))
}

/// Levels of a file with a row for each run.
fn levels(decoder: &mut Decoder, node: &Node, limits: Option<&Objective>) -> Option<Vec<TestedLevel>> {
    let mut grid = Grid::read(decoder, node)?;
    // 0.999 is p99.9.
    let percent = limits.map_or(99.0, |limits| (limits.quantile * 1e5).round() / 1e3);
    let load = grid.column(decoder, "load");
    let quantile = grid.column(decoder, &format!("p{percent}_ms"));
    let (load, quantile) = load.zip(quantile)?;
    let (failures, achieved) = (grid.optional("failure_rate"), grid.optional("achieved"));
    let mut levels: Vec<TestedLevel> = Vec::new();
    for row in 0..grid.len() {
        let load_per_s = grid.number(decoder, row, load);
        let quantile_ms = grid.number(decoder, row, quantile);
        let failure_rate = failures.map_or(Some(0.0), |column| grid.number(decoder, row, column));
        let achieved_per_s = achieved.map_or(Some(None), |column| grid.number(decoder, row, column).map(Some));
        let (Some(load_per_s), Some(quantile_ms), Some(failure_rate), Some(achieved_per_s)) =
            (load_per_s, quantile_ms, failure_rate, achieved_per_s)
        else {
            continue;
        };
        if load_per_s == 0.0 || quantile_ms == 0.0 || failure_rate > 1.0 {
            let message = "a load and a response time are above 0, and a failure rate is at most 1";
            grid.wrong(decoder, row, message);
            continue;
        }
        let run = TestedRun { quantile_ms, failure_rate, achieved_per_s };
        match levels.iter_mut().find(|level| level.load_per_s == load_per_s) {
            Some(level) => level.runs.push(run),
            None => levels.push(TestedLevel { load_per_s, runs: vec![run] }),
        }
    }
    grid.is_right().then_some(levels)
}

/// Names of resources and their utilizations, of a file with a row for each throughput.
fn utilizations(decoder: &mut Decoder, node: &Node) -> Option<(Vec<String>, Vec<Sighting>)> {
    let mut grid = Grid::read(decoder, node)?;
    let throughput = grid.column(decoder, "throughput")?;
    let columns: Vec<usize> = (0..grid.names.len()).filter(|column| *column != throughput).collect();
    let mut sightings = Vec::new();
    for row in 0..grid.len() {
        let throughput_per_s = grid.number(decoder, row, throughput);
        let found: Vec<Option<f64>> = columns.iter().map(|column| grid.number(decoder, row, *column)).collect();
        let Some((throughput_per_s, utilizations)) =
            throughput_per_s.zip(found.into_iter().collect::<Option<Vec<_>>>())
        else {
            continue;
        };
        if throughput_per_s == 0.0 || utilizations.iter().any(|share| *share > 1.0) {
            grid.wrong(decoder, row, "a throughput is above 0, and a utilization at most 1 (100%)");
            continue;
        }
        sightings.push(Sighting { throughput_per_s, utilizations });
    }
    let names: Vec<String> = columns.iter().map(|column| grid.names[*column].clone()).collect();
    grid.is_right().then_some((names, sightings))
}

fn nodes(decoder: &mut Decoder, node: &Node) -> Option<NodesQuestion> {
    let fields = decoder.fields(node, &NODES)?;
    let only = source(decoder, fields, &["alpha", "table", "campaign"], "the law of nodes")?;
    if only.key != "alpha" {
        for other in fields.in_order(&["beta", "tested"]) {
            let message = format!("`{}` is for `alpha`; here coefficients come from `{}`", other.key, only.key);
            decoder.wrong(other.key_at, message, "remove it");
        }
    }
    match only.key.as_str() {
        "alpha" => {
            let alpha = figure(decoder, &only.value, coefficient);
            let beta = fields.optional("beta", |node| figure(decoder, node, coefficient));
            let tested = fields.optional("tested", |node| decoder.whole(node, 1, COUNT_MAX));
            let beta = beta?.unwrap_or(Figure::assumed(0.0));
            Some(NodesQuestion::Stated(alpha?, beta, tested?.map(|tested| tested as f64)))
        }
        "table" => table(decoder, &only.value),
        _ => decoder.expanded(&only.value).map(NodesQuestion::Campaign),
    }
}

/// A share of the work, below 1.
fn coefficient(decoder: &mut Decoder, node: &Node) -> Option<f64> {
    let text = decoder.expanded(node)?;
    match text.parse::<f64>() {
        Ok(value) if (0.0..1.0).contains(&value) => Some(value),
        Ok(value) if value < 0.0 => decoder
            .wrong(
                node.at,
                format!("`{text}` is below 0: nodes together would do more than each by itself"),
                "give the table of measurements with `table: nodes.csv`, or write 0",
            )
            .none(),
        _ => decoder
            .wrong(node.at, format!("`{text}` is not a coefficient from 0 to below 1"), "write it as `0.03`")
            .none(),
    }
}

/// Throughput over nodes.
pub(super) fn table(decoder: &mut Decoder, node: &Node) -> Option<NodesQuestion> {
    let (file, text) = read_file(decoder, node)?;
    match nmax_usl::table::read(text.as_bytes(), &Wanted { columns: ColumnSelection::default(), rows: None }) {
        Ok(table) => Some(NodesQuestion::Table(table.observations, table.dimension)),
        Err(error) => decoder.wrong(node.at, format!("{file}: {}", error.text), error.help).none(),
    }
}

fn upgrades(decoder: &mut Decoder, node: &Node, is_rated: bool) -> Option<Vec<Upgrade>> {
    let items = decoder.list(node, "`upgrades`");
    if items.len() > UPGRADES_MAX {
        return decoder.wrong(node.at, format!("more than {UPGRADES_MAX} upgrades"), "leave some out").none();
    }
    items.iter().map(|item| upgrade(decoder, item, is_rated)).collect()
}

fn upgrade(decoder: &mut Decoder, node: &Node, is_rated: bool) -> Option<Upgrade> {
    let fields = decoder.fields(node, &UPGRADE)?;
    let name = fields.get("name").and_then(|node| decoder.text(node));
    let only = source(decoder, fields, &["gain", "rating", "nodes"], "what an upgrade does");
    let gain = only.and_then(|only| match only.key.as_str() {
        "gain" => above_zero(decoder, &only.value, |decoder, node| decoder.number(node)).map(Gain::Times),
        "nodes" => decoder.whole(&only.value, 1, COUNT_MAX).map(|nodes| Gain::Nodes(nodes as u32)),
        _ if is_rated => above_zero(decoder, &only.value, |decoder, node| decoder.number(node)).map(Gain::Rating),
        _ => {
            let message = "a rating says nothing beside a usable capacity that is not one";
            decoder.wrong(only.key_at, message, "write `gain: 1.8`, or `usable: {rating: .., per_request: ..}`").none()
        }
    });
    let lead_days = fields.get("in").and_then(|node| days(decoder, node));
    let price = fields.optional("price", |node| decoder.number(node));
    Some(Upgrade { name: name?, gain: gain?, lead_days: lead_days?, price: price? })
}

/// The limit of the response time and of failures in an objective, such as `response_time p99 < 110ms, failure_rate < 1%`.
pub(super) fn objective(decoder: &mut Decoder, node: &Node) -> Option<Objective> {
    let text = decoder.expanded(node)?;
    let mut found = Objective { quantile: 0.99, limit_ms: f64::NAN, failure_rate_max: FAILURE_RATE_DEFAULT };
    for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match threshold::parse(part) {
            Ok(one) => match (one.metric, one.stat, one.op, one.limit) {
                (Metric::ResponseTime, Stat::Quantile(quantile), Op::Below | Op::AtMost, Limit::Nanos(ns)) => {
                    found = Objective { quantile, limit_ms: ns / 1e6, ..found };
                }
                (Metric::FailureRate, Stat::Value, Op::Below | Op::AtMost, Limit::Ratio(share)) => {
                    found.failure_rate_max = share
                }
                _ => {
                    let message = format!("`{part}` is not an objective that capacity is planned for");
                    decoder.wrong(node.at, message, "write `response_time p99 < 110ms, failure_rate < 1%`");
                }
            },
            Err(error) => _ = decoder.wrong(node.at, error.message, error.remedy),
        }
    }
    found.limit_ms.is_finite().then_some(found)
}
