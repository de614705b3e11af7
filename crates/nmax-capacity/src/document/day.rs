//! `day` of the document.

use nmax_plan::document::reading::Shape::*;
use nmax_plan::document::reading::{Decoder, Entry, Fields, Node, Words, keywords, tables};
use nmax_plan::units::{format_duration, parse_duration, parse_share};
use std::time::Duration;

use crate::day::clients::RETRIES_MAX;
use crate::day::setting::{NodeGiven, Setting};
use crate::day::{Clients, Failure, Loss, Objective, Provisioning, Region, Risk};

mod demand;
mod strategies;
#[cfg(test)]
mod tests;

/// Most seconds of a day, and most seeds.
const LENGTH_MAX_S: u64 = 7 * 86_400;
const SEEDS_MAX: u64 = 1000;

#[derive(Clone, Copy)]
enum Lost {
    Zone,
    Region,
    Management,
    Cache,
}

const LOST: Words<Lost> =
    &[("zone", Lost::Zone), ("region", Lost::Region), ("management", Lost::Management), ("cache", Lost::Cache)];

tables! {
    DAY "`day`" {
        key "demand": Object(&demand::DEMAND), "What is asked on a plain day; the forecast peak with a daily shape by default.";
        key "events": List(&Object(&demand::EVENT)), "What multiplies it, such as a link from a large site.";
        key "uncertainty": Share, "Standard deviation of the level of the day: how wrong the forecast may be; 0% by default.";
        key "length": Duration, "Length of the day; 24h by default, at most 7d.";
        key "node": Object(&NODE), "What a node can do; what `supply` says by default.";
        key "nodes": Whole(1, 100_000), "Nodes at midnight; those of `supply`, or as many as a plain day needs, by default.";
        key "regions": Map(&Share), "Share of the demand and of the nodes by region; one region by default.";
        key "zones": Whole(1, 100), "Zones of a region; those of `supply`, or 3, by default.";
        key "failures": List(&Object(&FAILURE)), "What fails on this day.";
        key "provisioning": Object(&PROVISIONING), "How nodes come that are asked for.";
        key "clients": Object(&CLIENTS), "Who asks, and what they do when they are not answered.";
        key "promise": Object(&PROMISE), "What users are promised; `objective` of the document by default.";
        key "strategies": Map(&Object(&strategies::STRATEGY)), "What is done, by name; standing nodes and autoscaling by default.";
        key "risk": Object(&RISK), "What may happen, and how often; the cheapest strategy that keeps it is looked for.";
        key "seeds": Whole(1, SEEDS_MAX), "Number of days that are simulated for each strategy; 50 by default.";
    };
    NODE "`node`" {
        key "usable": Rate, "Largest load within the objective; from `saturation` and `service_time` by M/M/c by default.";
        key "saturation": Rate, "Throughput at saturation; `usable` by default.";
        key "service_time": Duration, "Mean time in service; 0s by default.";
        key "alpha": Number, "Contention of the node law.";
        key "beta": Number, "Coherency of the node law.";
    };
    FAILURE "a failure" {
        required "lost": OneOf(|| keywords(LOST)), "What: a zone, a region, the management plane, or what is in the cache.";
        key "region": Text, "Where; the first region by default.";
        required "at": Text, "When: `14:30`, or a duration since midnight.";
        key "for": Duration, "How long; to the end of the day by default.";
        key "chance": Share, "Probability that it happens; 100% by default.";
    };
    PROVISIONING "`provisioning`" {
        key "takes": Duration, "Median time until a node that was asked for boots; 90s by default.";
        key "spread": Number, "Standard deviation of the logarithm of that time; 0.5 by default.";
        key "quantiles": Map(&Duration), "Its quantiles in place of both: `{ 50%: 90s, 95%: 5m }`.";
        key "never": Share, "Probability that a node never comes; 0% by default.";
        key "gives_up": Duration, "After how long such a node is asked for again; 10m by default.";
        key "crowded": Number, "Factor on the time while an event is on, since everybody asks; 1 by default.";
        key "boot": Duration, "Time to boot; 30s by default.";
        key "warm_up": Duration, "Time until caches and compilers are warm; 45s by default.";
        key "registration": Duration, "Time until the load balancer uses the node; 30s by default.";
    };
    CLIENTS "`clients`" {
        key "timeout": Duration, "After how long a client leaves; 10s by default.";
        key "retries": Whole(0, RETRIES_MAX as u64), "Attempts after the first; 2 by default.";
        key "backoff": Duration, "Pause before the first of them, twice as long before each later one; 1s by default.";
        key "budget": Share, "Retries that clients allow themselves, of their requests; no quota by default.";
        key "by_hand": Share, "Users who try again by hand when all attempts failed; 0% by default.";
        key "pause": Duration, "After how long they do; 10s by default.";
        key "session": Number, "Requests of a session; 8 by default.";
    };
    PROMISE "`promise`" {
        required "within": Duration, "Response time.";
        key "share": Share, "Share of requests that are answered within it; 99% by default.";
    };
    RISK "`risk`" {
        key "minutes": Number, "Minutes out of the objective that a day may have; 30 by default.";
        key "chance": Share, "Share of days that may have more; 5% by default.";
    };
}

