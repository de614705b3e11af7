use nmax_plan::plan::ClientCertificate;
use nmax_plan::planless::Planless;

use super::*;
use crate::preflight;

fn found(url: &str, change: impl FnOnce(&mut Plan)) -> Vec<String> {
    let mut plan = Plan::for_url(&Planless::get(url)).unwrap();
    change(&mut plan);
    let origins = preflight::origins(&plan).unwrap();
    warnings(&plan, &origins)
}

fn given(host: &str, port: Option<u16>) -> HostOverride {
    HostOverride { host: host.into(), port, addresses: vec![("127.0.0.1".parse().unwrap(), None)] }
}

#[test]
fn an_ordinary_plan_has_no_warning() {
    assert_eq!(found("https://shop.test/", |_| ()), [""; 0]);
}

#[test]
fn an_address_for_a_host_that_nobody_asks_is_named() {
    let hosts = |hosts: Vec<HostOverride>| found("http://shop.test/", |plan| plan.hosts = hosts);
    assert_eq!(hosts(vec![given("shop.test", None), given("shop.test", Some(80))]), [""; 0]);
    let warnings = hosts(vec![given("shpo.test", None), given("shop.test", Some(443))]);
    assert_eq!(warnings.len(), 2, "{warnings:?}");
    assert!(warnings[0].contains("`shpo.test`") && warnings[1].contains("`shop.test:443`"), "{warnings:?}");
    // The proxy is somebody, and a redirect may lead anywhere.
    let used = found("http://shop.test/", |plan| {
        plan.hosts = vec![given("proxy.test", None)];
        plan.defaults.proxy = Some("http://proxy.test:3128".into());
    });
    assert_eq!(used, [""; 0]);
    let open = found("http://shop.test/", |plan| {
        plan.hosts = vec![given("login.test", None)];
        plan.defaults.redirects_max = 10;
    });
    assert_eq!(open, [""; 0]);
}

#[test]
fn settings_without_effect_are_named() {
    let certificate = |plan: &mut Plan| {
        plan.defaults.client_certificate =
            Some(ClientCertificate { certificate_file: "a.pem".into(), key_file: "a.key".into() });
    };
    let warnings = found("http://shop.test/", certificate);
    assert!(warnings[0].contains("never shown"), "{warnings:?}");
    assert_eq!(found("https://shop.test/", certificate), [""; 0]);
    let warnings = found("https://shop.test/", |plan| {
        plan.defaults.insecure = true;
        plan.defaults.ca_files = vec!["ca.pem".into()];
    });
    assert!(warnings[0].contains("any certificate is accepted"), "{warnings:?}");
    let warnings = found("http://127.0.0.1/", |plan| plan.defaults.dns.family = Family::V6);
    assert!(warnings[0].contains("`family: ipv6`"), "{warnings:?}");
    assert_eq!(found("http://[::1]/", |plan| plan.defaults.dns.family = Family::V6), [""; 0]);
}

#[test]
fn a_stage_that_is_too_short_to_be_seen_is_named() {
    let compressed = |compress: f64| {
        found("http://shop.test/", |plan| {
            plan.stages[0].length_ns = Some(500_000_000);
            plan.compress = compress;
        })
    };
    assert_eq!(compressed(1.0), [""; 0], "short as written is as meant");
    let warnings = compressed(60.0);
    assert!(warnings[0].contains("a stage lasts 500ms, less than a window of measurements (1s)"), "{warnings:?}");
}

/// Calls only talk to servers; commands and signals act on this host, also when they undo something.
#[test]
fn what_acts_on_this_host_is_found() {
    let call = || Action::Http { method: nmax_plan::plan::Method::Get, url: "/".into(), body: String::new() };
    let item = |name: &str, action, undo| Intervention {
        name: name.into(),
        at: nmax_plan::plan::Moment::Steady,
        action,
        limit: Duration::from_secs(1),
        lasts: None,
        undo,
    };
    let mut plan = Plan::for_url(&Planless::get("http://shop.test/")).unwrap();
    plan.timeline = vec![item("a", call(), None), item("b", call(), Some(call()))];
    assert_eq!(acts_here(&plan).count(), 0);
    plan.timeline.push(item("c", call(), Some(Action::Command("x".into()))));
    let names: Vec<&str> = acts_here(&plan).map(|item| item.name.as_str()).collect();
    assert_eq!(names, ["c"]);
}

#[test]
fn what_cannot_come_is_named() {
    let locations = |vus| {
        found("http://shop.test/", |plan| {
            plan.workload = nmax_plan::plan::Workload::Closed { vus };
            (plan.stages[0].from, plan.stages[0].to) = (f64::from(vus), f64::from(vus));
            plan.locations = [("adsl", 20.0), ("fibre", 80.0)]
                .map(|(name, weight)| nmax_plan::plan::Location {
                    name: name.into(),
                    down_bits_per_s: None,
                    up_bits_per_s: None,
                    round_trip: Duration::ZERO,
                    jitter: Duration::ZERO,
                    weight,
                })
                .to_vec();
        })
    };
    let one = locations(1);
    assert!(one.len() == 1 && one[0].contains("is none of 1 VUs"), "{one:?}");
    assert_eq!(locations(5), [""; 0], "a cycle of the mix");
    let waiting = |hold_s: u64| {
        found("http://shop.test/", |plan| {
            plan.stages[0].length_ns = Some(hold_s * 1_000_000_000);
            plan.timeline = vec![Intervention {
                name: "calm".into(),
                at: nmax_plan::plan::Moment::Steady,
                action: Action::Command("x".into()),
                limit: Duration::from_secs(1),
                lasts: None,
                undo: None,
            }];
        })
    };
    assert_eq!(waiting(60), [""; 0]);
    let short = waiting(8);
    assert!(short[0].contains("`calm` of the timeline will not be done"), "{short:?}");
    assert!(short[0].contains("a hold of 8s, that takes 1m at least"), "{short:?}");
}

/// A script may go anywhere, so nothing is said to be without effect.
#[test]
fn where_scripts_go_is_unknown() {
    let found = found("http://shop.test/", |plan| {
        plan.hosts = vec![given("login.test", None)];
        plan.defaults.client_certificate =
            Some(ClientCertificate { certificate_file: "a.pem".into(), key_file: "a.key".into() });
        plan.scenarios[0].steps.push(nmax_plan::plan::Step::Script);
    });
    assert_eq!(found, [""; 0]);
}
