//! From sums to a profile.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use jiff::Timestamp;
use nmax_plan::units::format_duration;

use super::hash::IdMap;
use super::paths::{OTHER, TypeId};
use super::profile::{
    Apart, Arrivals, AtTimeout, Attached, Counted, Heavy, Period, Profile, RequestType, SCHEMA_VERSION, Season,
    Sessions, Think, Transition,
};
use super::scenarios::scenarios;
use super::visits::{BREAKS_S, Pair, Pauses, Totals};
use super::warnings::warnings;
use super::{IDENTITIES, Options, Traffic};

/// Shortest time that a rate is taken over, s: a few requests in a moment tell no rate.
const RATE_SPAN_MIN_S: f64 = 1.0;

/// Request types that a profile tells apart.
const TYPES_SHOWN_MAX: usize = 300;
/// Transitions that a profile shows.
const TRANSITIONS_MAX: usize = 2_000;
/// Heavy hitters that a profile shows, of each sort.
const HEAVY_SHOWN_MAX: usize = 20;
/// Targets of a type that are looked at for the most frequent paths.
const HEAVY_LOOKED_AT: usize = 200;
/// Share of the chosen time that a log covers, below which rates are those of the part that it covers.
const COVERED_MIN: f64 = 0.9;
/// Resources that a profile shows with a page.
const ATTACHED_MAX: usize = 50;

/// Where each type of the tree stands in the profile.
pub(super) struct ProfileIndices {
    by_type: Vec<Option<usize>>,
    other: Option<usize>,
}

impl ProfileIndices {
    pub(super) fn get(&self, kind: TypeId) -> Option<usize> {
        self.by_type.get(kind as usize).copied().flatten().or(self.other)
    }
}

/// The first instant after the last record.
fn whole_end(last_us: i64, resolution_us: u32) -> i64 {
    last_us.saturating_add(i64::from(resolution_us.max(1)))
}

pub(super) fn profile(mut traffic: Traffic) -> Profile {
    let heavy_paths = heavy_paths(&traffic);
    let (mut types, indices, other_requests) = types(&mut traffic);
    let Traffic { options, visits, paths, .. } = traffic;
    let totals = visits.totals;
    let has_records = traffic.requests > 0;
    let season = traffic.season.finish();
    let has_strays = has_strays(&season, &options);
    // First and last arrival.
    let span_us = if has_strays { (season.first_us, season.last_us) } else { traffic.span_us };
    let is_counted = |at_us: i64| has_strays && options.period.is_none_or(|period| period.contains(at_us));
    let strays = season.strays.iter().filter(|hour| is_counted(hour.from_us));
    let strays = strays.map(|hour| hour.count).sum();
    let whole = Period { from_us: span_us.0, to_us: whole_end(span_us.1, traffic.resolution_us) };
    let chosen = options.period.unwrap_or(if has_records { whole } else { Period::default() });
    let covered = Period { from_us: chosen.from_us.max(whole.from_us), to_us: chosen.to_us.min(whole.to_us) };
    // What a run was told to do, it is measured by; a log may begin or end in the chosen time.
    let is_part = has_records && options.types.is_none() && covered.length_s() < COVERED_MIN * chosen.length_s();
    let period = if is_part { covered } else { chosen };
    count_steps(&mut types, &totals, &indices);
    attach(&mut types, &totals, &indices);
    let apart = Apart {
        robots: traffic.apart.robots + totals.robots,
        resources: totals.resources,
        late: totals.late,
        strays,
        restarts: totals.restarts,
        ..traffic.apart
    };
    let methods = traffic.by_method.iter().enumerate().filter(|(_, count)| **count > 0);
    let mut by_method: BTreeMap<String, u64> =
        methods.map(|(at, count)| (paths.method_name(at as u8), *count)).collect();
    let without = traffic.requests - by_method.values().sum::<u64>();
    if without > 0 {
        by_method.insert("(none)".to_owned(), without);
    }
    let statuses = traffic.by_status.iter().enumerate().filter(|(_, count)| **count > 0);
    let clients = traffic.clients.ranked(HEAVY_SHOWN_MAX);
    let mut profile = Profile {
        schema_version: SCHEMA_VERSION,
        period,
        first_us: if has_records { traffic.first_us.max(span_us.0) } else { 0 },
        last_us: if has_records { traffic.last_us.min(span_us.1) } else { 0 },
        requests: traffic.requests,
        bytes: traffic.bytes,
        by_status: statuses.map(|(status, count)| (status as u16, *count)).collect(),
        by_method,
        apart,
        has_durations: traffic.has_durations,
        resolution_us: traffic.resolution_us,
        types,
        other_requests,
        sessions: sessions(&totals, options.session_timeout_s, traffic.by_identity),
        think: Think { dist_ms: totals.pauses_ms.clone(), fit: totals.pauses.fit() },
        transitions: transitions(&totals.pairs, &indices),
        scenarios: Vec::new(),
        arrivals: Arrivals {
            requests_per_s: if has_records {
                traffic.requests.saturating_sub(strays) as f64 / period.length_s().max(RATE_SPAN_MIN_S)
            } else {
                0.0
            },
            sessions_per_s: totals.sessions as f64 / period.length_s().max(RATE_SPAN_MIN_S),
            second_max: totals.request_bursts.second_max(),
            requests: totals.request_bursts.finish(),
            sessions: totals.session_bursts.finish(),
        },
        season,
        heavy: Heavy {
            clients,
            agents: traffic.agents.ranked(HEAVY_SHOWN_MAX),
            paths: heavy_paths,
            hosts: traffic.hosts.ranked(HEAVY_SHOWN_MAX),
        },
        warnings: Vec::new(),
        left_out: Vec::new(),
    };
    profile.warnings = warnings(&profile, &totals);
    if has_strays {
        profile.warnings.push(strays_in_words(&profile.season));
    }
    if is_part {
        let length = |period: Period| format_duration(Duration::from_secs(period.length_s().ceil() as u64));
        profile.warnings.push(format!(
            "the log covers only {} of the chosen {}: rates are those of the part that it covers",
            length(covered),
            length(chosen)
        ));
    }
    let sample = totals.sample.into_sessions();
    profile.sessions.sampled = sample.len() as u64;
    profile.scenarios = scenarios(&sample, &profile.types, &indices, options.seed);
    profile
}

