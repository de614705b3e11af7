//! What is known of one resource in the phase, before anything is concluded.

use nmax_metrics::TrackKey;
use nmax_sources::Figure;

use super::rules::{BLIND_SHARE_MIN, GAP_SHARE_MAX};
use super::span_readings::SpanReadings;
use super::{Cell, Coverage, Finding, Kind, Resource};
use crate::wording::share;

/// How the time in a resource relates to that in others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Role {
    /// A request in it is nowhere else.
    Leaf,
    /// It contains other resources: a service that the system asks has processors and disks of its own.
    Outer,
    /// It is lent, and who has it uses other resources meanwhile.
    Lender {
        /// Mean number that is lent.
        held: f64,
    },
    /// Requests do not pass it, as the injector's own processors.
    Aside,
}

/// A resource and its figures. Numbers are means over the phase.
#[derive(Clone, Debug)]
pub(super) struct Measured {
    pub(super) resource: Resource,
    pub(super) role: Role,
    /// Requests that are served in it.
    pub(super) service: f64,
    /// Requests that wait for it.
    pub(super) waiting: f64,
    /// Requests that are in it and at a resource inside it, which has them in its own numbers.
    pub(super) contained: f64,
    /// Served and waiting of what is not the observed processes', on a host where some are observed.
    pub(super) others: [f64; 2],
    /// Whether what is in it is the system's for sure: of a host of which no process is observed it may be another's.
    pub(super) is_sure: bool,
    /// Whether these are known.
    pub(super) is_counted: bool,
    /// Share of it that is used.
    pub(super) utilization: Option<f64>,
    /// How many of its servers are used, and how many there are: processors, slots.
    pub(super) servers: Option<(f64, f64)>,
    /// Whether it is more than idle, so that time in it is worth a look.
    pub(super) is_pressed: bool,
    /// Whether it could serve more at a time, so that what lends has too few.
    pub(super) has_room: bool,
    /// Whether all of it was lent while more requests were in the system than it has slots, and nobody was ever seen to
    /// wait: who waits for it is not told.
    pub(super) is_mute: bool,
    /// Whether it is a part of another service, as the threads of a cache, and so none of the application's own.
    pub(super) is_inner: bool,
    /// What makes it doubtful that the time in it is its own fault, and is not watched.
    pub(super) doubt: Option<String>,
    /// What to change to see whether it is this, where that depends on what was read of it.
    pub(super) experiment: Option<String>,
    /// Figures worth saying.
    pub(super) findings: Vec<Finding>,
    /// Rules of saturation that hold.
    pub(super) rules: Vec<Finding>,
    /// Utilization, saturation, errors.
    pub(super) cells: [Cell; 3],
    /// Share of the phase without readings.
    pub(super) missing: f64,
    /// The figure whose course says most of it.
    pub(super) figure: TrackKey,
}

impl Measured {
    /// Nothing yet but where it is and which figure says most.
    pub(super) fn new(
        look: &SpanReadings,
        kind: Kind,
        host: &str,
        name: &str,
        (source, figure): (&str, Figure),
    ) -> Self {
        Self {
            resource: Resource { host: host.to_owned(), kind, name: name.to_owned() },
            role: Role::Leaf,
            service: 0.0,
            waiting: 0.0,
            contained: 0.0,
            others: [0.0; 2],
            is_sure: true,
            is_counted: false,
            utilization: None,
            servers: None,
            is_pressed: false,
            has_room: false,
            is_mute: false,
            is_inner: false,
            doubt: None,
            experiment: None,
            findings: Vec::new(),
            rules: Vec::new(),
            cells: [Cell::NotObserved, Cell::NotObserved, Cell::NotObserved],
            missing: look.missing(host, source, figure).unwrap_or(0.0),
            figure: TrackKey { host: host.to_owned(), source: source.to_owned(), metric: figure.name.to_owned() },
        }
    }

    /// Requests in it and in no other, waiting or served.
    pub(super) fn number(&self) -> f64 {
        self.service + self.waiting
    }

    /// Whether too little was read of it to say anything.
    pub(super) fn is_blind(&self) -> bool {
        self.missing > BLIND_SHARE_MIN
    }

    /// Its row of the coverage matrix.
    pub(super) fn coverage(&self) -> Coverage {
        let [utilization, saturation, errors] = self.cells.clone().map(|cell| match cell {
            Cell::Observed(_) if self.missing > GAP_SHARE_MAX => {
                Cell::Gap(format!("not read in {} of the phase", share(self.missing)))
            }
            cell => cell,
        });
        Coverage {
            resource: self.resource.clone(),
            utilization,
            saturation,
            errors,
            remedy: match self.missing > GAP_SHARE_MAX {
                true => format!("find out why `{}` on {} could not be read", self.figure.source, self.resource.host),
                false => String::new(),
            },
        }
    }
}

/// Mean number of requests that stall at a time, of the share of time in which at least one does.
///
/// ```text
/// N̂ = n·(1 − (1 − p)^(1/n))
/// ```
///
/// - p: share of time in which at least one stalls, 0 to 1 (`some` of PSI)
/// - n: mean number of requests in the system, at least 1
///
/// Each of n requests is taken to stall by itself with the same probability. p ≤ N̂ ≤ n, whatever p is.
pub(super) fn stalled(some: f64, in_flight: f64) -> f64 {
    let n = in_flight.max(1.0);
    n * (1.0 - (1.0 - some.clamp(0.0, 1.0)).powf(1.0 / n))
}
