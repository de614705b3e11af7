use proptest::prelude::*;
use scraper::{ElementRef, Html};

use super::*;
use crate::budget::{BYTES_MIN, STEPS_MIN};
use crate::{Extractor, ReplyContent};
use nmax_plan::plan::ReplyPart;

/// A document as nested names, attributes and texts, comments left out.
fn told(node: Node<'_>, into: &mut String) {
    into.push_str(&format!("<{}", node.name()));
    let mut attrs: Vec<_> = node.attrs().collect();
    attrs.sort();
    attrs.iter().for_each(|(name, value)| into.push_str(&format!(" {name}={value:?}")));
    into.push('>');
    into.push_str(node.own_text());
    for child in node.children() {
        told(child, into);
        into.push_str(child.tail());
    }
    into.push_str("</>");
}

/// The same by scraper.
fn told_by_scraper(element: ElementRef<'_>, into: &mut String) {
    into.push_str(&format!("<{}", element.value().name()));
    let mut attrs: Vec<_> = element.value().attrs().collect();
    attrs.sort();
    attrs.iter().for_each(|(name, value)| into.push_str(&format!(" {name}={value:?}")));
    into.push('>');
    children_by_scraper(*element, into);
    into.push_str("</>");
}

/// A node of scraper's tree, whose type it does not name.
type Tree<'a> = <ElementRef<'a> as std::ops::Deref>::Target;

fn children_by_scraper(node: Tree<'_>, into: &mut String) {
    for child in node.children() {
        match child.value() {
            scraper::Node::Text(text) => into.push_str(text),
            scraper::Node::Element(_) => told_by_scraper(ElementRef::wrap(child).unwrap(), into),
            scraper::Node::Fragment => children_by_scraper(child, into),
            _ => {}
        }
    }
}

#[track_caller]
fn check(html: &str) {
    let budget = Budget::for_body(html.len());
    let document = Document::parse(html, &budget).unwrap();
    let (mut own, mut other) = (String::new(), String::new());
    told(document.root(&budget).first_child().unwrap(), &mut own);
    told_by_scraper(Html::parse_document(html).root_element(), &mut other);
    assert_eq!(own, other, "{html}");
}

/// Law: the tree is the one that scraper makes. Traps: tags that are closed by others, formatting that goes on in the
/// next paragraph, text and elements in front of a table, templates, SVG, scripts, entities.
#[test]
fn odd_documents_have_the_tree_of_browsers() {
    let cases = [
        "",
        "a",
        "<p>a<p>b<ul><li>c<li>d</ul>e",
        "<table><tr><td>a<td>b<tr><td>c</table>d",
        "<table>a<tr>b<td>c</td>d</tr>e<b>f</table>g",
        "<table><b>a<i>b<tr><td>c</b>d</table>e</i>f",
        "<b>a<p>b</b>c</p>d",
        "<b>1<i>2<p>3</b>4</i>5<b>6<p>7</b>8",
        "<a href=1>x<div>y<a href=2>z</div>w</a>v",
        "<b><b><b><b><b>a</b><p>b<p>c",
        "<p><b a=1><i b=2>c<p>d<p>e</i>f</b>g",
        "<template><p>a</template>b<template><tr><td>c</td></template>",
        "<svg><a xlink:href=x>y<foreignObject><p>z</p></foreignObject><title>t<b>u</title></svg>w",
        "<math><mi>a<mtext><b>c</b></mtext></math>",
        "<script>if (a<b && c>d) '</' + 'script>'</script>x<style>a>b{}</style><textarea><b></textarea>",
        "<title>a<b></title><noscript><p>c</noscript>",
        "<select><option>a<option>b<optgroup><option>c</select>d",
        "<html a=1><body b=2><html a=3 c=4><body d=5>x",
        "<a b=c d='e' f=\"g &amp; h\" b=i>&lt;&notit;&#x41;</a>",
        "x<!-- c -->y<!doctype z>w<?pi q>v</>u",
        "<frameset><frame src=a></frameset>",
        "<form><table><form><tr><td><input></form></table>a</form>b",
        "</p>a</br>b<p/>c<image src=x>",
        "<plaintext>a<b></plaintext>",
        "<ruby>a<rb>b<rt>c<rp>d</ruby><dl><dt>a<dd>b<dt>c</dl>",
        "<body><p>a</body>b</html>c<p>d",
        "<button>a<p>b<button>c</button>d",
    ];
    for html in cases {
        check(html);
    }
}

