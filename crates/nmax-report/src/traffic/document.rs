//! What was found in logs, for people.

use nmax_log::traffic::{Counted, Dispersion, Dist, Period, Popularity, Profile, RequestType};

use super::{HOUR_US, LogView, stamp};
use crate::doc::table::Table;
use crate::doc::{Body, Document, Media, Plot, Section};
use crate::markup::clip;
use crate::number;
use crate::terminal::thinned;

/// Request types, scenarios and heavy hitters that are listed.
const TYPES_MAX: usize = 20;
const SCENARIOS_MAX: usize = 10;
const HEAVY_MAX: usize = 5;
/// Hours of a log from which on there is a season to be shown.
const SEASON_HOURS_MIN: usize = 3;
/// Columns of charts.
const CHART_MAX: usize = 72;
/// Widest name.
const NAME_MAX: usize = 40;
const DAYS: [&str; 7] = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/// All of it.
pub fn document(found: &LogView) -> Document {
    let profile = &found.profile;
    let sections = [
        Section::new("read", "").with(|body| read(body, found)),
        traffic(found),
        Section::new("season", "Season").aside("the whole log").with(|body| season(body, found)),
        types(profile),
        scenarios(profile),
        visits(profile),
        Section::new("heavy", "Heavy hitters").with(|body| _ = body.facts(heavy(profile))),
    ];
    let sections = sections.into_iter().filter_map(Section::said).chain(written(found)).collect();
    Document { sections, ..Document::default() }
}

/// What was read, and what could not be.
fn read(body: &mut Body, found: &LogView) {
    let counts = &found.counts;
    let lines = counted(&[
        (counts.parsed, "requests"),
        (counts.comments, "comments"),
        (counts.blank, "blank"),
        (counts.rejected, "rejected"),
    ]);
    body.facts([
        ("format", format!("{}, {}", found.format, found.why)),
        ("files", found.files.join(", ")),
        ("lines", format!("{}: {lines}", number::count(counts.lines))),
    ]);
    for (reason, rejected) in &counts.rejections {
        let examples = rejected.examples.iter().map(|(place, line)| ("", format!("{place}: {line}")));
        let told = ("rejected", format!("{} {reason}", number::count(rejected.count)));
        body.facts([told].into_iter().chain(examples));
    }
    body.facts(found.notes.iter().map(|note| ("note", note)));
}

/// The traffic of the chosen time in figures.
fn traffic(found: &LogView) -> Section {
    let profile = &found.profile;
    let Period { from_us, to_us } = profile.period;
    let chosen = found.chosen.as_deref().unwrap_or("all of it");
    let (from, to) = (stamp(from_us, found.zone_s), stamp(to_us, found.zone_s));
    let (arrivals, sessions, apart) = (&profile.arrivals, &profile.sessions, &profile.apart);
    let requests = format!(
        "{}, {} on average, at most {} in one second; {} of replies",
        number::count(profile.requests),
        number::rate(arrivals.requests_per_s),
        number::count(arrivals.second_max),
        number::bytes(profile.bytes as f64)
    );
    let sessions = format!(
        "{}, {} on average, {} steps each",
        number::count(sessions.count),
        number::rate(arrivals.sessions_per_s),
        number::digits(profile.steps_mean())
    );
    let statuses = shares(profile.by_status.iter().map(|(status, count)| {
        let status = if *status == 0 { "unknown".to_owned() } else { status.to_string() };
        (status, *count)
    }));
    let apart = counted(&[
        (apart.robots, "of robots"),
        (apart.load_tests, "of load tests by nmax"),
        (apart.resources, "static resources of pages"),
        (apart.without_request, "without method and path"),
        (apart.late, "out of the order of time"),
        (apart.strays, "stamped far from all others"),
        (apart.other_hosts, "of other hosts"),
        (apart.out_of_period, "outside of that time"),
    ]);
    let burst = |at: &Dispersion| format!("{} in {}", number::digits(at.index), number::span(at.width_s as f64));
    let bursts = match arrivals.requests.as_slice() {
        [] => String::new(),
        all => {
            let all = all.iter().map(burst).collect::<Vec<_>>().join(", ");
            format!("index of dispersion {all} (1 = independent arrivals)")
        }
    };
    Section::new("traffic", &format!("Traffic: {chosen}")).with(|body| {
        body.facts([
            ("time", format!("{from} to {to} ({})", zone(found.zone_s))),
            ("requests", requests),
            ("sessions", sessions),
            ("statuses", statuses),
            ("methods", shares(profile.by_method.iter().map(|(method, count)| (method.clone(), *count)))),
            ("set apart", apart),
            ("bursts", bursts),
        ]);
    })
}

