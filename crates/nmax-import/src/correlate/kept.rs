//! What looks like an id and is sent as it was recorded: a plan may need another one for each user.

use super::Correlations;
use super::again::SecondRecording;
use super::index::{Index, name_of};
use super::names;
use super::search::Search;
use super::timeline::Timeline;
use super::weight::{Weight, is_number, is_year, weight};
use crate::parts::{Part, Use, ValueLocation};

/// Places of steps whose whole value looks like an id and is written by nothing in `found`. What a second recording sends
/// too, or a file of the site holds, is a constant. O(parts · what is found).
pub(super) fn as_recorded(
    timeline: &Timeline<'_>,
    index: &Index,
    search: &Search<'_>,
    second: Option<&SecondRecording<'_>>,
    found: &Correlations,
) -> Vec<Use> {
    let mut kept: Vec<Use> = Vec::new();
    for &entry in timeline.sequence.iter().filter(|entry| !timeline.is_resource(**entry)) {
        let request = &timeline.entry(entry).request;
        for part in &index.parts[&entry] {
            let is_written = found.uses().any(|(at, _)| {
                let is_in_target = matches!(part.place, ValueLocation::Segment(_) | ValueLocation::Query(..));
                at.entry == entry && (at.place == part.place || is_in_target && at.place == ValueLocation::Target)
            });
            let is_constant = search.is_constant(&part.value)
                || second.and_then(|second| second.value(entry, &part.place)).is_some_and(|other| other == part.value);
            if !is_written && !is_constant && looks_like_id(part, &name_of(request, &part.place)) {
                kept.push(Use { entry, place: part.place.clone(), span: 0..part.value.len() });
            }
        }
    }
    kept
}

/// A number or a text of some weight, in a segment of a path, or under a name that identifies something.
fn looks_like_id(part: &Part, name: &str) -> bool {
    let value = part.value.as_str();
    let is_telling = is_number(value) && !is_year(value);
    match part.place {
        ValueLocation::Segment(_) => is_telling && !names::measures(name) || weight(value) >= Weight::Medium,
        ValueLocation::Query(..) | ValueLocation::Field(..) | ValueLocation::Json(_) => {
            names::identifies(name) && (is_telling || weight(value) >= Weight::Weak)
        }
        _ => false,
    }
}
