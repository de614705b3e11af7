use std::net::SocketAddr;
use std::time::Duration;

use nmax_plan::document::{self, Options};
use nmax_plan::plan::Observed;

use super::*;
use crate::fixture::{Fake, SLACK};
use crate::log::Tap;
use crate::open::open;

/// How a metadata address can be written: as itself, within IPv6, and as a number that the system takes for a name.
const FORBIDDEN: [&str; 9] = [
    "169.254.169.254", "169.254.170.2", "100.100.100.200", "[fd00:ec2::254]", "[::ffff:169.254.169.254]",
    "[64:ff9b::a9fe:a9fe]", "[2002:a9fe:a9fe::1]", "2852039166", "0xA9FEA9FE",
];

/// What is observed by these flags.
fn observed(flags: &[(&str, &str)]) -> Vec<Observed> {
    let text = "nmax: 1\ntarget: http://127.0.0.1:1\nscenarios: { get: { steps: [{ get: / }] } }\n\
                workload: { open: { rate: 1/s } }\n";
    let mut plan = document::parse(text, &Options::standalone("plan.yaml")).unwrap();
    let flags: Vec<(String, String)> = flags.iter().map(|(kind, place)| ((*kind).into(), (*place).into())).collect();
    document::observe_also(&mut plan, &flags, &|_| None).unwrap();
    plan.observe
}

/// Every kind of source that connects, at a host.
fn kinds(host: &str) -> Vec<(&'static str, String)> {
    vec![
        ("prometheus", format!("http://{host}/latest/meta-data/")),
        ("nginx", format!("http://{host}/")),
        ("redis", format!("redis://{host}:6379")),
        ("memcached", format!("{host}:11211")),
        ("postgres", format!("postgres://u:p@{host}/d")),
        ("agent", format!("http://{host}:9797")),
    ]
}

/// Law: no kind of source connects to a metadata address, however it is written, and no further attempt is made.
#[test]
fn metadata_is_read_by_no_source() {
    for host in FORBIDDEN {
        for (kind, place) in kinds(host) {
            let all = observed(&[(kind, &place)]);
            let Observed::Source(spec) = &all[0] else { panic!("{kind}") };
            let begin = now();
            let trouble = open(spec, &all, &Tap::default()).read(nmax_metrics::Nanos::ZERO).unwrap_err();
            assert!(trouble.is_final && trouble.text.contains("metadata address"), "{kind} {place}: {trouble}");
            assert!(begin.elapsed() < SLACK, "{kind} {place}");
            let told = remote_sources(&all);
            assert_eq!(
                told[0].forbidden.as_ref().map(|trouble| trouble.is_final),
                Some(true),
                "{kind} {place}: {told:?}"
            );
        }
    }
}

/// One address of a name that is forbidden forbids the others: which of them is taken is luck.
#[test]
fn one_forbidden_address_forbids_a_name() {
    let addresses = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<SocketAddr>>();
    assert_eq!(may_connect(addresses(&["127.0.0.1:80", "10.0.0.1:80", "[::1]:80", "93.184.215.14:80"])), Ok(()));
    assert_eq!(may_connect(Vec::new()), Ok(()));
    let forbidden = may_connect(addresses(&["127.0.0.1:80", "[::ffff:169.254.169.254]:80"])).unwrap_err();
    assert!(forbidden.to_string().contains("169.254.169.254"), "{forbidden}");
}

/// What is asked beyond this host is named, by kind of place; what is on this host is not.
#[test]
fn sources_elsewhere_are_named() {
    let server = Fake::hangs();
    let here = server.address.to_string();
    let all = observed(&[
        ("process", "nginx"),
        ("redis", &here),
        ("prometheus", "http://user:s3cret@192.0.2.7:9100/metrics"),
        ("memcached", "localhost:11211"),
        ("postgres", "postgres://u:s3cret@no-such-name.invalid/d"),
        ("nginx", "http://3221225993/"),
        ("agent", "http://[2001:db8::1]:9797"),
        ("log", "/var/log/x.log"),
    ]);
    let found = remote_sources(&all);
    assert!(found.iter().all(|one| one.forbidden.is_none()), "{found:?}");
    let told: Vec<(usize, String)> = found.iter().map(|one| (one.index, one.to_string())).collect();
    let want = [
        (2, "192.0.2.7:9100"),
        (4, "no-such-name.invalid:5432, whose name is not found"),
        (5, "3221225993:80 (192.0.2.9)"),
        (6, "[2001:db8::1]:9797"),
    ];
    assert_eq!(told, want.map(|(index, text)| (index, text.to_owned())));
}

/// A name that nobody answers for holds nobody up.
#[test]
fn names_are_looked_up_in_bounded_time() {
    let begin = now();
    let broken = look_up("no-such-name.invalid", 80, begin + Duration::from_secs(1)).unwrap_err();
    assert!(broken.trouble("x").text.contains("name is not found"), "{broken:?}");
    assert!(begin.elapsed() < SLACK);
}
