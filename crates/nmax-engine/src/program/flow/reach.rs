//! Which pages can follow one another.

use std::collections::HashSet;

use super::{Action, Flow};

impl<Q> Flow<Q> {
    /// Pairs of pages that an iteration can come to one right after the other, in the order of the plan, each once,
    /// the first `max` of them.
    ///
    /// Conditions are taken to hold or not, whatever they say; which pages a script comes to is unknown, so none of it counts. `page` tells the number of a request's page.
    /// O(pages · actions).
    pub fn transitions(&self, page: impl Fn(&Q) -> Option<usize>, max: usize) -> Vec<(usize, usize)> {
        let (mut pairs, mut known) = (Vec::new(), HashSet::new());
        for (at, action) in self.actions[self.steps.clone()].iter().enumerate() {
            let Action::Call(request) = action else { continue };
            let Some(from) = page(request) else { continue };
            let after = self.pages_after(at + self.steps.start, &page);
            let new = after.into_iter().map(|to| (from, to)).filter(|pair| known.insert(*pair));
            pairs.extend(new);
            if pairs.len() >= max {
                pairs.truncate(max);
                break;
            }
        }
        pairs
    }

    /// The pages that can be the next one after the action `start`.
    fn pages_after(&self, start: usize, page: &impl Fn(&Q) -> Option<usize>) -> Vec<usize> {
        let mut found = Vec::new();
        let mut seen = vec![false; self.actions.len()];
        let mut open = self.successors(start);
        open.reverse();
        while let Some(at) = open.pop() {
            if !self.steps.contains(&at) || std::mem::replace(&mut seen[at], true) {
                continue;
            }
            if let Action::Call(request) = &self.actions[at]
                && let Some(to) = page(request)
            {
                if !found.contains(&to) {
                    found.push(to);
                }
                continue;
            }
            open.extend(self.successors(at).into_iter().rev());
        }
        found
    }

    /// The actions that can come right after one.
    fn successors(&self, at: usize) -> Vec<usize> {
        match &self.actions[at] {
            Action::Jump(target) => vec![*target],
            Action::Unless(_, target) => vec![at + 1, *target],
            Action::Next(pass) => vec![at + 1, pass.end],
            Action::Choose(ways) => ways.targets.clone(),
            Action::End(_) => Vec::new(),
            Action::Call(_)
            | Action::Think(_)
            | Action::Set(_)
            | Action::Enter(_)
            | Action::Begin(_)
            | Action::Finish
            | Action::Script => vec![at + 1],
        }
    }
}
