use proptest::prelude::*;

use super::*;

fn request() -> impl Strategy<Value = Saved> {
    let text = || "(?s).{0,12}";
    let list = || proptest::collection::vec(text(), 0..3);
    let option = || proptest::option::of(text());
    let lists = (list(), list(), list(), list());
    let phase = proptest::option::of(prop_oneof![Just("hold".to_owned()), Just("whole".to_owned())]);
    (lists, option(), option(), proptest::option::of(1..500_usize), any::<bool>(), phase).prop_map(
        |((filter, by, tags, show), sort, every, top, is_over_time, phase)| Saved {
            request: Request { filter, by, tags, show, sort, top, is_over_time, every },
            phase,
        },
    )
}

proptest! {
    /// Law: what is saved reads back, and what was there before stays.
    #[test]
    fn saved_slices_read_back(first in request(), second in request(), third in request()) {
        let text = with("", "one", &first).unwrap();
        let text = with(&text, "two", &second).unwrap();
        let text = text.replace("[two]", "# kept\n[two] # also kept");
        let changed = with(&text, "one", &third).unwrap();
        prop_assert!(changed.contains("# kept\n[two] # also kept"), "{}", changed);
        prop_assert!(changed.starts_with(HEADER));
        let want = vec![("one".to_owned(), third), ("two".to_owned(), second)];
        prop_assert_eq!(read(&changed).map_err(|errors| errors[0].to_string()), Ok(want), "{}", changed);
    }

    /// No text makes the reader panic.
    #[test]
    fn any_text_is_read_or_refused(text in "(?s)[\\[\\]=\"'\\\\#,\n a-c0-9]{0,60}") {
        let _ = read(&text);
    }
}

#[test]
fn a_file_written_by_hand() {
    let text = "\
# mine
[images]   # a comment
where = 'path ~ \"\\.png$\"'
by = [
  \"name\", # first
  'status',
]
top = 5
over_time = true
[none-at-all]
";
    let slices = read(text).unwrap();
    let images = &slices[0].1.request;
    assert_eq!((slices[0].0.as_str(), slices[1].0.as_str()), ("images", "none-at-all"));
    assert_eq!(images.filter, [r#"path ~ "\.png$""#]);
    assert_eq!(images.by, ["name", "status"]);
    assert_eq!((images.top, images.is_over_time), (Some(5), true));
}

#[test]
fn all_errors_with_their_lines() {
    let text = "by = []\n[a b]\n[x]\nbye = \"name\"\ntop = \"5\"\nsort = p95\nwhere = [\"a\" \"b\"]\n[x]\n[y.z]\n";
    let errors = read(text).unwrap_err();
    let shown: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let all = shown.join("\n");
    for (line, word) in [
        (1, "begins no slice"),
        (2, "unclosed table"),
        (4, "unknown key `bye`"),
        (5, "whole number"),
        (6, "quoted"),
        (7, "comma"),
        (8, "duplicate"),
        (9, "begins no slice"),
    ] {
        assert!(
            shown.iter().any(|text| text.contains(&format!("line {line}:")) && text.contains(word)),
            "line {line}, {word}:\n{all}"
        );
    }
    assert!(all.contains("did you mean `by`?"), "{all}");
}
