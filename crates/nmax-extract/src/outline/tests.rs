use crate::ReplyContent;

use super::*;

fn outline_of(html: &str) -> BTreeSet<String> {
    ReplyContent::new(&[], html.as_bytes()).outline().unwrap()
}

#[test]
fn a_page_is_its_elements_and_its_fields() {
    let page = "<title>x</title><h1>Log <b>in</b></h1><form action=/login><input name=email><input name=q7>\
                <div><p>a<br>b</div><script>document.write('<p>')</script></form>";
    let want = [
        "html/body", "html/body/form", "html/body/form/div", "html/body/form/div/p", "html/body/form/input[*]",
        "html/body/form/input[email]", "html/body/h1",
    ];
    assert_eq!(outline_of(page).into_iter().collect::<Vec<_>>(), want);
}

#[test]
fn words_with_a_digit_are_no_names() {
    let cases = [
        ("email", "email"),
        ("items[17][id]", "items[*][id]"),
        ("field_8f3a", "*"),
        ("naïve[1]", "naïve[*]"),
        ("/order/8f3a7c-dead-beef/lines", "/order/*/lines"),
        ("", ""),
    ];
    for (name, want) in cases {
        assert_eq!(shape(name), want, "{name}");
    }
}

/// Trap: a recursion, or a path that grows with the square of the depth, lets a page take all memory.
#[test]
fn a_page_without_bottom_ends() {
    let deep = outline_of(&"<div>".repeat(1_000));
    assert!(deep.len() <= DEPTH_MAX, "{}", deep.len());
}
