//! What went wrong, by kind, with examples.

use nmax_metrics::{Aggregate, Catalog, Code, ErrorKind, FailureExample, Outcome, Section};

/// Most examples of a kind in a report.
const EXAMPLES_MAX: usize = 10;
/// Most kinds in a report.
const KINDS_MAX: usize = 50;

/// A kind of failure or error, of the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Problem {
    /// An error kind, `status 503`, a check, or what could not be extracted.
    pub kind: String,
    /// How often; `None` when only examples are known.
    pub count: Option<u64>,
    /// What to do about it.
    pub remedy: &'static str,
    /// The first ones.
    pub examples: Vec<FailureExample>,
}

/// Every kind with a count or an example, most frequent first.
pub(crate) fn collect(whole: &Aggregate, catalog: &Catalog, failures: &[FailureExample]) -> Vec<Problem> {
    let total = whole.total(Section::Hold);
    let mut problems = Vec::new();
    for kind in ErrorKind::ALL {
        add(&mut problems, kind.name(), total.errors[kind.index()], kind.remedy());
    }
    for (status, count) in &total.status {
        let kind = format!("status {status}");
        if status.number().is_some_and(|status| status >= 400) && total.failed() > 0
            || failures.iter().any(|failure| failure.kind == kind)
        {
            add(&mut problems, &kind, *count, status_remedy(*status));
        }
    }
    for (name, check) in whole.checks.named(Section::Hold, &catalog.checks) {
        add(&mut problems, &format!("check \"{name}\""), check.failed, CONTENT_REMEDY);
    }
    for failure in failures {
        attach(&mut problems, failure);
    }
    problems.sort_by(|a: &Problem, b: &Problem| b.count.cmp(&a.count).then_with(|| a.kind.cmp(&b.kind)));
    problems.truncate(KINDS_MAX);
    problems
}

const CONTENT_REMEDY: &str = "compare the reply with what the plan expects of it";

fn status_remedy(status: Code) -> &'static str {
    match status.number().unwrap_or_default() {
        401 | 403 => "check the credentials and the session that the scenario sends",
        404 | 410 => "check the path, and that the data of the plan exists on the target",
        408 | 429 => "the target refuses more: lower the rate, or raise its limit",
        500..=599 => "the target failed: see its log at the times of the examples",
        _ => "add the status to `expect` when it is right, else see the reply",
    }
}

fn add(problems: &mut Vec<Problem>, kind: &str, count: u64, remedy: &'static str) {
    if count > 0 {
        problems.push(Problem { kind: kind.to_owned(), count: Some(count), remedy, examples: Vec::new() });
    }
}

fn attach(problems: &mut Vec<Problem>, failure: &FailureExample) {
    let found = problems.iter().position(|problem| problem.kind == failure.kind);
    let index = found.unwrap_or_else(|| {
        let remedy = match failure.outcome {
            Outcome::Error(kind) => kind.remedy(),
            _ => CONTENT_REMEDY,
        };
        problems.push(Problem { kind: failure.kind.clone(), count: None, remedy, examples: Vec::new() });
        problems.len() - 1
    });
    let examples = &mut problems[index].examples;
    if examples.len() < EXAMPLES_MAX {
        examples.push(failure.clone());
    }
}