/// Hours, week and trend of the whole log.
fn season(body: &mut Body, found: &LogView) {
    let season = &found.profile.season;
    let (Some(first), Some(last)) = (season.hours.first(), season.hours.last()) else {
        return;
    };
    let length = ((last.from_us - first.from_us) / HOUR_US).clamp(0, 1 << 20) as usize + 1;
    if length < SEASON_HOURS_MIN {
        return;
    }
    let mut hours = vec![Some(0.0); length];
    for hour in &season.hours {
        let at = ((hour.from_us - first.from_us) / HOUR_US).max(0) as usize;
        if let Some(slot) = hours.get_mut(at) {
            *slot = Some(hour.count as f64);
        }
    }
    let zone_s = found.zone_s;
    let chart = thinned(&hours, CHART_MAX);
    let each = length.div_ceil(chart.len().max(1));
    body.on(Media::TERMINAL).plot(Plot::Bars(vec![(String::new(), chart, String::new())]));
    body.note(format!(
        "requests per hour from {} to {}, {} a column",
        stamp(first.from_us, zone_s),
        stamp(last.from_us + HOUR_US, zone_s),
        number::span(each as f64 * 3_600.0)
    ));
    if length > 24 {
        let known = |hours: &[Option<f64>]| hours.iter().flatten().copied().collect::<Vec<f64>>();
        let days = DAYS.iter().zip(&season.week).filter(|(_, hours)| hours.iter().any(Option::is_some));
        let day = |(day, hours): (&&str, &[Option<f64>; 24])| {
            let known = known(hours);
            let mean = known.iter().sum::<f64>() / known.len() as f64;
            let per_hour = number::count(mean.round() as u64);
            (format!("{day} 0h"), hours.to_vec(), format!("24h  {per_hour} per hour"))
        };
        body.plot(Plot::Bars(days.map(day).collect()));
    }
    let mut said = vec![format!("the busiest hour has {} times the mean", number::digits(season.peak_to_mean))];
    if let Some(hour) = season.busiest_hour {
        said.push(format!("it is {}, with {} requests", stamp(hour.from_us, zone_s), number::count(hour.count)));
    }
    if let Some(trend) = season.trend_per_week {
        said.push(format!("trend {:+.1} % a week", 100.0 * trend));
    }
    body.everywhere().note(said.join("; "));
}

/// Request types: the production baseline.
fn types(profile: &Profile) -> Section {
    let share = |part: u64, all: u64| part as f64 / all.max(1) as f64;
    let rest: u64 = profile.types.iter().skip(TYPES_MAX).map(|kind| kind.count).sum::<u64>() + profile.other_requests;
    let more = profile.types.len().saturating_sub(TYPES_MAX);
    let failed = |kind: &RequestType| kind.statuses.range(400..).map(|(_, count)| count).sum::<u64>();
    let quantile = |q: f64| move |kind: &RequestType| kind.time_us.quantile(q).map(|us| us * 1_000);
    let rows = profile.types.iter().take(TYPES_MAX).map(Some).chain((rest > 0).then_some(None));
    let time = |q: f64| move |kind: Option<&RequestType>| kind.and_then(quantile(q));
    let of = |kind: Option<&RequestType>, of: &dyn Fn(&RequestType) -> String| kind.map_or_else(String::new, of);
    let table = Table::from_rows(rows)
        .named()
        .fits()
        .word("request", |kind| kind.map_or_else(|| format!("{more} more types and others"), |kind| kind.name.clone()))
        .count("count", |kind| kind.map_or(rest, |kind| kind.count))
        .share("share", |kind| share(kind.map_or(rest, |kind| kind.count), profile.requests))
        .share("4xx 5xx", |kind| kind.map(|kind| share(failed(kind), kind.count)))
        .time("p50", time(0.5))
        .time("p95", time(0.95))
        .time("p99", time(0.99))
        .bytes("bytes", |kind| kind.and_then(|kind| kind.bytes.mean()))
        .number("targets", |kind| of(kind, &|kind| targets(&kind.popularity)))
        .number("zipf", |kind| of(kind, &|kind| number::or_unknown(kind.popularity.exponent, number::digits)));
    let aside =
        if profile.has_durations { "the baseline of runs" } else { "the baseline of runs; this log has no durations" };
    Section::new("requests", "Requests").aside(aside).with(|body| _ = body.table(table))
}

