//! Lines of `failures.jsonl`, `resources.jsonl` and `events.jsonl`. `t` is in seconds since the start of the run.

use nmax_metrics::{Code, ErrorKind, FailureExample, Nanos, Outcome, Resource};
use serde::{Deserialize, Serialize};

pub(crate) const FAILURES: &str = "failures.jsonl";
pub(crate) const RESOURCES: &str = "resources.jsonl";
pub(crate) const EVENTS: &str = "events.jsonl";

/// A line with its line end.
pub(crate) fn encode(line: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).expect("strings and numbers always become JSON");
    bytes.push(b'\n');
    bytes
}

#[derive(Serialize, Deserialize)]
pub(crate) struct FailureLine {
    t: f64,
    number: u64,
    kind: String,
    outcome: String,
    error_kind: Option<String>,
    status: Option<StatusField>,
    name: String,
    scenario: String,
    text: String,
    request: String,
    reply: String,
    response_time_ns: u64,
}

impl FailureLine {
    /// The `number`-th failure of its kind, from 1.
    pub(crate) fn of(failure: &FailureExample, number: u64) -> Self {
        let (outcome, error_kind) = outcome_names(failure.outcome);
        Self {
            t: failure.at.as_secs_f64(),
            number,
            kind: failure.kind.clone(),
            outcome: outcome.to_owned(),
            error_kind: error_kind.map(str::to_owned),
            status: failure.status.map(StatusField::of),
            name: failure.name.clone(),
            scenario: failure.scenario.clone(),
            text: failure.text.clone(),
            request: failure.request.clone(),
            reply: failure.reply.clone(),
            response_time_ns: failure.response_time.0,
        }
    }
}

/// A status: numbers stay numbers.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StatusField {
    Number(u16),
    Text(String),
}

impl StatusField {
    fn of(code: Code) -> Self {
        code.number().map_or_else(|| Self::Text(code.to_string()), Self::Number)
    }
}

impl TryFrom<StatusField> for Code {
    type Error = String;

    fn try_from(field: StatusField) -> Result<Self, String> {
        match field {
            StatusField::Number(number) => Ok(Self::new(number)),
            StatusField::Text(text) => Self::parse(&text).ok_or_else(|| format!("`{text}` is not a status")),
        }
    }
}

impl TryFrom<FailureLine> for FailureExample {
    type Error = String;

    fn try_from(line: FailureLine) -> Result<Self, String> {
        let outcome = match (line.outcome.as_str(), line.error_kind.as_deref()) {
            ("failed", None) => Outcome::Failed,
            ("error", Some(name)) => {
                let kind = ErrorKind::ALL.into_iter().find(|kind| kind.name() == name);
                Outcome::Error(kind.ok_or_else(|| format!("`{name}` is not a kind of error"))?)
            }
            (outcome, _) => return Err(format!("outcome `{outcome}` is not that of a failure")),
        };
        Ok(Self {
            at: instant(line.t)?,
            name: line.name,
            scenario: line.scenario,
            outcome,
            kind: line.kind,
            status: line.status.map(Code::try_from).transpose()?,
            text: line.text,
            request: line.request,
            reply: line.reply,
            response_time: Nanos(line.response_time_ns),
        })
    }
}

/// Outcome and error kind as written in files.
pub(crate) fn outcome_names(outcome: Outcome) -> (&'static str, Option<&'static str>) {
    match outcome {
        Outcome::Ok => ("ok", None),
        Outcome::Failed => ("failed", None),
        Outcome::Error(kind) => ("error", Some(kind.name())),
    }
}

#[derive(Serialize, Deserialize)]
pub(crate) struct ResourceLine {
    t: f64,
    host: String,
    source: String,
    metric: String,
    value: Option<f64>,
    unit: String,
}

