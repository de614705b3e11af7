use std::cell::Cell;
use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::url::Scheme;

/// A clock that stands where it is put.
#[derive(Default)]
struct Standing(Cell<u64>);

impl Clock for Standing {
    fn now(&self) -> Nanos {
        Nanos(self.0.get())
    }
}

fn ip(text: &str) -> IpAddr {
    text.parse().unwrap()
}

fn places(texts: &[&str]) -> Vec<TargetAddress> {
    texts.iter().map(|text| (ip(text), None)).collect()
}

fn origin(host: &str, port: u16) -> Origin {
    Origin { scheme: Scheme::Http, host: host.into(), port }
}

/// Names of the worker with this number, where `a.test` has the addresses 127.0.0.1 up to `count`.
fn names_with(start: usize, count: u8, sources: Vec<IpAddr>) -> Names {
    let addresses: Vec<TargetAddress> = (1..=count).map(|last| ([127, 0, 0, last].into(), None)).collect();
    let host = |host: &str| HostOverride { host: host.into(), port: None, addresses: addresses.clone() };
    let rules = NameRules { hosts: vec![host("a.test"), host("b.test")], ..NameRules::default() };
    Names::starting_at(start, rules, sources)
}

async fn route_to(names: &Names, host: &str) -> Route {
    let clock = Standing::default();
    names.route(&origin(host, 80), names.answers(), &clock).await.unwrap()
}

fn block_on<T>(future: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(future)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Law: whatever a worker's start, connections go to all addresses equally often, and each tries them all.
    #[test]
    fn connections_spread_evenly_over_all_addresses(start in 0_usize..100, count in 1_u8..7, rounds in 1_usize..5) {
        let names = names_with(start, count, Vec::new());
        let mut firsts: HashMap<SocketAddr, usize> = HashMap::new();
        for _ in 0..rounds * usize::from(count) {
            let route = block_on(route_to(&names, "a.test"));
            prop_assert_eq!(route.places.len(), usize::from(count));
            *firsts.entry(route.places[0]).or_default() += 1;
        }
        prop_assert_eq!(firsts.len(), usize::from(count));
        prop_assert!(firsts.values().all(|&times| times == rounds), "{:?}", firsts);
    }

    /// Law: one connection from each of many workers spreads as evenly as many connections of one.
    #[test]
    fn workers_with_one_connection_each_spread_evenly(count in 1_u8..7, rounds in 1_usize..5) {
        let mut firsts: HashMap<SocketAddr, usize> = HashMap::new();
        for worker in 0..rounds * usize::from(count) {
            let route = block_on(route_to(&names_with(worker, count, Vec::new()), "a.test"));
            *firsts.entry(route.places[0]).or_default() += 1;
        }
        prop_assert!(firsts.len() == usize::from(count) && firsts.values().all(|&times| times == rounds));
    }

    /// Law: sources and addresses do not turn in step: every pair is used, so every pair's ports are.
    #[test]
    fn every_source_meets_every_address(count in 1_u8..7, sources in 1_u8..7) {
        let names = names_with(0, count, (1..=sources).map(|last| [127, 0, 1, last].into()).collect());
        let mut pairs = std::collections::HashSet::new();
        for _ in 0..usize::from(count) * usize::from(sources) {
            let route = block_on(route_to(&names, "a.test"));
            pairs.insert((route.places[0], route.source_turn % usize::from(sources)));
        }
        prop_assert_eq!(pairs.len(), usize::from(count) * usize::from(sources));
    }

    /// Law: the order of an answer says nothing, so a server that turns its answers cannot undo our turn.
    #[test]
    fn the_order_of_an_answer_does_not_matter(order in Just((1_u8..6).collect::<Vec<_>>()).prop_shuffle()) {
        let shuffled = order.iter().map(|&last| ([127, 0, 0, last].into(), None)).collect();
        let sorted = (1_u8..6).map(|last| ([127, 0, 0, last].into(), None)).collect();
        prop_assert_eq!(rank(shuffled, Family::Any, &[], |_| true), rank(sorted, Family::Any, &[], |_| true));
    }
}

/// A page and its picture host in turn: a common count would send each to one address only.
#[test]
fn turns_are_counted_per_host() {
    let names = names_with(0, 2, Vec::new());
    let mut firsts = Vec::new();
    for _ in 0..2 {
        firsts.push(block_on(route_to(&names, "a.test")).places[0]);
        block_on(route_to(&names, "b.test"));
    }
    assert_ne!(firsts[0], firsts[1]);
}

#[test]
fn families() {
    let both = ["10.0.0.1", "::1"];
    let first = |family, sources: &[IpAddr]| rank(places(&both), family, sources, |_| false).first;
    assert_eq!(first(Family::V4, &[]), places(&["10.0.0.1"]));
    assert_eq!(first(Family::V6, &[]), places(&["::1"]));
    assert_eq!(first(Family::Any, &[ip("127.0.0.1")]), places(&["10.0.0.1"]));
    assert_eq!(first(Family::Any, &[ip("::1")]), places(&["::1"]));
    let neither = rank(places(&["10.0.0.1"]), Family::V6, &[], |_| true);
    assert!(neither.first.is_empty() && neither.second.is_empty());
}

