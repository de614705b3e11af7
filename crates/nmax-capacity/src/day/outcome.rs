//! What came of a day.

use super::world::Prices;

/// Most points of a series.
pub const POINTS_MAX: usize = 720;

/// Totals of a day. Counts are requests, fractions of them included.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// Requests that users made.
    pub requests: f64,
    /// Answered in full before the client left.
    pub answered: f64,
    /// Those of them that took longer than the objective, by their wait.
    pub slow: f64,
    /// Answered by a guess.
    pub guessed: f64,
    /// Not answered: all attempts failed, and the user left.
    pub lost: f64,
    /// On their way when the day ended.
    pub waiting: f64,
    /// Attempts that the clients made.
    pub attempts: f64,
    /// Attempts that were refused: shed, a full queue, no region.
    pub refused: f64,
    /// Attempts that the client left.
    pub timed_out: f64,
    /// Answers to clients that had left.
    pub wasted: f64,
    /// Time out of the objective, min.
    pub minutes_out: f64,
    /// Longest wait of a request in a queue, s.
    pub longest_wait_s: f64,
    /// Mean number of requests that wait.
    pub waiting_mean: f64,
    /// Sessions that ended for a lost request.
    pub sessions_lost: f64,
    /// Hours of nodes, from the request for them to their end.
    pub node_hours: f64,
    /// Most nodes that served at once.
    pub nodes_most: usize,
    /// Nodes that were asked for.
    pub launched: usize,
    /// Those that never came.
    pub never_came: usize,
    /// What was paid.
    pub cost: f64,
    /// Per request that was answered, guesses included.
    pub cost_per_request: f64,
    /// Worth of all answers; 0 when an answer has no worth.
    pub worth: f64,
    /// Over time.
    pub series: Vec<Point>,
}

/// Means over a part of the day.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Point {
    /// Its begin, s.
    pub at_s: f64,
    /// New requests, 1/s.
    pub demand: f64,
    /// Attempts, 1/s.
    pub offered: f64,
    /// Usable capacity with what the cache answers, 1/s.
    pub capacity: f64,
    /// Full answers, 1/s.
    pub answered: f64,
    /// Full answers within the objective, 1/s.
    pub good: f64,
    /// Guesses, 1/s.
    pub guessed: f64,
    /// Lost requests, 1/s.
    pub lost: f64,
    /// Requests that wait, at its end.
    pub waiting: f64,
    /// Nodes that serve.
    pub nodes: f64,
    /// Share of it that is out of the objective.
    pub out: f64,
}

impl Outcome {
    /// Full answers within the objective.
    pub fn good(&self) -> f64 {
        self.answered - self.slow
    }

    /// Adds up the cost.
    ///
    /// ```text
    /// cost = node-hours·c + requests answered·r + cache hours·k + hours out·o
    /// ```
    pub(super) fn price(&mut self, prices: &Prices, cache: f64, guess_worth: f64) {
        let served = self.answered + self.guessed;
        self.cost = self.node_hours * prices.node_hour
            + served * prices.request
            + cache
            + self.minutes_out / 60.0 * prices.hour_out;
        self.cost_per_request = if served > 0.0 { self.cost / served } else { 0.0 };
        self.worth = prices.answer * (self.answered + guess_worth * self.guessed);
    }
}
