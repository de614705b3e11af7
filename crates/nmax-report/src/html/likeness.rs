//! The table that compares a run with its source.

use super::Page;
use crate::markup::Escaped;
use crate::number;
use crate::view::{LikenessMark, View};

pub(super) fn write(page: &mut Page, view: &View) {
    let Some(likeness) = &view.likeness else { return };
    page.add(format_args!(
        "<section><h2>Fidelity</h2><p class=\"note\">The traffic of this run beside that of {}.</p>\
         <div class=\"scroll names\" tabindex=\"0\"><table><thead><tr><th scope=\"col\" class=\"l\">what</th>\
         <th scope=\"col\">source</th><th scope=\"col\">run</th><th scope=\"col\">distance</th>\
         <th scope=\"col\" class=\"l\">verdict</th></tr></thead><tbody>",
        Escaped(&likeness.source)
    ));
    for row in &likeness.rows {
        let (class, symbol) = match row.mark {
            LikenessMark::Alike => ("pass", "✓"),
            LikenessMark::Near => ("", "≈"),
            LikenessMark::Apart => ("fail", "✗"),
            LikenessMark::Neutral => ("", "–"),
        };
        let distance = row.distance.map_or_else(|| number::UNKNOWN.to_owned(), number::digits);
        let measure =
            if row.measure.is_empty() { String::new() } else { format!(" <small>{}</small>", Escaped(&row.measure)) };
        page.add(format_args!(
            "<tr><th scope=\"row\">{}</th><td>{}</td><td>{}</td><td>{distance}{measure}</td>\
             <td class=\"l\"><span class=\"{class}\">{symbol} {}</span> {}</td></tr>",
            Escaped(&row.what),
            Escaped(&row.source),
            Escaped(&row.run),
            Escaped(&row.verdict),
            Escaped(&row.why)
        ));
    }
    page.text("</tbody></table></div>");
    for note in &likeness.notes {
        page.add(format_args!("<p class=\"note\">{}</p>", Escaped(note)));
    }
    page.text("</section>\n");
}
