use proptest::prelude::*;

use super::*;

fn tree(text: &str) -> (Option<Node>, Vec<String>) {
    let mut problems = Vec::new();
    let node = parse(text, None, &mut problems);
    let lines = problems.iter().map(|p| format!("{}:{} {}", p.at.line, p.at.column, p.message)).collect();
    (node, lines)
}

/// `line:column` of every key and value, in order.
fn places(node: &Node, out: &mut Vec<String>) {
    out.push(format!("{}@{}:{}", node.describe(), node.at.line, node.at.column));
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| places(item, out)),
        Value::Map(entries) => {
            for entry in entries {
                out.push(format!("{}@{}:{}", entry.key, entry.key_at.line, entry.key_at.column));
                places(&entry.value, out);
            }
        }
        Value::Null | Value::Scalar(_) => {}
    }
}

#[test]
fn every_key_and_value_has_its_place() {
    let (node, problems) = tree("# comment\na: 1\nlist:\n  - x\n  - {é: \"q\"}\nnone:\n");
    let mut out = Vec::new();
    places(&node.unwrap(), &mut out);
    assert_eq!(problems, Vec::<String>::new());
    assert_eq!(
        out[..10],
        [
            "a map@2:1", "a@2:1", "`1`@2:4", "list@3:1", "a list@4:3", "`x`@4:5", "a map@5:5", "é@5:6", "`q`@5:9",
            "none@6:1"
        ]
    );
    assert!(out[10].starts_with("nothing@"), "{out:?}");
}

#[test]
fn refused_yaml() {
    let cases = [
        ("a: 1\nb: 2\na: 3", "3:1 key `a` is here twice; the first is in line 1"),
        ("a: &x 1", "1:4 anchors (`&name`) are not part of plans"),
        ("a: !!int 1", "1:4 tags (`!name`) are not part of plans"),
        ("? [a]\n: b", "1:3 a list or map cannot be a key"),
        ("a: 1\n---\nb: 1", "2:1 a second document begins here"),
    ];
    for (text, want) in cases {
        assert_eq!(tree(text).1, [want], "{text}");
    }
    let bomb = "a: &a [x]\nb: &b [*a, *a]\nc: [*b, *b]";
    assert!(tree(bomb).1.len() >= 6, "each anchor and alias is named");
    assert!(tree("a: [1, 2\nb: }").1[0].contains("not YAML"));
    for depth in [DEPTH_MAX + 1, 1_000, 100_000] {
        let nested = "[".repeat(depth) + &"]".repeat(depth);
        let message = &tree(&nested).1[0];
        assert!(message.contains("deeper") || message.contains("recursion limit"), "{message}");
    }
    assert!(tree(&"x".repeat(DOCUMENT_BYTES_MAX + 1)).1[0].contains("bytes, more than"));
    assert!(tree(&format!("[{}]", "1,".repeat(NODES_MAX))).1[0].contains("more than 200000 values"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]
    /// Law: any text is answered without a panic.
    #[test]
    fn any_text_is_answered(text in "[-a:{}\\[\\], \n\t\"'#&*!|>?%@`~0\\\\]{0,40}|(?s:.{0,40})") {
        let (node, problems) = tree(&text);
        prop_assert!(node.is_some() || !problems.is_empty());
    }
}
