use proptest::prelude::*;

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]
    /// A table gives back what was put into it, and each different text takes room once.
    #[test]
    fn cells_come_back(rows in prop::collection::vec(prop::collection::vec("[aé]{0,3}", 3), 0..40)) {
        let mut builder = Table::builder(3);
        for row in &rows {
            let cells: Vec<&str> = row.iter().map(String::as_str).collect();
            prop_assert!(builder.push(&cells));
        }
        let table = builder.build();
        prop_assert_eq!(table.row_count(), rows.len() as u64);
        for (number, row) in (0..).zip(&rows) {
            for (column, cell) in row.iter().enumerate() {
                prop_assert_eq!(table.cell(number, column), cell);
            }
        }
        let different: std::collections::BTreeSet<&String> = rows.iter().flatten().collect();
        prop_assert_eq!(table.text.len(), different.iter().map(|text| text.len()).sum::<usize>());
        prop_assert_eq!(table.cell(rows.len() as u64, 0), "");
    }
}

#[test]
fn rows_are_filled_up() {
    let mut builder = Table::builder(2);
    assert!(builder.push(&["a"]));
    assert!(builder.push(&["b", "c", "left out"]));
    let number = builder.number_of("b").unwrap();
    builder.push_numbers(&[number]);
    let table = builder.build();
    assert_eq!([table.cell(2, 0), table.cell(2, 1)], ["b", ""]);
    assert_eq!([table.cell(0, 0), table.cell(0, 1), table.cell(1, 0), table.cell(1, 1)], ["a", "", "b", "c"]);
}