/// Whether something of what was asked for is set apart as stray. Of a time that has nothing else, it is all there is; and
/// a run does what it was told to.
fn has_strays(season: &Season, options: &Options) -> bool {
    let meets = |period: Period| period.from_us <= season.last_us && season.first_us < period.to_us;
    options.types.is_none() && !season.strays.is_empty() && options.period.is_none_or(meets)
}

fn strays_in_words(season: &Season) -> String {
    let stamp = |us: i64| Timestamp::from_microsecond(us).unwrap_or_default();
    let count: u64 = season.strays.iter().map(|hour| hour.count).sum();
    format!(
        "{count} of the requests are stamped far from all others, which are of {:.0} to {:.0}: they are in no rate; see \
         whether a clock or a year was wrong, or choose a time with --from and --to",
        stamp(season.first_us),
        stamp(season.last_us)
    )
}

/// The most frequent paths. A template without a hole is a path, counted exactly; of the others there are the most frequent
/// targets of visitors, and the paths of robots.
fn heavy_paths(traffic: &Traffic) -> Vec<Counted> {
    let mut sums: BTreeMap<String, Counted> = BTreeMap::new();
    let mut add = |path: &str, count: u64, error: u64| {
        let sum =
            sums.entry(path.to_owned()).or_insert_with(|| Counted { text: path.to_owned(), ..Counted::default() });
        sum.count += count;
        sum.error += error;
    };
    let mut exact = BTreeSet::new();
    for (kind, sums) in traffic.kinds.each() {
        let template = traffic.paths.template(kind);
        if template.starts_with('/') && !template.contains("{id}") {
            add(&template, sums.count, 0);
            exact.insert(template);
        } else {
            for target in sums.top(HEAVY_LOOKED_AT) {
                let path = target.text.split(['?', '#']).next().unwrap_or_default();
                add(path, target.count, target.error);
            }
        }
    }
    for path in traffic.robot_paths.ranked(HEAVY_LOOKED_AT) {
        if !exact.contains(&path.text) {
            add(&path.text, path.count, path.error);
        }
    }
    let mut all: Vec<Counted> = sums.into_values().collect();
    all.sort_by_key(|path| std::cmp::Reverse(path.count));
    all.truncate(HEAVY_SHOWN_MAX);
    all
}

/// The types, most frequent first, and where each stands.
fn types(traffic: &mut Traffic) -> (Vec<RequestType>, ProfileIndices, u64) {
    let mut order: Vec<(u64, TypeId)> = traffic.kinds.each().map(|(kind, sums)| (sums.count, kind)).collect();
    // Equals by name: their numbers depend on the order of the records.
    let name = |kind: TypeId| (traffic.paths.template(kind), traffic.paths.method_of(kind));
    order.sort_by_cached_key(|(count, kind)| (std::cmp::Reverse(*count), name(*kind)));
    let is_other = |paths: &super::Paths, kind: TypeId| paths.template(kind) == OTHER;
    let (mut shown, mut rest): (Vec<TypeId>, Vec<TypeId>) =
        order.iter().map(|(_, kind)| *kind).partition(|kind| !is_other(&traffic.paths, *kind));
    let most = if traffic.options.types.is_some() { usize::MAX } else { TYPES_SHOWN_MAX };
    if shown.len() > most {
        rest.extend(shown.split_off(most));
    }
    let mut by_type = vec![None; traffic.paths.types()];
    let mut types = Vec::with_capacity(shown.len() + 1);
    for kind in shown {
        if let Some(sums) = traffic.kinds.get(kind) {
            by_type[kind as usize] = Some(types.len());
            types.push(sums.finish(traffic.paths.method_of(kind), traffic.paths.template(kind)));
        }
    }
    let mut other = None;
    let mut other_requests = 0;
    if let Some(sums) = traffic.kinds.sum(&rest) {
        other = Some(types.len());
        other_requests = sums.count;
        types.push(RequestType { name: OTHER.to_owned(), ..sums.finish(String::new(), OTHER.to_owned()) });
    }
    // What became part of another type stands where that one does.
    let all = (0..by_type.len() as TypeId).map(|kind| by_type[traffic.paths.find(kind) as usize]);
    let by_type = all.collect();
    (types, ProfileIndices { by_type, other }, other_requests)
}

