//! The next run that would prove a suspect wrong: one change, and what must then be seen.

use super::Kind;
use super::measured::Measured;
use crate::wording::{digits, time_ms};

/// For a resource that was measured; `residence_s` is what each request spends in it.
pub(super) fn experiment(one: &Measured, residence_s: Option<f64>) -> String {
    let change = one.experiment.clone().unwrap_or_else(|| change(one));
    let expected = match residence_s.filter(|s| *s > 0.0) {
        Some(s) => format!("mean response times must fall by up to {}", time_ms(s * 1e3)),
        None => "response times must fall".to_owned(),
    };
    format!(
        "{change}, run the same plan again, then `nmax compare BEFORE AFTER`: {expected}; if they stay, it was not this"
    )
}

/// What helps against a resource of this kind.
fn change(one: &Measured) -> String {
    let host = &one.resource.host;
    let name = match one.resource.name.as_str() {
        "" => String::new(),
        name => format!(" {name}"),
    };
    match one.resource.kind {
        Kind::Cpu if one.rules.iter().any(|rule| rule.text.contains("throttled")) => {
            format!("raise the CPU quota on {host}")
        }
        Kind::Cpu => match one.servers {
            Some((_, cores)) => format!("give {host} {} processors in place of {}", digits(2.0 * cores), digits(cores)),
            None => format!("give {host} twice the processors"),
        },
        Kind::Memory => format!("give {host} twice the memory, or the application half the working set"),
        Kind::Disk => {
            format!("put what disk{name} of {host} serves into memory (tmpfs), or leave out the requests that need it")
        }
        Kind::Network => "ask for replies of half the size, or put the injector next to the system".to_owned(),
        Kind::Pool => match one.servers {
            Some((_, limit)) => format!("give pool{name} {} slots in place of {}", digits(2.0 * limit), digits(limit)),
            None => format!("give pool{name} twice the slots"),
        },
        Kind::Lock => format!("leave out the requests that take lock{name}, or take it for half the time"),
        Kind::Dependency => format!("let dependency{name} answer at once (a stub)"),
        Kind::Database => format!("leave out the requests whose statements take long in database{name}"),
        Kind::Gc => {
            format!("give the heap of{} twice the memory", if name.is_empty() { " the runtime".into() } else { name })
        }
    }
}

/// For a resource that nobody watched; `unexplained_s` of each request are looked for.
pub(super) fn unwatched(remedy: &str, unexplained_s: Option<f64>) -> String {
    let expected = match unexplained_s {
        Some(s) => format!("its part of the budget must come near {}", time_ms(s * 1e3)),
        None => "its part of the budget must be a large one".to_owned(),
    };
    format!("watch it: {remedy}; run the same plan again: {expected}; if it does not, it was not this")
}
