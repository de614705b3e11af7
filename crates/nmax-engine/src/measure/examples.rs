//! Failed exchanges kept for study, with what must not be stored taken out.

use nmax_metrics::{FailureExample, Group, Outcome};
use nmax_secrets::Redactor;

use crate::measure::shown::Shown;
use crate::runtime::Runtime;
use crate::user::site::{Seen, Site};
use crate::user::verify::Verified;

impl<R: Runtime> Site<'_, R> {
    /// Counts a failed exchange and keeps it, unless there are enough of its kind. `show` is given who knows the secrets of the plan and
    /// of the values under way.
    #[cold]
    pub(crate) fn keep(&self, seen: &Seen<'_>, verified: &Verified, show: impl FnOnce(Redactor) -> Shown) {
        let why = verified.why.as_deref();
        let kind = match verified.outcome {
            Outcome::Error(kind) => kind.name(),
            Outcome::Ok | Outcome::Failed => why.map_or("", |why| &why.kind),
        };
        let first = self.core.count_failure(self.section(seen.intended), kind, &self.actor.walk.failed);
        if !self.core.meter.borrow_mut().wants_example(kind) {
            return;
        }
        let (exchange, scenario) = (seen.exchange, &self.core.plan.scenarios[self.assignment.scenario]);
        let Shown { redactor, request, reply } = show(self.actor.values.redactor(scenario));
        let text = match (&exchange.error, why.and_then(|why| why.text.as_ref())) {
            (Some(failure), _) => redactor.text(&failure.text),
            (None, Some(text)) => redactor.text(text),
            (None, None) if kind.starts_with("status ") => format!("{kind} is not what the plan expects"),
            (None, None) => {
                let status = exchange.status.map(|status| format!(", in a reply with status {status}"));
                format!("{kind} does not hold{}", status.unwrap_or_default())
            }
        };
        let text = match (&self.core.plan.defaults.trace, self.trace()) {
            (Some(trace), Some(context)) => format!("{text} [trace {}]", trace.place(context)),
            _ => text,
        };
        let example = FailureExample {
            at: exchange.done,
            name: self.core.names.name(seen.name),
            scenario: scenario.name.clone(),
            outcome: verified.outcome,
            kind: kind.to_owned(),
            after: first.map(|first| self.core.names.name_of(Group::Failure, first)),
            status: exchange.status,
            text,
            request,
            reply,
            response_time: exchange.done.since(seen.intended),
        };
        self.core.meter.borrow_mut().keep_example(example);
    }
}
