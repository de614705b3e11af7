use std::rc::Rc;

use super::*;

/// A clock that a test moves.
#[derive(Clone, Default)]
struct Hand(Rc<Cell<Nanos>>);

impl Clock for Hand {
    fn now(&self) -> Nanos {
        self.0.get()
    }
}

const RULES: LineRules = LineRules {
    down_bytes_per_s: Some(32_000.0),
    up_bytes_per_s: Some(8_000.0),
    round_trip: Nanos::from_millis(60),
    jitter: Nanos::ZERO,
};

fn line(rules: LineRules) -> Line {
    Line::new(rules, Hand::default(), || 0.0)
}
