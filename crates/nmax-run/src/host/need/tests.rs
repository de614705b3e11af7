use nmax_plan::planless::Planless;

use super::*;

fn need(change: impl Fn(&mut Planless)) -> Need {
    let mut planless = Planless::get("http://10.0.0.7:8080/");
    change(&mut planless);
    let plan = Plan::for_url(&planless).unwrap();
    let origins = [nmax_http::Url::parse(&plan.target).unwrap().origin];
    Need::for_plan(&plan, &origins, 2)
}

#[test]
fn users_who_keep_their_connections_surely_need_them() {
    let kept = need(|run| run.vus = Some(500));
    assert_eq!((kept.users, kept.connections, kept.is_sure, kept.closes), (500, 500, true, false));
    assert_eq!(kept.opened_per_s, Some(0.0));
    // No more users than iterations.
    let few = need(|run| (run.vus, run.requests) = (Some(500), Some(20)));
    assert_eq!((few.users, few.connections), (20, 20));
}

/// Rival mistake: connections that are closed after each request counted as held.
#[test]
fn users_who_close_hold_nothing_for_sure() {
    for policy in [Connection::PerRequest, Connection::PerIteration] {
        let closing = need(|run| (run.vus, run.connection) = (Some(500), policy));
        assert!(!closing.is_sure && closing.closes, "{policy:?}: {closing:?}");
        assert_eq!(closing.opened_per_s, None, "the target's speed decides");
    }
}

#[test]
fn rates_open_connections_by_policy() {
    let rate = |policy| need(|run| (run.rate_per_s, run.connection) = (Some(900.0), policy));
    assert_eq!(rate(Connection::KeepAlive).opened_per_s, Some(0.0));
    assert_eq!(rate(Connection::PerIteration).opened_per_s, Some(900.0));
    assert_eq!(rate(Connection::PerRequest).opened_per_s, Some(900.0));
    assert!(!rate(Connection::KeepAlive).is_sure, "an open workload may stay far below its limit");
}

#[test]
fn new_visitors_open_connections_by_their_share() {
    let mut plan = Plan::for_url(&Planless { rate_per_s: Some(1_000.0), ..Planless::get("http://10.0.0.7/") }).unwrap();
    let origins = [nmax_http::Url::parse(&plan.target).unwrap().origin];
    for (visitor, want) in [(Visitor::New, 1_000.0), (Visitor::Mixed(0.25), 250.0), (Visitor::Returning, 0.0)] {
        plan.defaults.visitor = visitor;
        assert_eq!(Need::for_plan(&plan, &origins, 1).opened_per_s, Some(want), "{visitor:?}");
    }
}

#[test]
fn sources_addresses_and_proxies_are_counted() {
    let mut plan = Plan::for_url(&Planless::get("http://shop.test/")).unwrap();
    let origins = [nmax_http::Url::parse(&plan.target).unwrap().origin];
    let plain = Need::for_plan(&plan, &origins, 1);
    assert_eq!((plain.sources, plain.destinations, plain.is_literal), (1, 1, false));
    assert_eq!(port_here(&plan, &origins), None);
    plan.hosts = vec![nmax_plan::plan::HostOverride {
        host: "shop.test".into(),
        port: None,
        addresses: vec![("::1".parse().unwrap(), Some(8080))],
    }];
    assert_eq!(port_here(&plan, &origins), Some(8080));
    plan.defaults.source_addresses = vec!["127.0.0.2".parse().unwrap(), "127.0.0.3".parse().unwrap()];
    plan.hosts = vec![nmax_plan::plan::HostOverride {
        host: "Shop.test".into(),
        port: None,
        addresses: ["127.0.0.1", "127.0.0.5", "127.0.0.9"].map(|address| (address.parse().unwrap(), None)).to_vec(),
    }];
    let many = Need::for_plan(&plan, &origins, 1);
    assert_eq!((many.sources, many.destinations, many.is_literal, many.is_loopback), (2, 3, true, true));
    for proxy in ["http://10.0.0.9:3128", "http://ann:p@ss@10.0.0.9:3128"] {
        plan.defaults.proxy = Some(proxy.into());
        let proxied = Need::for_plan(&plan, &origins, 1);
        assert_eq!((proxied.destinations, proxied.is_loopback), (1, false), "{proxy}");
    }
}

