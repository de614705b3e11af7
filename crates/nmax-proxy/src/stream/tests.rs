use proptest::prelude::*;

use super::*;

#[test]
fn events_are_read_as_the_standard_says() {
    //   stream                                              events             why
    let cases: [(&str, &[&str], &str); 7] = [
        ("data: one\n\ndata: two\n\n", &["one", "two"], "an empty line ends an event"),
        ("data: a\ndata: b\n\n", &["a\nb"], "lines are joined"),
        ("data:a\r\n\r\ndata:b\r\r", &["a", "b"], "all ends of lines"),
        ("event: x\nid: 7\n\n", &[], "no data, no event"),
        (": still there\n\n", &[], "a comment"),
        ("data\n\n", &[""], "empty data"),
        ("data: unfinished\n", &[], "it may go on"),
    ];
    for (text, want, why) in cases {
        assert_eq!(Stream::default().push(text.as_bytes()), want, "{why}: {text:?}");
    }
}

proptest! {
    /// Law: how the bytes are cut does not matter.
    #[test]
    fn pieces_do_not_matter(text in "(data: [a-z]{0,5}|:x|id: 1|\r|\n|\r\n){0,30}", at in 1..20_usize) {
        let whole = Stream::default().push(text.as_bytes());
        let mut stream = Stream::default();
        let pieces: Vec<String> = text.as_bytes().chunks(at).flat_map(|piece| stream.push(piece)).collect();
        prop_assert_eq!(pieces, whole);
    }
}
