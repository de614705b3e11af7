//! From sums to a profile.

use std::collections::BTreeMap;

use super::clusters::{self, CLUSTERS_MAX};
use super::hash::{IdMap, pair};
use super::paths::{NOT_FOUND, OTHER, TypeId};
use super::profile::{
    Apart, Arrivals, AtTimeout, Attached, Cluster, Heavy, Period, Profile, RequestType, SCHEMA_VERSION, Sessions,
    Think, Transition,
};
use super::visits::{BREAKS_S, Pair, Pauses, Stride, Totals};
use super::{IDENTITIES, Traffic};

/// Request types that a profile tells apart.
const TYPES_SHOWN_MAX: usize = 300;
/// Transitions that a profile shows.
const TRANSITIONS_MAX: usize = 2_000;
/// Heavy hitters that a profile shows, of each sort.
const HEAVY_SHOWN_MAX: usize = 20;
/// Resources that a profile shows with a page.
const ATTACHED_MAX: usize = 50;
/// Share of the records from which on something is worth a warning.
const WARN_SHARE: f64 = 0.01;
/// Hours of a log for each hour with requests, from which on something is wrong.
const EMPTY_HOURS_FACTOR: f64 = 10.0;

/// Where each type of the tree stands in the profile.
struct Places {
    by_type: Vec<Option<usize>>,
    other: Option<usize>,
}

impl Places {
    fn of(&self, kind: TypeId) -> Option<usize> {
        self.by_type.get(kind as usize).copied().flatten().or(self.other)
    }
}

pub(super) fn profile(mut traffic: Traffic) -> Profile {
    let (mut types, places, other_requests) = types(&mut traffic);
    let Traffic {
        options, visits, paths, ..
    } = traffic;
    let totals = visits.totals;
    let has_records = traffic.requests > 0;
    let whole = Period {
        from_us: traffic.first_us,
        to_us: traffic.last_us.saturating_add(i64::from(traffic.resolution_us.max(1))),
    };
    let period = options
        .period
        .unwrap_or(if has_records { whole } else { Period::default() });
    count_steps(&mut types, &totals, &places);
    attach(&mut types, &totals, &places);
    let apart = Apart {
        robots: traffic.apart.robots + totals.robots,
        resources: totals.resources,
        late: totals.late,
        restarts: totals.restarts,
        ..traffic.apart
    };
    let methods = traffic.by_method.iter().enumerate().filter(|(_, count)| **count > 0);
    let mut by_method: BTreeMap<String, u64> = methods
        .map(|(at, count)| (paths.method_name(at as u8), *count))
        .collect();
    let without = traffic.requests - by_method.values().sum::<u64>();
    if without > 0 {
        by_method.insert("(none)".to_owned(), without);
    }
    let statuses = traffic.by_status.iter().enumerate().filter(|(_, count)| **count > 0);
    let clients = traffic.clients.ranked(HEAVY_SHOWN_MAX);
    let mut profile = Profile {
        schema_version: SCHEMA_VERSION,
        period,
        first_us: if has_records { traffic.first_us } else { 0 },
        last_us: if has_records { traffic.last_us } else { 0 },
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
        think: Think {
            dist_ms: totals.pauses_ms.clone(),
            fit: totals.pauses.fit(),
        },
        transitions: transitions(&totals.pairs, &places),
        scenarios: Vec::new(),
        arrivals: Arrivals {
            requests_per_s: if has_records {
                traffic.requests as f64 / period.length_s()
            } else {
                0.0
            },
            sessions_per_s: totals.sessions as f64 / period.length_s(),
            second_max: totals.request_bursts.second_max(),
            requests: totals.request_bursts.finish(),
            sessions: totals.session_bursts.finish(),
        },
        season: traffic.season.finish(),
        heavy: Heavy {
            clients,
            agents: traffic.agents.ranked(HEAVY_SHOWN_MAX),
            paths: traffic.pages.ranked(HEAVY_SHOWN_MAX),
            hosts: traffic.hosts.ranked(HEAVY_SHOWN_MAX),
        },
        warnings: Vec::new(),
        left_out: Vec::new(),
    };
    profile.warnings = warnings(&profile, &totals);
    let sample = totals.sample.into_sessions();
    profile.sessions.sampled = sample.len() as u64;
    profile.scenarios = scenarios(&sample, &profile.types, &places, options.seed);
    profile
}

