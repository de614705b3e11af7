//! Secrets that a plan must send: they are read from a file or from the environment.

use nmax_secrets::names::{is_parameter, is_secret_value};
use nmax_secrets::{PLACEHOLDER_PREFIX, is_secret_header, is_secret_name};
use nmax_text::percent;

use super::feeders::Feeders;
use super::{Covered, Other, Parameters, all_parts, told};
use crate::journey::Journey;
use crate::options::{Options, SecretsIn};
use crate::parts::{Part, Replacement, Use, ValueLocation};
use crate::recording::Recording;
use crate::redact::Secrets;

/// Replaces every secret that nothing has replaced yet.
pub(super) fn secrets(
    (recording, journey, others): (&Recording, &Journey, &[Other<'_>]),
    (covered, secrets): (&Covered<'_>, &Secrets),
    options: &Options,
    feeders: &mut Feeders,
    parameters: &mut Parameters,
) {
    for (entry, part) in all_parts(recording, journey) {
        for span in spans(&part, secrets) {
            let is_replaced = parameters.replacements.iter().any(|replacement| {
                let at = &replacement.at;
                at.entry == entry && at.place == part.place && at.span.start < span.end && span.start < at.span.end
            });
            if is_replaced || covered.overlaps(entry, &part.place, &span) {
                continue;
            }
            let value = &part.value[span.clone()];
            let column = column(&part.place);
            let (template, from) = match options.secrets {
                SecretsIn::File => {
                    // What others sent there is theirs only where it is the whole.
                    let is_whole = span.len() == part.value.len();
                    let theirs = others.iter().map(|other| other.value(entry, &part.place).filter(|_| is_whole));
                    (feeders.secret(&column, value, theirs), "from the file of secrets")
                }
                SecretsIn::Env => (feeders.environment(&column, value), "from the environment"),
            };
            let place = told(recording, journey, entry, &part.place);
            parameters.notes.push(format!("{place}: a secret, {from}"));
            parameters.values.push(value.to_owned());
            parameters.replacements.push(Replacement { at: Use { entry, place: part.place.clone(), span }, template });
        }
    }
}

/// Bytes of a part that are secret: all of them when its name says so, else those that look it.
fn spans(part: &Part, secrets: &Secrets) -> Vec<std::ops::Range<usize>> {
    if part.value.is_empty() {
        return Vec::new();
    }
    let is_named = match &part.place {
        ValueLocation::Header(name) => is_secret_header(name),
        ValueLocation::Cookie(_) => true,
        ValueLocation::Query(name, _) | ValueLocation::Field(name, _) => {
            is_secret_value(name, &part.value) || (is_parameter(name) && was_taken_out(&part.value, secrets))
        }
        // All that an object of a secret's name holds is one.
        ValueLocation::Json(pointer) => {
            let (above, own) = pointer.rsplit_once('/').unwrap_or(("", pointer));
            is_secret_value(own, &part.value) || above.split('/').any(is_secret_name)
        }
        _ => false,
    };
    let is_flag = part.is_bare && matches!(part.value.as_str(), "true" | "false" | "null");
    if is_named && !is_flag {
        return whole(&part.value);
    }
    within(&part.value, secrets)
}

/// Whether a value was taken out of the recording, if only in its place: a code of OAuth.
fn was_taken_out(value: &str, secrets: &Secrets) -> bool {
    secrets.placeholder(value).is_some() || secrets.placeholder(&percent::encode(value)).is_some()
}

/// Where a text holds secrets, by the placeholders that would stand there.
fn within(text: &str, secrets: &Secrets) -> Vec<std::ops::Range<usize>> {
    let hidden = secrets.hide(text);
    if hidden == text {
        return Vec::new();
    }
    let mut spans = Vec::new();
    let (mut at, mut rest) = (0, hidden.as_str());
    while let Some(start) = rest.find(PLACEHOLDER_PREFIX) {
        let length =
            rest[start..].find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rest.len() - start);
        let value = secrets.reveal(&rest[start..start + length]);
        at += start;
        if !text.get(at..).is_some_and(|text| text.starts_with(&value)) {
            // It stands there in another spelling: then all of the text is the secret.
            return whole(text);
        }
        spans.push(at..at + value.len());
        at += value.len();
        rest = &rest[start + length..];
    }
    if spans.is_empty() { whole(text) } else { spans }
}

/// All bytes of a text.
fn whole(text: &str) -> Vec<std::ops::Range<usize>> {
    std::iter::once(0..text.len()).collect()
}

/// Name of the column for a secret.
fn column(place: &ValueLocation) -> String {
    match place {
        ValueLocation::Header(name)
        | ValueLocation::Cookie(name)
        | ValueLocation::Query(name, _)
        | ValueLocation::Field(name, _) => name.clone(),
        ValueLocation::Json(pointer) => {
            let is_index = |segment: &&str| segment.bytes().all(|byte| byte.is_ascii_digit());
            pointer.rsplit('/').find(|segment| !is_index(segment)).unwrap_or("secret").to_owned()
        }
        _ => "secret".to_owned(),
    }
}
