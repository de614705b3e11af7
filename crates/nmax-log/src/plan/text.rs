//! The plan as a document with comments.

use std::collections::BTreeSet;
use std::time::Duration;

use jiff::Timestamp;
use nmax_plan::document::THRESHOLDS_DEFAULT;
use nmax_plan::document::write::Yaml;
use nmax_plan::units::format_duration;
use nmax_text::number::{decimals_of, trimmed};

use super::chain::{Chain, Link};
use super::items::Items;
use super::{Made, PlanOptions, SAFE, Scenario};
use crate::traffic::{Lognormal, Profile, RequestType, short_name, unused};

/// Pauses whose 95th percentile is below this are none, in s.
const PAUSE_MIN_S: f64 = 0.02;
/// The state in which a session is over.
const END: &str = "end";
/// Share of the replies from which on their status is expected.
const STATUS_SHARE_MIN: f64 = 0.01;
/// Length of a run of the plan.
const DURATION: &str = "10m";
/// Longest warm-up, in s.
const WARM_UP_MAX_S: f64 = 600.0;
/// Passes of a loop that plans allow.
const PASSES_MAX: u32 = 10_000;
/// Least number of iterations that may be in flight.
const IN_FLIGHT_MIN: f64 = 100.0;
/// How many times as many iterations as there were sessions at once in the log may be in flight.
const IN_FLIGHT_TIMES: f64 = 3.0;

fn entry(key: &str, value: Yaml) -> (String, Yaml) {
    (key.to_owned(), value)
}

fn map(entries: Vec<(String, Yaml)>) -> Yaml {
    Yaml::Map(entries)
}

/// The document.
pub(super) fn document(
    profile: &Profile,
    options: &PlanOptions,
    scenarios: &[Scenario],
    items: &mut Items,
    made: &Made,
) -> String {
    let total: f64 = scenarios.iter().map(|scenario| scenario.share).sum();
    let mut names: Vec<String> = Vec::new();
    let mut written = Vec::new();
    for scenario in scenarios {
        let name = unused(&names, scenario.cluster.name.clone(), '-');
        names.push(name.clone());
        written.push(entry(&name, one_scenario(profile, scenario, total, items).with_note(about(scenario))));
    }
    let mut document = vec![
        entry("nmax", Yaml::plain(1).with_note(header(profile, options, made))),
        entry("name", Yaml::text(&options.name)),
        entry("target", target(profile, options)),
        entry(
            "source",
            Yaml::text(format!("{}.traffic.json", options.name))
                .with_note("Traffic of the log: each run ends with a comparison."),
        ),
        entry(
            "defaults",
            map(vec![entry(
                "visitor",
                Yaml::plain("new").with_note("A session of the log is a visitor with connections of its own."),
            )]),
        ),
    ];
    if !items.sources.is_empty() {
        document.push(entry("data", data(profile, items)));
    }
    document.push(entry("scenarios", map(written)));
    document.push(entry("workload", workload(profile, made)));
    document.extend(warm_up(profile));
    document.push(entry("duration", Yaml::plain(DURATION)));
    document.push(entry("thresholds", thresholds(profile)));
    map(document).to_string()
}

