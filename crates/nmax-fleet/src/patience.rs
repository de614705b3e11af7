//! How long the one who follows a run waits for results.

use nmax_metrics::Nanos;
use nmax_metrics::clock::Stamps;

/// How long it waits for the next batch once nothing more is to be measured.
const QUIET: Nanos = Nanos::from_secs(15);
/// How long injectors have to come back to a broker that was away.
const RETURN: Nanos = Nanos::from_secs(60);
/// A broker that stamps nothing for so long is away: it is asked every 10 s, and has 5 s to answer.
const AWAY: Nanos = Nanos::from_secs(30);

/// Waits for results of a run: while injectors may still measure, while the broker is away, and for a while after each.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// When everything ends, on the broker's clock; `None` where all was measured long ago.
    hard_stop: Option<Nanos>,
    /// When something came last.
    came: Nanos,
    /// The broker's last answer.
    heard: Option<Stamps>,
    /// Since when it answers again.
    back: Option<Nanos>,
}

impl Patience {
    /// From `now` on; `hard_stop` is the end of everything on the broker's clock, where that may be still to come.
    pub fn new(hard_stop: Option<Nanos>, now: Nanos) -> Self {
        Self { hard_stop, came: now, heard: None, back: None }
    }

    /// A batch came.
    pub fn came(&mut self, now: Nanos) {
        self.came = now;
    }

    /// How long nothing came.
    pub fn quiet(&self, now: Nanos) -> Nanos {
        now.since(self.came)
    }

    /// The broker answered.
    pub fn heard(&mut self, stamps: &Stamps) {
        let before = self.heard.map_or(self.came, |heard| heard.received);
        if stamps.received.since(before) > AWAY {
            self.back = Some(stamps.received);
        }
        self.heard = Some(*stamps);
    }

    /// Nothing more is to come.
    pub fn is_over(&self, now: Nanos) -> bool {
        let Some(heard) = self.heard else { return false };
        let is_away = now.since(heard.received) > AWAY;
        let at_broker = heard.answered + Nanos(now.since(heard.received).0);
        let since_stop = self.hard_stop.map_or(Nanos::MAX, |stop| Nanos(at_broker.since(stop).0));
        let is_returning = self.back.is_some_and(|back| now.since(back) <= RETURN);
        !is_away && !is_returning && since_stop.min(Nanos(now.since(self.came).0)) > QUIET
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is asked at these seconds, answered on a clock that is 1,000 s ahead.
    fn heard(patience: &mut Patience, seconds: impl Iterator<Item = u64>) {
        for second in seconds {
            let (here, there) = (Nanos::from_secs(second), Nanos::from_secs(1_000 + second));
            patience.heard(&Stamps { sent: here, arrived: there, answered: there, received: here });
        }
    }

    #[test]
    fn results_are_waited_for_while_they_may_come() {
        let s = Nanos::from_secs;
        let mut patience = Patience::new(Some(s(1_060)), s(0));
        assert!(!patience.is_over(s(500)), "a broker that never answered is waited for");
        heard(&mut patience, (0..80).step_by(10));
        assert!(!patience.is_over(s(75)), "the hard stop was at 60 s");
        assert!(patience.is_over(s(76)));
        patience.came(s(76));
        assert!(!patience.is_over(s(80)) && patience.is_over(s(92)), "each batch gives time for the next");
        assert!(!patience.is_over(s(101)), "the broker is away");
        heard(&mut patience, (200..=260).step_by(10));
        assert!(!patience.is_over(s(260)), "injectors come back");
        assert!(patience.is_over(s(261)));
    }
}