/// How many targets there are; `~` says that it is an estimate.
fn targets(popularity: &Popularity) -> String {
    let about = if popularity.is_estimate { "~" } else { "" };
    format!("{about}{}", number::count(popularity.distinct))
}

/// The few scenarios that cover most of the traffic.
fn scenarios(profile: &Profile) -> Section {
    let table = Table::from_rows(profile.scenarios.iter().take(SCENARIOS_MAX))
        .named()
        .fits()
        .word("scenario", |cluster| &cluster.name)
        .share("of sessions", |cluster| cluster.sessions_share)
        .share("of steps", |cluster| cluster.requests_share)
        .number("steps each", |cluster| number::digits(cluster.steps_mean));
    Section::new("scenarios", "Scenarios").with(|body| _ = body.table(table))
}

/// Sessions and pauses.
fn visits(profile: &Profile) -> Section {
    let sessions = &profile.sessions;
    let at: Vec<String> = sessions
        .at
        .iter()
        .map(|at| {
            let count = number::count(at.count);
            format!("{count} of {} steps at {} min", number::digits(at.steps_mean), at.timeout_min)
        })
        .collect();
    let span = |ms: u64| number::span(ms as f64 / 1e3);
    let facts = [
        ("sessions", at.join(", ")),
        ("steps", quantiles(&sessions.steps, number::count)),
        ("length", quantiles(&sessions.duration_ms, span)),
        ("think time", quantiles(&profile.think.dist_ms, span)),
        ("told by", shares(sessions.by_identity.iter().map(|(what, count)| (what.clone(), *count)))),
    ];
    let title = format!("Visits, which end after {} without a request", number::span(sessions.timeout_s as f64));
    Section::new("visits", &title).with(|body| _ = body.facts(facts))
}

/// Who and what makes much of it.
fn heavy(profile: &Profile) -> [(&'static str, String); 4] {
    let heavy = &profile.heavy;
    let hitter = |one: &Counted| {
        let share = number::share(one.count as f64 / profile.requests.max(1) as f64);
        format!("{} {share}", clip(&one.text, NAME_MAX))
    };
    [("paths", &heavy.paths), ("clients", &heavy.clients), ("agents", &heavy.agents), ("hosts", &heavy.hosts)]
        .map(|(what, list)| (what, list.iter().take(HEAVY_MAX).map(hitter).collect::<Vec<_>>().join(", ")))
}

fn written(found: &LogView) -> Option<Section> {
    let made = found.made.as_ref().ok()?;
    let load = format!(
        "{} sessions with {} requests per second on average, {} of the log's steps",
        number::digits(made.sessions_per_s),
        number::digits(made.requests_per_s),
        number::share(made.covered)
    );
    let next = |plan: &String| format!("nmax check {plan} --target URL; nmax run {plan} --target URL");
    let facts = [
        ("load", load),
        ("written", found.written.join(", ")),
        ("next", found.written.first().map(next).unwrap_or_default()),
    ];
    Some(Section::new("written", "The plan").with(|body| _ = body.facts(facts)))
}

/// `1,200 requests, 3 comments`, without what is not there.
fn counted(counts: &[(u64, &str)]) -> String {
    let some = counts.iter().filter(|(count, _)| *count > 0);
    some.map(|(count, what)| format!("{} {what}", number::count(*count))).collect::<Vec<_>>().join(", ")
}

/// `GET 95 %, POST 5 %`, most frequent first.
fn shares(counts: impl Iterator<Item = (String, u64)>) -> String {
    let mut counts: Vec<(String, u64)> = counts.collect();
    counts.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let total: u64 = counts.iter().map(|(_, count)| count).sum();
    let share = |count: u64| number::share(count as f64 / total.max(1) as f64);
    let parts: Vec<String> = counts.iter().take(8).map(|(what, count)| format!("{what} {}", share(*count))).collect();
    parts.join(", ")
}

fn quantiles(dist: &Dist, text: impl Fn(u64) -> String) -> String {
    let at = |q: f64| dist.quantile(q).map(&text);
    match (at(0.5), at(0.95), dist.max().map(&text)) {
        (Some(p50), Some(p95), Some(max)) => format!("p50 {p50}, p95 {p95}, at most {max}"),
        _ => number::UNKNOWN.to_owned(),
    }
}

fn zone(zone_s: i32) -> String {
    let (sign, s) = if zone_s < 0 { ('-', -zone_s) } else { ('+', zone_s) };
    if s == 0 { "UTC".into() } else { format!("UTC{sign}{:02}:{:02}", s / 3600, s / 60 % 60) }
}
