use proptest::prelude::*;

use super::*;

#[track_caller]
fn check(css: &str, want: &[(&str, Kind)]) {
    let found = references(css);
    let found: Vec<(&str, Kind)> = found.iter().map(|(url, kind)| (url.as_ref(), *kind)).collect();
    assert_eq!(found, want, "{css}");
}

#[test]
fn imports_in_every_form() {
    check(
        "@charset \"utf-8\"; @import 'a.css'; @import \"b.css\" print;\n@import url(c.css) layer(x) screen; \
         @import url( 'd.css' ); @namespace url(http://www.w3.org/1999/xhtml); /* @import 'no.css'; */",
        &[("a.css", Kind::Style), ("b.css", Kind::Style), ("c.css", Kind::Style), ("d.css", Kind::Style)],
    );
}

#[test]
fn images_of_rules_that_take_effect() {
    check(
        ".a { background: #fff url(a.png) no-repeat } .b{background:url('b (1).png');color:red}\
         .c { background-image: url(\"c.png\"), url(d.png); } .e { content: 'url(no.png)'; cursor: url(e.cur), auto }",
        &[
            ("a.png", Kind::Image),
            ("b (1).png", Kind::Image),
            ("c.png", Kind::Image),
            ("d.png", Kind::Image),
            ("e.cur", Kind::Image),
        ],
    );
    check(
        "@media print { .a { background: url(no.png) } } @media screen and (min-width: 800px) { .b { \
         background: url(yes.png) } } @media (max-width: 500px) { @supports (x: y) { .c { background: url(no.png) } } } \
         a:hover { background: url(no.png) } a:hover, b { background: url(both.png) }",
        &[("yes.png", Kind::Image), ("both.png", Kind::Image)],
    );
    check(
        ".a { background: url(data:image/png;base64,AAAA) } .b { fill: url(#gradient) } .c { background: url() }",
        &[],
    );
    check(
        ".a { background: url(a\\ b\\).png) } .b { background: url(\\000041.png) }",
        &[("a b).png", Kind::Image), ("A.png", Kind::Image)],
    );
}

#[test]
fn one_image_of_a_set() {
    check(
        ".a { background-image: image-set(url(a.avif) type('image/avif'), url(a.png) type('image/png')); \
         mask: -webkit-image-set('b.png' 1x, 'c.png' 2x), url(d.svg) }",
        &[("a.avif", Kind::Image), ("b.png", Kind::Image), ("d.svg", Kind::Image)],
    );
}

#[test]
fn of_each_font_the_first_format_that_is_read() {
    check(
        "@font-face { font-family: A; src: url(a.eot); src: local('A'), url('a.eot?#iefix') format('embedded-opentype'), \
         url(a.woff2) format(\"woff2\"), url(a.woff) format('woff') }\
         @font-face { font-family: B; src: url(b.woff2) format('woff2-variations'); unicode-range: U+0000-00FF, U+131 }\
         @font-face { font-family: C; src: url(c.woff2) format('woff2'); unicode-range: U+0400-04FF }\
         @font-face { src: url(d.svg), url(d.ttf) }",
        &[("a.woff2", Kind::Font), ("b.woff2", Kind::Font), ("d.ttf", Kind::Font)],
    );
}

#[test]
fn declarations_of_an_attribute() {
    check("color: red; background: url(hero.jpg)", &[("hero.jpg", Kind::Image)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    /// Any text ends, without a panic, and comments hide what is in them.
    #[test]
    fn any_text_ends(text in r#"([ -~\n]|url\(|@import|@font-face|\{|\}|/\*|\*/|\\|"|'|ß){0,60}"#) {
        let count = references(&text).len();
        prop_assert!(count <= text.len());
    }

    /// Each of any images in a rule is found, in order, however it is quoted.
    #[test]
    fn all_images_of_a_rule_are_found(names in prop::collection::vec(("[a-z]{1,8}\\.png", 0..3_usize), 1..20)) {
        let mut css = String::from(".x {");
        for (name, form) in &names {
            let quote = ["", "'", "\""][*form];
            css.push_str(&format!("/* c */ background: url({quote}{name}{quote});\n"));
        }
        css.push('}');
        let found: Vec<String> = references(&css).into_iter().map(|(url, _)| url).collect();
        let want: Vec<String> = names.into_iter().map(|(name, _)| name).collect();
        prop_assert_eq!(found, want);
    }
}
