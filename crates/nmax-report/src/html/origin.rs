//! Where the numbers come from and how to get them again: command, policy, machine, plan.

use super::page::Html;
use crate::markup::{Escaped, clip};
use crate::view::View;

/// Most characters of the plan.
const PLAN_MAX: usize = 200_000;

pub(super) fn write(page: &mut Html, view: &View) {
    let run = &view.run;
    page.heading(2, "Origin");
    if !run.command.is_empty() {
        page.add(format_args!("<p>To repeat this run:</p><pre>{}</pre>", Escaped(&run.command)));
    }
    let seed = [("seed".to_owned(), run.seed.to_string()), ("plan SHA-256".to_owned(), run.plan_sha256.clone())];
    let policy: Vec<_> = view.policy.iter().cloned().chain(seed).collect();
    page.text("<div class=\"two\">");
    for (title, facts) in [("Policy", &policy), ("Machine that made the load", &run.machine)] {
        if !facts.is_empty() {
            page.text("<section>");
            page.heading(3, title);
            page.facts(facts.iter().map(|(name, value)| (name, value)));
            page.text("</section>");
        }
    }
    page.text("</div>");
    if !run.plan_yaml.is_empty() {
        let plan = clip(&run.plan_yaml, PLAN_MAX);
        page.details("Plan as resolved", |page| page.add(format_args!("<pre>{}</pre>", Escaped(&plan))));
    }
}
