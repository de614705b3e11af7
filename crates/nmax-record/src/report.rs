//! What an import found, as text and as JSON.

use std::fmt::Write as _;
use std::path::PathBuf;

use nmax_import::Converted;
use nmax_import::recording::Skipped;
use nmax_json::{Object, Version, records};
use nmax_report::number;
use nmax_text::shown;
use serde_json::Value;

/// Longest list of things of one kind in the text.
const LISTED_MAX: usize = 20;
/// Addresses that are named for each reason for leaving something out.
const EXAMPLES_MAX: usize = 5;
/// Longest URL that is shown, characters.
const URL_CHARS_MAX: usize = 90;

/// What is known beside the conversion.
#[derive(Debug, Default)]
pub(crate) struct ImportContext {
    /// Files that were written, the plan first.
    pub(crate) files: Vec<PathBuf>,
    /// Files that were read, in the order of the recordings.
    pub(crate) recordings: Vec<String>,
    /// What the files had that is no exchange.
    pub(crate) skipped: Vec<Skipped>,
    /// What reading them gave to say.
    pub(crate) warnings: Vec<String>,
    /// Secrets taken out.
    pub(crate) redactions: usize,
}

/// What an import found.
#[derive(Debug)]
pub struct ImportReport {
    converted: Converted,
    evidence: Evidence,
    context: ImportContext,
}

impl ImportReport {
    pub(crate) fn new(converted: Converted, mut context: ImportContext) -> Self {
        context.skipped.extend(converted.summary.skipped.iter().cloned());
        context.skipped.sort_by_key(|skipped| (skipped.recording, skipped.number));
        context.warnings.extend(converted.summary.warnings.iter().cloned());
        let evidence = serde_json::from_str(&converted.evidence).unwrap_or_default();
        Self { converted, evidence, context }
    }

    /// Entries of the files, those that are no exchanges included.
    fn entries(&self) -> usize {
        let kept = self.converted.summary.entries;
        kept + self.context.skipped.len() - self.converted.summary.skipped.len()
    }

    /// The answer as JSON; [`schema`] describes it.
    pub fn json(&self) -> Value {
        nmax_json::value::<Answer, _>(self)
    }

    /// The answer for a person.
    pub fn text(&self) -> String {
        let mut out = self.head();
        self.skipped(&mut out);
        self.correlations(&mut out);
        section(
            &mut out,
            "Sent as recorded, looks like an id: give it a value of its own where each user needs another one",
            self.evidence
                .as_recorded
                .iter()
                .map(|Object(kept)| format!("{} of {}", word(&kept["place"]), word(&kept["request"]))),
        );
        section(
            &mut out,
            "Cookies, which the jar carries by itself",
            self.evidence.jar.iter().filter(|Object(cookie)| !cookie["set_by"].is_null()).map(|Object(cookie)| {
                let sent = cookie["sent"].as_u64().unwrap_or_default();
                format!("{}: sent {}", word(&cookie["name"]), number::times(sent))
            }),
        );
        section(
            &mut out,
            "Different for each user",
            self.converted.summary.parameters.iter().map(|note| shown(note).into_owned()),
        );
        section(&mut out, "Note", self.context.warnings.iter().map(|note| shown(note).into_owned()));
        section(
            &mut out,
            "Written",
            self.context.files.iter().map(|file| shown(&file.display().to_string()).into_owned()),
        );
        if let Some(plan) = self.context.files.first() {
            let plan = plan.display();
            let next = match self.evidence.correlations.is_empty() {
                true => "--once      send it once, and see every request and reply",
                false => "--prove     replay it, and prove which of the values must be fresh",
            };
            let _ = write!(
                out,
                "\nNext:\n  nmax check {plan} {next}\n  nmax run {plan}               put load on the target\n"
            );
        }
        out
    }

    /// Why there is no plan; `None` where one was written.
    pub fn why_no_plan(&self) -> Option<String> {
        self.context.files.is_empty().then(|| self.nothing("so that nothing was written"))
    }

