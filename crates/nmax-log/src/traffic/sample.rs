//! A bounded sample of sessions, each equally likely to be in it.

use nmax_plan::choice::Stream;

use super::paths::TypeId;

/// A step of a session, and the pause before it in ms.
pub(crate) type Stride = (TypeId, u32);

/// Sessions that are kept.
pub(crate) const SAMPLE_MAX: usize = 20_000;
/// Steps of a kept session.
const STEPS_MAX: usize = 500;

/// Sessions, chosen by Algorithm R (J. S. Vitter, *Random sampling with a reservoir*, 1985) from a seed, so that the same
/// sessions in the same order give the same sample.
#[derive(Debug, Default)]
pub(crate) struct Sample {
    sessions: Vec<Vec<Stride>>,
    seen: u64,
    random: Stream,
}

impl Sample {
    pub(crate) fn new(seed: u64) -> Self {
        Self { random: Stream::new(seed), ..Self::default() }
    }

    pub(crate) fn add(&mut self, steps: &[Stride]) {
        self.seen += 1;
        let steps = &steps[..steps.len().min(STEPS_MAX)];
        if self.sessions.len() < SAMPLE_MAX {
            self.sessions.push(steps.to_vec());
            return;
        }
        let at = self.random.below(self.seen) as usize;
        if let Some(place) = self.sessions.get_mut(at) {
            place.clear();
            place.extend_from_slice(steps);
        }
    }

    pub(crate) fn into_sessions(self) -> Vec<Vec<Stride>> {
        self.sessions
    }
}
