use std::net::TcpListener;

use nmax_plan::plan::HostOverride;
use nmax_plan::planless::Planless;

use super::*;

fn plan(url: &str) -> Plan {
    Plan::for_url(&Planless::get(url)).unwrap()
}

fn cleared(plan: Plan) -> Result<Cleared, Trouble> {
    let origins = origins(&plan).unwrap();
    clear(&Consent::default(), &Arc::new(plan), &origins)
}

/// A loopback listener; whether somebody connected is seen without waiting.
fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn given(host: &str, port: u16, address: &str) -> HostOverride {
    HostOverride { host: host.into(), port: None, addresses: vec![(address.parse().unwrap(), Some(port))] }
}

#[test]
fn a_name_goes_where_the_plan_says() {
    let (listener, port) = listener();
    let mut plan = plan("http://shop.invalid/");
    plan.hosts = vec![given("shop.invalid", port, "127.0.0.1")];
    let cleared = cleared(plan).unwrap_or_else(|Trouble { text: error, .. }| panic!("{error}"));
    assert_eq!(cleared.authorization.as_deref(), Some("loopback"));
    assert!(listener.accept().is_ok());
}

/// The defect that this rules out: connecting first and asking whether that was allowed after.
#[test]
fn nothing_connects_before_it_is_allowed() {
    let (listener, port) = listener();
    let mut plan = plan(&format!("http://127.0.0.1:{port}/"));
    // One origin is free, the other is not: neither is touched.
    plan.hosts = vec![given("intranet.invalid", port, "10.255.255.1")];
    let mut origins = origins(&plan).unwrap();
    origins.push(Url::parse("http://intranet.invalid/").unwrap().origin);
    let Trouble { text: error, exit } = clear(&Consent::default(), &Arc::new(plan), &origins).err().unwrap();
    assert_eq!(exit, Exit::Usage, "{error}");
    assert!(error.contains("intranet.invalid (10.255.255.1)"), "{error}");
    assert!(listener.accept().is_err(), "somebody connected");
}

/// A name that somebody gave a forbidden address is refused whatever its real address is.
#[test]
fn given_addresses_meet_the_policy() {
    let mut plan = plan("http://localhost/");
    plan.hosts = vec![given("localhost", 80, "169.254.169.254")];
    let Trouble { text: error, exit } = cleared(plan).err().unwrap();
    assert_eq!(exit, Exit::Usage);
    assert!(error.contains("metadata"), "{error}");
}

#[test]
fn with_a_proxy_the_proxy_is_reached_and_not_the_target() {
    let (target, target_port) = listener();
    let (proxy, proxy_port) = listener();
    let mut plan = plan(&format!("http://127.0.0.1:{target_port}/"));
    plan.defaults.proxy = Some(format!("http://127.0.0.1:{proxy_port}"));
    cleared(plan).unwrap_or_else(|Trouble { text: error, .. }| panic!("{error}"));
    assert!(proxy.accept().is_ok());
    assert!(target.accept().is_err(), "somebody connected");
}

#[test]
fn a_proxy_meets_the_policy_too() {
    let (target, port) = listener();
    let mut plan = plan(&format!("http://127.0.0.1:{port}/"));
    plan.defaults.proxy = Some("http://10.255.255.1:3128".into());
    let Trouble { text: error, exit } = cleared(plan).err().unwrap();
    assert_eq!(exit, Exit::Usage);
    assert!(error.contains("10.255.255.1"), "{error}");
    assert!(target.accept().is_err());
}

/// Name servers of a plan need what targets need, also where no name is looked up. One of this host is free, and is asked
/// for nothing before all of them are decided.
#[test]
fn name_servers_of_the_plan_meet_the_policy() {
    let here = UdpSocket::bind("127.0.0.1:0").unwrap();
    here.set_nonblocking(true).unwrap();
    let here_at = here.local_addr().unwrap();
    let (target, port) = listener();
    for (server, words) in [
        ("10.255.255.1:53", "name server of the plan: 10.255.255.1 is a private address"),
        ("[fd00:ec2::254]:53", "name server of the plan: fd00:ec2::254 is a cloud's metadata address"),
    ] {
        for url in [format!("http://127.0.0.1:{port}/"), "http://shop.test/".to_owned()] {
            let servers = vec![here_at, server.parse().unwrap()];
            refused_to(move |plan| plan.defaults.dns.servers = servers, &url, &[words], Exit::Usage);
        }
    }
    assert!(target.accept().is_err() && here.recv(&mut [0; 512]).is_err(), "nothing was sent");
    let mut plan = plan(&format!("http://127.0.0.1:{port}/"));
    plan.defaults.dns.servers = vec![here_at];
    let cleared = cleared(plan).unwrap_or_else(|Trouble { text: error, .. }| panic!("{error}"));
    assert_eq!(cleared.authorization.as_deref(), Some("loopback"));
}

#[test]
fn connections_leave_from_the_source_address() {
    let (listener, port) = listener();
    let mut plan = plan(&format!("http://127.0.0.1:{port}/"));
    plan.defaults.source_addresses = vec!["127.0.0.9".parse().unwrap()];
    cleared(plan).unwrap_or_else(|Trouble { text: error, .. }| panic!("{error}"));
    let (_, peer) = listener.accept().unwrap();
    assert_eq!(peer.ip().to_string(), "127.0.0.9");
}

