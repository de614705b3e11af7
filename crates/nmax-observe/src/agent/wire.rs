//! The lines that an agent sends.

use nmax_metrics::Nanos;
use nmax_sources::Unit;
use serde_json::{Value, json};

use super::PROTOCOL;
use crate::source::Reading;

/// Longest name of a source or metric, bytes.
const NAME_BYTES_MAX: usize = 256;
/// Longest note, bytes.
const NOTE_BYTES_MAX: usize = 2_000;
/// Most readings of one line.
const READINGS_MAX: usize = 5_000;
/// Most notes of one line.
const NOTES_MAX: usize = 50;

/// The first line of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Head {
    /// Which process answers: another one counts anew.
    pub(super) instance: String,
    /// Version of its nmax; older ones do not say it.
    pub(super) version: Option<String>,
    /// The question arrived, on the agent's host's clock.
    pub(super) arrived: Nanos,
    /// The answer left.
    pub(super) answered: Nanos,
    /// What the calendar said then, ns since 1970.
    pub(super) calendar: Nanos,
    /// Where to go on.
    pub(super) next: u64,
    /// What a person should know of the host.
    pub(super) notes: Vec<String>,
}

/// The readings of one second.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Shot {
    /// When, on the agent's host's clock.
    pub(super) at: Nanos,
    pub(super) readings: Vec<Reading>,
    /// What a person should know since the shot before.
    pub(super) notes: Vec<String>,
}

impl Head {
    pub(super) fn line(&self) -> String {
        let head = json!({
            "nmax_agent": PROTOCOL,
            "instance": self.instance,
            "version": self.version,
            "arrived_ns": self.arrived.0,
            "answered_ns": self.answered.0,
            "calendar_ns": self.calendar.0,
            "next": self.next,
            "notes": self.notes,
        });
        format!("{head}\n")
    }

    /// Reads a head; why it is none.
    pub(super) fn parse(line: &str) -> Result<Self, String> {
        let value: Value = serde_json::from_str(line).map_err(|_| "not an answer of `nmax agent`".to_owned())?;
        match value["nmax_agent"].as_u64() {
            Some(PROTOCOL) => {}
            Some(version) => {
                return Err(format!(
                    "it speaks version {version} of the protocol and not {PROTOCOL}; use the same nmax on both sides"
                ));
            }
            None => return Err("not an answer of `nmax agent`".to_owned()),
        }
        let number = |name: &str| value[name].as_u64().ok_or_else(|| format!("no `{name}` in its answer"));
        Ok(Self {
            instance: text(&value["instance"]).ok_or("no `instance` in its answer")?,
            version: text(&value["version"]),
            arrived: Nanos(number("arrived_ns")?),
            answered: Nanos(number("answered_ns")?),
            calendar: Nanos(number("calendar_ns")?),
            next: number("next")?,
            notes: notes(&value),
        })
    }
}

impl Shot {
    pub(super) fn line(&self) -> String {
        let readings: Vec<Value> = self
            .readings
            .iter()
            .filter(|reading| reading.value.is_finite())
            .map(|reading| json!([reading.source, reading.metric, reading.value, reading.unit.name()]))
            .collect();
        let shot = json!({ "at_ns": self.at.0, "readings": readings, "notes": self.notes });
        format!("{shot}\n")
    }

    /// Reads a shot; `None` when it is none. Readings that make no sense are left out.
    pub(super) fn parse(line: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(line).ok()?;
        let readings = value["readings"].as_array()?;
        Some(Self {
            at: Nanos(value["at_ns"].as_u64()?),
            readings: readings.iter().take(READINGS_MAX).filter_map(reading).collect(),
            notes: notes(&value),
        })
    }
}

fn reading(value: &Value) -> Option<Reading> {
    let [source, metric, value, unit] = value.as_array()?.as_slice() else {
        return None;
    };
    let number = value.as_f64().filter(|value| value.is_finite())?;
    Some(Reading::named(&text(source)?, &text(metric)?, number, Unit::named(unit.as_str()?)?))
}

fn notes(value: &Value) -> Vec<String> {
    let notes = value["notes"].as_array().into_iter().flatten();
    let plain = |note: &Value| plain(note.as_str()?, NOTE_BYTES_MAX);
    notes.filter_map(plain).take(NOTES_MAX).collect()
}

/// A name that may stand in results.
fn text(value: &Value) -> Option<String> {
    plain(value.as_str()?, NAME_BYTES_MAX)
}

fn plain(text: &str, bytes_max: usize) -> Option<String> {
    let is_plain = !text.is_empty() && text.len() <= bytes_max && !text.contains(char::is_control);
    is_plain.then(|| text.to_owned())
}
