use nmax_http::CONNECTIONS_PER_ORIGIN;
use proptest::prelude::*;

use super::*;

fn url(text: &str) -> Url {
    Url::parse(text).unwrap()
}

fn found(reference: &str, kind: Kind, priority: Priority) -> ResourceReference {
    ResourceReference { reference: reference.to_owned(), kind, priority }
}

fn at(base: &Url) -> Source<'_> {
    Source { base, known: Nanos(7), depth: 0 }
}

#[test]
fn rules_say_which_hosts_are_asked() {
    let document = url("http://shop.test:8080/a/b");
    let hosts = Discover::Hosts(vec!["CDN.test".into(), "img.test:8081".into()]);
    for (rules, target, want) in [
        (&Discover::Nothing, "http://shop.test:8080/x", false),
        (&Discover::SameOrigin, "http://shop.test:8080/x", true),
        (&Discover::SameOrigin, "https://shop.test:8080/x", false),
        (&Discover::SameOrigin, "http://cdn.test/x", false),
        (&hosts, "http://shop.test:9/x", true),
        (&hosts, "https://cdn.test/x", true),
        (&hosts, "http://img.test:8081/x", true),
        (&hosts, "http://img.test/x", false),
        (&hosts, "http://other.test/x", false),
    ] {
        assert_eq!(Queue::new("home", &document, rules).admits(&url(target)), want, "{rules:?} {target}");
    }
}

#[test]
fn each_url_is_fetched_once_and_frames_are_one_deep() {
    let document = url("http://h.test/dir/page");
    let mut queue = Queue::new("home", &document, &Discover::SameOrigin);
    let list = [
        found("a.png", Kind::Image, Priority::Normal),
        found("/dir/a.png#x", Kind::Image, Priority::Normal),
        found("page", Kind::Frame, Priority::Normal),
        found("frame", Kind::Frame, Priority::Normal),
        found("http://[", Kind::Image, Priority::Normal),
    ];
    let new = queue.new_among(&list, at(&document));
    let urls: Vec<String> = new.iter().map(|resource| resource.url.to_string()).collect();
    assert_eq!(urls, ["http://h.test/dir/a.png", "http://h.test/dir/frame"]);
    let inner = [found("deeper", Kind::Frame, Priority::Normal), found("b.png", Kind::Image, Priority::Normal)];
    let source = Source { depth: 1, ..at(&document) };
    assert_eq!(queue.new_among(&inner, source).len(), 1);
}

#[test]
fn there_is_a_limit() {
    let document = url("http://h.test/");
    let mut queue = Queue::new("home", &document, &Discover::SameOrigin);
    let list: Vec<ResourceReference> =
        (0..RESOURCES_MAX + 9).map(|n| found(&n.to_string(), Kind::Image, Priority::Normal)).collect();
    assert_eq!(queue.new_among(&list, at(&document)).len(), RESOURCES_MAX);
}

proptest! {
    /// Never more than six of an origin are under way, none waits while its origin has room, and what starts is the
    /// first of its origins by priority and order.
    #[test]
    fn six_of_an_origin_in_order(
        resources in prop::collection::vec((0..3_usize, 0..3_usize), 0..60), ends in prop::collection::vec(any::<prop::sample::Index>(), 60),
    ) {
        let document = url("http://h0.test/");
        let rules = Discover::Hosts(vec!["h1.test".into(), "h2.test".into()]);
        let mut queue = Queue::new("home", &document, &rules);
        let priorities = [Priority::First, Priority::Normal, Priority::Last];
        let list: Vec<ResourceReference> = resources.iter().enumerate()
            .map(|(n, (host, priority))| found(&format!("http://h{host}.test/{n}"), Kind::Image, priorities[*priority]))
            .collect();
        let new = queue.new_among(&list, at(&document));
        prop_assert_eq!(new.len(), list.len());
        let mut model: Vec<(Priority, usize, String)> =
            new.iter().enumerate().map(|(n, resource)| (resource.priority, n, resource.url.origin.host.clone())).collect();
        model.sort();
        new.into_iter().for_each(|resource| queue.push(resource));
        let mut under_way: Vec<(usize, String)> = Vec::new();
        let mut started = 0;
        for end in ends {
            while let Some((resource, origin)) = queue.next(|_| CONNECTIONS_PER_ORIGIN) {
                let host = resource.url.origin.host.clone();
                let busy = |host: &str| under_way.iter().filter(|(_, other)| other == host).count();
                prop_assert!(busy(&host) < CONNECTIONS_PER_ORIGIN);
                let first = model.iter().position(|(_, _, host)| busy(host) < CONNECTIONS_PER_ORIGIN).unwrap();
                let (_, n, _) = model.remove(first);
                prop_assert_eq!(resource.url.target, format!("/{n}"));
                under_way.push((origin, host));
                started += 1;
            }
            if under_way.is_empty() {
                break;
            }
            let (origin, _) = under_way.remove(end.index(under_way.len()));
            queue.ended(origin);
        }
        prop_assert_eq!(started, list.len());
        prop_assert_eq!(queue.give_up(), 0);
    }
}
