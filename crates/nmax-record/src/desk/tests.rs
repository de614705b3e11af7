use std::io::BufReader;

use proptest::prelude::*;

use super::*;

fn mark(at_us: i64, name: &str) -> UserCommand {
    UserCommand::Mark(Mark { at_us, name: name.to_owned() })
}

#[test]
fn enter_and_a_name_mark_a_step_at_the_enter() {
    let mut desk = Desk::default();
    assert_eq!(desk.typed_at("", 10), UserCommand::Ask);
    assert_eq!(desk.typed_at(" log in \r", 25), mark(10, "log in"));
    assert_eq!(desk.typed_at("search", 30), mark(30, "search"), "a name alone will do");
    assert_eq!(desk.typed_at("q", 70), UserCommand::End);
}

#[test]
fn enter_by_mistake_can_be_taken_back() {
    let mut desk = Desk::default();
    assert_eq!(desk.typed_at("", 10), UserCommand::Ask);
    assert_eq!(desk.typed_at("  ", 20), UserCommand::Cancel, "no name: nothing begins");
    assert_eq!(desk.typed_at("search", 30), mark(30, "search"), "and nothing of it is left");
    assert_eq!(desk.typed_at("", 40), UserCommand::Ask);
    assert_eq!(desk.typed_at("q", 50), UserCommand::End, "also while a name is asked for");
}

#[test]
fn a_program_names_what_came_before() {
    let mut desk = Desk::default();
    assert_eq!(desk.typed_at("@20 log in", 90), mark(20, "log in"));
    assert_eq!(desk.typed_at("@20", 91), mark(20, ""), "taken back");
    assert_eq!(desk.typed_at("@home", 92), mark(92, "@home"), "a name that only looks like it");
}

fn lines(bytes: &[u8], piece: usize) -> Vec<String> {
    let mut input = BufReader::with_capacity(piece, bytes);
    std::iter::from_fn(|| next_line(&mut input)).collect()
}

#[test]
fn what_is_not_utf_8_is_taken_as_far_as_it_can_be() {
    let text = b"l\xf6schen\n\xff\xfe\n\nq";
    for piece in [1, 2, 100] {
        assert_eq!(lines(text, piece), ["l\u{fffd}schen", "\u{fffd}\u{fffd}", "", "q"], "{piece}");
    }
}

#[test]
fn a_line_without_end_takes_no_memory() {
    let text = [&vec![b'x'; 100_000][..], b"\nq\n"].concat();
    let read = lines(&text, 64);
    assert_eq!((read[0].len(), read[1].as_str(), read.len()), (LINE_BYTES_MAX, "q", 2));
}

proptest! {
    /// Law: text comes back line by line, however it is cut into pieces.
    #[test]
    fn lines_are_those_of_the_text(text in "([a-zä\u{1f600}]{0,9}\n?){0,9}", piece in 1..9_usize) {
        let expected: Vec<&str> = text.lines().collect();
        prop_assert_eq!(lines(text.as_bytes(), piece), expected);
    }
}