fn count_steps(types: &mut [RequestType], totals: &Totals, indices: &ProfileIndices) {
    for (kind, count) in totals.step_counts.iter().enumerate() {
        if let Some(at) = indices.get(kind as TypeId) {
            types[at].steps += count;
        }
    }
}

fn attach(types: &mut [RequestType], totals: &Totals, indices: &ProfileIndices) {
    let mut sums: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for (page, resource, count) in totals.attached.values() {
        if let (Some(page), Some(resource)) = (indices.get(*page), indices.get(*resource)) {
            *sums.entry((page, resource)).or_default() += count;
        }
    }
    for ((page, request), count) in sums {
        types[page].resources.push(Attached { request, count });
    }
    for kind in types {
        kind.resources.sort_by_key(|attached| (std::cmp::Reverse(attached.count), attached.request));
        kind.resources.truncate(ATTACHED_MAX);
    }
}

fn sessions(totals: &Totals, timeout_s: u64, by_identity: [u64; 3]) -> Sessions {
    let breaks = [BREAKS_S[0], BREAKS_S[1], BREAKS_S[2], timeout_s];
    let steps = totals.steps.mean().unwrap_or(0.0) * totals.sessions as f64;
    let mut at: Vec<AtTimeout> = breaks
        .into_iter()
        .zip(totals.at)
        .filter(|(break_s, _)| break_s % 60 == 0)
        .map(|(break_s, count)| AtTimeout {
            timeout_min: break_s / 60,
            count,
            steps_mean: if count > 0 { steps / count as f64 } else { 0.0 },
        })
        .collect();
    at.sort_by_key(|at| at.timeout_min);
    at.dedup_by_key(|at| at.timeout_min);
    let identities = IDENTITIES.into_iter().zip(by_identity).filter(|(_, count)| *count > 0);
    Sessions {
        timeout_s,
        count: totals.sessions,
        at,
        steps: totals.steps.clone(),
        requests: totals.requests.clone(),
        duration_ms: totals.duration_ms.clone(),
        by_identity: identities.map(|(name, count)| (name.to_owned(), count)).collect(),
        sampled: 0,
    }
}

/// Sums of transitions between places of the profile.
#[derive(Default)]
pub(super) struct Sums(BTreeMap<(Option<usize>, Option<usize>), (u64, Pauses)>);

impl Sums {
    pub(super) fn add(&mut self, from: Option<usize>, to: Option<usize>, count: u64, pauses: &Pauses) {
        let sum = self.0.entry((from, to)).or_default();
        sum.0 += count;
        sum.1.merge(pauses);
    }

    pub(super) fn finish(self) -> Vec<Transition> {
        let mut all = Pauses::default();
        self.0.values().for_each(|(_, pauses)| all.merge(pauses));
        let transition = |((from, to), (count, pauses)): (_, (u64, Pauses))| Transition {
            from,
            to,
            count,
            think: pauses.fit_within(&all),
        };
        self.0.into_iter().map(transition).collect()
    }
}

fn transitions(pairs: &IdMap<Pair>, indices: &ProfileIndices) -> Vec<Transition> {
    let mut sums = Sums::default();
    let place = |kind: Option<TypeId>| kind.map_or(Some(None), |kind| indices.get(kind).map(Some));
    // Pauses are sums of floating-point numbers, so their order must not be that of the map.
    let mut ordered: Vec<&Pair> = pairs.values().collect();
    ordered.sort_by_key(|pair| (pair.from, pair.to));
    for pair in ordered {
        if let (Some(from), Some(to)) = (place(pair.from), place(pair.to)) {
            sums.add(from, to, pair.count, &pair.pauses);
        }
    }
    let mut all = sums.finish();
    all.sort_by_key(|transition| std::cmp::Reverse(transition.count));
    all.truncate(TRANSITIONS_MAX);
    all
}
