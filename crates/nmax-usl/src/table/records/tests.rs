use proptest::prelude::*;

use super::*;

/// Records with their lines.
type Lines = Vec<(u64, Vec<String>)>;

fn read(text: &[u8]) -> Result<(Separator, Lines), String> {
    let mut records = Records::new(text).map_err(|error| error.text)?;
    let mut record = Record::default();
    let mut all = Vec::new();
    while records.read(&mut record).map_err(|error| error.text)? {
        all.push((record.line, record.cells().map(str::to_owned).collect()));
    }
    Ok((records.separator(), all))
}

#[test]
fn separators_are_found() {
    let byte = |byte: u8| Separator::Byte(byte);
    //  text                                  separator          cells of the last record   why this row
    let cases: [(&str, Separator, &[&str], &str); 11] = [
        ("n,x\n1,2\n", byte(b','), &["1", "2"], "commas"),
        ("n;x\n1;955,16\n", byte(b';'), &["1", "955,16"], "decimal commas stay in their cells"),
        ("1,5;2,5\n2,5;3,5\n", byte(b';'), &["2,5", "3,5"], "in every cell"),
        ("n\tx y\n1\t2\n", byte(b'\t'), &["1", "2"], "tabs"),
        ("n  x\n 1   2 \n", Separator::Blanks, &["1", "2"], "spaces, also around"),
        ("1 955,16\n2 1878,91\n", Separator::Blanks, &["2", "1878,91"], "spaces, decimal commas"),
        ("n, x\n1, 2\n", byte(b','), &["1", "2"], "comma and space"),
        ("| n | x |\n|---|---|\n| 1 | 2 |\n", byte(b'|'), &["", "1", "2", ""], "bars"),
        ("\"a,b\",n,x\n\"c \"\"d\"\", e\",1,2\n", byte(b','), &["c \"d\", e", "1", "2"], "quotes"),
        ("n,x,\n1,2,\n", byte(b','), &["1", "2", ""], "for nothing, at the end"),
        ("7\n8\n", Separator::Blanks, &["8"], "none"),
    ];
    for (text, separator, last, why) in cases {
        let (found, all) = read(text.as_bytes()).unwrap();
        assert_eq!(found, separator, "{why}");
        assert_eq!(all.last().unwrap().1, last, "{why}");
    }
}

#[test]
fn form_is_tolerated() {
    let text = "\u{feff}# measured on a Friday\r\n\r\nn,x\r\n  # warm\r\n1,2\r\n,\r\n\"3\n\",4";
    let (_, all) = read(text.as_bytes()).unwrap();
    let want = [(3, ["n", "x"]), (5, ["1", "2"]), (7, ["3", "4"])];
    let want = want.map(|(line, cells)| (line, cells.map(str::to_owned).to_vec()));
    assert_eq!(all, want);
    assert_eq!(read(b"").unwrap().1, []);
    assert_eq!(read(b"\n\n# nothing\n ; ;\n").unwrap().1, []);
}

#[test]
fn what_is_no_text_is_refused() {
    let long = format!("1,{}\n", "2".repeat(RECORD_BYTES_MAX));
    let open = format!("1,\"2\n{}", "3,4\n".repeat(RECORD_BYTES_MAX));
    let cases: [(&[u8], &str); 8] = [
        (b"n,x\n1,\xff\n", "line 2: this is not UTF-8"),
        (b"\x7fELF\x00\x01\n", "line 1: this is a binary file"),
        (b"n,x\n1,2\0\n", "line 2: this is a binary file"),
        (b"\xff\xfen\0,\0x\0", "line 1: this is UTF-16"),
        (b"n,x\n1,\"2\n", "line 2: a quote is not closed"),
        (b"n,x\r1,2\r2,3\r", "line 1: lines end with a carriage return alone"),
        (long.as_bytes(), "line 1: more than 64 KiB"),
        (open.as_bytes(), "more than 64 KiB in one record"),
    ];
    for (text, want) in cases {
        let error = read(text).unwrap_err();
        assert!(error.contains(want), "{want}: {error}");
    }
}

/// A pipe without an end is not read to its end.
#[test]
fn nothing_is_read_forever() {
    for byte in [b"\n".as_slice(), b"#\n", b"a", b"\0"] {
        let endless = std::iter::repeat_n(byte, 1 << 16).collect::<Vec<_>>().concat();
        let input = io::BufReader::new(Endless(endless));
        let error = Records::up_to(1 << 20, input).err().unwrap();
        assert!(error.text.contains("more than") || error.text.contains("binary"), "{}", error.text);
    }
}

struct Endless(Vec<u8>);

impl Read for Endless {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let length = out.len().min(self.0.len());
        out[..length].copy_from_slice(&self.0[..length]);
        Ok(length)
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    /// Law: no bytes make the reader panic, and lines are counted as an editor counts them.
    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(prop::sample::select(b"1.,;\t |\"#\r\nnxe-\xff\xef\xbb\xbf\0 ".to_vec()), 0..80)) {
        if let Ok((_, all)) = read(&bytes) {
            let lines = bytes.iter().filter(|byte| **byte == b'\n').count() as u64 + 1;
            prop_assert!(all.windows(2).all(|pair| pair[0].0 < pair[1].0));
            prop_assert!(all.iter().all(|(line, _)| (1..=lines).contains(line)));
        }
    }
}