/// What a day is made of; `None` when a part is wrong.
pub(super) fn decode(decoder: &mut Decoder, node: &Node) -> Option<Setting> {
    let fields = decoder.fields(node, &DAY)?;
    let mut length = Duration::from_secs(86_400);
    fields.set(&mut length, "length", |node| {
        let length = decoder.duration_above_zero(node)?;
        if (1..=LENGTH_MAX_S).contains(&length.as_secs()) {
            return Some(length);
        }
        decoder.wrong(node.at, "a day has 1s to 7d", "write a length such as `24h`").none()
    });
    let length_s = length.as_secs() as f64;
    let regions = fields.get("regions").map_or_else(|| Some(whole()), |node| regions(decoder, node));
    let mut setting = Setting {
        length_s: length.as_secs() as usize,
        base: None,
        events: Vec::new(),
        uncertainty: 0.0,
        node: NodeGiven::default(),
        nodes: fields.get("nodes").and_then(|node| decoder.whole(node, 1, 100_000)).map(|n| n as usize),
        regions: regions.clone().unwrap_or_default(),
        zones: fields.get("zones").and_then(|node| decoder.whole(node, 1, 100)).map(|n| n as usize),
        failures: Vec::new(),
        provisioning: provisioning(decoder, fields.get("provisioning")),
        clients: clients(decoder, fields.get("clients")),
        objective: fields.get("promise").and_then(|node| promise(decoder, node)),
        strategies: Vec::new(),
        risk: Risk { minutes: 30.0, chance: 0.05 },
        seeds: 50,
    };
    setting.base = fields.get("demand").and_then(|node| demand::base(decoder, node));
    fields.set(&mut setting.events, "events", |node| Some(demand::events(decoder, node, length_s)));
    fields.set(&mut setting.uncertainty, "uncertainty", |node| at_most(decoder, node, 1.0, "100%"));
    fields.set(&mut setting.node, "node", |node| self::node(decoder, node));
    let names = regions.as_deref().unwrap_or_default();
    fields.set(&mut setting.failures, "failures", |node| Some(failures(decoder, node, names, length_s)));
    fields.set(&mut setting.strategies, "strategies", |node| Some(strategies::decode(decoder, node, length_s)));
    fields.set(&mut setting.risk, "risk", |node| risk(decoder, node));
    fields.set(&mut setting.seeds, "seeds", |node| decoder.whole(node, 1, SEEDS_MAX).map(|n| n as usize));
    regions.is_some().then_some(setting)
}

fn whole() -> Vec<Region> {
    vec![Region { name: "all".into(), share: 1.0 }]
}

fn regions(decoder: &mut Decoder, node: &Node) -> Option<Vec<Region>> {
    let entries = decoder.map(node, "`regions`");
    let share = |decoder: &mut Decoder, entry: &Entry| {
        Some(Region { name: entry.key.clone(), share: decoder.share(&entry.value)? })
    };
    let regions: Option<Vec<Region>> = entries.iter().map(|entry| share(decoder, entry)).collect();
    let regions = regions?;
    let sum: f64 = regions.iter().map(|region| region.share).sum();
    if (sum - 1.0).abs() > 1e-3 || regions.iter().any(|region| region.share <= 0.0) {
        let message =
            format!("the shares of the regions are {}% together, each above 0%", (sum * 1000.0).round() / 10.0);
        return decoder.wrong(node.at, message, "write shares that are 100% together").none();
    }
    Some(regions.into_iter().map(|region| Region { share: region.share / sum, ..region }).collect())
}

