use proptest::prelude::*;

use super::*;

/// A page and what a browser fetches for it: kind, priority (`!` first, `-` last) and reference, one a line.
#[track_caller]
fn check(html: &str, want: &str) {
    let found = resources(html).unwrap();
    let lines: Vec<String> = found.found.iter().map(line).collect();
    let want: Vec<&str> = want.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert_eq!(lines, want, "{html}");
}

fn line(found: &ResourceReference) -> String {
    let mark = match found.priority {
        Priority::First => "!",
        Priority::Normal => "",
        Priority::Last => "-",
    };
    format!("{mark}{} {}", found.kind.name(), found.reference)
}

#[test]
fn a_whole_page() {
    let html = include_str!("../../tests/pages/gallery.html");
    let want = include_str!("../../tests/pages/gallery.txt");
    check(html, want);
    assert_eq!(resources(html).unwrap().base.as_deref(), Some("/static/"));
}

#[test]
fn links_by_what_they_are_for() {
    check(
        r#"<link rel=stylesheet href=a.css><link rel="stylesheet" media=print href=print.css>
        <link rel="alternate stylesheet" title=x href=alt.css><link rel=stylesheet disabled href=no.css>
        <link rel="SHORTCUT ICON" href=favicon.ico><link rel=icon media="(prefers-color-scheme: dark)" href=no.ico>
        <link rel=preload as=font href=f.woff2 crossorigin><link rel=preload as=image href=no.png media=print>
        <link rel=preload as=image href=fallback.png imagesrcset="s.png 500w, l.png 1400w">
        <link rel=preload as=unheard href=no><link rel=preload as=font type=font/x href=no.x>
        <link rel=modulepreload href=m.js><link rel=manifest href=site.json>
        <link rel=prefetch href=no.html><link rel=preconnect href=//no.test><link rel=canonical href=/no>
        <link rel=apple-touch-icon href=no.png>"#,
        "!style a.css
        -style print.css
        -style alt.css
        -image favicon.ico
        !font f.woff2
        image l.png
        !script m.js
        -other site.json",
    );
}

#[test]
fn scripts_that_run() {
    check(
        r#"<script src=a.js></script><script defer src=b.js></script><script type=module src=c.js></script>
        <script nomodule src=no.js></script><script type="application/json" src=no.json></script>
        <script type="text/template" src=no.html></script><script>var x = '<img src=no.png>';</script>
        <body><script src="d.js"></script><script type="text/javascript; x=y" src="e.js"></script>"#,
        "!script a.js
        script b.js
        !script c.js
        script d.js
        script e.js",
    );
}

#[test]
fn one_image_of_a_picture() {
    check(
        r#"<picture><source type=image/jxl srcset=no.jxl><source media="(max-width: 600px)" srcset=no.webp>
        <source type=image/webp srcset="s.webp 640w, l.webp 1280w" sizes="50vw"><img src=no.jpg></picture>
        <picture><source type=image/jxl srcset=no.jxl><img src=b.jpg srcset="b2.jpg 2x" alt=""></picture>
        <img src=c.jpg loading=lazy><img src="" alt=x><img alt=y><img src=" d&amp;e.jpg
        ">"#,
        "image s.webp
        image b.jpg
        -image c.jpg
        image d&e.jpg",
    );
}

#[test]
fn sound_and_video() {
    check(
        r#"<video poster=p.jpg><source type="video/x-unknown" src=no.bin><source type="video/webm; codecs=vp9" src=a.webm>
        <source src=no.mp4><track src=no.vtt><track default src=en.vtt></video>
        <video preload=none poster=q.jpg src=no.mp4></video><audio src=b.mp3></audio>"#,
        "image p.jpg
        -media a.webm
        -other en.vtt
        image q.jpg
        -media b.mp3",
    );
}

#[test]
fn other_elements() {
    check(
        r##"<body background=bg.png><table background=t.png><tr><td background=td.png>x</table>
        <input type=image src=go.png><input type=text src=no.png><embed src=e.svg><object data=o.pdf></object>
        <iframe src=/frame.html></iframe><iframe loading=lazy src=late.html></iframe>
        <iframe srcdoc="<img src=no.png>" src=no.html></iframe>
        <div style="background: url('hero.jpg')"></div><svg><image href=v.png /><use xlink:href="icons.svg#a"/>
        <use href="#no"/></svg><style>@import "s.css"; p { background: url(p.png) }</style>
        <style media=print>p { background: url(no.png) }</style>"##,
        "image bg.png
        image t.png
        image td.png
        image go.png
        other e.svg
        other o.pdf
        frame /frame.html
        -frame late.html
        image hero.jpg
        image v.png
        image icons.svg#a
        !style s.css
        image p.png",
    );
}

