use super::*;

/// Text, rows inside and outside, the largest row that is named, why this row.
type RowsCase<'a> = (&'a str, &'a [usize], &'a [usize], usize, &'a str);

/// Ranges have both ends in them, as the slides and the contract count.
#[test]
fn rows_are_ranges_from_one() {
    //  text          contains       not         named  why this row
    let cases: [RowsCase<'_>; 6] = [
        ("1..9", &[1, 9], &[10], 9, "both ends"),
        ("3", &[3], &[2, 4], 3, "one row"),
        ("4..", &[4, 1_000_000], &[3], 4, "open end"),
        ("..2", &[1, 2], &[3], 2, "open beginning"),
        ("1..4,6,8..9", &[4, 6, 8], &[5, 7, 10], 9, "several"),
        ("2..=3", &[2, 3], &[4], 3, "as Rust writes it"),
    ];
    for (text, inside, outside, named, why) in cases {
        let rows = Rows::parse(text).unwrap();
        assert!(inside.iter().all(|row| rows.contains(*row)), "{why}");
        assert!(!outside.iter().any(|row| rows.contains(*row)), "{why}");
        assert_eq!(rows.named_max(), named, "{why}");
    }
    assert_eq!(Rows::parse("..4,6,8..").unwrap().to_string(), "1..4,6,8..");
    for text in ["", "0", "0..3", "x", "5..2", "1..,", "-1", "1..2..3", "1.5"] {
        assert!(Rows::parse(text).unwrap_err().contains("such as 1..9"), "{text}");
    }
}
