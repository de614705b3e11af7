//! Where the numbers come from and how to get them again: command, policy, machine, plan.

use super::Page;
use crate::markup::{Escaped, clip};
use crate::view::View;

/// Most characters of the plan.
const PLAN_MAX: usize = 200_000;

pub(super) fn write(page: &mut Page, view: &View) {
    let run = &view.run;
    page.text("<h2>Origin</h2>\n");
    if !run.command.is_empty() {
        page.add(format_args!("<p>To repeat this run:</p><pre>{}</pre>", Escaped(&run.command)));
    }
    let seed = [("seed".to_owned(), run.seed.to_string()), ("plan SHA-256".to_owned(), run.plan_sha256.clone())];
    let policy: Vec<_> = view.policy.iter().cloned().chain(seed).collect();
    page.text("<div class=\"two\">");
    facts(page, "Policy", &policy);
    facts(page, "Machine that made the load", &run.machine);
    page.text("</div>");
    if !run.plan_yaml.is_empty() {
        let plan = clip(&run.plan_yaml, PLAN_MAX);
        page.add(format_args!("<details><summary>Plan as resolved</summary><pre>{}</pre></details>\n", Escaped(&plan)));
    }
}

fn facts(page: &mut Page, title: &str, rows: &[(String, String)]) {
    if rows.is_empty() {
        return;
    }
    page.add(format_args!("<section><h3>{title}</h3><div class=\"scroll\"><table class=\"facts\"><tbody>"));
    for (key, value) in rows {
        page.add(format_args!("<tr><th scope=\"row\">{}</th><td>{}</td></tr>", Escaped(key), Escaped(value)));
    }
    page.text("</tbody></table></div></section>");
}
