//! What went wrong, by kind, with examples: causes first.

use std::cmp::Reverse;

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
    /// How often nothing had failed before it in its iteration; `None` when that was not counted.
    pub first: Option<u64>,
    /// Kinds that came later in iterations where this was the first, in the order of the report.
    pub followed_by: Vec<String>,
    /// What to do about it.
    pub remedy: &'static str,
    /// The first ones.
    pub examples: Vec<FailureExample>,
}

impl Problem {
    fn new(kind: &str, count: Option<u64>, remedy: &'static str) -> Self {
        Self { kind: kind.to_owned(), count, first: None, followed_by: Vec::new(), remedy, examples: Vec::new() }
    }

    /// Those of `all` that came later in iterations where this was the first.
    pub fn later<'a>(&'a self, all: &'a [Self]) -> impl Iterator<Item = &'a Self> {
        all.iter().filter(|one| self.followed_by.contains(&one.kind))
    }

    /// Whether something else had always failed before it in its iteration.
    pub fn only_follows(&self) -> bool {
        self.first == Some(0)
    }
}

/// Every kind with a count or an example: by how many iterations it was the first failure of, then by count.
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
    let mut counted = whole.failures.named(Section::Hold, &catalog.failures).peekable();
    // A check whose failures are all beside another one of their exchange is not counted as the first.
    let unless_counted = counted.peek().map(|_| 0);
    problems.iter_mut().for_each(|problem| problem.first = unless_counted);
    for (kind, stats) in counted {
        if let Some(problem) = problems.iter_mut().find(|problem| problem.kind == kind) {
            problem.count.get_or_insert(stats.count);
            problem.first = Some(stats.first);
        }
    }
    problems.sort_by(|a, b| {
        let key = |of: &Problem| (Reverse(of.first), Reverse(of.count));
        key(a).cmp(&key(b)).then_with(|| a.kind.cmp(&b.kind))
    });
    problems.truncate(KINDS_MAX);
    for place in 0..problems.len() {
        let is_later =
            |problem: &&Problem| problem.examples.iter().any(|one| one.after.as_ref() == Some(&problems[place].kind));
        problems[place].followed_by = problems.iter().filter(is_later).map(|later| later.kind.clone()).collect();
    }
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
        problems.push(Problem::new(kind, Some(count), remedy));
    }
}

fn attach(problems: &mut Vec<Problem>, failure: &FailureExample) {
    let found = problems.iter().position(|problem| problem.kind == failure.kind);
    let index = found.unwrap_or_else(|| {
        let remedy = match failure.outcome {
            Outcome::Error(kind) => kind.remedy(),
            _ => CONTENT_REMEDY,
        };
        problems.push(Problem::new(&failure.kind, None, remedy));
        problems.len() - 1
    });
    let examples = &mut problems[index].examples;
    if examples.len() < EXAMPLES_MAX {
        examples.push(failure.clone());
    }
}
