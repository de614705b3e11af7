//! What to look at first: suspects, where the time goes, and the matrix of what was watched.

use nmax_analysis::suspect::{Budget, Cell, Coverage, Diagnosis, Label, Suspect};

use super::Page;
use crate::markup::{Escaped, clip};
use crate::number;
use crate::terminal::resource_title as title;
use crate::view::View;

/// Most characters of a sentence.
const TEXT_MAX: usize = 600;
/// Most rows of a table.
const ROWS_MAX: usize = 200;

pub(super) fn write(page: &mut Page, view: &View) {
    let diagnosis = &view.judgement.diagnosis;
    if diagnosis.coverage.is_empty() && diagnosis.suspects.is_empty() {
        return;
    }
    page.text("<h2>What to look at first</h2>\n");
    for why in &diagnosis.refused {
        page.add(format_args!("<p class=\"note\">{}</p>", Escaped(&clip(why, TEXT_MAX))));
    }
    if diagnosis.suspects.is_empty() && diagnosis.refused.is_empty() {
        page.text("<p>Nothing that was watched holds requests up.</p>");
    }
    if !diagnosis.suspects.is_empty() {
        page.text("<ol class=\"suspects\">");
        diagnosis.suspects.iter().for_each(|one| suspect(page, one));
        page.text("</ol>\n");
    }
    if let Some(budget) = &diagnosis.budget {
        self::budget(page, budget);
    }
    bounds(page, diagnosis, if view.summary.open { "requests in flight" } else { "users" });
    matrix(page, &diagnosis.coverage);
    others(page, diagnosis);
}

fn suspect(page: &mut Page, suspect: &Suspect) {
    let class = match suspect.label {
        Label::Wait | Label::Saturated => "fail",
        Label::NotObserved => "invalid",
        Label::FollowsLoad | Label::Symptom | Label::Exonerated => "",
    };
    let share =
        suspect.residence_s.map_or_else(String::new, |s| format!(": {} of each request", number::time(s * 1e9)));
    page.add(format_args!(
        "<li><strong class=\"{class}\">{}</strong> <strong>{}</strong>{share}<ul>",
        suspect.label.name(),
        Escaped(&title(&suspect.resource))
    ));
    for finding in &suspect.findings {
        page.add(format_args!("<li>{}", Escaped(&clip(&finding.text, TEXT_MAX))));
        if !finding.source.is_empty() {
            page.add(format_args!(" <small>{}</small>", Escaped(finding.source)));
        }
        page.text("</li>");
    }
    if !suspect.falsify.is_empty() {
        page.add(format_args!("<li>To prove it wrong: {}</li>", Escaped(&clip(&suspect.falsify, TEXT_MAX))));
    }
    page.text("</ul></li>");
}

/// Seconds of a request in each resource; bars are shares of the response time.
fn budget(page: &mut Page, budget: &Budget) {
    let time = |s: f64| number::time(s * 1e9);
    page.add(format_args!(
        "<h3>Where the time goes</h3><p class=\"note\">Mean response time {} at {}, split by Little's law: \
         time in a resource = queue length / throughput.</p><div class=\"scroll\" tabindex=\"0\"><table><thead><tr>\
         <th scope=\"col\" class=\"l\">resource</th><th scope=\"col\">being served</th><th scope=\"col\">waiting</th>\
         <th scope=\"col\">together</th><th scope=\"col\">of the response time</th></tr></thead><tbody>",
        time(budget.response_s),
        number::rate(budget.throughput_per_s)
    ));
    let share = |s: f64| {
        if budget.response_s > 0.0 { number::share(s / budget.response_s) } else { number::UNKNOWN.to_owned() }
    };
    for part in budget.parts.iter().take(ROWS_MAX) {
        page.add(format_args!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td></tr>",
            Escaped(&title(&part.resource)),
            time(part.service_s),
            time(part.waiting_s),
            time(part.residence_s()),
            share(part.residence_s())
        ));
    }
    let (word, rest) = match budget.unexplained_s {
        rest if rest >= 0.0 => ("unexplained", rest),
        rest => ("more than the whole: resources worked for others too", -rest),
    };
    page.add(format_args!(
        "<tr class=\"total\"><th scope=\"row\">{word}</th><td></td><td></td><td>{}</td><td>{}</td></tr></tbody></table></div>\n",
        time(rest),
        share(rest)
    ));
}

/// `who` reach the bound: requests in flight, or users with their think times.
fn bounds(page: &mut Page, diagnosis: &Diagnosis, who: &str) {
    let Some(bounds) = &diagnosis.bounds else { return };
    let knee = bounds.knee.map_or_else(String::new, |knee| format!(", which {} {who} reach", number::digits(knee)));
    page.add(format_args!(
        "<p>{} asks {} of a request. As it is, at most {} go through it{knee}.</p>\n",
        Escaped(&title(&bounds.resource)),
        number::time(bounds.demand_s * 1e9),
        number::rate(bounds.throughput_max_per_s)
    ));
}

fn matrix(page: &mut Page, rows: &[Coverage]) {
    if rows.is_empty() {
        return;
    }
    page.text(
        "<h3>What was watched</h3><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">resource</th>\
         <th scope=\"col\" class=\"l\">utilization</th><th scope=\"col\" class=\"l\">saturation</th><th scope=\"col\" class=\"l\">errors</th>\
         <th scope=\"col\" class=\"l\">to watch it</th></tr></thead><tbody>",
    );
    for row in rows.iter().take(ROWS_MAX) {
        page.add(format_args!("<tr><th scope=\"row\">{}</th>", Escaped(&title(&row.resource))));
        for cell in [&row.utilization, &row.saturation, &row.errors] {
            match cell {
                Cell::Observed(text) => {
                    page.add(format_args!("<td class=\"l\">{}</td>", Escaped(&clip(text, TEXT_MAX))))
                }
                Cell::Gap(why) => page.add(format_args!(
                    "<td class=\"l w\"><span class=\"fail\">gap</span> {}</td>",
                    Escaped(&clip(why, TEXT_MAX))
                )),
                Cell::NotObserved => page.text("<td class=\"l\"><span class=\"invalid\">NOT OBSERVED</span></td>"),
                Cell::None => page.text("<td class=\"l\">–</td>"),
            }
        }
        let remedy = match row.remedy.trim_matches('`') {
            "" => String::new(),
            remedy => format!("<code>{}</code>", Escaped(&clip(remedy, TEXT_MAX))),
        };
        page.add(format_args!("<td class=\"l w\">{remedy}</td></tr>"));
    }
    page.text("</tbody></table></div>\n");
}

fn others(page: &mut Page, diagnosis: &Diagnosis) {
    if diagnosis.others.is_empty() {
        return;
    }
    page.text("<details><summary>What else was judged</summary><ul>");
    for suspect in diagnosis.others.iter().take(ROWS_MAX) {
        let why = suspect.findings.first().map_or("", |finding| finding.text.as_str());
        page.add(format_args!(
            "<li><strong>{}</strong> {}: {}</li>",
            suspect.label.name(),
            Escaped(&title(&suspect.resource)),
            Escaped(&clip(why, TEXT_MAX))
        ));
    }
    page.text("</ul></details>\n");
}