impl From<&Resource> for ResourceLine {
    fn from(resource: &Resource) -> Self {
        Self {
            t: resource.at.as_secs_f64(),
            host: resource.host.clone(),
            source: resource.source.clone(),
            metric: resource.metric.clone(),
            value: resource.value.is_finite().then_some(resource.value),
            unit: resource.unit.clone(),
        }
    }
}

impl TryFrom<ResourceLine> for Resource {
    type Error = String;

    fn try_from(line: ResourceLine) -> Result<Self, String> {
        let value = line.value.unwrap_or(f64::NAN);
        let at = instant(line.t)?;
        Ok(Self { at, host: line.host, source: line.source, metric: line.metric, value, unit: line.unit })
    }
}

/// Something that happened during a run, such as a limit that was hit.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// When.
    pub at: Nanos,
    /// Stable code, for programs.
    pub code: String,
    /// One sentence, for people.
    pub text: String,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct EventLine {
    t: f64,
    code: String,
    text: String,
}

impl EventLine {
    pub(crate) fn new(at: Nanos, code: &str, text: &str) -> Self {
        Self { t: at.as_secs_f64(), code: code.to_owned(), text: text.to_owned() }
    }
}

impl TryFrom<EventLine> for Event {
    type Error = String;

    fn try_from(line: EventLine) -> Result<Self, String> {
        Ok(Self { at: instant(line.t)?, code: line.code, text: line.text })
    }
}

/// Seconds back to nanoseconds: exact for runs of up to 52 days.
fn instant(seconds: f64) -> Result<Nanos, String> {
    let nanoseconds = (seconds * 1e9).round();
    if (0.0..u64::MAX as f64).contains(&nanoseconds) {
        Ok(Nanos(nanoseconds as u64))
    } else {
        Err(format!("t = {seconds} is not an instant of a run"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn again<L: Serialize + for<'a> Deserialize<'a>>(line: &L) -> L {
        serde_json::from_slice(&encode(line)).unwrap()
    }

    proptest! {
        /// Law: decode(encode(x)) = x.
        #[test]
        fn lines_read_back(
            at in 0..4_000_000_000_000_000_u64,
            texts in proptest::array::uniform6(".{0,20}"),
            status in proptest::option::of("[1-5][0-9]{2}|[0-9A-Z]{5}"),
            error in proptest::option::of(0..ErrorKind::ALL.len()),
            value in -1e12..1e12_f64,
        ) {
            let [name, scenario, kind, text, request, reply] = texts;
            let at = Nanos(at);
            let event = Event { at, code: kind.clone(), text: text.clone() };
            prop_assert_eq!(&Event::try_from(again(&EventLine::new(at, &event.code, &event.text))).unwrap(), &event);
            let resource = Resource {
                at, host: name.clone(), source: scenario.clone(), metric: kind.clone(), value, unit: text.clone(),
            };
            let back = Resource::try_from(again(&ResourceLine::from(&resource))).unwrap();
            prop_assert!((back.value - value).abs() <= value.abs() * f64::EPSILON);
            prop_assert_eq!(Resource { value, ..back }, resource);
            let outcome = error.map_or(Outcome::Failed, |index| Outcome::Error(ErrorKind::ALL[index]));
            let status = status.and_then(|text| Code::parse(&text));
            let failure = FailureExample {
                at, name, scenario, outcome, kind, status, text, request, reply, response_time: Nanos(at.0 / 3),
            };
            prop_assert_eq!(FailureExample::try_from(again(&FailureLine::of(&failure, 1))).unwrap(), failure);
        }
    }

    #[test]
    fn impossible_lines_are_refused() {
        assert!(instant(-1.0).is_err());
        assert!(instant(f64::NAN).is_err());
        let unknown = Resource {
            at: Nanos(1),
            host: String::new(),
            source: String::new(),
            metric: String::new(),
            value: f64::NAN,
            unit: String::new(),
        };
        assert!(Resource::try_from(again(&ResourceLine::from(&unknown))).unwrap().value.is_nan(), "unknown stays so");
    }
}