fn header(profile: &Profile, options: &PlanOptions, made: &Made) -> String {
    let mut lines = vec![
        format!("Made from {} by nmax.", one_line(&options.log)),
        format!(
            "{} to {}: {} requests, {} sessions.",
            stamp(profile.period.from_us),
            stamp(profile.period.to_us),
            profile.requests,
            profile.sessions.count
        ),
        format!("{} scenarios cover {:.1} % of the steps of sessions.", made.scenarios, 100.0 * made.covered),
    ];
    lines.extend(made.warnings.iter().map(|warning| format!("Note: {}", one_line(warning))));
    lines.join("\n")
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// An instant as people read it, to the second.
fn stamp(at_us: i64) -> String {
    let instant = Timestamp::from_second(at_us.div_euclid(1_000_000));
    instant.map_or_else(|_| format!("{at_us} µs"), |instant| instant.strftime("%Y-%m-%d %H:%M:%S UTC").to_string())
}

fn target(profile: &Profile, options: &PlanOptions) -> Yaml {
    let is_host = |text: &&str| {
        !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-:[]".contains(&byte))
    };
    match (
        &options.target,
        profile
            .heavy
            .hosts
            .first()
            .filter(|host| 2 * host.count.saturating_sub(host.error) > profile.requests)
            .map(|host| host.text.as_str())
            .filter(is_host),
    ) {
        (Some(target), _) => Yaml::text(target),
        (None, Some(host)) => {
            Yaml::text(format!("http://{host}")).with_note("The host of the log: take one that may be loaded.")
        }
        (None, None) => Yaml::text("http://127.0.0.1:8080")
            .with_note("No host stands in most lines of the log: say where the requests go."),
    }
}

fn data(profile: &Profile, items: &Items) -> Yaml {
    let source = |source: &super::items::DataFile| {
        let mut keys = vec![entry("csv", Yaml::text(&source.file))];
        match source.exponent {
            Some(exponent) => {
                keys.push(entry("pick", Yaml::plain("zipf")));
                keys.push(entry("exponent", Yaml::plain(format!("{exponent:.3}"))));
            }
            None => keys.push(entry("pick", Yaml::plain("random"))),
        }
        keys.push(entry("per", Yaml::plain("request")));
        let note = format!("{} targets of {}, most popular first", source.rows, profile.types[source.kind].name);
        entry(&source.name, map(keys).on_one_line().with_note(note))
    };
    map(items.sources.iter().map(source).collect())
}

fn workload(profile: &Profile, made: &Made) -> Yaml {
    let note = format!("Sessions. About {} requests per second follow.", short(made.requests_per_s));
    let mut open = vec![
        entry("rate", Yaml::plain(rate(made.sessions_per_s)).with_note(note)),
        entry("arrivals", Yaml::plain("poisson")),
    ];
    let at_once = made.sessions_per_s * profile.sessions.duration_ms.mean().unwrap_or(0.0) / 1e3;
    let in_flight = (IN_FLIGHT_TIMES * at_once).ceil().max(IN_FLIGHT_MIN);
    let note = format!("About {} at once in the log; more of them means that the target is slower.", short(at_once));
    open.push(entry("max_in_flight", Yaml::plain(in_flight).with_note(note)));
    map(vec![entry("open", map(open))])
}

/// A rate whose number has four digits that count.
fn rate(per_s: f64) -> String {
    match per_s {
        _ if per_s >= 1.0 => format!("{}/s", short(per_s)),
        _ if per_s * 60.0 >= 1.0 => format!("{}/m", short(per_s * 60.0)),
        _ => format!("{}/h", short(per_s * 3_600.0)),
    }
}

/// A number with four digits that count.
fn short(value: f64) -> String {
    if value <= 0.0 || !value.is_finite() {
        return "0".to_owned();
    }
    trimmed(value, decimals_of(value, 4).min(9))
}

/// Until as many sessions end as begin, requests per second grow.
fn warm_up(profile: &Profile) -> Option<(String, Yaml)> {
    let long_s = profile.sessions.duration_ms.quantile(0.9)? as f64 / 1e3;
    let length = duration(long_s.min(WARM_UP_MAX_S))?;
    let note = "Nine in ten sessions are shorter: by then about as many end as begin.";
    (long_s >= 1.0).then(|| entry("warm_up", Yaml::plain(length).with_note(note)))
}

/// Those that hold by default, to be seen and changed, and what the log would say of them.
fn thresholds(profile: &Profile) -> Yaml {
    let failed: u64 = profile.by_status.range(400..).map(|(_, count)| count).sum();
    let share = 100.0 * failed as f64 / profile.requests.max(1) as f64;
    let note =
        format!("What makes a run pass. In the log {} % of the replies had a status of 400 and above.", short(share));
    let all = THRESHOLDS_DEFAULT.map(Yaml::text).to_vec();
    Yaml::List(all).with_note(note)
}

fn about(scenario: &Scenario) -> String {
    let cluster = scenario.cluster;
    format!(
        "{:.1} % of the sessions, {:.1} % of their steps; {} steps each on average",
        100.0 * cluster.sessions_share,
        100.0 * cluster.requests_share,
        short(cluster.steps_mean)
    )
}

fn one_scenario(profile: &Profile, scenario: &Scenario, total: f64, items: &mut Items) -> Yaml {
    let chain = &scenario.chain;
    let mut states: Vec<String> = vec![END.to_owned()];
    for kind in &chain.states {
        let name = unused(&states, short_name(&profile.types[*kind]), '-');
        states.push(name);
    }
    states.remove(0);
    let n = states.len();
    let begin = Next { states: &states, is_begin: true }.steps(&chain.links[n]);
    let mut each = Vec::new();
    for (at, kind) in chain.states.iter().enumerate() {
        let mut then = vec![request(&profile.types[*kind], *kind, items)];
        then.extend(Next { states: &states, is_begin: false }.steps(&chain.links[at]));
        each.push(map(vec![
            entry("if", Yaml::text(format!("${{state}} == {}", states[at]))),
            entry("then", Yaml::List(then)),
        ]));
    }
    let mut steps = begin;
    if let Some(straight) = straight(profile, chain, items) {
        steps = straight;
    } else {
        steps.push(map(vec![
            entry("while", Yaml::text(format!("${{state}} != {END}"))),
            entry("max", Yaml::plain(PASSES_MAX)),
            entry("steps", Yaml::List(each)),
        ]));
    }
    map(vec![entry("weight", Yaml::plain(short(100.0 * scenario.share / total))), entry("steps", Yaml::List(steps))])
}

/// The steps of a chain without any choice: one way through.
fn straight(profile: &Profile, chain: &Chain, items: &mut Items) -> Option<Vec<Yaml>> {
    let n = chain.states.len();
    let only = |row: &[Link]| {
        let mut links = row.iter().enumerate().filter(|(_, link)| link.chance > 0.0);
        links.next().filter(|_| links.next().is_none()).map(|(to, link)| (to, *link))
    };
    let mut steps = Vec::new();
    let (mut at, _) = only(&chain.links[n])?;
    for _ in 0..n {
        let kind = chain.states[at];
        steps.push(request(&profile.types[kind], kind, items));
        let (next, link) = only(&chain.links[at])?;
        if next == n {
            return Some(steps);
        }
        steps.extend(think(&link));
        at = next;
    }
    None
}

/// What comes after a state.
struct Next<'a> {
    states: &'a [String],
    is_begin: bool,
}

