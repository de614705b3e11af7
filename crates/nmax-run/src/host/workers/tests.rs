use nmax_http::Url;
use nmax_plan::plan::HostOverride;

use super::*;

#[test]
fn a_target_beside_us_gets_a_core() {
    // cores  here  workers
    let cases = [(1, true, 1), (1, false, 1), (2, true, 1), (2, false, 2), (8, true, 7), (8, false, 8), (0, true, 1)];
    for (cores, is_here, want) in cases {
        assert_eq!(by_default(cores, is_here), want, "{cores} cores, here: {is_here}");
    }
    let origin = |url: &str| Url::parse(url).unwrap().origin;
    let plan = Plan::minimal("http://127.0.0.1:8080");
    assert_eq!(workers(Some(5), &plan, &[origin("http://127.0.0.1:8080")]), 5, "what is asked for is done");
}

#[test]
fn targets_on_this_host_are_known() {
    let own = fs::read_to_string(HOST_NAME).unwrap().trim().to_owned();
    let cases = [
        ("http://127.0.0.1:8080", true, "loopback"),
        ("http://127.9.9.9", true, "all of the loopback"),
        ("http://[::1]:8080", true, "loopback, IPv6"),
        ("http://localhost:8080", true, "by name"),
        ("http://shop.localhost", true, "RFC 6761"),
        (&format!("http://{own}:80"), true, "this host's name"),
        ("http://192.0.2.7", false, "an address of nobody (RFC 5737)"),
        ("http://shop.invalid", false, "a name of nobody"),
    ];
    for (url, want, why) in cases {
        let plan = Plan::minimal(url);
        assert_eq!(is_here(&plan, &[Url::parse(url).unwrap().origin]), want, "{why}: {url}");
    }
}

#[test]
fn addresses_that_the_plan_gives_and_proxies_count() {
    let origin = Url::parse("http://shop.invalid:80").unwrap().origin;
    let mut plan = Plan::minimal("http://shop.invalid:80");
    let addresses = vec![("127.0.0.1".parse().unwrap(), None)];
    plan.hosts = vec![HostOverride { host: "shop.invalid".into(), port: None, addresses }];
    assert!(is_here(&plan, std::slice::from_ref(&origin)));
    plan.defaults.proxy = Some("http://192.0.2.7:3128".into());
    assert!(!is_here(&plan, &[origin]), "the proxy is elsewhere");
}

#[test]
fn hosts_files_are_read() {
    let hosts =
        "# 127.0.0.1 commented\n127.0.0.1 localhost shop.test # all\n10.0.0.9\tapi.test SHOP.TEST\nbad shop.test\n";
    let of = |name| in_hosts(hosts, name).map(|address| address.to_string()).collect::<Vec<_>>();
    assert_eq!(of("shop.test"), ["127.0.0.1", "10.0.0.9"]);
    assert_eq!(of("commented"), [""; 0]);
}