/// The other family stays as a resort, and the only one there is comes first, route or not.
#[test]
fn ipv6_comes_first_only_where_there_is_a_route() {
    let (v4, v6) = (places(&["10.0.0.1"]), places(&["2001:db8::1", "2001:db8::2"]));
    let ranked = |all: &[&[TargetAddress]], has_route: fn(Ipv6Addr) -> bool| {
        let ranked = rank(all.concat(), Family::Any, &[], has_route);
        (ranked.first, ranked.second)
    };
    assert_eq!(ranked(&[&v4, &v6], |_| true), (v6.clone(), v4.clone()));
    assert_eq!(ranked(&[&v6, &v4], |_| false), (v4.clone(), v6.clone()));
    assert_eq!(ranked(&[&v6], |_| false), (v6.clone(), Vec::new()));
    assert_eq!(ranked(&[&v4], |_| true), (v4, Vec::new()));
}

#[test]
fn overrides_are_found_by_name_and_port() {
    let given = |host: &str, port| HostOverride { host: host.into(), port, addresses: Vec::new() };
    assert!(given("a.test", None).covers(&origin("a.test", 80)));
    assert!(given("A.test.", None).covers(&origin("a.TEST", 80)));
    assert!(given("a.test", Some(80)).covers(&origin("a.test.", 80)));
    assert!(!given("a.test", Some(80)).covers(&origin("a.test", 81)));
    assert!(!given("a.test", None).covers(&origin("b.a.test", 80)));
}

#[test]
fn the_port_of_an_override_replaces_that_of_the_url() {
    let rules = NameRules {
        hosts: vec![HostOverride {
            host: "a.test".into(),
            port: None,
            addresses: vec![(ip("10.0.0.1"), Some(8080)), (ip("10.0.0.2"), None)],
        }],
        ..NameRules::default()
    };
    let names = Names::starting_at(0, rules, Vec::new());
    let route = block_on(route_to(&names, "a.test"));
    assert_eq!(route.places, ["10.0.0.1:8080".parse().unwrap(), "10.0.0.2:80".parse().unwrap()]);
    assert_eq!(route.ttl, None);
}

#[test]
fn an_override_without_the_wanted_family_is_a_failure_of_dns() {
    let rules = NameRules { family: Family::V6, ..names_with(0, 1, Vec::new()).rules };
    let names = Names::starting_at(0, rules, Vec::new());
    let (origin, clock) = (origin("a.test", 80), Standing::default());
    let route = names.route(&origin, names.answers(), &clock);
    assert_eq!(block_on(route).unwrap_err().kind, ErrorKind::Dns);
}

/// An answer ends with the instant that its lifetime ends, and not one later.
#[test]
fn an_answer_is_usable_until_its_lifetime_ends() {
    let answers = Answers::default();
    let cell = answers.cell("a.test", Nanos::ZERO);
    assert!(Rc::ptr_eq(&cell, &answers.cell("a.test", Nanos::MAX)), "being looked up");
    let kept = CacheEntry {
        result: Ok(Rc::new(Ranked::single(ip("10.0.0.1")))),
        ttl: Nanos::from_secs(1),
        until: Nanos::from_secs(1),
    };
    cell.set(kept).unwrap();
    assert!(Rc::ptr_eq(&cell, &answers.cell("a.test", Nanos::from_secs(1) - Nanos(1))));
    assert!(!Rc::ptr_eq(&cell, &answers.cell("a.test", Nanos::from_secs(1))));
}

#[test]
fn the_cache_and_the_turns_are_bounded() {
    let names = names_with(0, 1, Vec::new());
    for i in 0..=NAMES_MAX {
        names.answers().cell(&i.to_string(), Nanos::ZERO);
        names.turn(&i.to_string());
    }
    assert_eq!(names.answers.0.borrow().len(), 1, "full, so it started over");
    assert_eq!(names.turns.borrow().len(), 1);
}

/// Whoever writes down addresses of both families wants both loaded.
#[test]
fn given_addresses_of_both_families_have_their_turns() {
    let rules = NameRules {
        hosts: vec![HostOverride { host: "a.test".into(), port: None, addresses: places(&["127.0.0.1", "::1"]) }],
        ..NameRules::default()
    };
    let names = Names::starting_at(0, rules, Vec::new());
    let firsts: Vec<IpAddr> = (0..4).map(|_| block_on(route_to(&names, "a.test")).places[0].ip()).collect();
    assert_eq!(firsts, ["127.0.0.1", "::1", "127.0.0.1", "::1"].map(ip));
}