/// The types, most frequent first, and where each stands.
fn types(traffic: &mut Traffic) -> (Vec<RequestType>, Places, u64) {
    let mut order: Vec<(u64, TypeId)> = traffic.kinds.each().map(|(kind, sums)| (sums.count, kind)).collect();
    // Equals by name: their numbers depend on the order of the records.
    let name = |kind: TypeId| (traffic.paths.template(kind), traffic.paths.method_of(kind));
    order.sort_by_cached_key(|(count, kind)| (std::cmp::Reverse(*count), name(*kind)));
    let is_other = |paths: &super::Paths, kind: TypeId| paths.template(kind) == OTHER;
    let (mut shown, mut rest): (Vec<TypeId>, Vec<TypeId>) = order
        .iter()
        .map(|(_, kind)| *kind)
        .partition(|kind| !is_other(&traffic.paths, *kind));
    let most = if traffic.options.types.is_some() {
        usize::MAX
    } else {
        TYPES_SHOWN_MAX
    };
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
        types.push(RequestType {
            name: OTHER.to_owned(),
            ..sums.finish(String::new(), OTHER.to_owned())
        });
    }
    // What became part of another type stands where that one does.
    let all = (0..by_type.len() as TypeId).map(|kind| by_type[traffic.paths.find(kind) as usize]);
    let by_type = all.collect();
    (types, Places { by_type, other }, other_requests)
}

fn count_steps(types: &mut [RequestType], totals: &Totals, places: &Places) {
    for (kind, count) in totals.step_counts.iter().enumerate() {
        if let Some(at) = places.of(kind as TypeId) {
            types[at].steps += count;
        }
    }
}

