//! What was before: what changed since the run before and why, and the comparison with a baseline.

use super::Part;
use crate::comparison;
use crate::doc::{Item, Mark, Media, Section};
use crate::number;
use crate::view::View;

pub(super) const SINCE: &[Part] = &[since];
pub(super) const BASELINE: &[Part] = &[baseline];

fn since(view: &View) -> Option<Section> {
    let since = view.since.as_ref()?;
    let origin = &since.before.origin;
    let aside = format!("{}, {}, {}", origin.label, comparison::day(&origin.started_at), origin.verdict.to_uppercase());
    let why = Some(&view.run.note).filter(|note| !note.is_empty()).map(|note| ("why", note.clone()));
    let changed = since.lines().into_iter().map(|line| Item::new(Mark::Point, line));
    let moved = since.moved.iter().map(|moved| Item::new(Mark::Changed, moved.text()));
    let section = Section::new("since", "Since the run before").aside(aside);
    Some(section.with(|body| {
        body.on(Media::ALL.without(Media::BRIEF)).facts(why).items(changed.chain(moved));
        if !since.moved.is_empty() {
            body.on(Media::PAPER).note("One run on each side: figures that moved are a hint, not a proof.");
        }
    }))
}

/// The rows that decide; the comparison itself has all.
fn baseline(view: &View) -> Option<Section> {
    let compared = view.baseline.as_ref()?;
    let document = super::comparison::comparison(compared);
    let banner = document.banner;
    let before = compared.before.iter().map(|origin| origin.label.as_str()).collect::<Vec<_>>().join(", ");
    let section = Section::new("baseline", "Compared with the baseline").aside(before);
    Some(section.with(|body| {
        body.items([Item::new(banner.mark, banner.meaning).title(banner.word)]).items(banner.reasons);
        let changed = document.sections.into_iter().find(|section| section.id == "changed");
        changed.into_iter().for_each(|section| body.blocks.extend(section.body.blocks));
        let hidden = compared.answer.rows.len();
        body.on(Media::PAPER).note(format!("`nmax compare` shows all {} rows.", number::count(hidden as u64)));
    }))
}