    /// What to say when there is no request to be replayed; `what` was done in place of a plan.
    pub(crate) fn nothing(&self, what: &str) -> String {
        let mut out = format!("nothing in it can be replayed, {what}\n");
        self.skipped(&mut out);
        section(&mut out, "Note", self.context.warnings.iter().map(|note| shown(note).into_owned()));
        out.push_str("  help: record again what a user does; `--host HOST` keeps what goes to another site");
        out
    }

    fn head(&self) -> String {
        let summary = &self.converted.summary;
        let counted = |count: usize, what: &str| {
            let plural = if count == 1 { "" } else { "s" };
            format!("{} {what}{plural}", number::count(count as u64))
        };
        let mut kept = vec![counted(summary.scenarios, "scenario"), counted(summary.steps, "step")];
        if summary.redirects > 0 {
            kept.push(counted(summary.redirects, "followed redirect"));
        }
        kept.push(counted(summary.resources, "resource"));
        let mut of = counted(self.entries(), "exchange");
        if self.context.recordings.len() > 1 {
            of.push_str(&format!(" in {}", counted(self.context.recordings.len(), "recording")));
        }
        let secrets = match self.context.redactions {
            0 => "no secret in them".to_owned(),
            places => format!("secrets replaced in {}", counted(places, "place")),
        };
        format!("{} of {of}; {secrets}\n", kept.join(", "))
    }

    /// What was left out, by reason, the most frequent first.
    fn skipped(&self, out: &mut String) {
        let mut groups: Vec<(&str, Vec<&Skipped>)> = Vec::new();
        for skipped in &self.context.skipped {
            match groups.iter_mut().find(|(reason, _)| *reason == skipped.reason) {
                Some((_, group)) => group.push(skipped),
                None => groups.push((&skipped.reason, vec![skipped])),
            }
        }
        groups.sort_by_key(|(_, group)| std::cmp::Reverse(group.len()));
        let lines = groups.iter().map(|(reason, group)| {
            let mut line = format!("{:>5}  {}", number::count(group.len() as u64), shown(reason));
            let mut named: Vec<(&Skipped, usize)> = Vec::new();
            for skipped in group {
                match named
                    .iter_mut()
                    .find(|(known, _)| (known.recording, short(&known.url)) == (skipped.recording, short(&skipped.url)))
                {
                    Some((_, count)) => *count += 1,
                    None => named.push((*skipped, 1)),
                }
            }
            for (skipped, count) in named.iter().take(EXAMPLES_MAX) {
                let of = match self.context.recordings.get(skipped.recording) {
                    Some(file) if self.context.recordings.len() > 1 => format!("{}, ", shown(file)),
                    _ => String::new(),
                };
                let (number, url) = (skipped.number, short(&skipped.url));
                let _ = match number {
                    0 => write!(line, "\n           {of}{url}"),
                    _ => write!(line, "\n           {of}entry {number}: {url}"),
                };
                if *count > 1 {
                    let _ = write!(line, " ({})", number::times(*count as u64));
                }
            }
            if let Some(more @ 1..) = named.len().checked_sub(EXAMPLES_MAX) {
                let _ =
                    write!(line, "\n           and {more} other{}; --json has all", if more == 1 { "" } else { "s" });
            }
            line
        });
        section(out, "Left out", lines);
    }

    fn correlations(&self, out: &mut String) {
        let lines = self.evidence.correlations.iter().map(|found| {
            let mut places: Vec<String> = found.to.iter().map(|Object(to)| word(&to["request"])).collect();
            places.dedup();
            format!(
                "{}: from {} ({}) to {}\n    {}: {}",
                shown(&found.name),
                word(&found.from.0["request"]),
                shown(&found.source),
                listed(&places),
                shown(&found.state),
                shown(&found.evidence),
            )
        });
        section(out, "Values that the server gives and the user sends back", lines);
    }
}

/// The JSON Schema of what `nmax import har --json` and `nmax import curl --json` print.
pub fn schema() -> Value {
    nmax_json::schema::<Answer>("nmax import har", "")
}

