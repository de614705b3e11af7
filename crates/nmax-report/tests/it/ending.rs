//! A run that did not come to its end is not shown as a plain verdict anywhere.

use nmax_analysis::Ending;
use nmax_report::terminal::{Style, table};
use nmax_report::{html, junit};

use crate::sample::{Run, Shape};

#[test]
fn every_output_says_how_far_a_run_came() {
    let mut view = Run::new(&Shape::default()).view();
    (view.summary.duration_s, view.summary.planned_s) = (3.0, Some(50.0));
    let outputs = |view: &nmax_report::View| {
        let first = table(view, Style::default()).lines().next().unwrap().to_owned();
        (first, html::page(view), junit::xml(view))
    };
    assert_eq!(view.ending, Ending::Complete);
    let (line, page, cases) = outputs(&view);
    for (ending, words) in [
        (Ending::Interrupted, ", interrupted after 3 s of 50 s"),
        (Ending::Aborted, ", ended early by a condition after 3 s of 50 s"),
        (Ending::CutOff, ", cut off after 3 s of 50 s"),
        (Ending::Running, ", still running after 3 s of 50 s"),
    ] {
        assert!(!line.contains(words) && !page.contains(words));
        view.ending = ending;
        let (line, page, cases) = outputs(&view);
        assert!(line.contains(words), "{line}");
        assert!(page.contains(&format!("{words}</strong>")) && page.contains(&format!("{words}: ")));
        // Where a condition ended the run, that is the failure.
        let is_error = cases.contains("name=\"run complete\"");
        assert!(is_error != (ending == Ending::Aborted) && cases.contains(&words[2..]), "{cases}");
    }
    assert!(!cases.contains("run complete"));
    view.summary.planned_s = None;
    assert_eq!(view.incomplete().unwrap(), "still running after 3 s");
}
