//! What was found in logs, for people.

use nmax_log::traffic::{Counted, Dist, Period, Popularity, Profile, RequestType};
use nmax_text::shown;

use super::{HOUR_US, LogView, stamp};
use crate::number;
use crate::terminal::{Glyphs, aligned, bars, thinned};

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
pub fn text(found: &LogView, glyphs: Glyphs) -> String {
    let mut page = Lines::default();
    read(&mut page, found);
    traffic(&mut page, found);
    season(&mut page, found, glyphs);
    types(&mut page, &found.profile);
    scenarios(&mut page, &found.profile);
    visits(&mut page, &found.profile);
    heavy(&mut page, &found.profile);
    written(&mut page, found);
    page.text
}

/// Lines as they are written.
#[derive(Default)]
struct Lines {
    text: String,
}

impl Lines {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(line.as_ref().trim_end());
        self.text.push('\n');
    }

    fn entry(&mut self, name: &str, value: impl AsRef<str>) {
        self.line(format!("{name:<12}{}", value.as_ref()));
    }

    fn heading(&mut self, title: &str) {
        self.line("");
        self.line(title);
    }

    /// A table: the first column to the left, the others to the right, as wide as their widest cell.
    fn table(&mut self, head: &[&str], rows: &[Vec<String>]) {
        let head = head.iter().map(|title| (*title).to_owned()).collect();
        for line in aligned(&[vec![head], rows.to_vec()].concat(), 1) {
            self.line(format!("  {line}"));
        }
    }
}

/// What was read, and what could not be.
fn read(page: &mut Lines, found: &LogView) {
    let counts = &found.counts;
    page.entry("format", format!("{}, {}", found.format, found.why));
    page.entry("files", found.files.join(", "));
    let lines = counted(&[
        (counts.parsed, "requests"),
        (counts.comments, "comments"),
        (counts.blank, "blank"),
        (counts.rejected, "rejected"),
    ]);
    page.entry("lines", format!("{}: {lines}", number::count(counts.lines)));
    for (reason, rejected) in &counts.rejections {
        page.entry("rejected", format!("{} {reason}", number::count(rejected.count)));
        for (place, line) in &rejected.examples {
            page.line(format!("            {place}: {line}"));
        }
    }
    for note in &found.notes {
        page.entry("note", note);
    }
}

/// The traffic of the chosen time in figures.
fn traffic(page: &mut Lines, found: &LogView) {
    let profile = &found.profile;
    let Period { from_us, to_us } = profile.period;
    let chosen = found.chosen.as_deref().unwrap_or("all of it");
    let zone = zone(found.zone_s);
    let (from, to) = (stamp(from_us, found.zone_s), stamp(to_us, found.zone_s));
    page.heading(&format!("Traffic: {chosen}, {from} to {to} ({zone})"));
    let (arrivals, sessions) = (&profile.arrivals, &profile.sessions);
    page.entry(
        "requests",
        format!(
            "{}, {} on average, at most {} in one second; {} of replies",
            number::count(profile.requests),
            number::rate(arrivals.requests_per_s),
            number::count(arrivals.second_max),
            number::bytes(profile.bytes as f64)
        ),
    );
    page.entry(
        "sessions",
        format!(
            "{}, {} on average, {} steps each",
            number::count(sessions.count),
            number::rate(arrivals.sessions_per_s),
            number::digits(profile.steps_mean())
        ),
    );
    page.entry(
        "statuses",
        shares(profile.by_status.iter().map(|(status, count)| {
            let status = if *status == 0 { "unknown".to_owned() } else { status.to_string() };
            (status, *count)
        })),
    );
    page.entry("methods", shares(profile.by_method.iter().map(|(method, count)| (method.clone(), *count))));
    let apart = &profile.apart;
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
    if !apart.is_empty() {
        page.entry("set apart", apart);
    }
    let bursts: Vec<String> = arrivals
        .requests
        .iter()
        .map(|at| format!("{} in {}", number::digits(at.index), number::span(at.width_s as f64)))
        .collect();
    if !bursts.is_empty() {
        page.entry("bursts", format!("index of dispersion {} (1 = independent arrivals)", bursts.join(", ")));
    }
}

/// Hours, week and trend of the whole log.
fn season(page: &mut Lines, found: &LogView, glyphs: Glyphs) {
    let season = &found.profile.season;
    let (Some(first), Some(last)) = (season.hours.first(), season.hours.last()) else {
        return;
    };
    let length = ((last.from_us - first.from_us) / HOUR_US).clamp(0, 1 << 20) as usize + 1;
    if length < SEASON_HOURS_MIN {
        return;
    }
    page.heading("Season: the whole log");
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
    page.line(format!("  {}", bars(&chart, glyphs)));
    page.line(format!(
        "  requests per hour from {} to {}, {} a column",
        stamp(first.from_us, zone_s),
        stamp(last.from_us + HOUR_US, zone_s),
        number::span(each as f64 * 3_600.0)
    ));
    if length > 24 {
        for (day, hours) in DAYS.iter().zip(&season.week) {
            if hours.iter().any(Option::is_some) {
                let known: Vec<f64> = hours.iter().flatten().copied().collect();
                let mean = known.iter().sum::<f64>() / known.len() as f64;
                let per_hour = number::count(mean.round() as u64);
                page.line(format!("  {day} 0h {} 24h  {per_hour} per hour", bars(hours, glyphs)));
            }
        }
    }
    let mut said = vec![format!("the busiest hour has {} times the mean", number::digits(season.peak_to_mean))];
    if let Some(hour) = season.busiest_hour {
        said.push(format!("it is {}, with {} requests", stamp(hour.from_us, zone_s), number::count(hour.count)));
    }
    if let Some(trend) = season.trend_per_week {
        said.push(format!("trend {:+.1} % a week", 100.0 * trend));
    }
    page.line(format!("  {}", said.join("; ")));
}

