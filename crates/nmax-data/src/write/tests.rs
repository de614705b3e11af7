use proptest::prelude::*;

use super::*;
use crate::generator::Spec;

fn people() -> Generator {
    Generator::new(Spec { kind: "person".to_owned(), ..Spec::default() }).unwrap()
}

fn written(format: &Format, records: Range<u64>, piece: u64) -> String {
    let generator = people();
    let mut writer = RecordWriter::new(&generator, 9, records, &[2, 5], format);
    let mut out = writer.header().as_bytes().to_vec();
    while writer.write(piece, &mut out) > 0 {}
    String::from_utf8(out).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(50))]

    /// Law: the text does not depend on the pieces it is written in, and parts put together are the whole.
    #[test]
    fn pieces_and_parts_make_the_whole(from in 0..1_u64 << 60, a in 0..700_u64, b in 0..700_u64, piece in 1..600_u64) {
        let sql = Format::Sql { table: "t".to_owned() };
        for format in [Format::Csv, Format::JsonLines, sql] {
            let whole = from..from + a + b;
            prop_assert_eq!(written(&format, whole.clone(), piece), written(&format, whole, u64::MAX));
        }
        let parts = written(&Format::JsonLines, from..from + a, 9) + &written(&Format::JsonLines, from + a..from + a + b, 9);
        prop_assert_eq!(parts, written(&Format::JsonLines, from..from + a + b, 9));
    }
}

/// The row is what its cells are, one by one.
#[test]
fn rows_hold_their_cells() {
    let generator = people();
    for (at, line) in written(&Format::Csv, 40..60, 7).lines().enumerate() {
        let Some(at) = at.checked_sub(1) else {
            assert_eq!(line, "full_name,email");
            continue;
        };
        let mut cells = String::new();
        generator.cell(9, 40 + at as u64, 2, &mut cells);
        cells.push(',');
        generator.cell(9, 40 + at as u64, 5, &mut cells);
        assert_eq!(line, cells);
    }
    for line in written(&Format::JsonLines, 0..20, 7).lines() {
        let object: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(object.as_object().unwrap().len(), 2, "{line}");
    }
}

#[test]
fn statements_of_sql_are_whole() {
    let format = Format::Sql { table: "my \"people\"".to_owned() };
    let text = written(&format, 0..1001, 100);
    let insert = "INSERT INTO \"my \"\"people\"\"\" (\"full_name\", \"email\") VALUES\n";
    assert_eq!(text.matches(insert).count(), 3);
    assert_eq!(text.matches("');\n").count(), 3, "each ends once");
    assert_eq!(text.matches("'),\n").count(), 998);
    assert!(text.ends_with("');\n"));
    assert_eq!(written(&format, 5..5, 100), "", "nothing is not a statement");
}