records! {
    struct Answer(report: &ImportReport) {
        schema_version: Version = Version;
        plan: Option<String> = report.context.files.first().map(|file| file.display().to_string()),
            "The plan that was written; null where none can be made.";
        reason: Option<String> = report.why_no_plan(), "Why there is no plan.";
        files: Vec<String> = report.context.files.iter().map(|file| file.display().to_string()).collect::<Vec<_>>(),
            "Everything that was written, the plan first.";
        entries: u64 = report.entries(), "Entries of all files.";
        scenarios: u64 = report.converted.summary.scenarios;
        steps: u64 = report.converted.summary.steps, "Requests of the plan.";
        resources: u64 = report.converted.summary.resources, "What the pages of the plan load with them.";
        redactions: u64 = report.context.redactions, "Places in which a secret was replaced in what is stored.";
        skipped: Vec<Left> = report.context.skipped.iter().map(|skipped| (report, skipped)).collect::<Vec<_>>(),
            "Entries that the plan does not send.";
        correlations: Vec<Correlation> = report.evidence.correlations.clone(),
            "Values that the server gives and the user sends back.";
        jar: Vec<Object> = report.evidence.jar.clone(), "Cookies, which the jar carries.";
        generated: Vec<Object> = report.evidence.generated.clone(), "Values that the client makes.";
        as_recorded: Vec<Object> = report.evidence.as_recorded.clone(),
            "Step, request and place of what looks like an id and is sent as it was recorded.";
        denied: Vec<Object> = report.evidence.denied.clone(), "What looks like a correlation and is none.";
        parameters: Vec<String> = &report.converted.summary.parameters, "What differs from user to user.";
        warnings: Vec<String> = &report.context.warnings;
    }
    struct Left(of: (&ImportReport, &Skipped)) {
        file: Option<String> = of.0.context.recordings.get(of.1.recording), "The file that it is in; null when there was none.";
        entry: u64 = of.1.number,
            "Number of the entry in its file, from 1; 0 where a file is damaged, and `url` says where.";
        url: String = &of.1.url;
        reason: String = &of.1.reason;
    }
    /// The evidence as it was written.
    #[derive(Clone, Debug, Default)]
    read Evidence {
        correlations: Vec<Correlation>;
        jar: Vec<Object>;
        generated: Vec<Object>;
        as_recorded: Vec<Object>;
        denied: Vec<Object>;
    }
    #[derive(Clone, Debug)]
    read Correlation {
        name: String, "Its name in the plan.";
        scenario: String;
        from: Object, "Step and request whose reply gives it.";
        source: String, "What finds it there.";
        to: Vec<Object>, "Step, request and place where it is sent, and the template that writes it.";
        recorded: String, "The recorded value, or a placeholder for a secret.";
        state: String, in ["found", "changes", "same", "proved", "harmless", "wrong"];
        evidence: String, "Why it is taken for one.";
    }
}

/// A heading with what belongs to it; nothing when there is nothing.
fn section(out: &mut String, heading: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<String> = lines.collect();
    if lines.is_empty() {
        return;
    }
    let _ = writeln!(out, "\n{heading}");
    for line in lines.iter().take(LISTED_MAX) {
        let _ = writeln!(out, "  {line}");
    }
    if lines.len() > LISTED_MAX {
        let _ = writeln!(out, "  and {} more; --json has all", lines.len() - LISTED_MAX);
    }
}

/// The first of some places, and how many more there are.
fn listed(places: &[String]) -> String {
    let first = places.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
    match places.len().saturating_sub(3) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// A value of the evidence as text.
fn word(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => shown(text).into_owned(),
        other => shown(&other.to_string()).into_owned(),
    }
}

/// A URL without its query, not too long.
fn short(url: &str) -> String {
    let plain = url.split('?').next().unwrap_or_default();
    let mut text: String = shown(plain).chars().take(URL_CHARS_MAX).collect();
    if plain.chars().count() > URL_CHARS_MAX {
        text.push_str(" ..");
    }
    text
}
