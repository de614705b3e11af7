use super::*;

fn line(location: &Location) -> u32 {
    match location {
        Location::File { line, .. } => *line,
        Location::Flag(_) => 0,
    }
}

#[test]
fn lists_in_both_notations() {
    let cases = [
        ("", vec![]),
        ("# nothing yet\n", vec![]),
        ("names:\n", vec![]),
        ("names: []", vec![]),
        ("names: [a.lan, 10.0.0.0/8, fd00::/8]", vec![(1, "a.lan"), (1, "10.0.0.0/8"), (1, "fd00::/8")]),
        ("names: # ours\n  - a.lan # first\n  - '::1'\n", vec![(2, "a.lan"), (3, "::1")]),
    ];
    for (text, wanted) in cases {
        let found = texts(text, "c.yaml", "names").unwrap();
        let found: Vec<(u32, &str)> = found.iter().map(|(at, text)| (line(at), text.as_str())).collect();
        assert_eq!(found, wanted, "{text}");
    }
}

#[test]
fn errors_say_where_and_what_to_do() {
    let cases = [
        ("- a", "c.yaml:1:1: expected the map with the key `names`, found a list"),
        ("names: a", "c.yaml:1:8: expected a list, found `a`"),
        ("names:\n- a\n- b: c\n", "c.yaml:3:3: expected a text, found a map"),
        ("names:\n- a\n-\n", "c.yaml:3:2: expected a text, found nothing"),
        ("\nname: [a]", "c.yaml:2:1: there is no key `name`"),
        ("names: [a", "c.yaml:"),
    ];
    for (text, wanted) in cases {
        let errors = texts(text, "c.yaml", "names").unwrap_err();
        let text = errors[0].to_string();
        assert!(text.starts_with(wanted), "{text}\nwanted {wanted}");
        assert!(text.contains("help: "), "{text}");
    }
    let errors = texts("name: 1\nother: 2\nnames: 3", "c.yaml", "names").unwrap_err();
    assert_eq!(errors.len(), 3, "all at once: {errors:?}");
    assert!(errors[0].remedy.contains("`names`"));
}
