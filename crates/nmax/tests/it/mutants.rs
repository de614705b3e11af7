//! Inputs that went wrong in one place: what was good, with bytes or words changed.

use std::ops::Range;

use nmax_data::choice::Stream;

/// Words that parsers, numbers, terminals and pages stumble over.
const WORDS: [&[u8]; 16] = [
    b"\0",
    b"\xff",
    b"\r\n",
    b"\"",
    b"{",
    b"[[[[[[[[",
    b"\\",
    b"${x}",
    b"-1",
    b"1e999",
    b"NaN",
    b"99999999999999999999",
    b"<div>",
    b"\x1b]0;title\x07",
    "\u{202e}".as_bytes(),
    "é".as_bytes(),
];
/// Longest piece that is taken out or doubled, bytes.
const PIECE_MAX: usize = 64;

/// The mutant of this number; equal numbers give equal mutants.
pub(crate) fn mutant(of: &[u8], number: u64) -> Vec<u8> {
    let mut draws = Stream::new(number);
    let mut text = of.to_vec();
    for _ in 0..1 + below(&mut draws, 3) {
        change(&mut text, &mut draws);
    }
    text
}

fn change(text: &mut Vec<u8>, draws: &mut Stream) {
    let at = below(draws, text.len() + 1);
    match below(draws, 5) {
        0 if at < text.len() => text[at] ^= 1 << below(draws, 8),
        1 => drop(text.drain(piece(text, at, draws))),
        2 => {
            let doubled = text[piece(text, at, draws)].to_vec();
            text.splice(at..at, doubled);
        }
        3 => {
            let line = text[at..].iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end + 1);
            text.splice(line..line, text[at..line].to_vec());
        }
        _ => {
            let word = WORDS[below(draws, WORDS.len())];
            text.splice(at..at, word.iter().copied());
        }
    }
}

fn piece(text: &[u8], at: usize, draws: &mut Stream) -> Range<usize> {
    at..text.len().min(at + 1 + below(draws, PIECE_MAX))
}

fn below(draws: &mut Stream, limit: usize) -> usize {
    (draws.next_u64() % limit as u64) as usize
}
