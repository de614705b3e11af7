//! Replies that are not the page that was meant: request names that only redirect, or whose status is never accepted.

use nmax_metrics::{Code, RequestStats, Section};

use crate::Evidence;
use crate::scope::steps_of;
use crate::wording::{count, counted};

/// Most request names that a warning lists.
const NAMES_MAX: usize = 3;

/// Code, sentence and number of replies of what every reply of some request name has in common.
///
/// Names a request when all its replies in the hold were redirects that the plan neither follows nor expects, or when no
/// reply had a status that the plan accepts. `expect: { status: 302 }` says that a redirect is what is tested.
pub(super) fn odd(evidence: &Evidence) -> Vec<(&'static str, String, u64)> {
    let (mut redirects, mut refused) = (Vec::new(), Vec::new());
    for (id, stats) in evidence.totals.requests(Section::Hold) {
        let replies: u64 = stats.status.iter().map(|(_, count)| count).sum();
        let steps = steps_of(evidence.plan, evidence.catalog.requests.name(id));
        if replies == 0 || steps.is_empty() {
            continue;
        }
        let name = evidence.catalog.requests.name(id);
        let follows = steps.iter().any(|step| step.redirects_max(&evidence.plan.defaults) > 0);
        let is_followed = follows || steps.iter().any(|step| step.expect.names_status());
        let accepts =
            |status: Code| status.number().is_none_or(|status| steps.iter().any(|step| step.expect.accepts(status)));
        let each = |holds: &dyn Fn(Code) -> bool| stats.status.iter().all(|(status, n)| *n == 0 || holds(*status));
        if !is_followed && each(&is_redirect) {
            redirects.push((name, replies, stats));
        } else if each(&|status| !accepts(status)) && !(follows && each(&is_redirect)) {
            // The status that a step expects is that of the page to which a redirect leads.
            refused.push((name, replies, stats));
        }
    }
    let (of_redirects, of_refused) = (told(&redirects), told(&refused));
    let mut odd = Vec::new();
    if let Some((names, replies)) = of_redirects {
        let text = format!(
            "every reply of {names} is a redirect, and redirects are not followed: what was measured is the redirect and \
             not the page behind it; follow it (`--follow`, or `redirects: follow` in the plan), test the page that it \
             leads to, or write `expect: {{ status: 302 }}` where the redirect is what you test"
        );
        odd.push(("ONLY_REDIRECTS", text, replies));
    }
    if let Some((names, replies)) = of_refused {
        let text = format!(
            "no reply of {names} has a status that the plan accepts: what was measured is the error; check path, data and \
             credentials, or write the status into `expect` where it is what you test"
        );
        odd.push(("STATUS_UNEXPECTED", text, replies));
    }
    odd
}

/// Replies that lead elsewhere; 300 offers a choice and 304 confirms what the client has.
fn is_redirect(status: Code) -> bool {
    matches!(status.number(), Some(301 | 302 | 303 | 307 | 308))
}

/// Names with their statuses, those of most replies first, and all replies together; `None` without any.
fn told(names: &[(&str, u64, &RequestStats)]) -> Option<(String, u64)> {
    let mut sorted = names.to_vec();
    sorted.sort_by_key(|(_, replies, _)| std::cmp::Reverse(*replies));
    let shown = sorted.iter().take(NAMES_MAX).map(|(name, _, stats)| format!("`{name}` ({})", statuses(stats)));
    let mut text: Vec<String> = shown.collect();
    match sorted.len().saturating_sub(NAMES_MAX) {
        0 => {}
        more => text.push(counted(more as u64, "other request name")),
    }
    let all = sorted.iter().map(|(_, replies, _)| replies).sum();
    let last = text.pop()?;
    let text = if text.is_empty() { last } else { format!("{} and {last}", text.join(", ")) };
    Some((text, all))
}

/// `302: 9,812`, by code.
fn statuses(stats: &RequestStats) -> String {
    let mut status: Vec<(Code, u64)> = stats.status.iter().copied().filter(|(_, n)| *n > 0).collect();
    status.sort_unstable();
    let each = status.iter().map(|(code, n)| format!("{code}: {}", count(*n)));
    each.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests;
