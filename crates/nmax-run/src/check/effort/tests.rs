use super::*;

#[test]
fn a_few_requests_need_a_look_and_ten_every_shape() {
    let few = effort(Some(3.0), None);
    assert!(!few.is_full && few.profiles == [Profile::Smoke]);
    assert!(few.reasons.iter().any(|reason| reason.contains("availability")));
    let many = effort(Some(10.0), None);
    assert!(many.is_full && many.profiles == Profile::ALL);
}

#[test]
fn four_nines_ask_for_every_shape_at_any_rate() {
    assert!(effort(Some(0.1), Some(0.9999)).is_full);
    assert!(!effort(Some(0.1), Some(0.999)).is_full);
    let reasons = effort(Some(0.1), Some(0.9999)).reasons.join(" ");
    assert!(reasons.contains("52 min"), "{reasons}");
    assert!(effort(None, Some(0.99995)).is_full);
}

#[test]
fn an_unknown_rate_is_said_to_be_a_result() {
    let unknown = effort(None, None);
    assert!(!unknown.is_full && unknown.reasons[0].contains("a result"));
}
