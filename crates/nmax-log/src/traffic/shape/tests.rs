use super::*;

#[test]
fn identifiers_and_names() {
    let cases = [
        ("17", true),
        ("2024-01-31", true),
        ("550e8400-e29b-41d4-a716-446655440000", true),
        ("4f3a9b21", true),
        ("deadbeef", false), // A word as far as one can see: no digit.
        ("dQw4w9WgXcQ7Qw4w9WgX", true),
        ("top-10-songs-of-2024", false),
        ("v2", false),
        ("item17", false),
        ("checkout", false),
        ("facade1", false),
        ("iphone-15-pro-256gb", false),
        ("", false),
    ];
    for (text, want) in cases {
        assert_eq!(is_identifier(text.as_bytes()), want, "{text}");
    }
    assert!(is_identifier(&[b'a'; 65]), "long texts are not names");
}

#[test]
fn holes_keep_the_extension() {
    let hole =
        |text: &str| Hole::of_identifier(text.as_bytes()).map(|hole| String::from_utf8_lossy(hole.name()).into_owned());
    assert_eq!(hole("17.JPG").as_deref(), Some("{id}.jpg"));
    assert_eq!(hole("17").as_deref(), Some("{id}"));
    for slug in ["p6-9d1c81", "p1-6dbf9a", "p8-f2eebf", "oak-table-120817", "12abcd"] {
        assert_eq!(hole(slug).as_deref(), Some("{id}"), "{slug}");
    }
    for name in ["top-10-songs-of-2024", "item-17", "facade1", "decade-2"] {
        assert_eq!(hole(name), None, "{name}");
    }
    assert_eq!(hole("app-4f3a9b.js"), None, "a name with a digest in it has a name");
    assert_eq!(hole("app.4f3a9b21c.js"), None, "a name with a digest in it has a name");
    assert_eq!(hole("style.css"), None);
}

#[test]
fn targets_are_split() {
    let cases = [
        ("/a/b?x=1#f", "/a/b", "x=1"),
        ("/a", "/a", ""),
        ("http://shop.test/a?b", "/a", "b"),
        ("https://shop.test", "/", ""),
        ("*", "*", ""),
        ("", "", ""),
    ];
    for (target, path, query) in cases {
        assert_eq!(split(target.as_bytes()), (path.as_bytes(), query.as_bytes()), "{target}");
    }
}

#[test]
fn static_content_and_robots() {
    assert!(is_static(b"/a.b/app.CSS") && is_static(b"/x.woff2"));
    assert!(!is_static(b"/a.css/page") && !is_static(b"/index.html") && !is_static(b"/"));
    let cases = [
        ("Mozilla/5.0 (compatible; Googlebot/2.1)", ClientKind::Robot),
        ("UptimeRobot/2.0", ClientKind::Robot),
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", ClientKind::Visitor),
        ("nmax/0.1.0", ClientKind::LoadTest),
        ("nmax", ClientKind::LoadTest),
        ("Lynxmax/2.8", ClientKind::Visitor),
    ];
    for (agent, want) in cases {
        assert_eq!(client_kind(agent.as_bytes()), want, "{agent}");
    }
}