impl Next<'_> {
    fn steps(&self, row: &[Link]) -> Vec<Yaml> {
        let mut links: Vec<(usize, &Link)> = row.iter().enumerate().filter(|(_, link)| link.chance > 0.0).collect();
        links.sort_by(|a, b| b.1.chance.total_cmp(&a.1.chance));
        match links.as_slice() {
            [] => vec![go(END)],
            [(to, link)] => self.one(*to, link),
            _ => {
                let branch = |(to, link): &(usize, &Link)| {
                    let steps = Yaml::List(self.one(*to, link));
                    let weight = Yaml::plain(short(100.0 * link.chance));
                    map(vec![entry("weight", weight), entry("steps", steps)]).on_one_line()
                };
                vec![map(vec![entry("choose", Yaml::List(links.iter().map(branch).collect()))])]
            }
        }
    }

    fn one(&self, to: usize, link: &Link) -> Vec<Yaml> {
        let state = self.states.get(to).map_or(END, String::as_str);
        let pause = if self.is_begin || state == END { None } else { think(link) };
        pause.into_iter().chain([go(state)]).map(Yaml::on_one_line).collect()
    }
}

fn go(state: &str) -> Yaml {
    map(vec![entry("set", map(vec![entry("state", Yaml::text(state))]))]).on_one_line()
}

