//! Laws of the splitter.

use proptest::collection::vec;
use proptest::prelude::*;

use super::{Cut, Lines};
use crate::format::LINE_BYTES_MAX;

/// What the splitter hands out for `bytes` in chunks of `sizes`, taken in turn.
fn split(bytes: &[u8], sizes: &[usize]) -> Vec<(Vec<u8>, u64)> {
    let mut lines = Lines::new();
    let mut out = Vec::new();
    let mut each = |cut: Cut<'_>| match cut {
        Cut::Line(line) => out.push((line.to_vec(), line.len() as u64)),
        Cut::TooLong { start, bytes } => out.push((start.to_vec(), bytes)),
    };
    let mut rest = bytes;
    let mut sizes = sizes.iter().cycle();
    while !rest.is_empty() {
        let (chunk, next) = rest.split_at(rest.len().min(*sizes.next().expect("endless")));
        lines.feed(chunk, &mut each);
        rest = next;
    }
    lines.finish(&mut each);
    assert_eq!(lines.count(), out.len() as u64);
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Law: how the bytes are cut into chunks does not matter, and lines without `\n`, `\r` and 0 come back.
    #[test]
    fn chunks_do_not_matter(
        lines in vec("[a-z \u{e4}]{0,12}", 0..12),
        ends in vec(any::<bool>(), 12),
        is_ended in any::<bool>(),
        sizes in vec(1_usize..9, 1..6),
    ) {
        let mut bytes = Vec::new();
        for (line, with_return) in lines.iter().zip(ends) {
            bytes.extend_from_slice(line.as_bytes());
            bytes.extend_from_slice(if with_return { b"\r\n" } else { b"\n" });
        }
        let mut want: Vec<_> = lines.iter().map(|line| (line.as_bytes().to_vec(), line.len() as u64)).collect();
        if !is_ended {
            bytes.extend_from_slice(b"last");
            want.push((b"last".to_vec(), 4));
        }
        prop_assert_eq!(split(&bytes, &sizes), want);
    }

    /// Law: any bytes in any chunks give the same lines as in one.
    #[test]
    fn any_bytes_in_any_chunks(bytes in vec(prop_oneof![Just(0_u8), Just(b'\n'), Just(b'\r'), any::<u8>()], 0..80), sizes in vec(1_usize..9, 1..6)) {
        prop_assert_eq!(split(&bytes, &sizes), split(&bytes, &[usize::MAX]));
    }
}

#[test]
fn long_lines_are_counted_once_and_cost_no_memory() {
    let long = vec![b'x'; LINE_BYTES_MAX + 1];
    let mut bytes = b"before\n".to_vec();
    bytes.extend_from_slice(&long);
    bytes.extend_from_slice(b"\nafter\n");
    for size in [7, 4096, usize::MAX] {
        let got = split(&bytes, &[size]);
        let lengths: Vec<_> = got.iter().map(|(line, bytes)| (line.len(), *bytes)).collect();
        assert_eq!(lengths, [(6, 6), (256, LINE_BYTES_MAX as u64 + 1), (5, 5)], "chunks of {size}");
    }

    let mut lines = Lines::new();
    for _ in 0..64 {
        lines.feed(&long, |_| panic!("there is no line end"));
    }
    assert!(lines.pending.capacity() <= 1 << 16, "{}", lines.pending.capacity());
    let mut bytes = 0;
    lines.finish(|cut| {
        if let Cut::TooLong { bytes: all, .. } = cut {
            bytes = all
        }
    });
    assert_eq!(bytes, 64 * long.len() as u64);
}

#[test]
fn the_longest_line_is_a_line() {
    let mut bytes = vec![b'x'; LINE_BYTES_MAX];
    bytes.push(b'\n');
    assert_eq!(split(&bytes, &[4096]), [(bytes[..LINE_BYTES_MAX].to_vec(), LINE_BYTES_MAX as u64)]);
}

#[test]
fn a_hole_in_front_of_a_line_is_no_line() {
    let mut bytes = vec![0; 3 * LINE_BYTES_MAX];
    bytes.extend_from_slice(b"first\nse\0cond");
    for size in [4096, usize::MAX] {
        assert_eq!(split(&bytes, &[size]), [(b"first".to_vec(), 5), (b"se\0cond".to_vec(), 7)]);
    }
}

#[test]
fn the_mark_of_utf_8_is_no_text() {
    for size in [1, 2, usize::MAX] {
        assert_eq!(split(b"\xef\xbb\xbf#Fields\n", &[size]), [(b"#Fields".to_vec(), 7)]);
    }
}