fn node(decoder: &mut Decoder, node: &Node) -> Option<NodeGiven> {
    let fields = decoder.fields(node, &NODE)?;
    let rate = |decoder: &mut Decoder, key| {
        let node = fields.get(key)?;
        let rate = decoder.rate(node)?;
        if rate > 0.0 {
            return Some(rate);
        }
        decoder
            .wrong(node.at, "a node that serves 0/s answers no request", "write a rate above 0, such as `1200/s`")
            .none()
    };
    let given = NodeGiven {
        usable_per_s: rate(decoder, "usable"),
        saturation_per_s: rate(decoder, "saturation"),
        service_s: fields.get("service_time").and_then(|node| decoder.duration(node)).map(|time| time.as_secs_f64()),
        alpha: fields.get("alpha").and_then(|node| decoder.number(node)),
        beta: fields.get("beta").and_then(|node| decoder.number(node)),
    };
    if let (Some(usable), Some(most), Some(entry)) =
        (given.usable_per_s, given.saturation_per_s, fields.entry("usable"))
        && usable > most
    {
        let message = format!("the usable {usable}/s are more than the {most}/s at saturation");
        decoder.wrong(entry.value.at, message, "write what meets the objective, which is less than saturation");
    }
    Some(given)
}

fn failures(decoder: &mut Decoder, node: &Node, regions: &[Region], length_s: f64) -> Vec<Failure> {
    let items = decoder.list(node, "`failures`");
    items.iter().filter_map(|item| failure(decoder, item, regions, length_s)).collect()
}

fn failure(decoder: &mut Decoder, node: &Node, regions: &[Region], length_s: f64) -> Option<Failure> {
    let fields = decoder.fields(node, &FAILURE)?;
    let lost = fields.get("lost").and_then(|node| decoder.choose(node, LOST));
    let at_s = fields.get("at").and_then(|node| moment(decoder, node, length_s));
    let lasts = fields.get("for").map_or(Some(length_s), |node| Some(decoder.duration(node)?.as_secs_f64()));
    let chance = fields.get("chance").map_or(Some(1.0), |node| at_most(decoder, node, 1.0, "100%"));
    let region = fields.get("region").map_or(Some(0), |node| {
        let name = decoder.text(node)?;
        let found = regions.iter().position(|region| region.name == name);
        if found.is_none() {
            let names: Vec<&str> = regions.iter().map(|region| region.name.as_str()).collect();
            decoder.not_a_choice(node.at, &name, &names);
        }
        found
    });
    let loss = match (lost?, region?) {
        (Lost::Zone, region) => Loss::Zone(region),
        (Lost::Region, region) => Loss::Region(region),
        (Lost::Management, _) => Loss::Management,
        (Lost::Cache, _) => Loss::Cache,
    };
    Some(Failure { loss, at_s: at_s?, lasts_s: lasts?, chance: chance? })
}

fn provisioning(decoder: &mut Decoder, node: Option<&Node>) -> Provisioning {
    let fields = node.and_then(|node| decoder.fields(node, &PROVISIONING));
    let mut time = |key: &str, default_s: f64| seconds(decoder, fields, key, default_s);
    let (takes_s, gives_up_s) = (time("takes", 90.0), time("gives_up", 600.0));
    let after_s = time("boot", 30.0) + time("warm_up", 45.0) + time("registration", 30.0);
    let mut spread = 0.5;
    let mut found = Provisioning { quantiles: Vec::new(), never: 0.0, gives_up_s, crowded: 1.0, after_s };
    if let Some(fields) = fields {
        fields.set(&mut spread, "spread", |node| decoder.number(node));
        fields.set(&mut found.never, "never", |node| at_most(decoder, node, 1.0, "100%"));
        fields.set(&mut found.crowded, "crowded", |node| decoder.number(node));
        fields.set(&mut found.quantiles, "quantiles", |node| quantiles(decoder, node));
        if let (Some(entry), true) = (fields.entry("quantiles"), fields.get("takes").is_some()) {
            decoder.wrong(entry.key_at, "`quantiles` and `takes` both say how long it takes", "keep one of them");
        }
    }
    if found.quantiles.is_empty() {
        found.quantiles = Provisioning::lognormal(takes_s, spread);
    }
    found
}

fn quantiles(decoder: &mut Decoder, node: &Node) -> Option<Vec<(f64, f64)>> {
    let mut found: Vec<(f64, f64)> = Vec::new();
    for entry in decoder.map(node, "`quantiles`") {
        let share = parse_share(&entry.key).ok().filter(|share| (0.0..1.0).contains(share));
        let Some(share) = share else {
            let message = format!("`{}` is not a share from 0% to below 100%", entry.key);
            return decoder
                .wrong(entry.key_at, message, "write it as `95%`; `never: 1%` says how many never come")
                .none();
        };
        let time = decoder.duration_above_zero(&entry.value)?.as_secs_f64();
        if found.last().is_some_and(|(before, least)| *before >= share || *least > time) {
            return decoder
                .wrong(entry.key_at, "quantiles rise", "write the smaller shares with the shorter times first")
                .none();
        }
        found.push((share, time));
    }
    Some(found)
}

