//! Rows become starts: at the pace of the log, or at another one that is named.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use nmax_plan::choice::Choice;
use nmax_secrets::targets::Hider;

use super::{Replay, Row, SPOKEN, Texts, widened};
use crate::record::Record;
use crate::traffic::{Last, Options, Period, Profile, SeasonCounter, Traffic};

/// Copies are shifted against each other by less than that.
const SHIFT_NS_MAX: u64 = 60_000_000_000;
/// Longest time without a request that needs no mention, beside a tenth of the whole.
const GAP_NS_MAX: u64 = 600_000_000_000;
/// Longest name of a plan, characters.
const NAME_CHARS_MAX: usize = 64;
/// Why requests are left out whose stamps are far from all others.
pub const STRAYS: &str = "stamped far from all others";
const NS_PER_US: u64 = 1_000;
const NS_PER_MS: u64 = 1_000_000;

/// What becomes of the time axis and of the number of requests. Each is a test of its own.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Pace {
    /// As in the log.
    #[default]
    Original,
    /// Time passes that many times faster, above 0: rates rise, bursts become sharper, pauses shorter.
    Compressed(f64),
    /// That many copies overlaid, each shifted by less than a minute of its own: rates rise, the time axis stays.
    Copies(u32),
    /// That share of the requests, from 0 to 1, drawn at random: rates fall, the time axis stays.
    Thinned(f64),
}

impl Pace {
    /// What the test is called.
    pub fn name(self) -> String {
        match self {
            Self::Original => "original pace".into(),
            Self::Compressed(factor) => format!("time compressed {factor} times"),
            Self::Copies(copies) => format!("{copies} copies overlaid"),
            Self::Thinned(share) => format!("thinned to {} %", share * 100.0),
        }
    }

    /// What the plan is called: its log and its pace.
    pub fn title(self, files: &[String]) -> String {
        let first = files.first().map_or("log", |file| file.rsplit(['/', '\\']).next().unwrap_or(file));
        let more = if files.len() > 1 { " ..." } else { "" };
        let pace = format!("{more}, {}", self.name());
        let room = NAME_CHARS_MAX.saturating_sub(pace.chars().count());
        let first: String = first.chars().filter(|c| !c.is_control()).take(room).collect();
        format!("{}{pace}", first.trim()).trim().to_owned()
    }

    /// What became of the source's figures, where they are not those of the log.
    pub fn note(self) -> Option<String> {
        let changed = match self {
            Self::Original => return None,
            Self::Compressed(factor) => format!("its times are those of the log divided by {factor}"),
            Self::Copies(copies) => format!("its rates are those of the log times {copies}"),
            Self::Thinned(share) => format!("its rates are those of the log times {share}"),
        };
        Some(format!("the source is the log as it was to be sent: {changed}; latency and sizes are those of the log"))
    }
}

/// Which request of a log is sent when.
#[derive(Debug)]
pub struct Schedule {
    pub(super) rows: Vec<Row>,
    /// When which row is sent, ns since the start, ascending.
    pub(super) starts: Vec<(u64, u32)>,
    pub(super) length_ns: u64,
    pub(super) targets: Texts,
    pub(super) hosts: Texts,
    pub(super) agents: Texts,
    visitors: Texts,
    origins: BTreeMap<String, u64>,
    /// The time of the log that is replayed.
    pub period: Period,
    /// What became of its time axis.
    pub pace: Pace,
    /// Records that are not sent, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// Statuses of the log, of the records that were taken; 0 = unknown.
    pub by_status: BTreeMap<u16, u64>,
    /// What a person should know.
    pub warnings: Vec<String>,
}

impl Schedule {
    pub(super) fn new(replay: Replay) -> Self {
        let Replay { options, mut rows, targets, hosts, agents, visitors, origins, mut left_out, by_status, .. } =
            replay;
        let mut by_status = by_status;
        if options.period.is_none() {
            let strays = leave_strays(&mut rows, &mut by_status);
            if strays > 0 {
                left_out.insert(STRAYS.to_owned(), strays);
            }
        }
        let (period, mut starts) = spread(&rows, options.period, options.seed);
        let mut length_ns = (period.to_us - period.from_us).max(1) as u64 * NS_PER_US;
        let taken = starts.len();
        match options.pace {
            Pace::Original => {}
            Pace::Compressed(factor) => {
                let compressed = |ns: u64| (ns as f64 / factor) as u64;
                starts.iter_mut().for_each(|(start, _)| *start = compressed(*start));
                length_ns = compressed(length_ns);
            }
            Pace::Copies(copies) => overlay(&mut starts, copies, length_ns, options.seed),
            Pace::Thinned(share) => {
                let is_kept = |row: u32| Choice::new(options.seed, 1, u64::from(row), 0).unit(0) < share;
                starts.retain(|(_, row)| is_kept(*row));
                if taken > starts.len() {
                    left_out.insert(options.pace.name(), (taken - starts.len()) as u64);
                }
            }
        }
        let mut schedule = Self {
            rows,
            starts,
            length_ns: length_ns.div_ceil(NS_PER_MS).max(1) * NS_PER_MS,
            targets,
            hosts,
            agents,
            visitors,
            origins,
            period,
            pace: options.pace,
            left_out,
            by_status,
            warnings: Vec::new(),
        };
        schedule.warn();
        schedule
    }

