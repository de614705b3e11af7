//! How many resources a page may have: labels without end must not become resources without end.

use std::collections::{BTreeMap, BTreeSet};

/// Most resources of a kind that are named by a label of a page.
pub(super) const RESOURCES_MAX: usize = 50;
/// The same of processors.
const CORES_MAX: usize = 128;
/// Longest name of a resource.
const NAME_BYTES_MAX: usize = 300;

/// Resources of a page that are named by labels. Those that came first keep their places.
#[derive(Default)]
pub(super) struct Room {
    kept: BTreeMap<&'static str, BTreeSet<String>>,
    /// Without place on the page that is read now.
    left_out: BTreeMap<&'static str, BTreeSet<String>>,
    said: BTreeSet<&'static str>,
}

impl Room {
    /// Whether a resource has a place; it gets one if there is any.
    pub(super) fn takes(&mut self, kind: &'static str, resource: &str) -> bool {
        let kept = self.kept.entry(kind).or_default();
        if kept.contains(resource) {
            return true;
        }
        if kept.len() < most(kind) && resource.len() <= NAME_BYTES_MAX {
            kept.insert(resource.to_owned());
            return true;
        }
        if !self.said.contains(kind) {
            self.left_out.entry(kind).or_default().insert(resource.to_owned());
        }
        false
    }

    /// What was left out on this page, of kinds of which nothing was said before.
    pub(super) fn notes(&mut self) -> Vec<String> {
        let left_out = std::mem::take(&mut self.left_out);
        let note = |(kind, names): (&'static str, BTreeSet<String>)| {
            self.said.insert(kind);
            format!(
                "{} resources of the kind `{kind}` are left out: at most {} are kept by convention, each with a name of at \
                 most {NAME_BYTES_MAX} bytes; name those that matter under `resources`",
                names.len(),
                most(kind)
            )
        };
        left_out.into_iter().map(note).collect()
    }
}

fn most(kind: &str) -> usize {
    if kind == "cpu" { CORES_MAX } else { RESOURCES_MAX }
}
