use proptest::prelude::*;

use super::*;
use crate::recording::{Entry, Kind};
use crate::select::select;
use crate::tests::{get, page, post, recording};

fn built(entries: Vec<Entry>, options: &Options) -> (Recording, Journey) {
    let recording = recording(entries);
    let selection = select(&recording, options);
    let journey = build(&recording, &selection, options);
    (recording, journey)
}

/// Steps as `(entry, redirects, resources)`.
fn shape(entries: Vec<Entry>) -> Vec<(usize, Vec<usize>, Vec<usize>)> {
    let (_, journey) = built(entries, &Options::default());
    let shape = |step: Step| (step.entry, step.redirects, step.resources);
    journey.steps.into_iter().map(shape).collect()
}

#[test]
fn resources_belong_to_their_page_by_referer_whatever_the_time() {
    let image = |at, path: &str, referer: &str| get(at, path, Kind::Image).with("referer", referer);
    let entries = vec![
        page(0, "/", ""),
        get(30, "/app.css", Kind::Style),
        get(60, "/font.woff", Kind::Font).with("Referer", "http://shop.test:8080/app.css"),
        page(100, "/about", ""),
        image(120, "/late.png", "http://shop.test:8080/"),
        image(9000, "/lazy.png", "http://shop.test:8080/about#top"),
    ];
    assert_eq!(shape(entries), [(0, vec![], vec![1, 2, 4]), (3, vec![], vec![5])]);
}

#[test]
fn calls_while_a_page_loads_are_its_resources_and_steps_afterwards() {
    let call = |at, path: &str| get(at, path, Kind::Call);
    let entries = vec![
        page(0, "/", ""),
        call(50, "/api/menu"),
        call(900, "/api/news"),
        call(5000, "/api/more"),
        page(6000, "/cart", ""),
        call(6050, "/api/cart").by("POST"),
        call(6100, "/api/cart"),
        call(6120, "/api/me").with("authorization", "Bearer x"),
    ];
    assert_eq!(
        shape(entries),
        [
            (0, vec![], vec![1, 2]),
            (3, vec![], vec![]),
            (4, vec![], vec![]),
            (5, vec![], vec![]),
            (6, vec![], vec![]),
            (7, vec![], vec![]),
        ]
    );
}

#[test]
fn pages_in_quick_succession_are_pages_and_frames_are_not() {
    let entries = vec![
        page(0, "/", "<iframe src='/frame?x=1'></iframe>"),
        page(20, "/frame?x=1", ""),
        page(40, "/login", ""),
        page(50, "/ad", "").with("Sec-Fetch-Dest", "iframe"),
        page(60, "/login", "").with("Sec-Fetch-Dest", "document"),
    ];
    assert_eq!(shape(entries), [(0, vec![], vec![1]), (2, vec![], vec![3]), (4, vec![], vec![])]);
}

/// Defect of others: redirect targets came before their source, or stood beside it.
#[test]
fn redirects_follow_their_source_even_when_clocks_disagree() {
    let entries = vec![
        page(0, "/login", ""),
        page(2000, "/account?a=1", ""),
        post(2000, "/login", "a=1").leads_to(302, "/go"),
        get(2000, "/go", Kind::Document).leads_to(302, "account?a=1#top"),
        page(9000, "/account?a=1", ""),
    ];
    assert_eq!(shape(entries), [(0, vec![], vec![]), (2, vec![3, 1], vec![]), (4, vec![], vec![])]);
}

/// A client that does not follow redirects at once: the page belongs to the last redirect before it.
#[test]
fn a_page_belongs_to_the_last_redirect_before_it() {
    let entries = vec![
        post(0, "/signup", "a=1").leads_to(302, "/account"),
        page(2500, "/login", ""),
        post(6000, "/login", "a=1").leads_to(302, "/account"),
        page(6010, "/account", ""),
    ];
    assert_eq!(shape(entries), [(0, vec![], vec![]), (1, vec![], vec![]), (2, vec![3], vec![])]);
}

#[test]
fn a_redirect_to_itself_ends() {
    let entries = vec![
        get(0, "/a", Kind::Document).leads_to(302, "/a"),
        get(0, "/a", Kind::Document).leads_to(302, "/a"),
        page(50, "/a", ""),
    ];
    let shape = shape(entries);
    assert_eq!(shape.len(), 1);
    assert_eq!(shape[0].1.len(), 2);
}

#[test]
fn pauses_leave_loading_out() {
    let entries = vec![
        page(0, "/", "").taking(500),
        get(600, "/slow.png", Kind::Image).taking(2400),
        get(20_000, "/lazy.png", Kind::Image),
        page(23_000, "/next", ""),
        page(23_050, "/quick", ""),
        page(23_500, "/last", ""),
    ];
    let think = |options: &Options| {
        let (_, journey) = built(entries.clone(), options);
        journey.steps.iter().map(|step| step.think).collect::<Vec<_>>()
    };
    let ms = Duration::from_millis;
    assert_eq!(think(&Options::default()), [None, Some(ms(20_000)), None, Some(ms(430))]);
    let fixed = Options { think: Think::Fixed(ms(5)), ..Options::default() };
    assert_eq!(think(&fixed), [None, Some(ms(5)), None, Some(ms(5))]);
}

