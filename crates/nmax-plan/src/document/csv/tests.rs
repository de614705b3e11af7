use proptest::prelude::*;

use super::*;

#[test]
fn tables_worked_by_hand() {
    let cases = [
        ("a,b\n1,2\n3,4\n", vec!["a", "b"], vec!["1", "2", "3", "4"], "plain"),
        ("\u{feff}a,b\r\n1,2", vec!["a", "b"], vec!["1", "2"], "byte order mark, CRLF, no final line end"),
        ("q\n\"x, \"\"y\"\"\nz\"\n", vec!["q"], vec!["x, \"y\"\nz"], "quotes, delimiter and line break in a cell"),
        ("a;b\n1,5;2\n", vec!["a", "b"], vec!["1,5", "2"], "semicolons"),
        ("a\tb\n1\t2\n", vec!["a", "b"], vec!["1", "2"], "tabs"),
        ("\"a;x\",b\n1,\n", vec!["a;x", "b"], vec!["1", ""], "quoted header, empty cell"),
        ("a,b\n1,2\n\n\n", vec!["a", "b"], vec!["1", "2"], "blank lines"),
        ("a\nx\ry\n", vec!["a"], vec!["x\ry"], "a lone CR is data"),
    ];
    for (text, columns, cells, why) in cases {
        let own = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(parse(text, 10), Ok(Csv { columns: own(columns), cells: cells.iter().collect() }), "{why}");
    }
}

#[test]
fn broken_tables_name_the_line() {
    let cases = [
        ("", "1: the file has no header row"),
        ("a,b\n", "1: the file has no rows below its header"),
        ("a,a\n1,2\n", "1: column `a` is there twice"),
        ("a,b\n1,2\n1\n", "3: the row has 1 cells, the header has 2"),
        ("a,b\n\"1\n\",2\n1,2,3", "4: the row has 3 cells, the header has 2"),
        ("a\n\"x", "2: a quote is never closed"),
        ("a\n\"x\"y\n", "2: text follows a closing quote; write a quote inside quotes twice"),
    ];
    for (text, want) in cases {
        let errors = parse(text, 10).unwrap_err();
        let lines: Vec<String> = errors.iter().map(|error| format!("{}: {}", error.line, error.message)).collect();
        assert_eq!(lines[0], want, "{text:?}: {lines:?}");
    }
    assert_eq!(parse(&format!("a,b\n{}", "1\n".repeat(100)), 10).unwrap_err().len(), 10);
}

/// Each column is looked at once: where each is compared with each other, this takes minutes.
#[test]
fn many_columns_are_linear() {
    let names = || (0..200_000).map(|column| format!("column {column}"));
    let header = names().collect::<Vec<_>>().join(",");
    let text = format!("{header}\n{}1\n", "1,".repeat(199_999));
    let table = parse(&text, 10).unwrap();
    assert_eq!((table.columns.len(), table.cells.len()), (200_000, 200_000));
    let twice = parse(&format!("{header},{header}\n"), 10).unwrap_err();
    assert_eq!(twice.len(), 10, "no more errors than asked for");
    assert_eq!(twice[9].message, "column `column 9` is there twice");
}

/// Rows take the memory of their text and a number for each cell.
#[test]
fn memory_is_that_of_the_text() {
    let text = format!("id,name,city\n{}", "1234567,Ann,Ulm\n".repeat(100_000));
    let table = parse(&text, 10).unwrap();
    assert_eq!(table.cells.len(), 300_000);
    let per_cell = size_of::<usize>();
    assert!(table.cells.bytes() <= text.len() + per_cell * 300_010, "{} bytes of {}", table.cells.bytes(), text.len());
    // A clone of a plan is not one of its rows.
    assert_eq!(table.clone().cells[0].as_ptr(), table.cells[0].as_ptr());
}

#[test]
fn lines_that_end_with_a_carriage_return_alone_are_told_once() {
    for text in ["a,b\r1,2\r3,4\r", "\"a\"\r\"1\"\r\"2\"\r"] {
        let errors = parse(text, 10).unwrap_err();
        assert_eq!((errors.len(), errors[0].line), (1, 1), "{errors:?}");
        assert!(errors[0].message.contains("CR alone"), "{errors:?}");
    }
}

proptest! {
    /// Law: a table written with every cell quoted reads back.
    #[test]
    fn quoted_tables_come_back(width in 1..4_usize, cells in proptest::collection::vec("[a,;\"\r\n\t é]{0,5}", 1..20)) {
        let columns: Vec<String> = (0..width).map(|column| format!("c{column}")).collect();
        let cells = &cells[..cells.len() / width * width];
        prop_assume!(!cells.is_empty() && !cells.iter().all(|cell| cell.is_empty() && width == 1));
        let mut text = columns.join(",") + "\r\n";
        for row in cells.chunks(width) {
            let row: Vec<String> = row.iter().map(|cell| format!("\"{}\"", cell.replace('"', "\"\""))).collect();
            text += &(row.join(",") + "\r\n");
        }
        let own = |cells: Cells| cells.iter().map(str::to_owned).collect::<Vec<_>>();
        let back = parse(&text, 10).map(|csv| (csv.columns, own(csv.cells)));
        if width > 1 {
            prop_assert_eq!(back, Ok((columns, cells.to_vec())));
        } else {
            let kept: Vec<String> = cells.iter().filter(|cell| !cell.is_empty()).cloned().collect();
            prop_assert_eq!(back.map(|(_, cells)| cells.into_iter().filter(|c| !c.is_empty()).collect()), Ok::<Vec<String>, _>(kept));
        }
    }

    /// Law: any text is answered without a panic.
    #[test]
    fn any_text_is_answered(text in "[a,;\"\r\n\t]{0,30}|\\PC{0,30}") {
        let _ = parse(&text, 10);
    }
}