fn attach(types: &mut [RequestType], totals: &Totals, places: &Places) {
    let mut sums: BTreeMap<(usize, usize), u64> = BTreeMap::new();
    for (page, resource, count) in totals.attached.values() {
        if let (Some(page), Some(resource)) = (places.of(*page), places.of(*resource)) {
            *sums.entry((page, resource)).or_default() += count;
        }
    }
    for ((page, request), count) in sums {
        types[page].resources.push(Attached { request, count });
    }
    for kind in types {
        kind.resources
            .sort_by_key(|attached| (std::cmp::Reverse(attached.count), attached.request));
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
struct Sums(BTreeMap<(Option<usize>, Option<usize>), (u64, Pauses)>);

impl Sums {
    fn add(&mut self, from: Option<usize>, to: Option<usize>, count: u64, pauses: &Pauses) {
        let sum = self.0.entry((from, to)).or_default();
        sum.0 += count;
        sum.1.merge(pauses);
    }

    fn finish(self) -> Vec<Transition> {
        let transition = |((from, to), (count, pauses)): (_, (u64, Pauses))| Transition {
            from,
            to,
            count,
            think: pauses.fit(),
        };
        self.0.into_iter().map(transition).collect()
    }
}

fn transitions(pairs: &IdMap<Pair>, places: &Places) -> Vec<Transition> {
    let mut sums = Sums::default();
    let place = |kind: Option<TypeId>| kind.map_or(Some(None), |kind| places.of(kind).map(Some));
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

/// The scenarios of the sampled sessions.
fn scenarios(sample: &[Vec<Stride>], types: &[RequestType], places: &Places, seed: u64) -> Vec<Cluster> {
    let sessions: Vec<Vec<(usize, u32)>> = sample
        .iter()
        .map(|steps| {
            steps
                .iter()
                .filter_map(|(kind, pause)| Some((places.of(*kind)?, *pause)))
                .collect()
        })
        .filter(|steps: &Vec<_>| !steps.is_empty())
        .collect();
    let kinds: Vec<Vec<usize>> = sessions
        .iter()
        .map(|steps| steps.iter().map(|(kind, _)| *kind).collect())
        .collect();
    let assigned = clusters::assign(kinds.iter().map(Vec::as_slice), &ranks(types), seed);
    let steps_total: usize = kinds.iter().map(Vec::len).sum();
    let visits = share_of_sessions(&kinds, &assigned, types.len());
    let mut names: Vec<String> = Vec::new();
    (0..CLUSTERS_MAX)
        .filter_map(|cluster| {
            let own: Vec<&Vec<(usize, u32)>> = of_cluster(&sessions, &assigned, cluster);
            if own.is_empty() {
                return None;
            }
            let steps: usize = own.iter().map(|steps| steps.len()).sum();
            let name = unused(&names, name(cluster, &visits, types));
            names.push(name.clone());
            Some(Cluster {
                name,
                sessions_share: own.len() as f64 / sessions.len() as f64,
                requests_share: steps as f64 / steps_total as f64,
                steps_mean: steps as f64 / own.len() as f64,
                transitions: chain(&own),
            })
        })
        .collect()
}

fn of_cluster<'a, T>(sessions: &'a [T], assigned: &[usize], cluster: usize) -> Vec<&'a T> {
    let own = sessions
        .iter()
        .zip(assigned)
        .filter(|(_, assigned)| **assigned == cluster);
    own.map(|(session, _)| session).collect()
}

/// Place of each type by the number of its steps.
fn ranks(types: &[RequestType]) -> Vec<usize> {
    let mut order: Vec<usize> = (0..types.len()).collect();
    order.sort_by_key(|at| std::cmp::Reverse(types[*at].steps));
    let mut ranks = vec![0; types.len()];
    for (rank, at) in order.into_iter().enumerate() {
        ranks[at] = rank;
    }
    ranks
}

fn chain(sessions: &[&Vec<(usize, u32)>]) -> Vec<Transition> {
    let mut sums = Sums::default();
    let none = Pauses::default();
    for steps in sessions {
        let mut before = None;
        for (kind, pause_ms) in *steps {
            let mut pauses = Pauses::default();
            if before.is_some() {
                pauses.add(*pause_ms);
            }
            sums.add(before, Some(*kind), 1, &pauses);
            before = Some(*kind);
        }
        sums.add(before, None, 1, &none);
    }
    let mut all = sums.finish();
    all.sort_by_key(|transition| (transition.from, std::cmp::Reverse(transition.count)));
    all
}

/// Share of the sessions of each cluster that have a step of each type.
fn share_of_sessions(kinds: &[Vec<usize>], assigned: &[usize], types: usize) -> Vec<Vec<f64>> {
    let mut seen: IdMap<()> = IdMap::default();
    let mut shares = vec![vec![0.0; types]; CLUSTERS_MAX];
    let mut sizes = [0.0; CLUSTERS_MAX];
    for (session, (steps, cluster)) in kinds.iter().zip(assigned).enumerate() {
        sizes[*cluster] += 1.0;
        for kind in steps {
            if seen.insert(pair(session as u32, *kind as u32), ()).is_none() {
                shares[*cluster][*kind] += 1.0;
            }
        }
    }
    for (share, size) in shares.iter_mut().zip(sizes) {
        share.iter_mut().for_each(|share| *share /= f64::max(size, 1.0));
    }
    shares
}

/// Name of a scenario: that of the request which tells it best from the others, by p·ln(p/q) with the shares p and q of
/// sessions inside and outside that have it.
fn name(cluster: usize, visits: &[Vec<f64>], types: &[RequestType]) -> String {
    let outside = |kind: usize| {
        let others = visits.iter().enumerate().filter(|(at, _)| *at != cluster);
        others.map(|(_, shares)| shares[kind]).fold(0.0, f64::max)
    };
    let telling = |kind: usize| {
        let inside = visits[cluster][kind];
        inside * ((inside + 0.01) / (outside(kind) + 0.01)).ln()
    };
    let named = (0..types.len()).filter(|kind| ![OTHER, NOT_FOUND].contains(&types[*kind].template.as_str()));
    // Of equally telling ones a page says more than what it sends, and a frequent one more than a rare one.
    let order = |kind: &usize| (types[*kind].method == "GET", std::cmp::Reverse(*kind));
    let best = named.max_by(|a, b| telling(*a).total_cmp(&telling(*b)).then_with(|| order(a).cmp(&order(b))));
    best.map_or_else(|| "visit".to_owned(), |kind| short_name(&types[kind]))
}

/// A short name of a request type for keys of a document: `item`, `post-login`, `home`.
pub(crate) fn short_name(kind: &RequestType) -> String {
    let names = kind
        .template
        .split('/')
        .filter(|part| !part.is_empty() && !part.starts_with("{id}"));
    let last = names.last().unwrap_or("home");
    let stem = last.rsplit_once('.').map_or(last, |(stem, _)| stem);
    let mut name = if kind.method == "GET" {
        String::new()
    } else {
        format!("{}-", kind.method.to_lowercase())
    };
    for letter in stem.chars().take(40) {
        match letter {
            'a'..='z' | '0'..='9' | '_' => name.push(letter),
            'A'..='Z' => name.push(letter.to_ascii_lowercase()),
            _ if !name.ends_with('-') => name.push('-'),
            _ => {}
        }
    }
    let name = name.trim_matches('-');
    if name.starts_with(|first: char| first.is_ascii_alphabetic()) {
        name.to_owned()
    } else {
        format!("page-{name}")
    }
    .trim_end_matches('-')
    .to_owned()
}

/// The name, with a number behind it when it is taken.
pub(crate) fn unused(taken: &[String], name: String) -> String {
    let numbered = std::iter::once(name.clone()).chain((2..).map(|n| format!("{name}-{n}")));
    numbered.into_iter().find(|name| !taken.contains(name)).unwrap_or(name)
}

fn warnings(profile: &Profile, totals: &Totals) -> Vec<String> {
    let requests = profile.requests.max(1) as f64;
    let share = |count: u64| count as f64 / requests;
    let percent = |count: u64| format!("{:.1} %", 100.0 * share(count));
    let mut warnings = Vec::new();
    let mut warn = |when: bool, text: String| {
        if when {
            warnings.push(text);
        }
    };
    let apart = &profile.apart;
    warn(
        share(apart.robots) >= WARN_SHARE,
        format!(
            "{} of the requests are of robots: they are in no session",
            percent(apart.robots)
        ),
    );
    warn(
        share(apart.late) >= WARN_SHARE,
        format!(
            "{} of the requests are older than what stands more than 2 min before them, so they are in no session: \
             give logs of several servers as several files, oldest first, and see whether their clocks and zones agree",
            percent(apart.late)
        ),
    );
    warn(
        apart.restarts > 0,
        format!(
            "the log jumps back in time {} times: sessions end there; give files oldest first",
            apart.restarts
        ),
    );
    warn(
        share(apart.without_request) >= WARN_SHARE,
        format!(
            "{} of the requests have no method and path, as TLS on a plain port",
            percent(apart.without_request)
        ),
    );
    warn(
        profile.requests > 0 && !profile.has_durations,
        "the log has no durations: pauses contain the time that pages took to load, and there is no baseline of response \
         times"
            .to_owned(),
    );
    warn(
        profile.other_requests > 0,
        format!(
            "{} of the requests are of types too many to tell apart, and are one type `{OTHER}`",
            percent(profile.other_requests)
        ),
    );
    let span_h = (profile.last_us as f64 - profile.first_us as f64) / 3.6e9;
    let busy_h = profile.season.hours.len().max(1) as f64;
    warn(
        span_h > EMPTY_HOURS_FACTOR * busy_h,
        format!(
            "only {busy_h:.0} of the {span_h:.0} hours from the first to the last record have requests: rates are means \
             over all of them; choose a time, and see whether the stamps are right"
        ),
    );
    let hosts = &profile.heavy.hosts;
    warn(
        hosts.len() > 1,
        format!(
            "the log is of several hosts ({}): their paths are taken together",
            hosts
                .iter()
                .take(3)
                .map(|host| host.text.as_str())
                .collect::<Vec<_>>()
                .join(", ")
        ),
    );
    warn(
        profile.sessions.count > 0 && profile.sessions.count < 100,
        format!(
            "only {} sessions: shares, pauses and scenarios are rough",
            profile.sessions.count
        ),
    );
    warn(
        totals.left_early > 0,
        format!(
            "{} visitors were forgotten early, since there were too many at a time",
            totals.left_early
        ),
    );
    warn(
        totals.steps_left_out > 0,
        format!("{} steps of very long sessions were left out", totals.steps_left_out),
    );
    warn(
        totals.pairs_left_out > 0,
        format!(
            "{} transitions were left out, since there are too many kinds of them",
            totals.pairs_left_out
        ),
    );
    warn(
        profile.season.beyond > 0,
        format!(
            "{} requests are of hours beyond those that can be kept: see whether their years are right",
            profile.season.beyond
        ),
    );
    warnings
}
