use super::*;
use crate::failure::Failure;
use nmax_metrics::ErrorKind;
use proptest::prelude::*;

proptest! {
    /// Law: never more places than the limit, none lost, and none refused while there is room.
    #[test]
    fn places_are_taken_and_given_back(limit in 0..8_usize, steps in proptest::collection::vec(any::<bool>(), 0..100)) {
        let budget = Arc::new(SocketBudget::new(limit));
        let mut taken = Vec::new();
        for takes in steps {
            if takes {
                match Room::take(Some(&budget)) {
                    Ok(place) => taken.push(place),
                    Err(_) => prop_assert_eq!(taken.len(), limit),
                }
            } else {
                taken.pop();
            }
            prop_assert!(taken.len() <= limit);
            prop_assert_eq!(budget.open(), taken.len());
        }
        drop(taken);
        prop_assert_eq!(budget.open(), 0);
    }
}

#[test]
fn workers_together_stay_within_the_limit() {
    let budget = Arc::new(SocketBudget::new(10));
    let workers: Vec<_> = (0..4)
        .map(|_| {
            let budget = Arc::clone(&budget);
            std::thread::spawn(move || (0..100).filter_map(|_| Room::take(Some(&budget)).ok()).collect::<Vec<_>>())
        })
        .collect();
    let taken: Vec<_> = workers.into_iter().flat_map(|worker| worker.join().unwrap()).collect();
    assert_eq!((taken.len(), budget.open()), (10, 10));
}

/// The words are those of a process that really has no descriptor left.
#[test]
fn a_full_budget_is_the_injectors_fault_and_says_how_to_raise_it() {
    let budget = Arc::new(SocketBudget::new(0));
    let error = Room::take(Some(&budget)).unwrap_err();
    let failure = Failure::of_io(ErrorKind::Connect, "127.0.0.1:80", &error);
    assert_eq!(failure.kind, ErrorKind::Injector);
    assert!(failure.text.contains("too many open files (EMFILE)"), "{}", failure.text);
    assert!(failure.text.contains("`ulimit -n`"), "{}", failure.text);
    assert!(Room::take(None).is_ok());
}
