//! Views as they are written, in a word.

use nmax_report::doc::Document;
use nmax_report::terminal::{Glyphs, Style};

fn styled(document: &Document, style: Style, glyphs: Glyphs) -> String {
    nmax_report::terminal::write(document, Style { glyphs, ..style }).to_string()
}

/// As text.
pub(crate) mod text {
    use nmax_report::comparison::{ComparisonView, HistoryView};
    use nmax_report::report;
    use nmax_report::scalability::{CompareView, FitView, ScaleView, WhatIfView};

    use super::{Glyphs, Style, styled};

    pub(crate) fn fit(view: &FitView, style: Style, glyphs: Glyphs) -> String {
        styled(&report::scalability::fit(view), style, glyphs)
    }

    pub(crate) fn scale(view: &ScaleView, style: Style, glyphs: Glyphs) -> String {
        styled(&report::scalability::scale(view), style, glyphs)
    }

    pub(crate) fn compare(view: &CompareView, style: Style, glyphs: Glyphs) -> String {
        styled(&report::scalability::compare(view), style, glyphs)
    }

    pub(crate) fn what_if(view: &WhatIfView, style: Style, glyphs: Glyphs) -> String {
        styled(&report::scalability::what_if(view), style, glyphs)
    }

    pub(crate) fn comparison(view: &ComparisonView, style: Style) -> String {
        styled(&report::comparison::comparison(view), style, Glyphs::Unicode)
    }

    pub(crate) fn history(view: &HistoryView, style: Style, glyphs: Glyphs) -> String {
        styled(&report::comparison::history(view), style, glyphs)
    }
}

/// As a page.
pub(crate) mod page {
    use nmax_report::comparison::{ComparisonView, HistoryView};
    use nmax_report::html::write;
    use nmax_report::report;
    use nmax_report::scalability::{CompareView, FitView, ScaleView, WhatIfView};

    pub(crate) fn fit(view: &FitView) -> String {
        write(&report::scalability::fit(view))
    }

    pub(crate) fn scale(view: &ScaleView) -> String {
        write(&report::scalability::scale(view))
    }

    pub(crate) fn compare(view: &CompareView) -> String {
        write(&report::scalability::compare(view))
    }

    pub(crate) fn what_if(view: &WhatIfView) -> String {
        write(&report::scalability::what_if(view))
    }

    pub(crate) fn comparison(view: &ComparisonView) -> String {
        write(&report::comparison::comparison(view))
    }

    pub(crate) fn history(view: &HistoryView) -> String {
        write(&report::comparison::history(view))
    }
}

/// A comparison as Markdown.
pub(crate) fn note(view: &nmax_report::comparison::ComparisonView) -> String {
    nmax_report::markdown::write(&nmax_report::report::comparison::comparison(view))
}
