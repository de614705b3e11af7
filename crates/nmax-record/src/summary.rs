//! What a person should know of a recording at its end.

use nmax_import::select::is_browsers_own;
use nmax_proxy::{Passed, Summary};
use nmax_report::number;
use nmax_text::shown;

/// Hosts that are listed.
const HOSTS_MAX: usize = 10;

/// What the person should know at the end.
pub(crate) fn warnings(summary: &Summary) -> Vec<String> {
    let mut warnings = Vec::new();
    let (browsers, others): (Vec<_>, Vec<_>) = summary.passed.iter().partition(|(host, _)| is_browsers_own(host));
    if !others.is_empty() {
        warnings.push(format!(
            "not recorded, because they are other hosts: {}; if one belongs to the site, record again with --host HOST",
            passed(others)
        ));
    }
    if !browsers.is_empty() {
        warnings.push(format!("not recorded, because browsers ask them by themselves: {}", passed(browsers)));
    }
    for (host, untrusted) in summary.untrusted.iter().take(HOSTS_MAX) {
        warnings.push(format!(
            "{}: {} connections were broken off: {}",
            shown(host),
            number::count(untrusted.count),
            shown(&untrusted.reason)
        ));
    }
    if !summary.refused.is_empty() {
        let count: u64 = summary.refused.values().sum();
        let listed: Vec<String> = summary.refused.keys().take(HOSTS_MAX).map(|host| shown(host).into_owned()).collect();
        warnings.push(format!("the browser's own, refused {}: {}", number::times(count), listed.join(", ")));
    }
    if summary.garbage > 0 {
        warnings.push(format!(
            "{} connections sent something that is not HTTP and were closed",
            number::count(summary.garbage)
        ));
    }
    warnings
}

/// Hosts with their counts, the busiest first.
fn passed(mut hosts: Vec<(&String, &Passed)>) -> String {
    hosts.sort_by_key(|(_, passed)| std::cmp::Reverse(passed.count));
    let listed: Vec<String> = hosts
        .iter()
        .take(HOSTS_MAX)
        .map(|(host, passed)| format!("{} ({})", shown(host), number::times(passed.count)))
        .collect();
    let more = match hosts.len().saturating_sub(HOSTS_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", listed.join(", "))
}
