use super::*;

fn page(host: &str) -> ObservedSource {
    spec(host, SourceKind::Prometheus { url: "http://127.0.0.1:1/".into(), token: None, resources: Vec::new() })
}

fn spec(host: &str, kind: SourceKind) -> ObservedSource {
    ObservedSource { name: "app".into(), host: host.into(), every: EVERY_DEFAULT, kind }
}

#[test]
fn sources_know_what_else_is_read_of_their_host() {
    let agent = SourceKind::Agent {
        reach: nmax_plan::plan::AgentReach::Pull("http://127.0.0.1:1".into()),
        token: None,
        processes: Vec::new(),
    };
    let redis = SourceKind::Redis { url: "redis://127.0.0.1:1".into() };
    let specs = [page("a"), page("a"), page("b"), spec("b", agent), page("c"), spec("c", redis), page(INJECTOR)];
    let observed = specs.clone().map(Observed::Source);
    let of = |index: usize| {
        let Neighbours { is_host_read, has_other_page } = neighbours(&specs[index], &observed);
        (is_host_read, has_other_page)
    };
    assert_eq!([0, 1].map(of), [(false, true); 2]);
    assert_eq!(of(2), (true, false));
    assert_eq!(of(4), (false, false));
    assert_eq!(of(6), (true, false));
}