/// Rival mistake: the limit of an open workload taken for what it will need, whatever its rate.
#[test]
fn a_low_rate_cannot_need_the_whole_limit() {
    let rate = |rate: f64, timeout_s: u64| {
        need(|run| (run.rate_per_s, run.timeout) = (Some(rate), Some(Duration::from_secs(timeout_s)))).users
    };
    assert_eq!(rate(30.0, 3), 90);
    assert_eq!(rate(30.0, 30), 300, "no more than start in ten seconds");
    assert_eq!(rate(0.001, 1), 1);
    assert_eq!(rate(30_000.0, 30), 10_000, "the limit of the workload");
    let looped = nmax_testkit::plans::plan(
        "nmax: 1\ntarget: http://10.0.0.7:8080\nscenarios: { a: { steps: [{ while: \"1 == 1\", max: 9, steps: [{ get: / }] }] } }\n\
         workload: { open: { rate: 4/s } }\nduration: 50s",
    );
    let origins = [nmax_http::Url::parse(&looped.target).unwrap().origin];
    assert_eq!(Need::for_plan(&looped, &origins, 1).users, 200, "no more than start");
}

/// What runs beside the mix needs its users too, and a page six connections to each server.
#[test]
fn backgrounds_and_pages_need_connections_of_their_own() {
    let of = |steps: &str, background: &str| {
        let plan = nmax_testkit::plans::plan(&format!(
            "nmax: 1\ntarget: http://10.0.0.7:8080\nscenarios: {{ a: {{ steps: [{steps}] }}, b: {{ steps: [{{ get: /b }}] }} }}\n\
             workload: {{ mix: {{ a: 1 }}, closed: {{ vus: 100 }}{background} }}"
        ));
        let origins = [nmax_http::Url::parse(&plan.target).unwrap().origin];
        Need::for_plan(&plan, &origins, 2)
    };
    let plain = of("{ get: / }", "");
    assert_eq!((plain.users, plain.connections, plain.is_sure), (100, 100, true));
    let beside = of("{ get: / }", ", background: { b: { closed: { vus: 20 } } }");
    assert_eq!((beside.users, beside.connections, beside.is_sure), (120, 120, true));
    let open = of("{ get: /, timeout: 2s }", ", background: { b: { open: { rate: 5/s, max_in_flight: 40 } } }");
    assert_eq!((open.users, open.is_sure), (140, false), "30 s at most of each of 5/s, and no more than the limit");
    let page = of("{ get: /, page: true, resources: [/a.css] }", "");
    assert_eq!((page.users, page.connections, page.is_sure), (100, 600, false));
    let nested = of("{ if: \"1 == 1\", then: [{ get: /, resources: [/a.css] }] }", "");
    assert_eq!(nested.connections, 600);
}

/// A script goes on as long, and to as many origins, as it likes.
#[test]
fn what_scripts_need_is_unknown() {
    let of = |planless: Planless| {
        let mut plan = Plan::for_url(&planless).unwrap();
        let origins = [nmax_http::Url::parse(&plan.target).unwrap().origin];
        let declared = Need::for_plan(&plan, &origins, 1);
        plan.scenarios[0].steps = vec![Step::Script];
        (declared, Need::for_plan(&plan, &origins, 1))
    };
    let (declared, script) = of(Planless { vus: Some(500), ..Planless::get("http://10.0.0.7/") });
    assert!(declared.is_sure && declared.is_literal && !script.is_sure && !script.is_literal);
    assert_eq!((script.users, script.opened_per_s), (500, Some(0.0)));
    let (rate_per_s, connection) = (Some(900.0), Connection::PerIteration);
    let (declared, script) = of(Planless { rate_per_s, connection, ..Planless::get("http://10.0.0.7/") });
    assert_eq!((declared.opened_per_s, script.opened_per_s), (Some(900.0), None));
    assert_eq!(script.users, 9_000, "all that start in ten seconds");
}
