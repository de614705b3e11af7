use proptest::prelude::*;

use super::*;

#[test]
fn media_queries_hold_for_a_desktop_window() {
    for query in [
        "",
        "all",
        "screen",
        "only screen and (min-width: 600px)",
        "print, screen",
        "(min-width: 40em) and (max-width: 90rem)",
        "not print",
        "(width >= 600px)",
        "(600px <= width < 1281px)",
        "(orientation: landscape)",
        "(prefers-color-scheme: light)",
        "(min-width: 9000px) or (min-height: 100px)",
        "not (max-width: 600px)",
        "(max-resolution: 1dppx)",
        "SCREEN AND (MIN-WIDTH: 1280PX)",
    ] {
        assert!(matches(query), "{query}");
    }
    for query in [
        "print",
        "speech",
        "not screen",
        "screen and (max-width: 600px)",
        "(prefers-color-scheme: dark)",
        "(width < 1280px)",
        "(-webkit-min-device-pixel-ratio: 2)",
        "(min-resolution: 192dpi)",
        "(unheard-of: 3)",
        "((((((((((((((((((((width))))))))))))))))))))",
        "(min-width: calc(1px",
    ] {
        assert!(!matches(query), "{query}");
    }
}

#[test]
fn lengths() {
    for (text, want) in [
        ("50vw", Some(640.0)),
        ("20em", Some(320.0)),
        ("calc(100vw - 40px)", Some(1240.0)),
        ("calc(100vw - 40px + 10px)", Some(1250.0)),
        ("calc((100vw - 80px) / 3)", Some(400.0)),
        ("calc(2 * 33vw)", Some(844.8)),
        ("100%", None),
        ("min(1px, 2px)", None),
        ("", None),
    ] {
        let px = length_px(text);
        assert_eq!(px.map(|px| (px * 10.0).round() / 10.0), want, "{text}");
    }
}

#[test]
fn the_least_candidate_that_is_enough_is_fetched() {
    for (srcset, sizes, src, want) in [
        ("a.jpg 1x, b.jpg 2x", "", Some("c.jpg"), Some("a.jpg")),
        ("b.jpg 2x, d.jpg 3x", "", Some("c.jpg"), Some("c.jpg")),
        ("b.jpg 2x", "", None, Some("b.jpg")),
        ("s.jpg 320w, m.jpg 1300w, l.jpg 2000w", "", Some("c.jpg"), Some("m.jpg")),
        ("s.jpg 320w, m.jpg 1300w, l.jpg 2000w", "320px", None, Some("s.jpg")),
        ("s.jpg 320w, m.jpg 700w, l.jpg 2000w", "(max-width: 600px) 100vw, 50vw", None, Some("m.jpg")),
        ("s.jpg 320w, m.jpg 700w", "calc(100vw - 10px)", None, Some("m.jpg")),
        ("s.jpg 320w, m.jpg 401w, l.jpg 1900w", "calc((100vw - 80px) / 3)", None, Some("m.jpg")),
        ("a,b.jpg 1x,c.jpg 2x", "", None, Some("a,b.jpg")),
        ("a.jpg, b.jpg 2x", "", None, Some("a.jpg")),
        ("a.jpg 0.5x, b.jpg 0.25x", "", None, Some("a.jpg")),
        (" , ,", "", Some("c.jpg"), Some("c.jpg")),
        ("a.jpg nonsense", "", None, None),
    ] {
        assert_eq!(pick(srcset, sizes, src), want, "{srcset} {sizes}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    /// Also of blanks that are not ASCII, which CSS does not know.
    #[test]
    fn any_text_ends(text in r#"([ -~]|\(|\)| and | or |not |calc\(|min-width:|px|vw|\u{a0}|\u{3000}|ß){0,40}"#) {
        let _ = (matches(&text), length_px(&text), source_size_px(&text));
        let _ = pick("a.jpg 100w, b.jpg 200w", &text, None);
        let _ = pick(&text, "", None);
    }
}
