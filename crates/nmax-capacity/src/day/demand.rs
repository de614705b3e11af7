//! The rate of every second of a day: a base, and events that multiply it.

/// Seconds of a day.
pub const DAY_S: usize = 86_400;

/// What is asked on a plain day, requests per second.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// The same all day.
    Constant(f64),
    /// A cosine between a low and a peak.
    Daily {
        /// Rate at the peak, 1/s.
        peak_per_s: f64,
        /// Rate twelve hours away from it, as a share of the peak.
        low: f64,
        /// When the peak is, seconds of the day.
        at_s: f64,
    },
    /// Points with straight lines between them; before the first and after the last the rate stays.
    Curve(Curve),
}

/// Points of time (s) and rate (1/s), in the order of time, never empty.
pub type Curve = Vec<(f64, f64)>;

/// How an event grows to its factor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Shape {
    /// At once.
    Step,
    /// By a straight line over so many seconds.
    Ramp(f64),
    /// By doubling every so many seconds.
    Doubling(f64),
}

/// A multiple of the base for a time: a link from a large site, a sale.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its name.
    pub name: String,
    /// When it begins, s.
    pub at_s: f64,
    /// The multiple that it reaches, at least 1.
    pub factor: f64,
    /// How it gets there.
    pub shape: Shape,
    /// How long it stays there, s.
    pub lasts_s: f64,
    /// Half-life of what is left of it afterwards, s; 0 for an end at once.
    pub decays_s: f64,
}

impl Event {
    /// Time from its begin to its factor, s.
    pub fn growth_s(&self) -> f64 {
        match self.shape {
            Shape::Step => 0.0,
            Shape::Ramp(length_s) => length_s,
            Shape::Doubling(doubling_s) => doubling_s * self.factor.log2(),
        }
    }

    /// The multiple at a time.
    ///
    /// ```text
    /// step f; ramp 1 + (f−1)·u/r; doubling 2^(u/τ) up to f; after the hold 1 + (f−1)·2^(−v/h)
    /// ```
    ///
    /// - u: seconds since its begin; v: seconds since its hold ended; r, τ, h: `Ramp`, `Doubling`, `decays_s`
    pub fn multiple_at(&self, at_s: f64) -> f64 {
        let since = at_s - self.at_s;
        let held = since - self.growth_s();
        if since < 0.0 {
            1.0
        } else if held < 0.0 {
            match self.shape {
                Shape::Step => self.factor,
                Shape::Ramp(length_s) => 1.0 + (self.factor - 1.0) * since / length_s,
                Shape::Doubling(doubling_s) => (since / doubling_s).exp2(),
            }
        } else if held < self.lasts_s {
            self.factor
        } else if self.decays_s > 0.0 {
            1.0 + (self.factor - 1.0) * (-(held - self.lasts_s) / self.decays_s).exp2()
        } else {
            1.0
        }
    }
}

/// Demand of a day.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    /// Length, s.
    pub length_s: usize,
    /// Without events.
    pub base: Base,
    /// What multiplies it.
    pub events: Vec<Event>,
}

impl Course {
    /// The mean rate of each second, 1/s: that in its middle. O(length · (events + log points)).
    pub fn rates(&self) -> Vec<f64> {
        (0..self.length_s).map(|second| self.at(second as f64 + 0.5)).collect()
    }

    /// Whether an event is above its half at that second: everybody else asks for nodes, too.
    pub fn is_crowded(&self, at_s: f64) -> bool {
        self.events.iter().any(|event| event.multiple_at(at_s) > 0.5 * (1.0 + event.factor))
    }

    fn at(&self, at_s: f64) -> f64 {
        let base = match &self.base {
            Base::Constant(rate) => *rate,
            Base::Daily { peak_per_s, low, at_s: peak_s } => {
                let turn = std::f64::consts::TAU * (at_s - peak_s) / DAY_S as f64;
                peak_per_s * (low + (1.0 - low) * 0.5 * (1.0 + turn.cos()))
            }
            Base::Curve(points) => on_curve(points, at_s),
        };
        self.events.iter().fold(base, |rate, event| rate * event.multiple_at(at_s))
    }
}

fn on_curve(points: &Curve, at_s: f64) -> f64 {
    let after = points.partition_point(|(time, _)| *time <= at_s);
    match (after.checked_sub(1).map(|before| points[before]), points.get(after)) {
        (Some((t0, r0)), Some((t1, r1))) => r0 + (r1 - r0) * (at_s - t0) / (t1 - t0),
        (Some((_, rate)), None) | (None, Some(&(_, rate))) => rate,
        (None, None) => 0.0,
    }
}
