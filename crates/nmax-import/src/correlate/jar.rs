//! Cookies: the jar of the virtual user carries them, so they are told of and nothing is written for them.

use std::collections::HashMap;

use super::JarCookie;
use super::index::Index;
use super::timeline::Timeline;
use crate::parts::ValueLocation;

/// The cookies of a journey, in the order in which they were first seen.
pub(super) fn cookies(timeline: &Timeline<'_>, index: &Index) -> Vec<JarCookie> {
    let mut jar: Vec<JarCookie> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for &entry in &timeline.sequence {
        let sent = index.parts[&entry].iter().filter_map(|part| match &part.place {
            ValueLocation::Cookie(name) => Some((name.clone(), None, 1)),
            _ => None,
        });
        let response = timeline.entry(entry).response.as_ref();
        let headers = response.map_or(&[][..], |response| &response.headers);
        let set = headers
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case("set-cookie"))
            .filter_map(|(_, value)| value.split(';').next()?.split_once('='))
            .map(|(name, _)| (name.trim().to_owned(), Some(entry), 0));
        for (name, set_by, sent) in sent.chain(set) {
            let number = *known.entry(name.clone()).or_insert_with(|| {
                jar.push(JarCookie { name, set_by: None, sent: 0 });
                jar.len() - 1
            });
            let cookie = &mut jar[number];
            cookie.set_by = cookie.set_by.or(set_by);
            cookie.sent += sent;
        }
    }
    jar
}