fn think(link: &Link) -> Option<Yaml> {
    let Lognormal { median_s, p95_s } = link.think()?;
    if p95_s < PAUSE_MIN_S {
        return None;
    }
    let (median, p95) = (duration(median_s)?, duration(p95_s)?);
    let law = if p95_s < 1.01 * median_s || median == p95 {
        Yaml::plain(median)
    } else {
        map(vec![entry("median", Yaml::plain(median)), entry("p95", Yaml::plain(p95))])
    };
    Some(map(vec![entry("think", law)]).on_one_line())
}

/// A duration with three digits that count, and at least 1 ms.
fn duration(s: f64) -> Option<String> {
    if !s.is_finite() || s < 0.0 {
        return None;
    }
    let ms = (s * 1e3).clamp(1.0, 86_400_000.0);
    let scale = 10_f64.powi((ms.log10().floor() as i32 - 2).max(0));
    Some(format_duration(Duration::from_millis(((ms / scale).round() * scale) as u64)))
}

fn request(kind: &RequestType, number: usize, items: &mut Items) -> Yaml {
    let address = items.address(number);
    let method = kind.method.to_lowercase();
    let mut keys =
        vec![entry(&method, Yaml::text(address)), entry("name", Yaml::text(super::items::plain(&kind.name)))];
    if !SAFE.contains(&kind.method.as_str()) && kind.method != "DELETE" {
        keys.push(entry("body", Yaml::text("").with_note("The log has no body: fill it in.")));
    }
    if let Some(expect) = expect(kind) {
        keys.push(entry("expect", expect));
    }
    let resources = items.resources(number);
    if !resources.is_empty() {
        keys.push(entry("resources", Yaml::List(resources.into_iter().map(Yaml::Text).collect()).on_one_line()));
    }
    map(keys).with_note(baseline(kind))
}

/// The statuses that the log has often enough: what it has otherwise is another page. Errors are expected only where they are
/// all that the log has, so that a run does not pass on pages that are gone. A client without a cache gets whole pages for
/// those that had not changed; those of the run may have one.
fn expect(kind: &RequestType) -> Option<Yaml> {
    let total: u64 = kind.statuses.values().sum();
    let often = kind.statuses.iter().filter(|(_, count)| **count as f64 >= STATUS_SHARE_MIN * total as f64);
    let mut expected: BTreeSet<u16> =
        often.map(|(status, _)| *status).filter(|status| (200..500).contains(status)).collect();
    if expected.iter().any(|status| *status < 400) {
        expected.retain(|status| *status < 400);
    }
    if expected.contains(&200) || expected.contains(&304) {
        expected.extend([200, 304]);
    }
    (!expected.is_empty()).then(|| {
        let statuses = expected.into_iter().map(Yaml::plain).collect();
        map(vec![entry("status", Yaml::List(statuses))]).on_one_line()
    })
}

/// How long the server took in the log.
fn baseline(kind: &RequestType) -> String {
    let at = |q| kind.time_us.quantile(q).and_then(|us| duration_us(us as f64));
    match (at(0.5), at(0.95), at(0.99)) {
        (Some(p50), Some(p95), Some(p99)) => format!("in the log: p50 {p50}, p95 {p95}, p99 {p99}"),
        _ => String::new(),
    }
}

fn duration_us(us: f64) -> Option<String> {
    let scale = 10_f64.powi((us.max(1.0).log10().floor() as i32 - 2).max(0));
    Some(format_duration(Duration::from_micros(((us / scale).round() * scale) as u64)))
}
