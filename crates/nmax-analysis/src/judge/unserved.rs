//! Users who never got a reply: the others make nearly all the exchanges, so no figure of exchanges shows them.

use nmax_metrics::Section;

use crate::wording::{count, counted, share, time_ms};
use crate::{Evidence, Reason};

/// Share of the virtual users without a reply from which a run fails; fewer are a warning.
pub const UNSERVED_SHARE_MAX: f64 = 0.1;
/// Fewest of them that fail a run.
const UNSERVED_MIN: u64 = 2;
/// How many times the median response time a user must have waited in vain.
pub const WAITED_TIMES_MIN: f64 = 10.0;
/// How long it must have waited at least, ms.
pub const WAITED_MS_MIN: f64 = 1_000.0;

/// What is said of users of a closed workload who waited much longer than others for their first reply and got none.
/// Gives none when no user got a reply: gate G8 reports a run without samples.
pub(super) fn unserved(evidence: &Evidence) -> Option<Reason> {
    let load = evidence.totals.load(Section::Hold);
    let whole = evidence.totals.whole().total(Section::Hold);
    let mut replies = nmax_metrics::Histogram::new();
    whole.outcomes[..2].iter().flatten().for_each(|set| replies.merge(&set.response));
    let median_ms = replies.quantile_ns(0.5)? as f64 / 1e6;
    let waited_ms = WAITED_MS_MIN.max(WAITED_TIMES_MIN * median_ms);
    let ages = load.unserved.recorded().filter(|(low_ns, _, _)| *low_ns as f64 / 1e6 >= waited_ms);
    let stuck: u64 = ages.map(|(_, _, users)| users).sum();
    if stuck == 0 {
        return None;
    }
    let part = stuck as f64 / load.users.max(stuck) as f64;
    let longest_ms = load.unserved.max_ns()? as f64 / 1e6;
    let text = format!(
        "{} of {} completed nothing: they had no reply for up to {}, while half of all replies took at most {}; a server with \
         one worker per connection serves only as many connections as it has workers: raise its limit, or let it close idle \
         connections",
        count(stuck),
        counted(load.users.max(stuck), "virtual user"),
        time_ms(longest_ms),
        time_ms(median_ms)
    );
    let reason = Reason::new("USERS_UNSERVED", text, [("value", share(part)), ("users", count(stuck))]);
    Some(reason.deciding(stuck >= UNSERVED_MIN && part > UNSERVED_SHARE_MAX))
}
