use super::*;

fn mark(at_us: i64, name: &str) -> Wish {
    Wish::Mark(Mark {
        at_us,
        name: name.to_owned(),
    })
}

#[test]
fn enter_and_a_name_mark_a_step_at_the_enter() {
    let mut desk = Desk::default();
    assert_eq!(desk.typed_at("", 10), Wish::Ask);
    assert_eq!(desk.typed_at(" log in \r", 25), mark(10, "log in"));
    assert_eq!(desk.typed_at("search", 30), mark(30, "search"), "a name alone will do");
    assert_eq!(desk.typed_at("", 40), Wish::Ask);
    assert_eq!(desk.typed_at("", 50), Wish::Ask, "Enter again: it begins now");
    assert_eq!(desk.typed_at("q", 60), mark(50, "q"), "asked for a name, q is one");
    assert_eq!(desk.typed_at("q", 70), Wish::End);
}