#[test]
fn marks_begin_at_the_next_step() {
    let mut recording = recording(vec![page(0, "/", ""), page(5000, "/login", ""), page(9000, "/x", "")]);
    let mark = |at_ms: i64, name: &str| Mark { at_us: at_ms * 1000, name: name.into() };
    recording.marks = vec![mark(4000, " log in "), mark(3000, "typo"), mark(99_000, "never"), mark(0, "start")];
    let options = Options::default();
    let journey = build(&recording, &select(&recording, &options), &options);
    let marks: Vec<_> = journey.steps.iter().map(|step| step.mark.as_deref()).collect();
    assert_eq!(marks, [Some("start"), Some("log in"), None]);
}

#[test]
fn identifiers_become_templates_and_words_stay() {
    for (path, want) in [
        ("/item/42", "/item/{id}"),
        ("/item/7b0c1b1e-8a3c-4a65-9b5c-0f5cf0c8b2d1", "/item/{id}"),
        ("/image/7b0c1b1e-8a3c-4a65-9b5c-0f5cf0c8b2d1.jpg", "/image/{id}.jpg"),
        ("/c/deadbeef01", "/c/{id}"),
        ("/reset/aZ09bcdefgHIJKLmnop12", "/reset/{id}"),
        ("/api/v2/users/7/posts/9", "/api/v2/users/{id}/posts/{id}"),
        ("/a;jsessionid=AB12", "/a;{id}"),
        ("/login", "/login"),
        ("/about-us-2024", "/about-us-2024"),
        ("/jquery-3.7.1.min.js", "/jquery-3.7.1.min.js"),
        ("/decade/facade", "/decade/facade"),
        ("/", "/"),
    ] {
        assert_eq!(template_path(path), want);
    }
}

#[test]
fn many_words_at_one_position_are_identifiers() {
    let items = ["oak-table", "pine-chair", "red-lamp", "tin_can"];
    let mut entries: Vec<_> = (0..).zip(items).map(|(n, item)| page(n * 5000, &format!("/item/{item}"), "")).collect();
    entries.extend((10..).zip(["orders", "settings"]).map(|(n, word)| page(n * 5000, &format!("/account/{word}"), "")));
    let (_, journey) = built(entries, &Options::default());
    let names: Vec<_> = journey.steps.iter().map(|step| step.name.as_str()).collect();
    let item = "GET /item/{id}";
    assert_eq!(names, [item, item, item, item, "GET /account/orders", "GET /account/settings"]);
}

fn any_entry() -> impl Strategy<Value = Entry> {
    let kinds =
        prop::sample::select(vec![Kind::Document, Kind::Style, Kind::Image, Kind::Call, Kind::Other, Kind::Socket]);
    let method = prop::sample::select(vec!["GET", "POST", "DELETE"]);
    let path = prop::sample::select(vec!["/a", "/b", "/c?x=1", "http://other.test/"]);
    let status = prop_oneof![Just(200_u16), Just(302), Just(404)];
    (0..5000_i64, kinds, method, path, status, "/[a-c]").prop_map(|(at, kind, method, path, status, to)| {
        let mut entry = get(at, path, kind).by(method).status(status);
        if status == 302 {
            entry = entry.leads_to(302, &to);
        }
        entry.with("referer", &format!("http://shop.test:8080{to}"))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// What is kept is in exactly one place, and what is done is in order of sending.
    #[test]
    fn every_request_is_once_in_the_journey(entries in prop::collection::vec(any_entry(), 0..14)) {
        let options = Options::default();
        let recording = recording(entries);
        let selection = select(&recording, &options);
        let journey = build(&recording, &selection, &options);
        let mut told: Vec<usize> = journey
            .steps
            .iter()
            .flat_map(|step| step.hops().chain(step.resources.iter().copied()).collect::<Vec<_>>())
            .collect();
        // A redirected resource stands for its hops.
        let resources: Vec<usize> = journey.steps.iter().flat_map(|step| step.resources.clone()).collect();
        for index in resources {
            told.extend(chain::chains(&recording, &selection.kept).remove(&index).unwrap_or_default());
        }
        told.sort_unstable();
        let mut kept = selection.kept.clone();
        kept.sort_unstable();
        prop_assert_eq!(told, kept);
        let sent: Vec<i64> = journey.steps.iter().map(|step| recording.entries[step.entry].sent_us).collect();
        prop_assert!(sent.is_sorted());
        prop_assert!(journey.steps.iter().all(|step| !step.name.is_empty()));
    }
}