/// A document of pieces that matter to the tree.
fn document() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "a", "b", "i", "p", "div", "table", "tr", "td", "li", "ul", "form", "select", "option", "template", "svg",
        "title", "script", "h1", "br", "span", "button", "tbody", "caption", "font", "nobr",
    ]);
    let piece = (name, 0_u8..6).prop_map(|(name, kind)| match kind {
        0 | 1 => format!("<{name}>"),
        2 => format!("<{name} k=v{} href=x>", name.len()),
        3 => format!("</{name}>"),
        4 => format!("t{name}"),
        _ => " ".to_owned(),
    });
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn any_document_has_the_tree_of_browsers(html in document()) {
        check(&html);
    }

    /// Law: a selector matches the elements that it matches in scraper's tree.
    #[test]
    fn selectors_match_as_in_scraper(html in document(), which in 0..SELECTORS.len()) {
        // There templates hide who is around their elements.
        prop_assume!(!html.contains("template"));
        let selector = SELECTORS[which];
        let budget = Budget::for_body(html.len());
        let document = Document::parse(&html, &budget).unwrap();
        let own = Selector::parse(selector).unwrap();
        let mut own: Vec<String> = own.matches(document.root(&budget)).map(|node| {
            let text: String = node.texts().collect();
            format!("{} {text}", node.name())
        }).collect();
        let tree = Html::parse_document(&html);
        let other = scraper::Selector::parse(selector).unwrap();
        let mut other: Vec<String> = tree.root_element().select(&other).map(|element| {
            format!("{} {}", element.value().name(), element.text().collect::<String>())
        }).collect();
        // `select` of an element leaves that one out.
        own.retain(|line| !line.starts_with("html "));
        own.sort();
        other.sort();
        prop_assert_eq!(own, other, "{}", selector);
    }
}

const SELECTORS: [&str; 18] = [
    "*", "a", "p b", "div > p", "b + i", "b ~ i", "[k]", "a[k=v1]", "[href^=x]", "li:first-child", "td:nth-child(2)",
    "p:last-of-type", "div:empty", "p:not([k])", ":is(b, i) p", "div:has(> b)", "p:has(b) ~ p",
    "ul li:nth-last-child(odd)",
];

fn css(selector: &str) -> Extractor {
    Extractor::new(&ReplyPart::Css { selector: selector.to_owned(), attribute: None }).unwrap()
}

/// Bytes that no page should need, beside its own: four times the body with it, and what a page of any size may have.
fn bytes_max(body: usize) -> u64 {
    (3 * body).max(BYTES_MIN) as u64
}

/// What a hostile page costs: it is given up for a reason or read, within memory and work that its length allows.
#[track_caller]
fn costs(body: &str) -> (Result<usize, GaveUp>, u64) {
    let extractor = css("b");
    let (mut read, mut steps) = (Ok(0), 0);
    let memory = allocation_counter::measure(|| {
        let page = ReplyContent::new(&[], body.as_bytes());
        read = extractor.count(&page);
        steps = page.budget().steps();
    });
    // Beside what is counted: the tokenizer's tag, html5ever's stack.
    let most = bytes_max(body.len()) + (1 << 20);
    assert!(memory.bytes_max <= most, "{} bytes for {}", memory.bytes_max, body.len());
    let steps_max = (32 * body.len() as u64).max(STEPS_MIN) + 1_000_000;
    assert!(steps <= steps_max, "{steps} steps for {} bytes", body.len());
    (read, steps)
}

const MIB: usize = 1 << 20;

/// Two megabytes of elements within each other are given up after as many as may be open: a few milliseconds.
#[test]
fn a_page_without_bottom_is_given_up_at_once() {
    for element in ["<div>", "<p><div>", "<b>", "<b><i>", "<svg>", "<ul><li>", "<table><tr><td>", "<x><y>"] {
        let (read, steps) = costs(&element.repeat(2 * MIB / element.len()));
        assert_eq!(read, Err(GaveUp::Depth(DEPTH_MAX)), "{element}");
        assert!(steps < 4_000_000, "{element}: {steps}");
    }
}

/// The depth is that of the tree, and not the number of tags without an end.
#[test]
fn end_tags_may_be_left_out() {
    for element in
        ["<p>a", "<li>a", "<tr><td>a", "<br>", "<option>", "<b>a</b>", "<a href=1>a", "<div>a</div>", "<img>"]
    {
        let around = if element.starts_with("<tr") { "<table>" } else { "" };
        let body = format!("{around}{}<b>", element.repeat(20_000));
        let (read, _) = costs(&body);
        assert!(read.is_ok(), "{element}: {read:?}");
    }
    let deep = format!("{}<b>x", "<div>".repeat(DEPTH_MAX - 200));
    assert_eq!(costs(&deep).0, Ok(1));
}

