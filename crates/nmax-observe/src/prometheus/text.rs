//! The text formats of Prometheus and OpenMetrics, as samples.
//!
//! Text in, samples out; one pass, O(length). What follows neither format is an error with the
//! number of its line, and not a word of it: a plan may name any page, and errors are shared. Buckets of histograms,
//! quantiles of summaries, instants of creation and exemplars are read and left out: quantiles
//! of others cannot be merged, and the rest does not change.
//!
//! Source: *Exposition formats* of the Prometheus documentation; *OpenMetrics 1.0*.

use std::collections::HashMap;
use std::fmt::{self, Write};
use std::iter::Peekable;
use std::str::Chars;

/// Most samples of a page.
pub(crate) const SAMPLES_MAX: usize = 100_000;

/// What a sample's value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Grows until its program begins again.
    Counter,
    /// Goes up and down.
    Gauge,
    /// The page does not say.
    Unknown,
    /// How many a histogram or summary has counted.
    Count,
    /// Sum of what a histogram or summary has counted.
    Sum,
    /// Says something about a program, and never changes: `node_exporter_build_info`.
    Constant,
}

/// One value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Sample {
    /// Name of the metric.
    pub(crate) name: String,
    /// Labels in the order of their names.
    pub(crate) labels: Vec<(String, String)>,
    /// The value; perhaps no number, or infinite.
    pub(crate) value: f64,
    /// When it was so, in seconds of a calendar; few pages say.
    pub(crate) stamp_s: Option<f64>,
    /// What the value is.
    pub(crate) role: Role,
}

impl Sample {
    /// A label's value; empty when it has none, as the format says.
    pub(crate) fn label(&self, name: &str) -> &str {
        let found = self.labels.iter().find(|(key, _)| key == name);
        found.map_or("", |(_, value)| value)
    }

    /// Name and labels: `node_disk_reads_completed_total{device="sda"}`.
    pub(crate) fn id(&self) -> String {
        let mut id = self.name.clone();
        for (index, (name, value)) in self.labels.iter().enumerate() {
            let before = if index == 0 { '{' } else { ',' };
            // Writing to a `String` cannot fail.
            let _ = write!(id, "{before}{name}=\"{}\"", Escaped(value));
        }
        if !self.labels.is_empty() {
            id.push('}');
        }
        id
    }
}

/// A value of a label as the format writes it.
pub(crate) struct Escaped<'a>(pub(crate) &'a str);

impl fmt::Display for Escaped<'_> {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|letter| match letter {
            '\\' => out.write_str("\\\\"),
            '"' => out.write_str("\\\""),
            '\n' => out.write_str("\\n"),
            letter => out.write_char(letter),
        })
    }
}

/// Why a text is none of these formats.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub(crate) struct TextError {
    line: usize,
    what: String,
}

/// Which of the two it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    /// `text/plain; version=0.0.4`, and whatever a server says that knows no types.
    Prometheus,
    /// `application/openmetrics-text`
    OpenMetrics,
}

impl Format {
    /// By the content type of a reply, in small letters.
    pub(crate) fn from_content_type(content_type: &str) -> Self {
        if content_type.starts_with("application/openmetrics-text") { Self::OpenMetrics } else { Self::Prometheus }
    }
}

/// Types that `# TYPE` lines gave.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Type {
    Counter,
    Gauge,
    Distribution,
    Constant,
    Unknown,
}

/// Reads a page.
pub(crate) fn parse(text: &str, format: Format) -> Result<Vec<Sample>, TextError> {
    let mut samples = Vec::new();
    let mut types = HashMap::new();
    let mut end = None;
    for (index, line) in text.lines().enumerate() {
        let error = |what: String| TextError { line: index + 1, what };
        let line = line.trim_matches([' ', '\t', '\r']);
        if line.is_empty() {
            continue;
        }
        if end.is_some() {
            return Err(error("there is more after `# EOF`".into()));
        }
        if let Some(comment) = line.strip_prefix('#') {
            let is_end = comment.trim() == "EOF" && format == Format::OpenMetrics;
            end = is_end.then_some(index);
            note_type(comment, &mut types);
            continue;
        }
        let read = Line::new(line).sample(format).map_err(|what| error(what.to_owned()))?;
        if let Some(role) = role(&read, &types) {
            samples.push(Sample { role, ..read });
        }
        if samples.len() > SAMPLES_MAX {
            return Err(error(format!("more than {SAMPLES_MAX} series are too many for one source")));
        }
    }
    if format == Format::OpenMetrics && end.is_none() {
        return Err(TextError {
            line: text.lines().count(),
            what: "the page ends without `# EOF`, so it was cut off".into(),
        });
    }
    Ok(samples)
}

