//! Logs that went wrong here and there: a plan is made that is accepted, or there is a reason why not.

use std::collections::BTreeSet;

use nmax_log::format::Reader;
use nmax_log::plan::{Made, PlanOptions, write};
use nmax_log::record::{Line, Record};
use nmax_log::traffic::{Options, Traffic};
use nmax_secrets::targets::Hider;

use super::interpreter;

/// Mutated logs.
const MUTANTS: u64 = 1_000;
/// Lines of each.
const LINES: u64 = 60;

/// Templates of a shop whose paths end in the same words again and again, with names that collide with numbered ones.
const PATHS: [&str; 16] = [
    "/", "/product/{n}", "/product/{n}/{n}", "/m/product/{n}", "/de/product/{n}", "/product-2/{n}", "/product_2/{n}",
    "/api/v1/product/{n}.json", "/search?q={n}&page=2", "/static/app.{n}.js", "/static/img/{n}.png", "/env/{n}",
    "/Setup/{n}", "/42/{n}", "/cart;jsessionid={n}", "/%E4%BA%A7%E5%93%81/{n}",
];

/// What a text is broken with.
const WORDS: [&[u8]; 22] = [
    b"\0",
    b"\xff\xfe",
    b"\r",
    b"\n",
    b"\"",
    b"\\x22",
    b"\\",
    b"${env.HOME}",
    b"$$",
    b"{id}",
    b"//evil.test/",
    b"/product/",
    b"..",
    b" ",
    b"#",
    b"?",
    b": ",
    b"99999999999999999999",
    b"POST ",
    b"\x1b]0;title\x07",
    "\u{202e}".as_bytes(),
    "\u{85}é\u{2028}".as_bytes(),
];

/// Numbers of a fixed seed (SplitMix64).
struct Draws(u64);

impl Draws {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) % limit.max(1) as u64) as usize
    }
}

/// A log in the combined format: visitors who go from page to page, some of whom get errors or send forms.
fn log(draws: &mut Draws) -> Vec<u8> {
    let mut text = String::new();
    // Neighbours in the list are alike.
    let first = draws.below(PATHS.len());
    for number in 0..LINES {
        let (minute, second) = (number / 12 % 60, 5 * number % 60);
        let path = PATHS[(first + draws.below(5)) % PATHS.len()].replace("{n}", &(100 + draws.below(12)).to_string());
        let method = ["GET", "GET", "GET", "GET", "GET", "GET", "POST", "PROPFIND"][draws.below(8)];
        let status = [200, 200, 200, 304, 404, 500][draws.below(6)];
        text += &format!(
            "10.0.0.{} - - [10/Oct/2025:13:{minute:02}:{second:02} +0000] \"{method} {path} HTTP/1.1\" {status} {} \
             \"http://shop.test/\" \"Mozilla/5.0 (X11; Linux x86_64) Firefox/{}.0\"\n",
            draws.below(4),
            1 + draws.below(9_000),
            100 + draws.below(3),
        );
    }
    text.into_bytes()
}

fn mutate(text: &mut Vec<u8>, draws: &mut Draws) {
    for _ in 0..draws.below(24) {
        let at = draws.below(text.len());
        let piece = at..text.len().min(at + 1 + draws.below(60));
        match draws.below(5) {
            0 => text[at] ^= 1 << draws.below(8),
            1 => drop(text.drain(piece)),
            2 => {
                let doubled = text[piece].to_vec();
                text.splice(at..at, doubled);
            }
            _ => drop(text.splice(at..at, WORDS[draws.below(WORDS.len())].iter().copied())),
        }
    }
}

/// As `nmax import log` does it; `None` where there is a reason.
fn imported(text: &[u8], with_writes: bool) -> Option<Made> {
    let lines: Vec<&[u8]> = text.split(|byte| *byte == b'\n').collect();
    let mut reader = Reader::detect(&lines).ok()?;
    let mut traffic = Traffic::new(Options::default());
    let mut hider = Hider::default();
    for line in lines {
        if let Line::Record(record) = reader.line(line) {
            let target = hider.hide(record.target);
            traffic.add(&Record { target, ..record });
        }
    }
    let options = PlanOptions { name: "shop".into(), target: None, with_writes, log: "access.log".into() };
    write(&traffic.finish(), &options).ok()
}

#[test]
fn plans_of_mutated_logs_are_accepted() {
    let mut made_of = 0;
    for number in 0..MUTANTS {
        let mut draws = Draws(number);
        let mut text = log(&mut draws);
        mutate(&mut text, &mut draws);
        let Some(made) = imported(&text, number % 2 == 0) else { continue };
        made_of += 1;
        let names: BTreeSet<&str> = made.files.iter().map(|file| file.name.as_str()).collect();
        assert_eq!(names.len(), made.files.len(), "log {number}: each file has a name of its own: {names:?}");
        // It panics where the document is not a plan.
        interpreter::read(&made);
    }
    assert!(made_of > MUTANTS / 2, "plans of {made_of} logs");
}

/// Names are numbered until they are free, whatever the paths are called.
#[test]
fn equal_words_get_sources_of_their_own() {
    let mut text = String::new();
    for number in 0..480 {
        let n = 100 + number / 6 % 20;
        let path =
            ["/product/N", "/product/N/N", "/m/product/N", "/de/product/N", "/product-2/N", "/env/N"][number % 6];
        text += &format!(
            "10.0.0.{} - - [10/Oct/2025:13:{:02}:{:02} +0000] \"GET {} HTTP/1.1\" 200 12\n",
            number / 48,
            number / 60,
            number % 60,
            path.replace('N', &n.to_string())
        );
    }
    let made = imported(text.as_bytes(), false).expect("a plan");
    let plan = interpreter::read(&made);
    let mut names: Vec<&str> = plan.feeders.iter().map(|feeder| feeder.name.as_str()).collect();
    names.sort_unstable();
    assert_eq!(names, ["env_2", "product", "product_2", "product_2_2", "product_3", "product_4"]);
}
