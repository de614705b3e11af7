use super::*;
use std::cell::Cell;

/// A clock that stands where it is put.
#[derive(Default)]
struct Standing(Cell<u64>);

impl Clock for Standing {
    fn now(&self) -> Nanos {
        Nanos(self.0.get())
    }
}

#[tokio::test]
async fn answers_stay() {
    let (names, clock) = (Names::default(), Standing::default());
    let first = names.resolve("localhost", &clock).await.unwrap();
    assert!(!first.is_empty() && first.iter().all(IpAddr::is_loopback));
    clock.0.set(Nanos::from_secs(100_000).0);
    let later = names.resolve("localhost", &clock).await.unwrap();
    assert!(Rc::ptr_eq(&first, &later));
}

#[tokio::test]
async fn askers_at_once_share_one_lookup() {
    let (names, clock) = (Names::default(), Standing::default());
    let ask = || names.resolve("localhost", &clock);
    let (first, second) = tokio::join!(ask(), ask());
    assert!(Rc::ptr_eq(&first.unwrap(), &second.unwrap()));
}

/// A label of 64 bytes is refused without asking a name server.
#[tokio::test]
async fn failures_are_believed_for_a_second() {
    let (names, clock) = (Names::default(), Standing::default());
    let host = "a".repeat(64);
    let failure = names.resolve(&host, &clock).await.unwrap_err();
    assert_eq!(failure.kind, ErrorKind::Dns);
    let kept = names.cell(&host, clock.now());
    assert!(Rc::ptr_eq(&kept, &names.cell(&host, FAILURE_AGE_MAX)));
    assert!(!Rc::ptr_eq(&kept, &names.cell(&host, FAILURE_AGE_MAX + Nanos(1))));
}

#[test]
fn the_cache_is_bounded() {
    let names = Names::default();
    for i in 0..=NAMES_MAX {
        names.cell(&i.to_string(), Nanos::ZERO);
    }
    assert_eq!(names.answers.borrow().len(), 1, "full, so it started over");
}
