use super::*;

#[test]
fn rejections_are_grouped_and_shown() {
    let mut counts = Counts::default();
    for number in 0..200 {
        let reason = format!("reason {}", number % 70);
        counts.reject(reason, || format!("log:{number}"), b"\x00\xff bad \x1b[2J line");
    }
    assert_eq!(counts.rejected, 200);
    assert_eq!(counts.rejections.values().map(|rejected| rejected.count).sum::<u64>(), 200);
    assert_eq!(counts.rejections.len(), REASONS_MAX + 1, "the others together");
    let first = &counts.rejections["reason 0"];
    assert_eq!((first.count, first.examples.len()), (3, 3));
    assert_eq!(first.examples[0].0, "log:0");
    assert!(!first.examples[0].1.chars().any(char::is_control), "nothing that moves the cursor");
}

#[test]
fn many_rejections_are_a_warning() {
    let with = |parsed, rejected| Counts { parsed, rejected, ..Counts::default() };
    assert!(!with(990, 10).is_doubtful());
    assert!(with(989, 11).is_doubtful());
    assert!(!with(0, 0).is_doubtful());
}

#[test]
fn counts_add_up() {
    let mut all = Counts::default();
    for number in 0..3_u64 {
        let mut one = Counts { lines: 10, parsed: 7, comments: 1, blank: 1, ..Counts::default() };
        one.reject("no status".into(), || format!("{number}:1"), b"x");
        all.add(one);
    }
    assert_eq!(all.lines, all.parsed + all.rejected + all.comments + all.blank);
    assert_eq!(all.rejections["no status"].count, 3);
}