#[test]
fn no_page_takes_more_than_four_times_its_memory() {
    let bodies = [
        "\0".repeat(3 * MIB),
        "<a>".repeat(3 * MIB / 3),
        "<b>".repeat(MIB),
        "<br>".repeat(MIB),
        "<a b>".repeat(MIB),
        "<p><b id=1><i id=2>".repeat(100_000),
        "\u{fffd}".repeat(MIB),
        format!("<p title='{}'>", "x".repeat(3 * MIB)),
        "x".repeat(3 * MIB),
        format!("<!--{}", "x".repeat(3 * MIB)),
        "<table>x<tr>".repeat(200_000),
        "<script>".repeat(MIB / 2),
        "a&amp;".repeat(MIB),
    ];
    for body in bodies {
        let (read, _) = costs(&body);
        let short: String = body.chars().take(20).collect();
        assert!(
            matches!(read, Ok(_) | Err(GaveUp::Memory(_) | GaveUp::Steps | GaveUp::Depth(_))),
            "{short:?}: {read:?}"
        );
    }
    let bytes: Vec<u8> = vec![0xff; 3 * MIB];
    let memory = allocation_counter::measure(|| {
        let read = css("b").count(&ReplyContent::new(&[], &bytes));
        assert_eq!(read, Err(GaveUp::Memory(3 * bytes.len())));
    });
    assert!(memory.bytes_max <= bytes_max(bytes.len()) + (1 << 20), "{}", memory.bytes_max);
}

/// Each attribute is compared with all before it in its tag.
#[test]
fn a_tag_of_many_attributes_is_given_up() {
    let many: String = (0..100_000).map(|number| format!(" a{number}")).collect();
    for body in [
        format!("<p{many}>"),
        format!("x</p{many}>"),
        format!("<title></title{many}>"),
        format!("<script><!--<script></script '--></script><b{many}"),
        format!("<svg><![CDATA[<a ']]><b{many}"),
    ] {
        assert_eq!(costs(&body).0, Err(GaveUp::Attributes(ATTRIBUTES_MAX)), "{}", &body[..40]);
    }
    let long = format!("<p title=\"{}\"><b>", "a 'b' ".repeat(200_000));
    assert_eq!(costs(&long).0, Ok(1));
}

/// Elements are 32 bytes and texts their length.
#[test]
fn a_large_page_of_the_usual_make_is_read() {
    let row = "<tr class=\"row\"><td>1234567</td><td><a href=\"/item/12345\">A name</a></td><td>12.90</td></tr>\n";
    let body = format!("<table>{}</table><b>x</b>", row.repeat(100_000));
    let page = ReplyContent::new(&[], body.as_bytes());
    assert_eq!(css("tr:nth-child(99999) a").nth(&page, 0).unwrap().as_deref(), Some("A name"));
    assert_eq!(css("table").count(&page), Ok(1));
    assert!(2 * page.budget().bytes() < 5 * body.len(), "{} of {}", page.budget().bytes(), body.len());
}

/// Trap: each of nested elements has the text of all within it.
#[test]
fn texts_of_nested_elements_are_made_one_at_a_time() {
    let body = format!("{}{}", "<div>".repeat(500), "x".repeat(2 * MIB));
    let all = css("div");
    let memory = allocation_counter::measure(|| {
        let page = ReplyContent::new(&[], body.as_bytes());
        assert_eq!(all.last(&page).unwrap().map(|text| text.len()), Some(2 * MIB));
        assert_eq!(all.count(&page), Ok(500));
        assert!(matches!(all.matches(&page), Err(GaveUp::Memory(_))));
    });
    assert!(memory.bytes_max < bytes_max(body.len()) + (1 << 20), "{}", memory.bytes_max);
}

/// Trap: what a selector remembers, and elements that each look at all others.
#[test]
fn hostile_selectors_end() {
    let body = format!("<div>{}</div>", "<p>abcdef<i>ghijkl</i></p>".repeat(60_000));
    for selector in
        ["p:has(~ b)", "p ~ p ~ p ~ p ~ b", "div:has(i) p:has(b)", "p:nth-last-child(3n+1) i", ":not(:has(b)) i"]
    {
        let page = ReplyContent::new(&[], body.as_bytes());
        let read = css(selector).count(&page);
        assert!(matches!(read, Ok(_) | Err(GaveUp::Steps)), "{selector}: {read:?}");
        assert!(page.budget().steps() <= STEPS_MIN.max(32 * body.len() as u64) + 1_000_000, "{selector}");
    }
    let nested = format!("{}a{}", ":not(".repeat(1_000), ")".repeat(1_000));
    assert!(Selector::parse(&nested).unwrap_err().contains("nested"));
}

/// The time limit ends the parser, and what is looked for in the tree.
#[test]
fn the_time_limit_ends_reading() {
    let body = "<p>x<b>y</b>".repeat(50_000);
    for looks_left in [0, 3, 30, 300] {
        let looks = std::cell::Cell::new(looks_left);
        let has_passed = || {
            looks.set(looks.get() - 1);
            looks.get() < 0
        };
        let page = ReplyContent::new(&[], body.as_bytes()).until(&has_passed);
        assert_eq!(css("p ~ p ~ p b").count(&page), Err(GaveUp::Time), "{looks_left}");
        assert!(looks.get() > -3, "it went on after the limit: {}", looks.get());
    }
}