    fn warn(&mut self) {
        let unchanged = self.by_status.get(&304).copied().unwrap_or(0);
        if unchanged > 0 {
            self.warnings.push(format!(
                "{unchanged} requests were answered with 304 (not changed); without the visitors' caches the server \
                 answers with 200 and a body"
            ));
        }
        let gap = self.starts.windows(2).map(|pair| (pair[1].0 - pair[0].0, pair[0].0)).max();
        if let Some((gap, at)) = gap.filter(|(gap, _)| *gap > GAP_NS_MAX.max(self.length_ns / 10)) {
            let seconds =
                |ns: u64| nmax_plan::units::format_duration(std::time::Duration::from_secs(ns / 1_000_000_000));
            self.warnings.push(format!(
                "nothing is sent for {} from {} on; is it a pause, or are there stamps of another time zone or clock?",
                seconds(gap),
                seconds(at)
            ));
        }
    }

    /// How many requests are sent.
    pub fn len(&self) -> usize {
        self.starts.len()
    }

    /// Whether nothing is sent.
    pub fn is_empty(&self) -> bool {
        self.starts.is_empty()
    }

    /// How long it takes, ns.
    pub fn length_ns(&self) -> u64 {
        self.length_ns
    }

    /// When each request is sent, ns since the start, ascending.
    pub fn starts(&self) -> Arc<[u64]> {
        self.starts.iter().map(|(start, _)| *start).collect()
    }

    /// The request that is sent as number `n`, from 0, as a log of the replay itself would have it: its arrival is the
    /// planned one, the rest is what the log said.
    pub fn record(&self, n: u64) -> Option<Record<'_>> {
        let (start_ns, row) = *self.starts.get(usize::try_from(n).ok()?)?;
        let row = self.rows.get(row as usize)?;
        let (kind, visitor) = self.visitors.get(row.visitor).split_at_checked(1).unwrap_or_default();
        let (client, session) = if kind == "s" { ("", visitor) } else { (visitor, "") };
        Some(Record {
            arrival_us: self.period.from_us.saturating_add_unsigned(start_ns / NS_PER_US),
            is_arrival: true,
            resolution_us: 1,
            duration_us: widened(row.duration_us),
            upstream_us: None,
            method: SPOKEN[usize::from(row.method)].as_bytes(),
            target: self.targets.get(row.target).as_bytes(),
            status: row.status,
            bytes: widened(row.bytes),
            client: client.as_bytes(),
            user: b"",
            agent: self.agents.get(row.agent).as_bytes(),
            referer: b"",
            host: self.hosts.get(row.host).as_bytes(),
            session: session.as_bytes(),
        })
    }

    /// Every request in order, as [`Self::record`] gives it.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        (0..self.starts.len() as u64).filter_map(|n| self.record(n))
    }

    /// The traffic that is planned: the log as it will be sent, without secrets in its targets.
    pub fn traffic(&self) -> Profile {
        let mut traffic = Traffic::new(Options { with_robots: true, ..Options::default() });
        let mut hider = Hider::default();
        self.records().for_each(|record| traffic.add(&Record { target: hider.hide(record.target), ..record }));
        traffic.finish()
    }

    /// The server that more than half of the requests name as absolute URLs, such as `https://shop.test`. Single lines of
    /// whoever looks for an open proxy do not choose the target.
    pub fn origin(&self) -> Option<&str> {
        let named = self.origins.iter().max_by_key(|(_, count)| **count);
        named.filter(|(_, count)| 2 * **count > self.rows.len() as u64).map(|(origin, _)| origin.as_str())
    }

    /// The host that most requests were for, where the log says it.
    pub fn host(&self) -> Option<&str> {
        let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
        self.rows.iter().for_each(|row| *counts.entry(row.host).or_default() += 1);
        let hosts = counts.into_iter().map(|(host, count)| (self.hosts.get(host), count));
        let named = hosts.filter(|(host, _)| !host.is_empty());
        named.max_by_key(|(_, count)| *count).map(|(host, _)| host)
    }
}

/// Takes the rows out whose stamps are far from all others, as where a clock was wrong; how many they are.
fn leave_strays(rows: &mut Vec<Row>, by_status: &mut BTreeMap<u16, u64>) -> u64 {
    let mut counter = SeasonCounter::new(0);
    rows.iter().for_each(|row| counter.add(row.arrival_us));
    let season = counter.finish();
    if season.strays.is_empty() {
        return 0;
    }
    let (before, span) = (rows.len(), season.span());
    rows.retain(|row| {
        let is_kept = span.contains(row.arrival_us);
        if let Some(count) = by_status.get_mut(&row.status).filter(|_| !is_kept) {
            *count -= 1;
        }
        is_kept
    });
    by_status.retain(|_, count| *count > 0);
    (before - rows.len()) as u64
}

