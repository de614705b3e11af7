//! What a reader of a profile should know.

use super::IDENTITIES;
use super::paths::OTHER;
use super::profile::Profile;
use super::visits::Totals;

/// Share of the records from which on something is worth a warning.
const WARN_SHARE: f64 = 0.01;
/// Hours of a log for each hour with requests, from which on something is wrong.
const EMPTY_HOURS_FACTOR: f64 = 10.0;
/// Sessions below which everything about them is rough.
const SESSIONS_FEW: u64 = 100;

pub(super) fn warnings(profile: &Profile, totals: &Totals) -> Vec<String> {
    let requests = profile.requests.max(1) as f64;
    let share = |count: u64| count as f64 / requests;
    let percent = |count: u64| format!("{:.1} %", 100.0 * share(count));
    let mut warnings = Vec::new();
    let mut warn = |when: bool, text: String| {
        if when {
            warnings.push(text);
        }
    };
    let apart = &profile.apart;
    warn(
        share(apart.robots) >= WARN_SHARE,
        format!("{} of the requests are of robots: they are in no session", percent(apart.robots)),
    );
    warn(
        share(apart.load_tests) >= WARN_SHARE,
        format!(
            "{} of the requests are of load tests by nmax, as their agent says: they are in no session; choose a time \
             without them, or take them for visitors by --with-robots",
            percent(apart.load_tests)
        ),
    );
    warn(
        share(apart.late) >= WARN_SHARE,
        format!(
            "{} of the requests are stamped more than 2 min before or after the lines around them, so they are in no \
             session: give logs of several servers as several files, oldest first, and see whether their clocks and zones agree",
            percent(apart.late)
        ),
    );
    warn(
        apart.restarts > 0,
        format!("the log jumps back in time {} times: sessions end there; give files oldest first", apart.restarts),
    );
    warn(
        share(apart.without_request) >= WARN_SHARE,
        format!("{} of the requests have no method and path, as TLS on a plain port", percent(apart.without_request)),
    );
    let by_client = profile.sessions.by_identity.get(IDENTITIES[2]).copied().unwrap_or(0);
    let by_name: u64 = profile.sessions.by_identity.values().sum::<u64>() - by_client;
    warn(
        by_client > by_name && profile.heavy.clients.is_empty(),
        "the log has no client address: visitors are identified by user agent only, so many sessions become one; name \
         the column of the address by --format"
            .to_owned(),
    );
    warn(
        profile.requests > 0 && !profile.has_durations,
        "the log has no durations: pauses contain the time that pages took to load, and there is no baseline of response \
         times"
            .to_owned(),
    );
    warn(
        profile.other_requests > 0,
        format!(
            "{} of the requests are of types too many to tell apart, and are one type `{OTHER}`",
            percent(profile.other_requests)
        ),
    );
    let span_h = (profile.last_us as f64 - profile.first_us as f64) / 3.6e9;
    let busy_h = profile.season.hours.len().max(1) as f64;
    warn(
        span_h > EMPTY_HOURS_FACTOR * busy_h,
        format!(
            "only {busy_h:.0} of the {span_h:.0} hours from the first to the last record have requests: rates are means \
             over all of them; choose a time, and see whether the stamps are right"
        ),
    );
    let hosts = &profile.heavy.hosts;
    warn(
        hosts.len() > 1,
        format!(
            "the log is of several hosts ({}): their paths are taken together",
            hosts.iter().take(3).map(|host| host.text.as_str()).collect::<Vec<_>>().join(", ")
        ),
    );
    warn(
        profile.sessions.count > 0 && profile.sessions.count < SESSIONS_FEW,
        format!("only {} sessions: shares, pauses and scenarios are rough", profile.sessions.count),
    );
    warn(
        totals.left_early > 0,
        format!("{} visitors were forgotten early, since there were too many at a time", totals.left_early),
    );
    warn(
        totals.cuts > 0,
        format!(
            "sessions with so many steps that one visitor cannot have made them were cut {} times: such a client is a \
             program, or many visitors behind one address",
            totals.cuts
        ),
    );
    warn(
        totals.pairs_left_out > 0,
        format!("{} transitions were left out, since there are too many kinds of them", totals.pairs_left_out),
    );
    warn(
        profile.season.beyond > 0,
        format!(
            "{} requests are of hours beyond those that can be kept: see whether their years are right",
            profile.season.beyond
        ),
    );
    warnings
}
