//! Cohorts that wait at a pool, the first come first.

use std::collections::VecDeque;

use super::clients::{Attempts, Mix};

/// What arrived in a second.
struct Cohort {
    /// That second.
    at_s: f64,
    /// All that arrived in it.
    total: f64,
    /// What still waits, its last part.
    amount: f64,
    /// Shares by attempts before; all together 1.
    mix: Mix,
}

/// How long a request may wait.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// Longest wait of an answer in time for its client, s.
    pub leaves_s: f64,
    /// Longest wait of an answer within the objective, s.
    pub slow_s: f64,
    /// Whether work for clients that have left is dropped.
    pub expires: bool,
}

/// What a second of work gave.
#[derive(Clone, Copy, Default)]
pub(super) struct Served {
    pub done: f64,
    pub answered: f64,
    pub slow: f64,
    pub wasted: f64,
    pub timed_out: f64,
    pub longest_s: f64,
}

/// A line of cohorts.
#[derive(Default)]
pub(super) struct Line {
    cohorts: VecDeque<Cohort>,
    /// How many of the first have left.
    left: usize,
    /// Requests in it, those that left included.
    pub length: f64,
}

impl Line {
    /// Puts what arrives in a second at its end: `amount` times the shares `mix`.
    pub(super) fn join(&mut self, at_s: f64, amount: f64, mix: &Mix) {
        if amount > 0.0 {
            self.cohorts.push_back(Cohort { at_s, total: amount, amount, mix: *mix });
            self.length += amount;
        }
    }

    /// Works for a second with room for `capacity` requests.
    ///
    /// The place q in (0, 1) of its cohort is where a request arrived within its second, the place p is when it is served
    /// within this one: it waits (now + p) − (at + q), which is linear in both, so shares beyond a limit are exact.
    pub(super) fn serve(&mut self, now_s: f64, capacity: f64, patience: Patience, attempts: &mut Attempts) -> Served {
        let (mut served, mut room) = (Served::default(), capacity);
        while room > 0.0 {
            let Some(cohort) = self.cohorts.front_mut() else { break };
            let take = cohort.amount.min(room);
            let wait = |room: f64, amount: f64| {
                let (p, q) = (1.0 - room / capacity, 1.0 - amount / cohort.total);
                (now_s + p - cohort.at_s - q).max(0.0)
            };
            let (first_s, last_s) = (wait(room, cohort.amount), wait(room - take, cohort.amount - take));
            served.done += take;
            if self.left > 0 {
                served.wasted += take;
            } else {
                let in_time = if patience.expires { 1.0 } else { share_below(patience.leaves_s, first_s, last_s) };
                let fast = share_below(patience.slow_s, first_s, last_s).min(in_time);
                served.answered += take * in_time;
                served.slow += take * (in_time - fast);
                let late = take * (1.0 - in_time);
                served.wasted += late;
                served.timed_out += late;
                attempts.fail(&cohort.mix, late, cohort.at_s + patience.leaves_s);
                served.longest_s = served.longest_s.max(first_s).max(last_s);
            }
            room -= take;
            self.length -= take;
            if take < cohort.amount {
                cohort.amount -= take;
            } else {
                self.cohorts.pop_front();
                self.left = self.left.saturating_sub(1);
            }
        }
        if self.cohorts.is_empty() {
            self.length = 0.0;
        }
        served
    }

    /// Clients that have waited too long at the end of the second leave. Returns how many attempts that ends.
    pub(super) fn leave(&mut self, now_s: f64, patience: Patience, attempts: &mut Attempts) -> f64 {
        let mut timed_out = 0.0;
        while let Some(cohort) = self.cohorts.get_mut(self.left) {
            let gone = (now_s + 1.0 - cohort.at_s - patience.leaves_s).min(1.0);
            let amount = cohort.amount - cohort.total * (1.0 - gone);
            if gone < 1.0 && (!patience.expires || amount <= 0.0) {
                break;
            }
            timed_out += amount;
            attempts.fail(&cohort.mix, amount, cohort.at_s + patience.leaves_s);
            if !patience.expires {
                self.left += 1;
                continue;
            }
            self.length -= amount;
            cohort.amount -= amount;
            if gone < 1.0 {
                break;
            }
            self.cohorts.pop_front();
        }
        timed_out
    }

    /// Everything in it fails. Returns how many attempts that ends.
    pub(super) fn fail(&mut self, now_s: f64, attempts: &mut Attempts) -> f64 {
        let ended = self.waiting();
        for cohort in self.cohorts.drain(..).skip(self.left) {
            attempts.fail(&cohort.mix, cohort.amount, now_s);
        }
        (self.left, self.length) = (0, 0.0);
        ended
    }

    /// Requests in it whose clients still wait.
    pub(super) fn waiting(&self) -> f64 {
        self.cohorts.iter().skip(self.left).map(|cohort| cohort.amount).sum()
    }
}

/// Share of waits that grow or shrink evenly from `first` to `last` which are at most `limit`.
fn share_below(limit: f64, first: f64, last: f64) -> f64 {
    let (low, high) = (first.min(last), first.max(last));
    if high <= limit {
        1.0
    } else if low >= limit {
        0.0
    } else {
        (limit - low) / (high - low)
    }
}
