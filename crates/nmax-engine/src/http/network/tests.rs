use super::*;

/// The vectors of RFC 4648, section 10, with the colon that RFC 7617 asks for.
#[test]
fn user_and_password_become_basic_authorization() {
    let cases = [
        ("Aladdin:open sesame", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
        ("f", "Basic Zjo="),
        (":", "Basic Og=="),
        ("fo", "Basic Zm86"),
        ("a:b", "Basic YTpi"),
    ];
    for (user, want) in cases {
        assert_eq!(basic(user), want);
    }
}

#[test]
fn a_proxy_is_read_with_its_user() {
    let proxy_of = |text: &str| {
        let mut plan = (*any_plan()).clone();
        plan.defaults.proxy = Some(text.to_owned());
        proxy(&plan)
    };
    let plain = proxy_of("http://Proxy.test:3128").unwrap().unwrap();
    assert_eq!((plain.origin.host.as_str(), plain.origin.port), ("proxy.test", 3128));
    assert_eq!(plain.authorization, None);
    let user = proxy_of("http://ann:p%40ss@proxy.test:3128/").unwrap().unwrap();
    assert_eq!(user.authorization.as_deref(), Some("Basic YW5uOnBAc3M="));
    assert_eq!(user.origin.host, "proxy.test");
    let error = proxy_of("http://ann:s3cret@:1").unwrap_err().to_string();
    assert!(!error.contains("s3cret"), "{error}");
    assert_eq!(proxy(&any_plan()).unwrap(), None);
}

fn any_plan() -> Arc<Plan> {
    let planless = nmax_plan::planless::Planless::get("http://127.0.0.1:1/");
    Arc::new(Plan::for_url(&planless).unwrap())
}

#[test]
fn what_the_plan_says_reaches_the_client() {
    let mut plan = (*any_plan()).clone();
    plan.defaults.phase_timeouts.wait = Some(Duration::from_millis(7));
    plan.defaults.compression = vec![plan::Coding::Brotli];
    plan.defaults.dns.per_vu = true;
    plan.defaults.dns.family = plan::Family::V4;
    plan.defaults.source_addresses = vec!["127.0.0.2".parse().unwrap()];
    plan.hosts = vec![plan::HostOverride {
        host: "Shop.test".into(),
        port: Some(80),
        addresses: vec![("127.0.0.1".parse().unwrap(), Some(8080))],
    }];
    let settings = Settings::new(Arc::new(plan), Arc::new(|_, _| Ok(())));
    let found = config(&settings).unwrap();
    assert_eq!(found.phase_limits.wait, Some(Nanos::from_millis(7)));
    assert!(found.decode && found.names.per_visitor);
    assert_eq!(found.names.family, Family::V4);
    assert_eq!(found.names.hosts[0].host, "shop.test");
    assert_eq!(found.sources.len(), 1);
    let plain = Settings::new(any_plan(), Arc::new(|_, _| Ok(())));
    assert!(!config(&plain).unwrap().decode, "nothing is decoded unless it was asked for");
}
