use proptest::prelude::*;

use super::*;

/// Header and records of a text, as cells.
fn table(text: &[u8]) -> Result<Vec<Vec<String>>, String> {
    let (mut reader, header) = CsvReader::new(text).map_err(|error| error.to_string())?;
    let cells = |record: &Record| record.cells().map(str::to_owned).collect::<Vec<_>>();
    let (mut rows, mut record) = (vec![cells(&header)], Record::default());
    while reader.read(header.len(), &mut record).map_err(|error| error.to_string())? {
        rows.push(cells(&record));
    }
    Ok(rows)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Law: what is written is read again, whatever stands in the cells.
    #[test]
    fn written_cells_are_read(rows in prop::collection::vec(prop::collection::vec("[a-z,\"\r\n;é ]{0,6}", 3..=3), 0..5)) {
        let mut text = String::from("a,b,c\n");
        for row in &rows {
            let record = Record { ends: vec![(0, false); 3], ..Record::default() };
            record.write(b',', &mut text, |at, _, out| out.push_str(&row[at]));
        }
        let read = table(text.as_bytes()).unwrap();
        prop_assert_eq!(&read[1..], &rows[..], "{}", text);
    }

    /// Law: no text makes it panic.
    #[test]
    fn anything_is_read_or_refused(text in prop::collection::vec(prop::sample::select(b"a,\"\r\n;\xff".to_vec()), 0..40)) {
        let _ = table(&text);
    }
}

/// Read and written back, a file is the same to the byte.
#[test]
fn files_keep_their_form() {
    for text in ["a;b\r\n\"x;\"\"y\"\"\";1\r\n;\"\"\r\n", "a\tb\n1\t\"2\n3\"\n", "only\n1\n\n2\n"] {
        let (mut reader, header) = CsvReader::new(text.as_bytes()).unwrap();
        let (mut out, mut record) = (String::new(), Record::default());
        let keep = |_, cell: &str, out: &mut String| out.push_str(cell);
        header.write(reader.separator(), &mut out, keep);
        while reader.read(header.len(), &mut record).unwrap() {
            record.write(reader.separator(), &mut out, keep);
        }
        assert_eq!(out, text);
    }
}

#[test]
fn errors_name_the_line() {
    // text                            message                                  why this row
    let cases: [(&[u8], &str, &str); 12] = [
        (b"", "line 1: the file is empty", "nothing"),
        (b"a,b\n1,2\n\n3\n", "line 4: 1 cells, but the header has 2", "ragged after an empty line"),
        (b"a,b\n\"1\n2\",3\n4\n", "line 4: 1 cells", "lines within quotes count"),
        (b"a\n\xff\n", "line 2: not UTF-8", "Latin-1"),
        (b"a\n\"x\n", "line 2: a quote is not closed", "to the end of the file"),
        (b"a,b\n\"x\"y,1\n", "line 2: text after a closing quote", "neither quoted nor plain"),
        (b"a,b\r1,2\r3,4\r", "line 1: a carriage return within a cell", "lines end with CR alone"),
        (b"\"a\"\r\"1\"\r", "line 1: a carriage return within a cell", "the same in quotes"),
        (b"a,b\n1\r,2\n", "line 2: a carriage return within a cell", "stray"),
        (b"a,b\r\n1\r\r\n", "line 2: a carriage return within a cell", "twice"),
        (b"a,a\n", "line 1: two columns are called `a`", "which one?"),
        (b"a,,b\n", "line 1: a column has no name", "which one?"),
    ];
    for (text, want, why) in cases {
        let error = table(text).unwrap_err();
        assert!(error.starts_with(want), "{why}: {error}");
    }
    let long = [b"a\n\"".to_vec(), vec![b'x'; 2 << 20]].concat();
    assert!(table(&long).unwrap_err().contains("1 MiB"), "bounded");
}

#[test]
fn a_mark_of_byte_order_is_no_name() {
    assert_eq!(table(b"\xef\xbb\xbfa,b\n1,2").unwrap(), [["a", "b"], ["1", "2"]]);
}

/// Each name is looked at once: where each is compared with each other, this takes minutes.
#[test]
fn many_columns_are_linear() {
    let names: Vec<String> = (0..150_000).map(|column| column.to_string()).collect();
    let (_, header) = CsvReader::new(names.join(",").as_bytes()).unwrap();
    assert_eq!(header.len(), names.len());
}