fn note_type<'a>(comment: &'a str, types: &mut HashMap<&'a str, Type>) {
    let mut words = comment.split_ascii_whitespace();
    if words.next() != Some("TYPE") {
        return;
    }
    if let (Some(name), Some(kind)) = (words.next(), words.next()) {
        let kind = match kind {
            "counter" => Type::Counter,
            "gauge" => Type::Gauge,
            "histogram" | "summary" => Type::Distribution,
            "info" | "stateset" | "gaugehistogram" => Type::Constant,
            _ => Type::Unknown,
        };
        types.insert(name.trim_matches('"'), kind);
    }
}

/// What a sample is, by the types before it; `None`: it is left out.
fn role(sample: &Sample, types: &HashMap<&str, Type>) -> Option<Role> {
    let name = sample.name.as_str();
    if name.ends_with("_info") {
        return Some(Role::Constant);
    }
    let typed = |name: &str| types.get(name).copied();
    let family = |suffix: &str| name.strip_suffix(suffix).and_then(typed);
    match typed(name) {
        Some(Type::Counter) => return Some(Role::Counter),
        Some(Type::Gauge) => return Some(Role::Gauge),
        // The quantiles of a summary have its own name.
        Some(Type::Distribution | Type::Constant) => return None,
        _ => {}
    }
    if family("_total") == Some(Type::Counter) {
        return Some(Role::Counter);
    }
    if family("_count") == Some(Type::Distribution) {
        return Some(Role::Count);
    }
    if family("_sum") == Some(Type::Distribution) {
        return Some(Role::Sum);
    }
    let is_left_out = family("_bucket") == Some(Type::Distribution)
        || ["_created", "_bucket", "_gcount", "_gsum"].iter().any(|suffix| family(suffix).is_some());
    if is_left_out {
        return None;
    }
    Some(if name.ends_with("_total") { Role::Counter } else { Role::Unknown })
}

/// One line of samples, or a selector of a plan.
pub(crate) struct Line<'a> {
    rest: Peekable<Chars<'a>>,
}

/// How a label is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Comparison {
    /// `=`
    Is,
    /// `!=`, in selectors only.
    IsNot,
}

/// A label with how it is compared, and to what.
pub(crate) type Matcher = (String, Comparison, String);

/// A name with what it is compared to, if it is.
type Label = (String, Option<(Comparison, String)>);

impl<'a> Line<'a> {
    pub(crate) fn new(line: &'a str) -> Self {
        Self { rest: line.chars().peekable() }
    }

