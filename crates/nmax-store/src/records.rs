//! Lines of `failures.jsonl`, `resources.jsonl` and `events.jsonl`. `t` is in seconds since the start of the run.

use nmax_json::{NumberOrText, records};
use nmax_metrics::{Bin, Code, ErrorKind, FailureExample, Nanos, Outcome, Reading, Resource};
use serde::{Deserialize, Serialize};

use crate::files::{Place, Span};

pub(crate) const FAILURES: &str = "failures.jsonl";
pub(crate) const RESOURCES: &str = "resources.jsonl";
pub(crate) const EVENTS: &str = "events.jsonl";

/// A line with its line end.
pub(crate) fn encode(line: &impl Serialize) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).expect("strings and numbers always become JSON");
    bytes.push(b'\n');
    bytes
}

records! {
    #[derive(Deserialize)]
    #[schemars(deny_unknown_fields)]
    pub(crate) struct FailureLine(of: (&FailureExample, u64)) {
        #[schemars(range(min = 0))]
        t: f64 = of.0.at.as_secs_f64(), "End of the exchange, seconds since the start of the run.";
        number: u64 = of.1, "Number among the failures of its kind, from 1.";
        kind: String = &of.0.kind, "What failures are grouped by: an error kind, a status, a check, an extraction.";
        outcome: String = outcome_names(of.0.outcome).0, in ["failed", "error"], "How the exchange ended.";
        error_kind: Option<String> = outcome_names(of.0.outcome).1, "Kind of error; null for outcome failed.";
        #[serde(default)]
        after: Option<String> = of.0.after.clone(), "Kind of what had failed first in its iteration; null when it was this.";
        status: Option<NumberOrText> = of.0.status.map(written), "Status code; null without a reply.";
        name: String = &of.0.name, "Request name.";
        scenario: String = &of.0.scenario, "Scenario name.";
        text: String = &of.0.text, "What went wrong.";
        request: String = &of.0.request, "Head and body as sent, redacted, shortened.";
        reply: String = &of.0.reply, "Head and kept body as received, redacted, shortened; empty without a reply.";
        response_time_ns: u64 = of.0.response_time.0, "done - intended, ns.";
    }
    #[derive(Deserialize)]
    #[schemars(deny_unknown_fields)]
    pub(crate) struct ResourceLine(resource: &Resource) {
        #[schemars(range(min = 0))]
        t: f64 = resource.at.as_secs_f64(), "When it was read, seconds since the start of the run.";
        host: String, "Host; injector for the program itself.";
        source: String, "Part of the host: process, worker 0, a device.";
        metric: String, "Metric name with the suffix of its unit.";
        value: Option<f64> = resource.value.is_finite().then_some(resource.value), "Value; null when unknown.";
        unit: String, "Ratio, count, bytes, ...";
    }
    #[derive(Deserialize)]
    #[schemars(deny_unknown_fields)]
    pub(crate) struct EventLine(of: (Nanos, &str, &str)) {
        #[schemars(range(min = 0))]
        t: f64 = of.0.as_secs_f64(), "When, seconds since the start of the run.";
        code: String = of.1, "Stable code, for programs.";
        text: String = of.2, "One sentence, for people.";
    }
}

records! {
    /// Readings added up.
    #[schemars(deny_unknown_fields)]
    pub(crate) read ReadingsLine {
        lines: Span, "The lines of resources.jsonl that these are.";
        readings: Vec<ReadingLine>, "By bin of the rollup, host, source and metric.";
    }
    /// Readings of a figure in a bin of a rollup.
    #[schemars(deny_unknown_fields)]
    pub(crate) read ReadingLine {
        #[schemars(range(min = 0))]
        t: f64, "When the first was read, seconds since the start of the run.";
        host: String, "Host; injector for the program itself.";
        source: String, "Part of the host.";
        metric: String, "Metric name with the suffix of its unit.";
        unit: String, "Ratio, count, bytes, ...";
        count: u32, "How many there are.";
        sum: f64, "Sum of the values.";
        min: f64, "Smallest.";
        max: f64, "Largest.";
        first: f64, "The first.";
        last: f64, "The last.";
        place: f32, "When they were read, mean, from 0 at the beginning of the bin to 1 at its end.";
    }
}

/// A line of readings that are those of some lines of `resources.jsonl`, with its line end.
pub(crate) fn encode_readings<'a>(from: Place, to: Place, readings: impl Iterator<Item = &'a Reading>) -> Vec<u8> {
    let readings = readings.map(|Reading { resource, first, bin }| ReadingLine {
        t: resource.at.as_secs_f64(),
        host: resource.host.clone(),
        source: resource.source.clone(),
        metric: resource.metric.clone(),
        unit: resource.unit.clone(),
        count: bin.count,
        sum: bin.sum,
        min: bin.min,
        max: bin.max,
        first: *first,
        last: resource.value,
        place: bin.place,
    });
    encode(&ReadingsLine { lines: Span { from, to }, readings: readings.collect() })
}

impl TryFrom<ReadingLine> for Reading {
    type Error = String;

    fn try_from(line: ReadingLine) -> Result<Self, String> {
        let (at, value) = (instant(line.t)?, line.last);
        let (host, source, metric, unit) = (line.host, line.source, line.metric, line.unit);
        let bin = Bin { sum: line.sum, count: line.count, min: line.min, max: line.max, place: line.place };
        Ok(Self { resource: Resource { at, host, source, metric, value, unit }, first: line.first, bin })
    }
}

/// A status: numbers stay numbers.
fn written(code: Code) -> NumberOrText {
    code.number().map_or_else(|| NumberOrText::Text(code.to_string()), |number| NumberOrText::Number(number.into()))
}

fn status(written: NumberOrText) -> Result<Code, String> {
    match written {
        NumberOrText::Number(number) => {
            u16::try_from(number).map(Code::new).map_err(|_| format!("`{number}` is not a status"))
        }
        NumberOrText::Text(text) => Code::parse(&text).ok_or_else(|| format!("`{text}` is not a status")),
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
            after: line.after,
            status: line.status.map(status).transpose()?,
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
    use nmax_json::JsonFrom as _;
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
            prop_assert_eq!(&Event::try_from(again(&EventLine::json_from((at, kind.as_str(), text.as_str())))).unwrap(), &event);
            let resource = Resource {
                at, host: name.clone(), source: scenario.clone(), metric: kind.clone(), value, unit: text.clone(),
            };
            let back = Resource::try_from(again(&ResourceLine::json_from(&resource))).unwrap();
            prop_assert!((back.value - value).abs() <= value.abs() * f64::EPSILON);
            prop_assert_eq!(Resource { value, ..back }, resource);
            let outcome = error.map_or(Outcome::Failed, |index| Outcome::Error(ErrorKind::ALL[index]));
            let status = status.and_then(|text| Code::parse(&text));
            let failure = FailureExample {
                at, name, scenario, outcome, after: status.map(|_| kind.clone()), kind, status, text, request, reply,
                response_time: Nanos(at.0 / 3),
            };
            prop_assert_eq!(FailureExample::try_from(again(&FailureLine::json_from((&failure, 1)))).unwrap(), failure);
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
        assert!(
            Resource::try_from(again(&ResourceLine::json_from(&unknown))).unwrap().value.is_nan(),
            "unknown stays so"
        );
    }
}
