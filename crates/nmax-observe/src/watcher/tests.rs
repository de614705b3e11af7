use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use nmax_sources::Unit;
use nmax_sources::figures::IN_USE_COUNT;

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
            number => Ok(vec![Reading::named("shaky", "number_count", f64::from(number), Unit::Count)]),
        }
    }
}

struct Refused;

impl Source for Refused {
    fn read(&mut self, _: Nanos) -> Result<Vec<Reading>, Trouble> {
        Err(Trouble::lasting("wrong password"))
    }
}

/// Cannot be read for ever other reasons, but for its 13th reading, which cannot be.
struct Fickle(u32);

impl Source for Fickle {
    fn read(&mut self, _: Nanos) -> Result<Vec<Reading>, Trouble> {
        self.0 += 1;
        match self.0 {
            1..=4 => Err(Trouble::passing("refused")),
            13 => Ok(vec![Reading::new("pool p", IN_USE_COUNT, -5.0)]),
            number => Err(Trouble::passing(format!("reason {}", number / 2))),
        }
    }
}

fn watched(name: &str, source: impl Source + 'static) -> Watched {
    Watched { host: "db".into(), name: name.into(), every: Duration::from_millis(1), source: Box::new(source) }
}

#[expect(clippy::disallowed_methods, reason = "threads are waited for")]
fn gather(watcher: &mut Watcher, enough: impl Fn(&Seen) -> bool) -> Seen {
    let mut all = Seen::default();
    for _ in 0..60_000 {
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
    let mut watcher = Watcher::start(vec![watched("shaky", Shaky(0)), watched("no", Refused)], Ticks::default());
    // Each source has its own thread, and any of them may be late.
    let seen = gather(&mut watcher, |seen| {
        let of_shaky = seen.resources.iter().filter(|one| one.metric == "number_count");
        of_shaky.count() >= 4 && seen.happenings.iter().any(|one| one.text.starts_with("no"))
    });
    let of = |name: &str| {
        let mine = seen.happenings.iter().filter(|one| one.text.starts_with(name));
        mine.map(|one| one.code).collect::<Vec<_>>()
    };
    assert_eq!(of("shaky"), ["SOURCE_LOST", "SOURCE_BACK"]);
    assert_eq!(of("no"), ["SOURCE_LOST"]);
    let ups = |name: &str| {
        let mine = seen.resources.iter().filter(|one| one.source == name && one.metric == "up");
        mine.map(|one| one.value as u8).collect::<Vec<_>>()
    };
    assert_eq!(ups("shaky")[..7], [1, 1, 0, 0, 0, 1, 1]);
    assert_eq!(ups("no"), [0], "what will not get better is not tried again");
    watcher.stop();
    assert!(watcher.threads.is_empty());
}

/// Can be read every other time.
struct Flickering(u32);

impl Source for Flickering {
    fn read(&mut self, _: Nanos) -> Result<Vec<Reading>, Trouble> {
        self.0 += 1;
        match self.0 % 2 {
            0 => Err(Trouble::passing("refused")),
            _ => Ok(Vec::new()),
        }
    }
}

#[test]
fn a_source_that_comes_and_goes_is_not_said_for_ever() {
    let mut watcher = Watcher::start(vec![watched("flickering", Flickering(0))], Ticks::default());
    let seen = gather(&mut watcher, |seen| seen.resources.len() >= 100);
    let count = |code: &str| seen.happenings.iter().filter(|one| one.code == code).count();
    assert_eq!((count("SOURCE_LOST"), count("SOURCE_BACK")), (20, 20));
    let last = &seen.happenings[38].text;
    assert!(last.ends_with("refused; it comes and goes, and further losses are only counted"), "{last}");
    let down = seen.resources.iter().filter(|one| one.value == 0.0).count();
    assert!(down >= 49, "each is counted: {down}");
}

#[test]
fn another_reason_is_said_and_not_each_of_many() {
    let mut watcher = Watcher::start(vec![watched("fickle", Fickle(0))], Ticks::default());
    let seen = gather(&mut watcher, |seen| seen.happenings.iter().filter(|one| one.code == "SOURCE_LOST").count() >= 6);
    let said: Vec<_> = seen.happenings.iter().map(|one| (one.code, one.text.as_str())).take(8).collect();
    let want = [
        ("SOURCE_LOST", "fickle on db cannot be read: refused"),
        ("SOURCE_LOST", "fickle on db still cannot be read: reason 2"),
        ("SOURCE_LOST", "fickle on db still cannot be read: reason 3"),
    ];
    assert_eq!(said[..3], want);
    assert_eq!(said[3].0, "SOURCE_BACK");
    assert_eq!(
        said[4],
        ("SOURCE_NOTE", "fickle on db: in_use_count of `pool p` is -5, which cannot be; such values are left out")
    );
    assert_eq!(said[5], ("SOURCE_LOST", "fickle on db cannot be read: reason 7"));
    assert!(seen.resources.iter().all(|one| one.metric == "up"), "-5 is absent");
}

/// Law: in any ten readings in a row, both halves of what is left of a second have some, and none is with those of the others.
#[test]
fn moments_are_spread_over_the_second() {
    let places: Vec<f64> = (1..200).map(|reading| moment(reading, Duration::from_secs(1)).as_secs_f64()).collect();
    assert!(places.iter().all(|place| (0.2..0.6).contains(place)), "{places:?}");
    for ten in places.windows(10) {
        let early = ten.iter().filter(|place| **place < 0.4).count();
        assert!((3..=7).contains(&early), "{ten:?}");
    }
    let of_s = |every| moment(1, every).as_secs_f64();
    assert_eq!(of_s(Duration::from_secs(10)), of_s(Duration::from_secs(1)), "of the same second");
    let tenth_s = of_s(Duration::from_millis(100));
    assert!((10.0 * tenth_s - of_s(Duration::from_secs(1))).abs() < 1e-6, "{tenth_s}");
}
