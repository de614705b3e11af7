//! What fails at the moment, and what strangers sent: kept for who asks, and said once to who listens. A caller that never waits
//! would else only seem to wait.

use std::collections::{BTreeMap, BTreeSet};
use std::mem::discriminant;
use std::sync::{Arc, Mutex};

use crate::broker::lock;
use crate::error::NatsError;

/// Hears a sentence.
type Hearing = Box<dyn Fn(&str) + Send>;

/// What fails on a connection.
#[derive(Clone, Default)]
pub(crate) struct Troubles(Arc<Shared>);

#[derive(Default)]
struct Shared {
    now: Mutex<BTreeMap<String, NatsError>>,
    worked: Mutex<BTreeSet<String>>,
    refused: Mutex<BTreeMap<&'static str, u64>>,
    hearing: Mutex<Option<Hearing>>,
}

impl std::fmt::Debug for Troubles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_list().entries(self.now()).finish()
    }
}

impl Troubles {
    /// Everything from now on is said to `hearing` only.
    pub(crate) fn hear(&self, hearing: Hearing) {
        *lock(&self.0.hearing) = Some(hearing);
    }

    /// What fails at the moment.
    pub(crate) fn now(&self) -> Vec<NatsError> {
        lock(&self.0.now).values().cloned().collect()
    }

    /// Something does not work. It is said when it begins, and when it fails for another reason.
    pub(crate) fn failed(&self, about: &str, error: NatsError) {
        let before = lock(&self.0.now).insert(about.to_owned(), error.clone());
        if before.is_none_or(|before| discriminant(&before) != discriminant(&error)) {
            self.say(&error.to_string());
        }
    }

    /// It works.
    pub(crate) fn works(&self, about: &str) {
        lock(&self.0.worked).insert(about.to_owned());
        if lock(&self.0.now).remove(about).is_some() {
            self.say(&format!("NATS: {about} works again"));
        }
    }

    /// Whether it worked once.
    pub(crate) fn has_worked(&self, about: &str) -> bool {
        lock(&self.0.worked).contains(about)
    }

    /// A message was refused, for this reason. The first of each is said.
    pub(crate) fn refused(&self, reason: &'static str) {
        let mut refused = lock(&self.0.refused);
        let count = refused.entry(reason).or_default();
        *count += 1;
        if *count == 1 {
            self.say(&format!("a message is refused: {reason}"));
        }
    }

    /// How many messages were refused, by reason.
    pub(crate) fn refusals(&self) -> BTreeMap<&'static str, u64> {
        lock(&self.0.refused).clone()
    }

    fn say(&self, text: &str) {
        if let Some(hearing) = &*lock(&self.0.hearing) {
            hearing(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A problem is said when it begins, when it becomes another, and when it is over, however often it is met.
    #[test]
    fn each_change_is_said_once() {
        let (troubles, said) = (Troubles::default(), Arc::new(Mutex::new(Vec::new())));
        let heard = said.clone();
        troubles.hear(Box::new(move |text| lock(&heard).push(text.to_owned())));
        let lost = || NatsError::Lost { what: "nmax.res.r.0.1".into(), reason: "timed out".into() };
        let full = || NatsError::Full { stream: "nmax.res.r.0.1".into(), reason: "maximum bytes exceeded".into() };
        for error in [lost(), lost(), full(), full()] {
            troubles.failed("nmax.res", error);
        }
        troubles.works("nmax.ctl");
        assert_eq!(troubles.now(), [full()]);
        troubles.works("nmax.res");
        troubles.works("nmax.res");
        (0..3).for_each(|_| troubles.refused("it is of another run"));
        let said = lock(&said).clone();
        assert_eq!(said.len(), 4, "{said:?}");
        assert!(said[0].contains("timed out") && said[1].contains("full") && said[2].contains("works again"));
        assert!(said[3].contains("another run") && troubles.refusals()["it is of another run"] == 3);
        assert!(troubles.now().is_empty());
    }
}
