//! Attempts of clients: which are due, which are allowed, and which requests are lost.

use std::collections::VecDeque;

use super::world::Clients;

/// Most attempts after the first.
pub(crate) const RETRIES_MAX: usize = 7;
/// Seconds of demand whose quota a client may save up.
const QUOTA_S: f64 = 10.0;

/// Requests by the number of attempts that they had before.
pub(super) type Mix = [f64; RETRIES_MAX + 1];

/// Attempts that are still to come.
pub(super) struct Attempts<'a> {
    clients: &'a Clients,
    delays_s: Mix,
    /// Those of the seconds after this one.
    due: VecDeque<Mix>,
    next_s: f64,
    quota: f64,
    /// Requests that were lost since the last [`Self::arrive`].
    pub lost: f64,
}

impl<'a> Attempts<'a> {
    pub(super) fn new(clients: &'a Clients) -> Self {
        let delays_s = std::array::from_fn(|attempt| clients.backoff_s * (attempt as f64).exp2());
        Self { clients, delays_s, due: VecDeque::new(), next_s: 0.0, quota: 0.0, lost: 0.0 }
    }

    /// What arrives in the next second, `fresh` new requests among it.
    pub(super) fn arrive(&mut self, fresh: f64) -> Mix {
        let mut mix = self.due.pop_front().unwrap_or_default();
        mix[0] += fresh;
        self.next_s += 1.0;
        if let Some(budget) = self.clients.budget {
            self.quota = (self.quota + budget * fresh).min(QUOTA_S * budget * fresh);
        }
        self.lost = 0.0;
        mix
    }

    /// `amount` times the shares `mix` failed within the second that begins at `at_s`.
    pub(super) fn fail(&mut self, mix: &Mix, amount: f64, at_s: f64) {
        if amount <= 0.0 {
            return;
        }
        let retries = self.clients.retries;
        let wanted: f64 = amount * mix[..retries].iter().sum::<f64>();
        let allowed = match self.clients.budget {
            Some(_) if wanted > self.quota => self.quota / wanted,
            _ => 1.0,
        };
        if self.clients.budget.is_some() {
            self.quota -= wanted * allowed;
        }
        for (attempt, share) in mix[..retries].iter().enumerate() {
            let retried = amount * share * allowed;
            if retried > 0.0 {
                self.put(at_s + self.delays_s[attempt], attempt + 1, retried);
            }
        }
        let failed = amount * mix.iter().sum::<f64>() - wanted * allowed;
        let by_hand = failed * self.clients.by_hand;
        if by_hand > 0.0 {
            self.put(at_s + self.clients.pause_s, 0, by_hand);
        }
        self.lost += failed - by_hand;
    }

    /// Requests that will come again.
    pub(super) fn pending(&self) -> f64 {
        self.due.iter().flatten().sum()
    }

    fn put(&mut self, at_s: f64, attempt: usize, amount: f64) {
        let after = (at_s - self.next_s).max(0.0);
        let (second, part) = (after as usize, after.fract());
        if self.due.len() < second + 2 {
            self.due.resize(second + 2, Mix::default());
        }
        self.due[second][attempt] += amount * (1.0 - part);
        self.due[second + 1][attempt] += amount * part;
    }
}
