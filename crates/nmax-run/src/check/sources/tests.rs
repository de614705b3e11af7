use super::*;

#[test]
fn clocks_are_told_by_what_is_known_of_them() {
    // offset s, error s, says
    let cases = [
        (0.000_1, 0.000_2, "its clock is right to within 200 µs"),
        (-0.000_1, 0.000_2, "its clock is right to within 200 µs"),
        (75.0, 0.001, "its clock is 75.0 s ahead, to within 1.00 ms"),
        (-0.02, 0.001, "its clock is 20.0 ms behind, to within 1.00 ms"),
    ];
    for (offset_s, error_s, says) in cases {
        assert_eq!(clock(Clock { offset_s, error_s }), says);
    }
}
