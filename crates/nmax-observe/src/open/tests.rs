use nmax_sources::SourceKind;

use super::*;

fn spec(host: &str, kind: &'static SourceKind) -> ObservedSource {
    ObservedSource { host: host.into(), ..ObservedSource::at(kind, "http://127.0.0.1:1/") }
}

#[test]
fn sources_know_what_else_is_read_of_their_host() {
    let page = |host: &str| spec(host, &kinds::PROMETHEUS);
    let (agent, redis) = (&kinds::AGENT, &kinds::REDIS);
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
