//! A run on several injectors is the run on one: what they send, merged, is what one would have measured.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;

use nmax_engine::program::catalog;
use nmax_metrics::join::Gap;
use nmax_metrics::merger::Merged;
use nmax_metrics::{
    Aggregate, Catalog, Frame, Group, Histogram, Merger, Nanos, RequestStats, Section, Statistic, Window,
};
use nmax_plan::plan::Plan;
use nmax_plan::share::Share;
use nmax_testkit::plans::plan;
use nmax_testkit::sim::{Answer, Call, Options, Server, Simulated, reply_with, simulate};
use proptest::prelude::*;

use crate::ms;
use crate::scripts::{scripted, visits};

/// Names with holes and without, checks, a transaction, pauses, two scenarios, sections.
const STEPS: &str = "nmax: 1
target: http://h.test
scenarios:
  a: { steps: [
    { get: \"/item/${iteration}\", name: \"item ${iteration}\", expect: { status: 200 }, tags: [t],
      metric: { size: { header: x-size, as: trend, unit: B }, level: { header: x-size, as: gauge } } },
    { think: { min: 5ms, max: 90ms } },
    { transaction: both, steps: [{ get: /b }, { post: /c, body: x }] } ] }
  b: { steps: [{ get: /b }, { get: \"/late/${iteration}\", name: late }] }
warm_up: 500ms
graceful_stop: 5s
";

const WORKLOADS: [&str; 3] = [
    "workload: { open: { rate: 60/s }, mix: { a: 1, b: 2 } }\nstages: [{ ramp: 1s, to: 100% }, { hold: 2s }]",
    "workload: { open: { rate: 40/s, arrivals: poisson }, mix: { a: 2, b: 1 } }\nduration: 3s",
    "workload: { closed: { vus: 12 }, mix: { a: 1, b: 1 } }\nduration: 3s",
];

/// What it answers, and how long that takes, depends on the request alone.
fn server() -> impl Server {
    let sizes = ["-7.25", "0", "9.5", "none", "12000000"].map(|size| format!("x-size: {size}\r\n"));
    let replies = [200, 200, 200, 404, 500].map(|status| sizes.each_ref().map(|size| reply_with(status, size, "")));
    move |call: &Call<'_>| {
        let hash = call.target().bytes().fold(7_u64, |hash, byte| hash * 31 % 65_521 + u64::from(byte));
        let time = if call.target().starts_with("/late") { ms(700 + hash % 900) } else { ms(1 + hash % 120) };
        Answer::Bytes(call.at + time, Rc::clone(&replies[hash as usize % 5][hash as usize / 5 % 5]))
    }
}

fn injector(plan: &Arc<Plan>, weights: &[u32], index: u32, names_max: usize) -> Simulated {
    let share = Share::for_injector(index, weights).unwrap();
    simulate(plan, server(), &Options { share, sends: Some(index), names_max, scripts: visits(), ..Options::sum() })
}

/// What arrives at the one who merges.
#[derive(Clone, Debug)]
enum Message {
    Frame(Vec<u8>),
    End(u32, u64),
}

fn messages(injectors: &[Simulated]) -> Vec<Message> {
    let of = |(injector, run): (usize, &Simulated)| {
        let end = Message::End(injector as u32, run.frames.len() as u64);
        run.frames.iter().cloned().map(Message::Frame).chain([end]).collect::<Vec<_>>()
    };
    injectors.iter().enumerate().flat_map(of).collect()
}

fn merge(merger: &mut Merger, messages: &[Message]) -> Vec<Window> {
    let mut windows = Vec::new();
    for message in messages {
        let merged = match message {
            Message::Frame(bytes) => merger.add(Frame::decode(bytes).unwrap()).unwrap(),
            Message::End(injector, windows) => merger.end(*injector, *windows),
        };
        windows.extend(merged.into_iter().map(whole));
    }
    windows
}

/// A window of the run, which is what the injectors measured, added up.
fn whole(Merged { window, parts }: Merged) -> Window {
    let mut sum = Window::new(window.index, window.width);
    for part in parts.values() {
        assert_eq!((part.index, part.width), (window.index, window.width));
        sum.aggregate.merge(&part.aggregate);
    }
    assert_eq!(sum, window);
    window
}

/// What a window says of requests, of everything that is gathered by name, and of the load, by name.
pub(crate) type Said = BTreeMap<(u64, Section, String), (RequestStats, Vec<u128>, Vec<Histogram>)>;

/// All of it but what is the injectors' own, such as their connections.
pub(crate) fn said(windows: &[Window], names: &Catalog) -> Said {
    let mut said = Said::new();
    for (window, section) in windows.iter().flat_map(|window| Section::ALL.map(|section| (window, section))) {
        let aggregate = &window.aggregate;
        let mut add = |name: String, request: &RequestStats, counts, times| {
            let mut request = request.clone();
            request.status.sort_unstable();
            said.insert((window.index, section, name), (request, counts, times));
        };
        for (id, stats) in aggregate.requests(section).filter(|(_, stats)| !stats.is_blank()) {
            add(format!("request {}", names.requests.name(id)), stats, vec![], vec![]);
        }
        for group in Group::ALL {
            let table = aggregate.table(group);
            for index in 0..table.len() {
                let Some(counts) = table.counts(section, index) else { continue };
                let times =
                    (0..table.distribution_names().len()).filter_map(|word| table.time(section, index, word).cloned());
                let name = format!("{} {}", group.name(), names.list(group)[index]);
                add(name, &RequestStats::default(), counts, times.collect());
            }
        }
        let load = aggregate.load(section);
        let counts = [load.due, load.started, load.dropped().total()].map(u128::from);
        add("load".into(), &RequestStats::default(), [&counts[..], &[load.in_flight_ns]].concat(), vec![]);
    }
    said
}

/// One to four injectors, any order of what they send, and one of them that may be lost.
fn fleet() -> impl Strategy<Value = (usize, Vec<u32>, u64)> {
    (0..WORKLOADS.len(), prop::collection::vec(1..7_u32, 1..5), any::<u64>())
}

/// As [`fleet`], and whether one of the scenarios is a script.
fn fleets() -> impl Strategy<Value = ((usize, Vec<u32>, u64), bool)> {
    (fleet(), any::<bool>())
}

/// The messages in an order of their own for each seed.
fn shuffled(mut messages: Vec<Message>, seed: u64) -> Vec<Message> {
    let mut state = seed | 1;
    for last in (1..messages.len()).rev() {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        messages.swap(last, (state >> 33) as usize % (last + 1));
    }
    messages
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Law: the windows of any number of injectors, sent and merged in any order, are those of one.
    #[test]
    fn several_injectors_measure_what_one_does(((workload, weights, seed), is_scripted) in fleets()) {
        let plan = plan(&format!("{STEPS}{}", WORKLOADS[workload]));
        let plan = if is_scripted { scripted(&plan) } else { plan };
        let alone = simulate(&plan, server(), &Options { scripts: visits(), ..Options::all() });
        let all: Vec<_> = (0..weights.len() as u32).map(|index| injector(&plan, &weights, index, 500)).collect();
        let mut merger = Merger::new(catalog(&plan, 500), weights.len() as u32, Nanos::from(plan.window));
        let merged = merge(&mut merger, &shuffled(messages(&all), seed));
        prop_assert!(merger.is_done() && merger.gaps().is_empty() && merger.unread().is_empty());
        prop_assert!(merged.iter().map(|window| window.index).eq(alone.windows.iter().map(|window| window.index)));
        let (merged, alone) = (said(&merged, merger.catalog()), said(&alone.windows, &alone.catalog));
        for what in ["request item ", "metric gauge level #t"] {
            prop_assert!(alone.keys().any(|(_, _, name)| name.starts_with(what)), "names that came on the way: {what}");
        }
        for (key, want) in &alone {
            prop_assert_eq!(merged.get(key), Some(want), "{:?} of {:?}", key, &weights);
        }
        prop_assert_eq!(merged.len(), alone.len());
    }

    /// Law: of an injector that is killed counts what it sent, and the gap it leaves is named exactly.
    #[test]
    fn a_killed_injector_is_a_gap_that_is_named((workload, weights, seed) in fleet(), at in any::<prop::sample::Index>()) {
        prop_assume!(weights.len() > 1);
        let plan = plan(&format!("{STEPS}{}", WORKLOADS[workload]));
        let mut all: Vec<_> = (0..weights.len() as u32).map(|index| injector(&plan, &weights, index, 500)).collect();
        let killed = at.index(weights.len());
        let sent = at.index(all[killed].frames.len());
        all[killed].frames.truncate(sent);
        let last = all.iter().map(|run| run.frames.len() as u64).max().unwrap();
        let heard = messages(&all).into_iter().filter(|message| !matches!(message, Message::End(of, _) if *of == killed as u32));
        let mut merger = Merger::new(catalog(&plan, 500), weights.len() as u32, Nanos::from(plan.window));
        let mut merged = merge(&mut merger, &shuffled(heard.collect(), seed));
        prop_assert!(!merger.is_done() && merged.len() == sent, "the others wait for it");
        merged.extend(merger.lose(killed as u32).into_iter().map(whole));
        prop_assert!(merger.is_done() && merger.unread().is_empty());
        let gap = Gap { part: killed, windows: sent as u64..last };
        prop_assert_eq!(merger.gaps(), if gap.windows.is_empty() { vec![] } else { vec![gap] });
        // Each injector's windows by its own names, added up by hand.
        let mut sum = Aggregate::default();
        let mut requests: BTreeMap<String, u64> = BTreeMap::new();
        for frame in all.iter().flat_map(|run| &run.frames) {
            let Frame { injector, window, .. } = Frame::decode(frame).unwrap();
            for (id, stats) in Section::ALL.into_iter().flat_map(|section| window.aggregate.requests(section)) {
                *requests.entry(all[injector as usize].catalog.requests.name(id).into()).or_default() += stats.count();
            }
        }
        merged.iter().for_each(|window| sum.merge(&window.aggregate));
        let whole = sum.whole();
        let found = whole.requests(Section::Hold).map(|(id, stats)| (merger.catalog().requests.name(id).into(), stats.count()));
        prop_assert_eq!(found.collect::<BTreeMap<String, u64>>(), requests);
    }

    /// Law: which names are told apart does not depend on the order in which frames arrive, and no exchange is lost.
    #[test]
    fn names_beyond_the_cap_do_not_depend_on_the_order((workload, weights, seed) in fleet()) {
        let plan = plan(&format!("{STEPS}{}", WORKLOADS[workload]));
        let all: Vec<_> = (0..weights.len() as u32).map(|index| injector(&plan, &weights, index, 20)).collect();
        let merged = [0, seed].map(|seed| {
            let mut merger = Merger::new(catalog(&plan, 20), weights.len() as u32, Nanos::from(plan.window));
            let windows = merge(&mut merger, &shuffled(messages(&all), seed));
            (windows, merger.catalog().clone())
        });
        let [(windows, names), (other_windows, other_names)] = &merged;
        prop_assert_eq!(names.requests.list(), other_names.requests.list());
        prop_assert_eq!(names.requests.list().len(), 21);
        prop_assert_eq!(names.requests.overflowed(), other_names.requests.overflowed());
        prop_assert_eq!(windows, other_windows);
        let exchanges: u64 = windows.iter().map(|window| window.aggregate.whole().total(Section::Hold).count()).sum();
        prop_assert_eq!(exchanges, all.iter().map(Simulated::exchanges).sum::<u64>());
    }
}
