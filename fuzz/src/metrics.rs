//! Pages of metrics: whatever an exporter says becomes a bounded number of finite figures, or one short sentence.

use nmax_observe::{Reading, Trouble, readings_of_pages};

/// Between two pages of an input.
const BORDER: &str = "\n---\n";
/// Most pages of an input.
const PAGES_MAX: usize = 4;
/// Most readings of a page: 500 series under their own names, some with a mean, and 50 resources of each kind.
const READINGS_MAX: usize = 3_000;
/// Longest name of a source or metric.
const NAME_BYTES_MAX: usize = 300;
/// Longest sentence, in characters.
const SENTENCE_CHARS_MAX: usize = 200;
/// What no error repeats.
const PLANTED: &str = "AKIAPLANTED";

/// Input: a line with the content type, then pages of one server.
pub fn holds(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let (content_type, text) = text.split_once('\n').unwrap_or((text, ""));
    let pages: Vec<&str> = text.splitn(PAGES_MAX, BORDER).collect();
    let all = readings_of_pages(content_type, &pages);
    assert_eq!(all.len(), pages.len(), "an answer for each page");
    for (page, read) in pages.iter().zip(&all) {
        match read {
            Ok(readings) => are_sound(readings),
            Err(trouble) => is_short(trouble),
        }
        // What came before a page decides neither whether it is one, nor what is wrong with it.
        let alone = readings_of_pages(content_type, &[page]).remove(0);
        assert_eq!(alone.err(), read.as_ref().err().cloned(), "without the pages before");
        repeats_nothing(content_type, page);
    }
}

/// A plan may name any page, and errors are shared: not a word of a page is in one.
fn repeats_nothing(content_type: &str, page: &str) {
    let lines = |change: fn(&str) -> String| page.lines().map(|line| change(line) + "\n").collect::<String>();
    let planted: [String; 3] = [
        lines(|line| format!("{PLANTED}{line}")),
        lines(|line| format!("{line}{PLANTED}")),
        lines(|line| line.replacen(' ', &format!(" {PLANTED}"), 1)),
    ];
    for page in &planted {
        if let Err(trouble) = readings_of_pages(content_type, &[page]).remove(0) {
            assert!(!trouble.text.contains(PLANTED), "{trouble}");
        }
    }
}

fn are_sound(readings: &[Reading]) {
    assert!(readings.len() <= READINGS_MAX, "{} readings", readings.len());
    for reading in readings {
        assert!(reading.value.is_finite(), "{reading:?}");
        let longest = reading.source.len().max(reading.metric.len());
        assert!(longest <= NAME_BYTES_MAX && !reading.metric.is_empty(), "{longest} bytes: {reading:?}");
        assert_eq!((reading.at, &reading.host), (None, &None), "a page is of its own host, now");
    }
}

fn is_short(trouble: &Trouble) {
    let chars = trouble.text.chars().count();
    assert!((1..=SENTENCE_CHARS_MAX).contains(&chars), "{chars} characters: {trouble}");
    assert!(!trouble.text.chars().any(char::is_control), "{:?}", trouble.text);
    assert!(!trouble.is_final, "a page that is wrong may be right later: {trouble}");
}
