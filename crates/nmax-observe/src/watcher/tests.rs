use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::*;
use crate::Reading;

/// Time that goes on by a second with each look.
#[derive(Clone, Default)]
struct Ticks(Arc<AtomicU64>);

impl Clock for Ticks {
    fn now(&self) -> Nanos {
        Nanos(self.0.fetch_add(1_000_000, Ordering::Relaxed))
    }
}

/// Fails in readings 3 to 5.
struct Shaky(u32);

impl Source for Shaky {
    fn read(&mut self, _: Nanos) -> Result<Vec<Reading>, Trouble> {
        self.0 += 1;
        match self.0 {
            3..=5 => Err(Trouble::passing("connection refused")),
            number => Ok(vec![Reading::new("shaky", "number_count", f64::from(number), "count")]),
        }
    }
}

struct Refused;

impl Source for Refused {
    fn read(&mut self, _: Nanos) -> Result<Vec<Reading>, Trouble> {
        Err(Trouble::lasting("wrong password"))
    }
}

fn watched(name: &str, source: impl Source + 'static) -> Watched {
    Watched {
        host: "db".into(),
        name: name.into(),
        every: Duration::from_millis(1),
        source: Box::new(source),
    }
}

fn gather(watcher: &mut Watcher, enough: impl Fn(&Seen) -> bool) -> Seen {
    let mut all = Seen::default();
    for _ in 0..10_000 {
        let seen = watcher.drain();
        all.resources.extend(seen.resources);
        all.happenings.extend(seen.happenings);
        if enough(&all) {
            break;
        }
        thread::sleep(Duration::from_millis(1));
    }
    all
}

#[test]
fn a_source_that_goes_away_is_a_gap_with_a_reason_and_comes_back() {
    let mut watcher = Watcher::start(
        vec![watched("shaky", Shaky(0)), watched("no", Refused)],
        Ticks::default(),
    );
    let seen = gather(&mut watcher, |seen| {
        seen.resources.iter().filter(|one| one.metric == "number_count").count() >= 4
    });
    let of = |name: &str| {
        let mine = seen.happenings.iter().filter(|one| one.text.starts_with(name));
        mine.map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(of("shaky"), ["SOURCE_LOST", "SOURCE_BACK"]);
    assert_eq!(of("no"), ["SOURCE_LOST"]);
    let ups = |name: &str| {
        let mine = seen
            .resources
            .iter()
            .filter(|one| one.source == name && one.metric == "up");
        mine.map(|one| one.value as u8).collect::<Vec<_>>()
    };
    assert_eq!(ups("shaky")[..7], [1, 1, 0, 0, 0, 1, 1]);
    assert_eq!(ups("no"), [0], "what will not get better is not tried again");
    watcher.stop();
    assert!(watcher.threads.is_empty());
}
