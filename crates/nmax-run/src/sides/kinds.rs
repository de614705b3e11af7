//! Which kind of requests one is of, by method and path template, under the same names on both sides.
//!
//! What a step of the plan asks for is called after the step's own template, as everywhere else in the results; a line of a
//! log is of the kind for which the run asked by that method and path. All else is called after templates that are found in
//! the paths themselves: what pages bring along, where redirects lead, paths that a proxy has rewritten.

use std::collections::HashMap;

use nmax_analysis::breakdown::{Kind, traits};
use nmax_log::traffic::Templates;
use nmax_metrics::{Catalog, NameId};
use nmax_plan::plan::Plan;

use super::key;

/// Paths of the run that are remembered. Beyond them kinds are found in the paths, on both sides.
const PATHS_MAX: usize = 1_000_000;
/// A status that says that there is such a thing: what the run asks for on purpose is told apart also where the server has
/// none.
const THERE: u16 = 200;

/// Tells kinds apart. Bounded as [`Templates`] and the names of a run are.
#[derive(Default)]
pub(super) struct Kinds {
    /// Method and template of steps: `GET /item/${items.id}`.
    planned: Vec<String>,
    /// That of each request name; `None` where its requests have none in common.
    by_name: Vec<Option<Kind>>,
    by_path: HashMap<u64, Kind>,
    templates: Templates,
}

impl Kinds {
    /// Takes the names that came since the last call. O(names · requests) when there are any.
    pub(super) fn learn(&mut self, plan: &Plan, catalog: &Catalog) {
        if catalog.requests.list().len() == self.by_name.len() {
            return;
        }
        let of_step = |method: &str, template: &str| template.starts_with('/') && !method.starts_with('(');
        for traits in traits(plan, catalog).iter().skip(self.by_name.len()) {
            let kind = of_step(&traits.method, &traits.template)
                .then(|| self.plan(format!("{} {}", traits.method, traits.template)));
            self.by_name.push(kind);
        }
    }

    fn plan(&mut self, name: String) -> Kind {
        let known = self.planned.iter().position(|planned| *planned == name);
        let place = known.unwrap_or_else(|| {
            self.planned.push(name);
            self.planned.len() - 1
        });
        Kind::Planned(place as u32)
    }

    /// The kind of an exchange; `None` when its request is none. The first exchange by a method and path decides for all.
    pub(super) fn of_exchange(&mut self, name: NameId, method: &[u8], target: &[u8]) -> Option<Kind> {
        let key = key(method, path_of(target));
        if let Some(known) = self.by_path.get(&key) {
            return Some(*known);
        }
        if self.by_path.len() >= PATHS_MAX {
            return self.found(method, target);
        }
        let planned = self.by_name.get(name.0 as usize).copied().flatten();
        let kind = planned.or_else(|| self.found(method, target))?;
        self.by_path.insert(key, kind);
        Some(kind)
    }

    /// The kind of a line of a log; `None` when it is no request.
    pub(super) fn of_line(&mut self, method: &[u8], target: &[u8]) -> Option<Kind> {
        let known = self.by_path.get(&key(method, path_of(target))).copied();
        known.or_else(|| self.found(method, target))
    }

    fn found(&mut self, method: &[u8], target: &[u8]) -> Option<Kind> {
        self.templates.place(method, target, THERE).map(Kind::Found)
    }

    /// Its name: `GET /item/${items.id}`, `GET /image/{id}`.
    pub(super) fn name(&self, kind: Kind) -> String {
        match kind {
            Kind::Planned(place) => self.planned.get(place as usize).cloned().unwrap_or_default(),
            Kind::Found(found) => self.templates.name(found),
        }
    }
}

/// A target without its query; of a URL what stands behind scheme and host.
fn path_of(target: &[u8]) -> &[u8] {
    let behind = target.windows(3).position(|three| three == b"://").map(|at| &target[at + 3..]);
    let path = match behind.filter(|_| target.first() != Some(&b'/')) {
        Some(rest) => rest.iter().position(|byte| *byte == b'/').map_or(&b"/"[..], |at| &rest[at..]),
        None => target,
    };
    let end = path.iter().position(|byte| matches!(byte, b'?' | b'#'));
    &path[..end.unwrap_or(path.len())]
}
