use std::net::TcpListener;

use nmax_plan::plan::HostOverride;
use nmax_plan::planless::Planless;

use super::*;

fn plan(url: &str) -> Plan {
    Plan::for_url(&Planless::get(url)).unwrap()
}

fn cleared(plan: Plan) -> Result<Cleared, (String, Exit)> {
    let origins = origins(&plan).unwrap();
    clear(&SafetyArgs::default(), &Arc::new(plan), &origins)
}

/// A loopback listener; whether somebody connected is seen without waiting.
fn listener() -> (TcpListener, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    (listener, port)
}

fn given(host: &str, port: u16, address: &str) -> HostOverride {
    HostOverride {
        host: host.into(),
        port: None,
        addresses: vec![(address.parse().unwrap(), Some(port))],
    }
}

#[test]
fn a_name_goes_where_the_plan_says() {
    let (listener, port) = listener();
    let mut plan = plan("http://shop.invalid/");
    plan.hosts = vec![given("shop.invalid", port, "127.0.0.1")];
    let cleared = cleared(plan).unwrap_or_else(|(error, _)| panic!("{error}"));
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
    let (error, exit) = clear(&SafetyArgs::default(), &Arc::new(plan), &origins).err().unwrap();
    assert_eq!(exit, Exit::Usage, "{error}");
    assert!(error.contains("intranet.invalid (10.255.255.1)"), "{error}");
    assert!(listener.accept().is_err(), "somebody connected");
}

/// A name that somebody gave a forbidden address is refused whatever its real address is.
#[test]
fn given_addresses_meet_the_policy() {
    let mut plan = plan("http://localhost/");
    plan.hosts = vec![given("localhost", 80, "169.254.169.254")];
    let (error, exit) = cleared(plan).err().unwrap();
    assert_eq!(exit, Exit::Usage);
    assert!(error.contains("metadata"), "{error}");
}

#[test]
fn with_a_proxy_the_proxy_is_reached_and_not_the_target() {
    let (target, target_port) = listener();
    let (proxy, proxy_port) = listener();
    let mut plan = plan(&format!("http://127.0.0.1:{target_port}/"));
    plan.defaults.proxy = Some(format!("http://127.0.0.1:{proxy_port}"));
    cleared(plan).unwrap_or_else(|(error, _)| panic!("{error}"));
    assert!(proxy.accept().is_ok());
    assert!(target.accept().is_err(), "somebody connected");
}

#[test]
fn a_proxy_meets_the_policy_too() {
    let (target, port) = listener();
    let mut plan = plan(&format!("http://127.0.0.1:{port}/"));
    plan.defaults.proxy = Some("http://10.255.255.1:3128".into());
    let (error, exit) = cleared(plan).err().unwrap();
    assert_eq!(exit, Exit::Usage);
    assert!(error.contains("10.255.255.1"), "{error}");
    assert!(target.accept().is_err());
}

#[test]
fn connections_leave_from_the_source_address() {
    let (listener, port) = listener();
    let mut plan = plan(&format!("http://127.0.0.1:{port}/"));
    plan.defaults.source_addresses = vec!["127.0.0.9".parse().unwrap()];
    cleared(plan).unwrap_or_else(|(error, _)| panic!("{error}"));
    let (_, peer) = listener.accept().unwrap();
    assert_eq!(peer.ip().to_string(), "127.0.0.9");
}

#[test]
fn nobody_at_home_is_unreachable() {
    let (listener, port) = listener();
    drop(listener);
    let (error, exit) = cleared(plan(&format!("http://127.0.0.1:{port}/"))).err().unwrap();
    assert_eq!(exit, Exit::Unreachable);
    assert!(
        error.contains("(connect)") && error.contains("help: check that the server listens"),
        "{error}"
    );
}