#[test]
fn what_is_not_there_is_not_fetched() {
    check(
        r#"<noscript><img src=no.png><link rel=stylesheet href=no.css></noscript><!-- <img src=no.png> -->
        <template><img src=no.png><template><script src=no.js></script></template></template>
        <a href=no.html><img src="data:image/png;base64,AA"></a><iframe src="about:blank"></iframe>
        <iframe src="javascript:void(0)"></iframe><img src=blob:x><img src=yes.png><img src=yes.png>
        <textarea><img src=no.png></textarea>"#,
        "image yes.png",
    );
}

#[test]
fn a_style_sheet_names_each_once() {
    let css = "@import 'a.css'; @font-face { src: url(f.woff2) } .a, .b { background: url(i.png) } .c { background: url(i.png) }";
    let lines: Vec<String> = of_style_sheet(css).iter().map(line).collect();
    assert_eq!(lines, ["!style a.css", "!font f.woff2", "image i.png"]);
}

#[test]
fn there_is_a_limit() {
    let html: String = (0..FOUND_MAX + 5).map(|n| format!("<img src={n}.png>")).collect();
    assert_eq!(resources(&html).unwrap().found.len(), FOUND_MAX);
}

/// Traps: a statement that is looked through again for each of its strings, brackets that are counted for each URL, a list
/// of candidates or references that takes many times the text.
#[test]
fn hostile_style_sheets_and_sets_end() {
    let sheets = [
        format!("{}{}", "/**/".repeat(200_000), "\"a\"".repeat(200_000)),
        format!("a{{b:{}{}", "x-image-set(".repeat(200_000), "url(a)".repeat(200_000)),
        "url(a);".repeat(1 << 20),
        "(".repeat(1 << 20),
    ];
    for sheet in &sheets {
        let memory = allocation_counter::measure(|| assert!(of_style_sheet(sheet).len() <= FOUND_MAX));
        assert!(memory.bytes_max < 3 * sheet.len() as u64 + (4 << 20), "{}", memory.bytes_max);
    }
    let set = format!("<img srcset=\"{}\">", "a 1x,".repeat(1 << 20));
    let picture = format!("<picture>{}{}", "<source media=a>".repeat(20_000), "<img src=a>".repeat(20_000));
    assert_eq!(resources(&set).unwrap().found.len(), 1);
    assert_eq!(resources(&picture), Err(GaveUp::Steps));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Any text ends without a panic, with distinct references that lead to something.
    #[test]
    fn any_text_ends(html in r#"(<(img|link|script|picture|source|video|style|base|template) ?|src=|srcset=|rel=stylesheet|href=|style="|[ -~]|</|>|url\(|ß){0,80}"#) {
        let found = resources(&html).unwrap().found;
        let distinct: HashSet<&str> = found.iter().map(|found| found.reference.as_str()).collect();
        prop_assert_eq!(distinct.len(), found.len());
        prop_assert!(found.iter().all(|found| is_fetched(&found.reference)));
    }

    /// In any order of the elements, the references come in that order.
    #[test]
    fn in_the_order_of_the_document(which in prop::collection::vec(0..5_usize, 1..40)) {
        let elements: Vec<String> = which.iter().enumerate().map(|(n, form)| match form {
            0 => format!("<img src='{n}'>"),
            1 => format!("<div><p><script src='{n}'></script></p></div>"),
            2 => format!("<span style=\"background: url({n})\">x</span>"),
            3 => format!("<template><img src=no></template><iframe src='{n}'></iframe>"),
            _ => format!("<picture><source type=image/x srcset=no><img srcset='{n} 1x, no 2x'></picture>"),
        }).collect();
        let found = resources(&format!("<body>{}", elements.concat()));
        let found: Vec<String> = found.unwrap().found.into_iter().map(|found| found.reference).collect();
        let want: Vec<String> = (0..which.len()).map(|n| n.to_string()).collect();
        prop_assert_eq!(found, want);
    }
}