    fn sample(mut self, format: Format) -> Result<Sample, &'static str> {
        let (name, matchers) = self.series()?;
        let mut labels = Vec::with_capacity(matchers.len());
        for (label, comparison, value) in matchers {
            if comparison == Comparison::IsNot {
                return Err("there is `!=` after a label");
            }
            labels.push((label, value));
        }
        labels.sort_unstable();
        if labels.windows(2).any(|pair| pair[0].0 == pair[1].0) {
            return Err("a label is there twice");
        }
        let value = number(&self.word()).ok_or("there is no value after the name")?;
        let stamp_s = self.stamp(format)?;
        Ok(Sample { name, labels, value, stamp_s, role: Role::Unknown })
    }

    /// `name{label="value",..}`; the name may also stand in quotes within the braces.
    pub(crate) fn series(&mut self) -> Result<(String, Vec<Matcher>), &'static str> {
        let mut name = self.name(|letter| letter == ':' || letter == '_' || letter.is_ascii_alphanumeric());
        self.skip_blanks();
        let mut matchers = Vec::new();
        if self.rest.next_if_eq(&'{').is_some() {
            loop {
                self.skip_blanks();
                if self.rest.next_if_eq(&'}').is_some() {
                    break;
                }
                match (self.label()?, name.is_empty()) {
                    ((label, Some((comparison, value))), _) => matchers.push((label, comparison, value)),
                    ((quoted, None), true) => name = quoted,
                    ((_, None), false) => return Err("a label has no value"),
                }
                self.skip_blanks();
                if self.rest.next_if_eq(&',').is_none() && self.rest.peek() != Some(&'}') {
                    return Err("the labels do not end with `}`");
                }
            }
        }
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            return Err("it does not begin with the name of a metric");
        }
        Ok((name, matchers))
    }

    /// `name="value"`, or a name in quotes by itself.
    fn label(&mut self) -> Result<Label, &'static str> {
        let name = if self.rest.peek() == Some(&'"') {
            self.quoted()?
        } else {
            self.name(|letter| letter == '_' || letter.is_ascii_alphanumeric())
        };
        if name.is_empty() {
            return Err("a label has no name");
        }
        self.skip_blanks();
        let comparison = if self.rest.next_if_eq(&'!').is_some() { Comparison::IsNot } else { Comparison::Is };
        if self.rest.next_if_eq(&'=').is_none() {
            return match comparison {
                Comparison::Is => Ok((name, None)),
                Comparison::IsNot => Err("a label is compared by neither `=` nor `!=`"),
            };
        }
        self.skip_blanks();
        Ok((name, Some((comparison, self.quoted()?))))
    }

    fn quoted(&mut self) -> Result<String, &'static str> {
        if self.rest.next_if_eq(&'"').is_none() {
            return Err("the value of a label is not in quotes");
        }
        let mut text = String::new();
        loop {
            match self.rest.next() {
                Some('"') => return Ok(text),
                Some('\\') => match self.rest.next() {
                    Some('n') => text.push('\n'),
                    Some(letter @ ('"' | '\\')) => text.push(letter),
                    // OpenMetrics: any other pair stands for itself.
                    Some(letter) => text.extend(['\\', letter]),
                    None => return Err("the value of a label does not end"),
                },
                Some(letter) => text.push(letter),
                None => return Err("the value of a label does not end"),
            }
        }
    }

    /// Milliseconds in Prometheus's format, seconds in OpenMetrics, where an exemplar may follow.
    fn stamp(&mut self, format: Format) -> Result<Option<f64>, &'static str> {
        let may_have_exemplar = format == Format::OpenMetrics;
        let word = self.word();
        if word.is_empty() || word == "#" && may_have_exemplar {
            return Ok(None);
        }
        let stamp_s = match format {
            Format::Prometheus => word.parse::<i64>().ok().map(|stamp_ms| stamp_ms as f64 / 1e3),
            Format::OpenMetrics => number(&word).filter(|stamp| stamp.is_finite()),
        };
        let stamp_s = stamp_s.ok_or("what follows the value is not a time")?;
        let more = self.word();
        if more.is_empty() || more == "#" && may_have_exemplar {
            return Ok(Some(stamp_s));
        }
        Err("there is more after the time")
    }

    fn name(&mut self, is_part: impl Fn(char) -> bool) -> String {
        let mut name = String::new();
        while let Some(letter) = self.rest.next_if(|&letter| is_part(letter)) {
            name.push(letter);
        }
        name
    }

    fn word(&mut self) -> String {
        self.skip_blanks();
        self.name(|letter| letter != ' ' && letter != '\t')
    }

    fn skip_blanks(&mut self) {
        while self.rest.next_if(|&letter| letter == ' ' || letter == '\t').is_some() {}
    }

    /// Nothing is left but blanks.
    pub(crate) fn is_at_end(&mut self) -> bool {
        self.skip_blanks();
        self.rest.peek().is_none()
    }
}

/// A value as Go writes it: `1e+06`, `+Inf`, `NaN`.
fn number(word: &str) -> Option<f64> {
    let is_plausible = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '+' | '-' | '.');
    word.parse().ok().filter(|_| word.chars().all(is_plausible))
}

#[cfg(test)]
mod tests;