fn clients(decoder: &mut Decoder, node: Option<&Node>) -> Clients {
    let fields = node.and_then(|node| decoder.fields(node, &CLIENTS));
    let mut time = |key: &str, default_s: f64| seconds(decoder, fields, key, default_s);
    let mut clients = Clients {
        timeout_s: time("timeout", 10.0),
        retries: 2,
        backoff_s: time("backoff", 1.0),
        budget: None,
        by_hand: 0.0,
        pause_s: time("pause", 10.0),
        session_requests: 8.0,
    };
    if let Some(fields) = fields {
        let most = RETRIES_MAX as u64;
        fields.set(&mut clients.retries, "retries", |node| decoder.whole(node, 0, most).map(|n| n as usize));
        fields.set(&mut clients.budget, "budget", |node| decoder.share(node).map(Some));
        fields.set(&mut clients.by_hand, "by_hand", |node| {
            below_one(decoder, node, "a user who never gives up never leaves")
        });
        fields.set(&mut clients.session_requests, "session", |node| {
            let number = decoder.number(node)?;
            if number >= 1.0 {
                return Some(number);
            }
            decoder.wrong(node.at, "a session has at least 1 request", "write a number such as `8`").none()
        });
    }
    clients
}

fn promise(decoder: &mut Decoder, node: &Node) -> Option<Objective> {
    let fields = decoder.fields(node, &PROMISE)?;
    let limit_s = fields.get("within").and_then(|node| decoder.duration_above_zero(node))?.as_secs_f64();
    let share = fields
        .get("share")
        .map_or(Some(0.99), |node| below_one(decoder, node, "no system answers every request in time"));
    Some(Objective { limit_s, share: share? })
}

fn risk(decoder: &mut Decoder, node: &Node) -> Option<Risk> {
    let fields = decoder.fields(node, &RISK)?;
    let minutes = fields.get("minutes").map_or(Some(30.0), |node| decoder.number(node));
    let chance = fields.get("chance").map_or(Some(0.05), |node| at_most(decoder, node, 1.0, "100%"));
    Some(Risk { minutes: minutes?, chance: chance? })
}

/// A time of the day in seconds: `14:30`, `14:30:15`, or a duration since midnight.
fn moment(decoder: &mut Decoder, node: &Node, length_s: f64) -> Option<f64> {
    let text = decoder.text(node)?;
    let Some(at_s) = seconds_of_day(&text) else {
        let message = format!("`{text}` is not a time of the day");
        return decoder
            .wrong(node.at, message, "write it as `14:30`, or as a duration since midnight, `14h30m`")
            .none();
    };
    if at_s >= length_s {
        let length = format_duration(Duration::from_secs_f64(length_s));
        let message = format!("`{text}` is after the end of the day, which has {length}");
        return decoder.wrong(node.at, message, "write an earlier time, or a longer `length`").none();
    }
    Some(at_s)
}

/// Seconds since midnight of `14:30`, `14:30:15` or a duration.
fn seconds_of_day(text: &str) -> Option<f64> {
    if !text.contains(':') {
        return parse_duration(text).ok().map(|time| time.as_secs_f64());
    }
    let parts: Option<Vec<u32>> = text.split(':').map(|part| part.parse().ok()).collect();
    match parts?.as_slice() {
        [hours, minutes] if *minutes < 60 => Some(f64::from(hours * 3600 + minutes * 60)),
        [hours, minutes, seconds] if *minutes < 60 && *seconds < 60 => {
            Some(f64::from(hours * 3600 + minutes * 60 + seconds))
        }
        _ => None,
    }
}

/// A duration in seconds, where there is one.
fn seconds(decoder: &mut Decoder, fields: Option<Fields>, key: &str, default_s: f64) -> f64 {
    let found = fields.and_then(|fields| fields.get(key)).and_then(|node| decoder.duration(node));
    found.map_or(default_s, |time| time.as_secs_f64())
}

/// A share from 0 % to `most`.
fn at_most(decoder: &mut Decoder, node: &Node, most: f64, shown: &str) -> Option<f64> {
    let share = decoder.share(node)?;
    if share <= most {
        return Some(share);
    }
    decoder.wrong(node.at, format!("this is more than {shown}"), format!("write a share from 0% to {shown}")).none()
}

/// A share from 0 % to below 100 %, and why not that.
fn below_one(decoder: &mut Decoder, node: &Node, why: &str) -> Option<f64> {
    let share = decoder.share(node)?;
    if share < 1.0 {
        return Some(share);
    }
    decoder.wrong(node.at, format!("100% or more is not possible here: {why}"), "write a share below 100%").none()
}
