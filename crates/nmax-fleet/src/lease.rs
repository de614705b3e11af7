//! How long an injector may go on with a part that is leased.
//!
//! The broker frees a lease when its length has passed since it *received* the last renewal. Its holder stops when its length,
//! less what two clocks may drift apart, has passed since it *sent* the renewal that was acknowledged last. Sending comes
//! before receiving, so the holder has stopped before another may begin, whatever the clocks say and however long
//! messages take (Gray and Cheriton, SOSP 1989, section 2).

use std::collections::BTreeMap;

use nmax_metrics::Nanos;

use crate::coordinator::Lease;

/// Part of a lease's length by which its holder stops before: clocks may drift apart by 1 in 500, an NTP client slews by
/// at most 1 in 2,000.
const DRIFT: u64 = 500;
/// Renewals sent in the length of a lease.
const RENEWALS: u64 = 4;
/// Requests without an answer that are remembered.
const ASKED_MAX: usize = 16;

/// When a lease whose renewal was sent at `sent` has to be given up, on the clock of `sent`.
pub fn deadline(sent: Nanos, length: Nanos) -> Nanos {
    sent + Nanos(length.0 - length.0 / DRIFT)
}

/// The lease of one shard, as the one who asks for it sees it.
#[derive(Clone, Debug, Default)]
pub struct Renewal {
    /// Requests under way, and when each was sent.
    asked: BTreeMap<u64, Nanos>,
    next: u64,
    last_sent: Option<Nanos>,
    known: Option<Lease>,
}

impl Renewal {
    /// The number of the request that is to be sent now, if one is.
    pub fn ask(&mut self, now: Nanos, length: Nanos) -> Option<u64> {
        if self.last_sent.is_some_and(|sent| now.since(sent).0 < length.0 / RENEWALS) {
            return None;
        }
        self.last_sent = Some(now);
        let id = self.next;
        self.next += 1;
        self.asked.insert(id, now);
        if self.asked.len() > ASKED_MAX {
            self.asked.pop_first();
        }
        Some(id)
    }

    /// The broker said which epoch the one who asked has, or that another has it.
    pub fn answered(&mut self, id: u64, epoch: Option<u32>, length: Nanos) {
        let Some(sent) = self.asked.remove(&id) else { return };
        let Some(epoch) = epoch else {
            // What was refused was sent after what was granted, or the grant is over.
            self.known = Some(Lease::Other);
            return;
        };
        let until = deadline(sent, length);
        let until = match self.known {
            Some(Lease::Mine { epoch: known, until: later }) if known == epoch => until.max(later),
            Some(Lease::Mine { epoch: known, .. }) if known > epoch => return,
            _ => until,
        };
        self.known = Some(Lease::Mine { epoch, until });
    }

    /// What is known.
    pub fn known(&self) -> Option<Lease> {
        self.known
    }

    /// The epoch that is held, if one is; afterwards nothing is known and older answers count for nothing.
    pub fn release(&mut self) -> Option<u32> {
        self.asked.clear();
        self.last_sent = None;
        match self.known.take() {
            Some(Lease::Mine { epoch, .. }) => Some(epoch),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const LENGTH: Nanos = Nanos::from_secs(15);

    #[test]
    fn a_lease_is_renewed_before_it_ends_and_counts_from_when_it_was_sent() {
        let mut renewal = Renewal::default();
        assert_eq!(renewal.ask(Nanos::from_secs(1), LENGTH), Some(0));
        assert_eq!((renewal.ask(Nanos::from_secs(4), LENGTH), renewal.known()), (None, None));
        assert_eq!(renewal.ask(Nanos::from_secs(5), LENGTH), Some(1));
        renewal.answered(1, Some(1), LENGTH);
        let until = deadline(Nanos::from_secs(5), LENGTH);
        assert_eq!(renewal.known(), Some(Lease::Mine { epoch: 1, until }));
        renewal.answered(0, Some(1), LENGTH);
        assert_eq!(
            renewal.known(),
            Some(Lease::Mine { epoch: 1, until }),
            "an answer that comes late takes nothing away"
        );
        renewal.answered(1, None, LENGTH);
        assert_eq!(renewal.known(), Some(Lease::Mine { epoch: 1, until }), "an answer counts once");
        assert_eq!(renewal.release(), Some(1));
        renewal.answered(1, Some(1), LENGTH);
        assert_eq!(renewal.known(), None, "what was asked before is forgotten");
    }

    proptest! {
        /// Law: with clocks that run up to 1 in 1,000 too fast or slow, the holder stops before the broker gives the lease away.
        #[test]
        fn the_holder_stops_first(
            sent in 0..1_000_000_000_000_u64, way in 0..60_000_000_000_u64, length in 1_000_000_000..60_000_000_000_u64,
            (holder, broker) in (-1e-3..1e-3_f64, -1e-3..1e-3_f64),
        ) {
            // True times: the holder's clock runs at 1 + holder, the broker's at 1 + broker.
            let stops = sent as f64 + deadline(Nanos::ZERO, Nanos(length)).0 as f64 / (1.0 + holder);
            let frees = (sent + way) as f64 + length as f64 / (1.0 + broker);
            prop_assert!(stops <= frees + 1.0, "stops at {stops}, freed at {frees}");
        }
    }
}
