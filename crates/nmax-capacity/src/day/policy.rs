//! What is done about a day.

/// A strategy.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Its name.
    pub name: String,
    /// Nodes at midnight, and always at least so many without [`Self::autoscale`].
    pub nodes: usize,
    /// From when on how many nodes at least: seconds and nodes, in the order of time.
    pub schedule: Vec<(f64, usize)>,
    /// Nodes by utilization.
    pub autoscale: Option<Autoscale>,
    /// A cache in front.
    pub cache: Option<Cache>,
    /// What becomes of requests beyond the usable capacity.
    pub answer: Answer,
    /// Requests that may wait at a node; `None` without a bound.
    pub queue: Option<f64>,
}

/// Nodes by utilization, the mean over the window, in the manner of target tracking.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Autoscale {
    /// Utilization of saturation that it keeps, in (0, 1).
    pub target: f64,
    /// Fewest nodes.
    pub least: usize,
    /// Most nodes.
    pub most: usize,
    /// How often utilization is known, s.
    pub metric_s: f64,
    /// Over what it is averaged, s.
    pub window_s: f64,
    /// From the decision to the request for nodes, s.
    pub decision_s: f64,
    /// Between two decisions for more, s.
    pub cooldown_out_s: f64,
    /// For how long fewer nodes must have been enough before some are ended, s.
    pub cooldown_in_s: f64,
}

/// A cache in front.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cache {
    /// Share of requests that it answers when it is warm, in [0, 1).
    pub hit: f64,
    /// Time until a cold cache has 63 % of that, s.
    pub warms_s: f64,
    /// What it costs in an hour.
    pub price_hour: f64,
}

/// What becomes of requests beyond the usable capacity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// They wait; work for clients that have left is done, too.
    Queue,
    /// They wait; work for a client ends when it leaves.
    Expire,
    /// They are refused at once.
    Shed,
    /// They get a cheap answer.
    Guess {
        /// Work of a guess, as a share of that of an answer, in [0, 1).
        cost: f64,
        /// Worth of a guess, as a share of that of an answer.
        worth: f64,
    },
}

impl Policy {
    /// Nodes that never change.
    pub fn standing(name: &str, nodes: usize) -> Self {
        Self {
            name: name.into(),
            nodes,
            schedule: Vec::new(),
            autoscale: None,
            cache: None,
            answer: Answer::Queue,
            queue: None,
        }
    }

    /// Nodes that the schedule wants at least at a time.
    pub fn scheduled(&self, at_s: f64) -> usize {
        let after = self.schedule.partition_point(|(from_s, _)| *from_s <= at_s);
        let least = self.autoscale.map_or(self.nodes, |scale| scale.least);
        after.checked_sub(1).map_or(least, |last| self.schedule[last].1)
    }

    /// Its hit rate when warm.
    pub fn hit(&self) -> f64 {
        self.cache.map_or(0.0, |cache| cache.hit)
    }
}
