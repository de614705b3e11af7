use proptest::prelude::*;

use super::*;
use crate::fixture::Fake;

const PAGE: &str = "Active connections: 291 \nserver accepts handled requests\n 1000 990 5000 \n\
                    Reading: 6 Writing: 179 Waiting: 106 \n";

#[test]
fn a_page_of_nginx() {
    let (before, mut rates) = (parse(PAGE).unwrap(), Rates::default());
    readings(Nanos::from_secs(1), &before, &mut rates, "front");
    let after = parse(&PAGE.replace("1000 990 5000", "1100 1085 5501")).unwrap();
    let readings = readings(Nanos::from_secs(2), &after, &mut rates, "front");
    let told: Vec<_> = readings.iter().map(|reading| (&*reading.source, &*reading.metric, reading.value)).collect();
    assert_eq!(
        told,
        [
            ("nginx front", "connections_count", 290.0),
            ("nginx front", "reading_count", 6.0),
            ("nginx front", "writing_count", 178.0),
            ("nginx front", "idle_count", 106.0),
            ("nginx front", "accepted_per_s", 99.0),
            ("nginx front", "dropped_per_s", 5.0),
            ("operations front requests", "operations_per_s", 500.0),
        ]
    );
}

#[test]
fn other_pages_are_said() {
    for page in ["", "<html>", "Active connections: many\n", "Active connections: 1\nserver accepts\n 1\nReading: 0\n"]
    {
        let server = Fake::page("text/html", page);
        let trouble = source(&server.url("/status"), "front").read(Nanos(0)).unwrap_err();
        assert!(trouble.text.contains("is not a page of `stub_status`"), "{page:?}: {trouble}");
    }
}

proptest! {
    /// No page makes it panic.
    #[test]
    fn anything_may_be_on_a_page(text in "(Active connections:|server |accepts|requests|[0-9]{1,22}|[ \n:]|[a-z])*") {
        let _ = parse(&text);
    }
}