/// The time that is replayed, and when each row starts, ns from its beginning, ascending. Rows are in the order of the
/// lines; those with the same stamp keep it.
///
/// A stamp of resolution r may be any instant from itself up to r later: each row gets a uniform one of its own. Stamps in
/// microseconds stay as they are. A visitor's row is not before that of an earlier line where both may be.
fn spread(rows: &[Row], chosen: Option<Period>, seed: u64) -> (Period, Vec<(u64, u32)>) {
    let mut order: Vec<u32> = (0..rows.len() as u32).collect();
    order.sort_by_key(|at| rows[*at as usize].arrival_us);
    let within_ns = |number: usize, row: &Row| match row.resolution_us {
        0 | 1 => 0,
        resolution_us => {
            let unit = Choice::new(seed, 0, number as u64, 0).unit(0);
            (unit * f64::from(resolution_us) * NS_PER_US as f64) as u64
        }
    };
    let row_of = |at: u32| &rows[at as usize];
    let first_us = order.first().map_or(0, |at| row_of(*at).arrival_us);
    let from_us = chosen.map_or(first_us, |period| period.from_us);
    let since_ns = |us: i64| (us.saturating_sub(from_us).max(0) as u64).saturating_mul(NS_PER_US);
    // By row.
    let mut instants: Vec<u64> = vec![0; rows.len()];
    let mut number = 0;
    let stamp = |at: u32| (row_of(at).arrival_us, row_of(at).resolution_us);
    for group in order.chunk_by(|a, b| stamp(*a) == stamp(*b)) {
        let mut drawn: Vec<u64> = (number..).zip(group).map(|(number, at)| within_ns(number, row_of(*at))).collect();
        drawn.sort_unstable();
        for (at, within_ns) in group.iter().zip(drawn) {
            instants[*at as usize] = since_ns(row_of(*at).arrival_us).saturating_add(within_ns);
        }
        number += group.len();
    }
    in_sequence(rows, &mut instants, since_ns);
    let mut starts: Vec<(u64, u32)> = instants.into_iter().zip(0..).collect();
    starts.sort_unstable();
    if chosen.is_none() {
        // The first request is sent at once.
        let first = starts.first().map_or(0, |(start, _)| *start);
        starts.iter_mut().for_each(|(start, _)| *start -= first);
    }
    let last_us = (starts.last().map_or(0, |(start, _)| *start) / NS_PER_US) as i64;
    let to_us = chosen.map_or(from_us.saturating_add(last_us + 1), |period| period.to_us);
    (Period { from_us, to_us }, starts)
}

/// Moves instants within the resolution of their stamps, so that each visitor's are in the order of the lines where that may
/// be: first down to where the lines behind leave room, then up from the lines before.
fn in_sequence(rows: &[Row], instants: &mut [u64], since_ns: impl Fn(i64) -> u64) {
    let ns = |ns: u64| i64::try_from(ns).unwrap_or(i64::MAX);
    let from = |row: &Row| ns(since_ns(row.arrival_us));
    let length = |row: &Row| i64::from(row.resolution_us.max(1)) * NS_PER_US as i64;
    let mut ends: Vec<i64> = rows.iter().map(|row| from(row).saturating_add(length(row))).collect();
    let mut behind: HashMap<u32, i64> = HashMap::new();
    for (row, end) in rows.iter().zip(&mut ends).rev() {
        let next = behind.entry(row.visitor).or_insert(*end);
        if from(row) < *next {
            *end = (*end).min(*next);
        }
        *next = *end;
    }
    let mut before: HashMap<u32, Last> = HashMap::new();
    for ((row, end), instant) in rows.iter().zip(ends).zip(instants) {
        let (from, length) = (from(row), length(row));
        let share = (ns(*instant) - from) as f64 / length as f64;
        let at = from + (share * (end - from) as f64) as i64;
        let last = before.entry(row.visitor).or_default();
        *instant = last.follow((from, end), at).unsigned_abs();
    }
}

/// Puts copies of all starts among them, each shifted by a time of its own; what leaves at the end comes in at the
/// beginning.
fn overlay(starts: &mut Vec<(u64, u32)>, copies: u32, length_ns: u64, seed: u64) {
    let once = starts.len();
    starts.reserve(once * (copies.max(1) as usize - 1));
    for copy in 1..copies {
        let unit = Choice::new(seed, 2, u64::from(copy), 0).unit(0);
        let shift = (unit * SHIFT_NS_MAX.min(length_ns) as f64) as u64;
        for at in 0..once {
            let (start, row) = starts[at];
            starts.push(((start + shift) % length_ns.max(1), row));
        }
    }
    starts.sort_by_key(|(start, _)| *start);
}
