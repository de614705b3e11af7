//! What a run says beyond its numbers: the answer of its profile, steadiness, effects of interventions.

use nmax_analysis::Figures;

use super::Page;
use crate::markup::{Escaped, clip};
use crate::number;
use crate::view::{View, findings};

/// Most characters of a text.
const TEXT_MAX: usize = 600;
/// Most interventions shown.
const ROWS_MAX: usize = 50;

pub(super) fn write(page: &mut Page, view: &View) {
    answer(page, view);
    steady(page, view);
    timeline(page, view);
}

fn answer(page: &mut Page, view: &View) {
    let Some(answer) = &view.judgement.answer else { return };
    page.add(format_args!(
        "<h2>Profile {}</h2><p><strong>{}</strong></p>",
        answer.profile.name(),
        Escaped(&clip(&answer.headline, TEXT_MAX))
    ));
    if findings(answer).next().is_some() {
        page.text("<ul>");
        for finding in findings(answer).take(ROWS_MAX) {
            let lead = if finding.is_trouble { "<strong>!</strong> " } else { "" };
            page.add(format_args!(
                "<li>{lead}{} <small>{}</small></li>",
                Escaped(&clip(&finding.text, TEXT_MAX)),
                finding.code
            ));
        }
        page.text("</ul>\n");
    }
}

fn steady(page: &mut Page, view: &View) {
    let Some(steadiness) = &view.judgement.steadiness else { return };
    page.add(format_args!("<h3>Steady state</h3><p>{}</p>", Escaped(&clip(&steadiness.text, TEXT_MAX))));
    if steadiness.series.is_empty() {
        return;
    }
    page.text(
        "<div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">series</th><th scope=\"col\">drift</th>\
         <th scope=\"col\">limit</th><th scope=\"col\">KPSS</th><th scope=\"col\">ADF</th><th scope=\"col\" class=\"l\"></th></tr></thead><tbody>",
    );
    let plain = |value: Option<f64>| value.map_or_else(|| number::UNKNOWN.to_owned(), |value| format!("{value:.2}"));
    for test in &steadiness.series {
        page.add(format_args!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{}</td><td>{}</td><td class=\"l\">{}</td></tr>",
            test.name,
            number::share_or_unknown(test.drift),
            number::share(test.drift_limit),
            plain(test.kpss),
            plain(test.adf),
            match test.holds {
                Some(true) if test.drift.is_some_and(|drift| drift.abs() > test.drift_limit) => "~ within its noise",
                Some(true) => "<span class=\"pass\">✓ steady</span>",
                Some(false) => "<span class=\"fail\">✗ not steady</span>",
                None => "– not tested",
            }
        ));
    }
    page.text(
        "</tbody></table></div><p class=\"note\">Not steady is what drifts beyond the limit and whose KPSS is above 0.739: \
         drift alone may be noise.</p>\n",
    );
}

fn timeline(page: &mut Page, view: &View) {
    if view.judgement.effects.is_empty() {
        return;
    }
    page.text(
        "<h2>Timeline</h2><div class=\"scroll\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">what was done</th>\
         <th scope=\"col\" class=\"l\">phase</th><th scope=\"col\">length</th><th scope=\"col\">throughput</th><th scope=\"col\">failed</th>\
         <th scope=\"col\">p50</th><th scope=\"col\">p95</th>\
         <th scope=\"col\">p95 at worst</th><th scope=\"col\">recovery</th></tr></thead><tbody>",
    );
    for effect in view.judgement.effects.iter().take(ROWS_MAX) {
        for (index, (name, figures)) in ["before", "during", "after"].iter().zip(&effect.phases).enumerate() {
            page.text("<tr>");
            if index == 0 {
                page.add(format_args!(
                    "<th scope=\"rowgroup\" rowspan=\"3\" class=\"l w\">{}<small>{}</small></th>",
                    Escaped(&clip(&effect.happened.name, TEXT_MAX)),
                    Escaped(&clip(&effect.text, TEXT_MAX))
                ));
            }
            page.add(format_args!("<td class=\"l\">{name}</td>"));
            phase(page, figures.as_ref());
            if index == 0 {
                let worst = effect.worst_p95_ms.map_or(f64::NAN, |worst_ms| worst_ms * 1e6);
                page.add(format_args!(
                    "<td rowspan=\"3\">{}</td><td rowspan=\"3\">{}</td>",
                    number::time(worst),
                    number::recovery(effect.recovery)
                ));
            }
            page.text("</tr>");
        }
    }
    page.text("</tbody></table></div>\n");
}

fn phase(page: &mut Page, figures: Option<&Figures>) {
    let Some(figures) = figures else {
        return page.text("<td>–</td><td>–</td><td>–</td><td>–</td><td>–</td>");
    };
    let time = |ms: Option<f64>| ms.map_or_else(|| number::UNKNOWN.to_owned(), |ms| number::time(ms * 1e6));
    page.add(format_args!(
        "<td>{}</td><td>{}</td><td>{}</td><td>{}</td><td>{}</td>",
        number::span(figures.length_s),
        number::rate(figures.throughput_per_s),
        number::share(figures.failure_rate),
        time(figures.p50_ms),
        time(figures.p95_ms)
    ));
}