#[test]
fn nobody_at_home_is_unreachable() {
    let (listener, port) = listener();
    drop(listener);
    let Trouble { text: error, exit } = cleared(plan(&format!("http://127.0.0.1:{port}/"))).err().unwrap();
    assert_eq!(exit, Exit::Unreachable);
    assert!(error.contains("(connect)") && error.contains("help: check that the server listens"), "{error}");
}

/// The words and the code for a plan that gets nowhere.
fn refused_to(change: impl FnOnce(&mut Plan), url: &str, want: &[&str], code: Exit) {
    let mut plan = plan(url);
    change(&mut plan);
    let Trouble { text: error, exit } = cleared(plan).err().unwrap();
    assert_eq!(exit, code, "{error}");
    for words in want {
        assert!(error.contains(words), "no `{words}` in {error}");
    }
}

#[test]
fn source_addresses_are_of_this_host_and_of_the_servers_family() {
    let (_listener, port) = listener();
    let url = format!("http://127.0.0.1:{port}/");
    let from = |address: &str| {
        let address = address.parse().unwrap();
        move |plan: &mut Plan| plan.defaults.source_addresses = vec![address]
    };
    let foreign = ["source address 192.0.2.1", "give addresses of this host"];
    refused_to(from("192.0.2.1"), &url, &foreign, Exit::Usage);
    if UdpSocket::bind("[::1]:0").is_ok() {
        refused_to(from("::1"), &url, &["IPv4", "of the server's family"], Exit::Usage);
    }
}

/// A proxy that reads the head of one request and answers so; with nothing to say it stays silent.
fn proxy(reply: &'static str) -> (String, std::thread::JoinHandle<()>) {
    use std::io::{Read, Write};
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://ann:s3cret@{}", listener.local_addr().unwrap());
    let thread = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut chunk = [0; 4096];
        let _ = stream.read(&mut chunk);
        let _ = stream.write_all(reply.as_bytes());
        // Until the client has enough.
        let _ = stream.read(&mut chunk);
    });
    (url, thread)
}

#[test]
fn what_a_proxy_answers_is_said_with_its_remedy() {
    let cases = [
        ("HTTP/1.1 407 Who\r\n\r\n", ["407", "check the proxy's user name and password"]),
        ("HTTP/1.1 403 No\r\n\r\n", ["status 403", "see its rules"]),
        ("HTTP/1.1 502 Bad\r\n\r\n", ["status 502", "see its rules"]),
        ("", ["no answer within 200ms", "check that the proxy listens"]),
    ];
    for (reply, want) in cases {
        let (url, thread) = proxy(reply);
        let change = |plan: &mut Plan| {
            plan.defaults.proxy = Some(url);
            plan.defaults.phase_timeouts.connect = Some(Duration::from_millis(200));
        };
        refused_to(change, "https://127.0.0.1:9/", &want, Exit::Unreachable);
        thread.join().unwrap();
    }
}

#[test]
fn a_dead_proxy_is_blamed_and_not_the_server() {
    let (listener, port) = listener();
    drop(listener);
    let change = |plan: &mut Plan| plan.defaults.proxy = Some(format!("http://127.0.0.1:{port}"));
    let want = [&*format!("proxy http://127.0.0.1:{port}"), "check that the proxy listens"];
    refused_to(change, "http://127.0.0.1:9/", &want, Exit::Unreachable);
}

#[test]
fn the_limits_of_the_plan_hold() {
    let limits = Limits::from_plan(&plan("http://127.0.0.1/"));
    assert_eq!((limits.resolve, limits.connect), (Duration::from_secs(30), Duration::from_secs(30)));
    let mut plan = plan("http://127.0.0.1/");
    plan.defaults.timeout = Duration::from_secs(3);
    plan.defaults.phase_timeouts.dns = Some(Duration::from_secs(1));
    let limits = Limits::from_plan(&plan);
    assert_eq!((limits.resolve, limits.connect), (Duration::from_secs(1), Duration::from_secs(3)));
}

/// Whatever a plan leads to by its own words: steps, setup and teardown, resources, calls of the timeline.
#[test]
fn every_server_of_a_plan_is_asked_for() {
    let plan = nmax_testkit::plans::plan(
        "nmax: 1\ntarget: http://127.0.0.1:1\n\
         setup: { steps: [{ post: \"http://a.invalid/\" }] }\nteardown: { steps: [{ delete: \"http://b.invalid/\" }] }\n\
         scenarios: { s: { steps: [{ if: \"1 == 1\", then: [{ get: /, resources: { list: [\"http://c.invalid/x.css\"], \
         discover: same-origin, hosts: [cdn.invalid] } }] }] } }\n\
         workload: { closed: { vus: 1 } }\n\
         timeline: [{ name: t, at: 1s, http: { get: \"http://d.invalid/\" }, undo: { http: { get: \"http://e.invalid/\" } } }]",
    );
    let origins = origins(&plan).unwrap();
    let mut hosts: Vec<&str> = origins.iter().map(|origin| origin.host.as_str()).collect();
    hosts[1..].sort_unstable();
    assert_eq!(hosts, ["127.0.0.1", "a.invalid", "b.invalid", "c.invalid", "d.invalid", "e.invalid"]);
    let guests = guests(&plan, &origins).unwrap();
    assert_eq!(guests.iter().map(|origin| origin.host.as_str()).collect::<Vec<_>>(), ["cdn.invalid"]);
}
