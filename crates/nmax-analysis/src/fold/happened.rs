//! Interventions as their events tell, live or read back.

use nmax_plan::plan::Intervention;

use crate::InterventionRecord;

/// An action began; the text is the intervention's name.
pub const BEGAN: &str = "INTERVENTION_BEGAN";
/// It was undone, or is over; the text is the intervention's name.
pub const ENDED: &str = "INTERVENTION_ENDED";
/// An action or its undo failed; the text is the intervention's name, a colon and the reason.
pub const FAILED: &str = "INTERVENTION_FAILED";
/// The run ended before the moment of an intervention came; the text is its name.
pub const NOT_DONE: &str = "INTERVENTION_NOT_DONE";

/// Takes what an event says of an intervention of the plan.
pub(super) fn take(
    happened: &mut Vec<InterventionRecord>,
    timeline: &[Intervention],
    at_s: f64,
    code: &str,
    text: &str,
) {
    let names = timeline.iter().map(|intervention| intervention.name.as_str());
    match code {
        BEGAN => happened.push(InterventionRecord { name: text.to_owned(), start_s: at_s, end_s: None, error: None }),
        ENDED => {
            if let Some(known) = open(happened, text) {
                known.end_s = Some(at_s);
            }
        }
        FAILED => {
            // A name may hold a colon, so the longest one that fits is meant.
            let of_text = names.filter_map(|name| Some((name, text.strip_prefix(name)?.strip_prefix(": ")?)));
            let Some((name, why)) = of_text.max_by_key(|(name, _)| name.len()) else {
                return;
            };
            if let Some(known) = open(happened, name) {
                let why = match known.error.take() {
                    Some(first) => format!("{first}; {why}"),
                    None => why.to_owned(),
                };
                known.error = Some(why);
            }
        }
        _ => {}
    }
}

/// The intervention of that name that is not over yet.
fn open<'a>(happened: &'a mut [InterventionRecord], name: &str) -> Option<&'a mut InterventionRecord> {
    happened.iter_mut().rev().find(|known| known.name == name && known.end_s.is_none())
}
