//! `strategies` of a day.

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Entry, Node, Value, Words, keywords, tables};

use super::{at_most, below_one, seconds};
use crate::day::setting::{AUTOSCALE_DEFAULT, Draft, QUEUE_DEFAULT};
use crate::day::{Answer, Autoscale, Cache, Policy};

const NODES_MAX: u64 = 100_000;
const ANSWERS: Words<Answer> = &[("queue", Answer::Queue), ("expire", Answer::Expire), ("shed", Answer::Shed)];

tables! {
    STRATEGY "a strategy" {
        key "nodes": Whole(1, NODES_MAX), "Nodes at midnight, and all day without `autoscale` and `schedule`; those of the day by default.";
        key "schedule": Map(&Whole(1, NODES_MAX)), "From when on how many nodes at least: `{ \"08:00\": 20, \"22:00\": 8 }`.";
        key "autoscale": Object(&AUTOSCALE), "Nodes by utilization.";
        key "cache": Object(&CACHE), "A cache in front.";
        key "overload": Either(&[OneOf(|| keywords(ANSWERS)), Object(&GUESS)]),
            "What becomes of requests beyond the usable capacity: they wait (`queue`, the default), wait until their client leaves \
             (`expire`), are refused (`shed`), or get a cheap answer (`{ guess: ..., worth: ... }`).";
        key "queue": Either(&[Whole(0, 1 << 40), OneOf(|| vec!["unbounded"])]), "Requests that may wait at a node; 4096 by default.";
    };
    AUTOSCALE "`autoscale`" {
        key "target": Share, "Utilization of saturation that it keeps; 60% by default.";
        key "min": Whole(1, NODES_MAX), "Fewest nodes; `nodes` by default.";
        key "max": Whole(1, NODES_MAX), "Most nodes; 20 times `nodes` by default.";
        key "metric": Duration, "How often utilization is known; 30s by default.";
        key "window": Duration, "Over what it is averaged; 60s by default.";
        key "decision": Duration, "From the decision to the request for nodes; 15s by default.";
        key "cooldown_out": Duration, "Between two decisions for more; 60s by default.";
        key "cooldown_in": Duration, "For how long fewer must have been enough; 5m by default.";
    };
    CACHE "`cache`" {
        required "hit": Share, "Measured share of requests that it answers when it is warm.";
        key "warms": Duration, "Time until a cold cache has 63% of that; 10m by default.";
        key "price": Number, "What it costs in an hour; 0 by default.";
    };
    GUESS "`overload`" {
        required "guess": Share, "Work of a guess, as a share of that of an answer.";
        key "worth": Share, "Worth of a guess, as a share of that of an answer; 50% by default.";
    };
}

pub(super) fn decode(decoder: &mut Decoder, node: &Node, length_s: f64) -> Vec<Draft> {
    let entries = decoder.map(node, "`strategies`");
    entries.iter().filter_map(|entry| strategy(decoder, entry, length_s)).collect()
}

fn strategy(decoder: &mut Decoder, entry: &Entry, length_s: f64) -> Option<Draft> {
    let fields = decoder.fields(&entry.value, &STRATEGY)?;
    let count = |decoder: &mut Decoder, node: &Node| decoder.whole(node, 1, NODES_MAX).map(|n| n as usize);
    let nodes = fields.get("nodes").and_then(|node| count(decoder, node));
    let mut policy = Policy { queue: Some(QUEUE_DEFAULT), ..Policy::standing(&entry.key, 0) };
    let (mut least, mut most) = (None, None);
    if let Some(node) = fields.get("autoscale")
        && let Some(fields) = decoder.fields(node, &AUTOSCALE)
    {
        least = fields.get("min").and_then(|node| count(decoder, node));
        most = fields.get("max").and_then(|node| count(decoder, node));
        if let (Some(low), Some(high), Some(entry)) = (least, most, fields.entry("max"))
            && low > high
        {
            let message = format!("at most {high} nodes are fewer than at least {low}");
            decoder.wrong(entry.value.at, message, "write a `max` that is not below `min`");
        }
        let target = fields.get("target").map_or(Some(AUTOSCALE_DEFAULT.target), |node| {
            let target = below_one(decoder, node, "a queue without slack never ends")?;
            if target > 0.0 {
                return Some(target);
            }
            decoder.wrong(node.at, "no number of nodes has a utilization of 0%", "write a share such as `60%`").none()
        });
        let mut time = |key: &str, default_s: f64| seconds(decoder, Some(fields), key, default_s);
        policy.autoscale = Some(Autoscale {
            target: target.unwrap_or(AUTOSCALE_DEFAULT.target),
            metric_s: time("metric", AUTOSCALE_DEFAULT.metric_s).max(1.0),
            window_s: time("window", AUTOSCALE_DEFAULT.window_s).max(1.0),
            decision_s: time("decision", AUTOSCALE_DEFAULT.decision_s),
            cooldown_out_s: time("cooldown_out", AUTOSCALE_DEFAULT.cooldown_out_s),
            cooldown_in_s: time("cooldown_in", AUTOSCALE_DEFAULT.cooldown_in_s),
            ..AUTOSCALE_DEFAULT
        });
    }
    fields.set(&mut policy.schedule, "schedule", |node| schedule(decoder, node, length_s));
    policy.cache = fields.get("cache").and_then(|node| cache(decoder, node));
    fields.set(&mut policy.answer, "overload", |node| answer(decoder, node));
    fields.set(&mut policy.queue, "queue", |node| {
        let is_unbounded = matches!(&node.value, Value::Scalar(scalar) if scalar.text == "unbounded");
        if is_unbounded { Some(None) } else { decoder.whole(node, 0, 1 << 40).map(|n| Some(n as f64)) }
    });
    Some(Draft { policy, nodes, least, most })
}

fn schedule(decoder: &mut Decoder, node: &Node, length_s: f64) -> Option<Vec<(f64, usize)>> {
    let mut found: Vec<(f64, usize)> = Vec::new();
    for entry in decoder.map(node, "`schedule`") {
        let Some(at_s) = super::seconds_of_day(&entry.key).filter(|at_s| *at_s < length_s) else {
            let message = format!("`{}` is not a time of this day", entry.key);
            return decoder.wrong(entry.key_at, message, "write it as `\"14:30\"`").none();
        };
        found.push((at_s, decoder.whole(&entry.value, 1, NODES_MAX)? as usize));
    }
    found.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some(found)
}

fn cache(decoder: &mut Decoder, node: &Node) -> Option<Cache> {
    let fields = decoder.fields(node, &CACHE)?;
    let hit = fields.get("hit").and_then(|node| below_one(decoder, node, "a cache that answers all needs no nodes"));
    let warms_s = seconds(decoder, Some(fields), "warms", 600.0);
    let price_hour = fields.get("price").map_or(Some(0.0), |node| decoder.number(node));
    Some(Cache { hit: hit?, warms_s, price_hour: price_hour? })
}

fn answer(decoder: &mut Decoder, node: &Node) -> Option<Answer> {
    let Value::Map(_) = &node.value else {
        return decoder.choose(node, ANSWERS);
    };
    let fields = decoder.fields(node, &GUESS)?;
    let cost = fields.get("guess").and_then(|node| below_one(decoder, node, "a guess then costs as much as an answer"));
    let worth = fields.get("worth").map_or(Some(0.5), |node| at_most(decoder, node, 1.0, "100%"));
    Some(Answer::Guess { cost: cost?, worth: worth? })
}
