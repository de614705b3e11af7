//! The table of what kinds say, against the code that says it.

use std::collections::BTreeSet;
use std::path::Path;

use nmax_sources::figures;
use nmax_sources::kinds::PROCESS;
use nmax_sources::said::SAID;

use super::*;

/// Kinds, and where their readers are. Those of a page of metrics have a table of their own.
const READERS: [(&[&SourceKind], &[&str]); 6] = [
    (&[&PROCESS, &AGENT], &["host", "connections.rs", "agent/client.rs", "agent/sampler.rs"]),
    (&[&LOG], &["log.rs", "log"]),
    (&[&POSTGRES], &["services/postgres.rs"]),
    (&[&REDIS], &["services/redis.rs"]),
    (&[&MEMCACHED], &["services/memcached.rs"]),
    (&[&NGINX], &["services/nginx.rs"]),
];

/// The product code in a file, or in those of a folder.
fn code(place: &Path) -> String {
    if place.is_dir() {
        let mut files: Vec<_> = std::fs::read_dir(place).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.retain(|file| file.extension().is_some() && !file.ends_with("tests.rs"));
        return files.iter().map(|file| code(file)).collect();
    }
    let text = std::fs::read_to_string(place).unwrap();
    let code = text.split("#[cfg(test)]").next().unwrap_or_default();
    code.lines().filter(|line| !line.trim_start().starts_with("//")).map(|line| format!("{line}\n")).collect()
}

/// Law: the figures that a kind says by the table are those that its reader names, no more and no less, and the reader
/// knows the beginnings of its parts.
#[test]
fn the_table_says_what_readers_say() {
    let mut read: Vec<&SourceKind> = vec![&PROMETHEUS];
    for (of, places) in READERS {
        let code: String =
            places.iter().map(|place| code(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src").join(place))).collect();
        let words = code.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
        let constants = words.filter(|word| !word.contains(|c: char| c.is_ascii_lowercase()));
        let named: BTreeSet<&str> =
            constants.filter_map(|word| figures::named(&word.to_ascii_lowercase())).map(|figure| figure.name).collect();
        let rows = SAID.iter().filter(|(by, _)| by.iter().any(|kind| of.contains(kind)));
        let parts: Vec<_> = rows.flat_map(|(_, parts)| parts.iter()).collect();
        let said: BTreeSet<&str> =
            parts.iter().flat_map(|(_, figures)| figures.iter().map(|figure| figure.name)).collect();
        let named: BTreeSet<&str> = named.into_iter().filter(|name| *name != figures::UP.name).collect();
        assert_eq!(said, named, "{places:?}");
        for (part, _) in parts {
            let word = part.split(' ').next().unwrap_or_default();
            assert!(code.contains(&format!("\"{word}")), "`{part}` of {places:?}");
        }
        read.extend(of);
    }
    assert!(kinds::ALL.iter().all(|kind| read.contains(kind)), "a kind without its reader here");
}

#[test]
fn every_kind_of_the_table_is_opened() {
    let opened: Vec<&str> = OPENERS.iter().map(|(kind, ..)| kind.word).collect();
    assert_eq!(opened, kinds::keywords(|kind| kind != &PROCESS));
}