/// Request types: the production baseline.
fn types(page: &mut Lines, profile: &Profile) {
    let baseline = if profile.has_durations { "" } else { "; this log has no durations" };
    page.heading(&format!("Requests, the baseline of runs{baseline}"));
    let row = |kind: &RequestType| {
        let failed: u64 = kind.statuses.range(400..).map(|(_, count)| count).sum();
        let time = |q: f64| kind.time_us.quantile(q).map(|us| us * 1_000);
        vec![
            clip(&kind.name),
            number::count(kind.count),
            number::share(kind.count as f64 / profile.requests.max(1) as f64),
            number::share(failed as f64 / kind.count.max(1) as f64),
            number::time_or_unknown(time(0.5)),
            number::time_or_unknown(time(0.95)),
            number::time_or_unknown(time(0.99)),
            number::or_unknown(kind.bytes.mean(), number::bytes),
            targets(&kind.popularity),
            number::or_unknown(kind.popularity.exponent, number::digits),
        ]
    };
    let mut rows: Vec<Vec<String>> = profile.types.iter().take(TYPES_MAX).map(row).collect();
    let rest: u64 = profile.types.iter().skip(TYPES_MAX).map(|kind| kind.count).sum::<u64>() + profile.other_requests;
    if rest > 0 {
        let more = profile.types.len().saturating_sub(TYPES_MAX);
        let share = number::share(rest as f64 / profile.requests.max(1) as f64);
        let mut row = vec![format!("{more} more types and others"), number::count(rest), share];
        row.resize(10, String::new());
        rows.push(row);
    }
    let head = ["request", "count", "share", "4xx 5xx", "p50", "p95", "p99", "bytes", "targets", "zipf"];
    page.table(&head, &rows);
}

/// How many targets there are; `~` says that it is an estimate.
fn targets(popularity: &Popularity) -> String {
    let about = if popularity.is_estimate { "~" } else { "" };
    format!("{about}{}", number::count(popularity.distinct))
}

/// The few scenarios that cover most of the traffic.
fn scenarios(page: &mut Lines, profile: &Profile) {
    page.heading("Scenarios");
    let rows: Vec<Vec<String>> = profile
        .scenarios
        .iter()
        .take(SCENARIOS_MAX)
        .map(|cluster| {
            vec![
                clip(&cluster.name),
                number::share(cluster.sessions_share),
                number::share(cluster.requests_share),
                number::digits(cluster.steps_mean),
            ]
        })
        .collect();
    page.table(&["scenario", "of sessions", "of steps", "steps each"], &rows);
}

/// Sessions and pauses.
fn visits(page: &mut Lines, profile: &Profile) {
    let sessions = &profile.sessions;
    page.heading(&format!("Visits, which end after {} without a request", number::span(sessions.timeout_s as f64)));
    let at: Vec<String> = sessions
        .at
        .iter()
        .map(|at| {
            let count = number::count(at.count);
            format!("{count} of {} steps at {} min", number::digits(at.steps_mean), at.timeout_min)
        })
        .collect();
    page.entry("sessions", at.join(", "));
    page.entry("steps", quantiles(&sessions.steps, number::count));
    page.entry("length", quantiles(&sessions.duration_ms, |ms| number::span(ms as f64 / 1e3)));
    let think = quantiles(&profile.think.dist_ms, |ms| number::span(ms as f64 / 1e3));
    page.entry("think time", think);
    page.entry("told by", shares(sessions.by_identity.iter().map(|(what, count)| (what.clone(), *count))));
}

/// Who and what makes much of it.
fn heavy(page: &mut Lines, profile: &Profile) {
    let heavy = &profile.heavy;
    let lists =
        [("paths", &heavy.paths), ("clients", &heavy.clients), ("agents", &heavy.agents), ("hosts", &heavy.hosts)];
    let has_any = lists.iter().any(|(_, list)| !list.is_empty());
    if !has_any {
        return;
    }
    page.heading("Heavy hitters");
    for (what, list) in lists {
        let hitter = |one: &Counted| {
            let share = number::share(one.count as f64 / profile.requests.max(1) as f64);
            format!("{} {share}", clip(&one.text))
        };
        let list: Vec<String> = list.iter().take(HEAVY_MAX).map(hitter).collect();
        if !list.is_empty() {
            page.entry(what, list.join(", "));
        }
    }
}

fn written(page: &mut Lines, found: &LogView) {
    let Ok(made) = &found.made else { return };
    page.heading(&format!(
        "The plan: {} sessions with {} requests per second on average, {} of the log's steps",
        number::digits(made.sessions_per_s),
        number::digits(made.requests_per_s),
        number::share(made.covered)
    ));
    page.entry("written", found.written.join(", "));
    if let Some(plan) = found.written.first() {
        page.entry("next", format!("nmax check {plan} --target URL; nmax run {plan} --target URL"));
    }
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

/// A name on one line, cut.
fn clip(text: &str) -> String {
    let text = shown(text);
    if text.chars().count() <= NAME_MAX {
        return text.into_owned();
    }
    let start: String = text.chars().take(NAME_MAX - 1).collect();
    format!("{start}…")
}

fn zone(zone_s: i32) -> String {
    let (sign, s) = if zone_s < 0 { ('-', -zone_s) } else { ('+', zone_s) };
    if s == 0 { "UTC".into() } else { format!("UTC{sign}{:02}:{:02}", s / 3600, s / 60 % 60) }
}
