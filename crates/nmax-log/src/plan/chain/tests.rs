use proptest::prelude::*;

use super::*;
use crate::traffic::Transition;

/// A chain from counts of sessions: each is a list of types.
fn chain(sessions: &[Vec<usize>]) -> Chain {
    let mut transitions: Vec<Transition> = Vec::new();
    let mut count = |from: Option<usize>, to: Option<usize>| {
        let think = from.and(to).map(|_| Lognormal { median_s: 2.0, p95_s: 8.0 });
        match transitions.iter_mut().find(|known| (known.from, known.to) == (from, to)) {
            Some(known) => known.count += 1,
            None => transitions.push(Transition { from, to, count: 1, think }),
        }
    };
    for steps in sessions {
        let mut before = None;
        for step in steps {
            count(before, Some(*step));
            before = Some(*step);
        }
        count(before, None);
    }
    Chain::from_cluster(&Cluster { transitions, ..Cluster::default() })
}

fn sessions() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0..6usize, 1..12), 1..30)
}

/// Mean visits in the sessions themselves.
fn counted(sessions: &[Vec<usize>], kind: usize) -> f64 {
    sessions.iter().flatten().filter(|step| **step == kind).count() as f64 / sessions.len() as f64
}

proptest! {
    /// Law: a first-order chain makes as many visits as the sessions that it was counted from.
    #[test]
    fn visits_are_those_of_the_sessions(sessions in sessions()) {
        let chain = chain(&sessions);
        let visits = chain.visits().unwrap();
        for (kind, visits) in chain.states.iter().zip(visits) {
            let counted = counted(&sessions, *kind);
            prop_assert!((visits - counted).abs() < 1e-9, "{visits} for {counted}");
        }
    }

    /// Law: taking states out leaves the visits of the others as they are, in any order.
    #[test]
    fn others_keep_their_visits(sessions in sessions(), order in prop::collection::vec(0..6usize, 0..6)) {
        let mut chain = chain(&sessions);
        for at in order {
            if at < chain.states.len() {
                chain = chain.without(at);
            }
        }
        for row in &chain.links {
            let sum: f64 = row.iter().map(|link| link.chance).sum();
            prop_assert!((sum - 1.0).abs() < 1e-9);
        }
        let empty = chain.drop_empty();
        if chain.states.is_empty() {
            return Ok(());
        }
        let visits = chain.visits().unwrap();
        for (kind, visits) in chain.states.iter().zip(visits) {
            let counted = counted(&sessions, *kind);
            prop_assert!((visits * (1.0 - empty) - counted).abs() < 1e-9, "{visits} for {counted}");
        }
    }
}

#[test]
fn pauses_around_a_state_add_up() {
    let chain = chain(&[vec![0, 1, 2], vec![0, 1, 2]]).without(1);
    let think = chain.links[0][1].think().unwrap();
    // Two pauses of median 2 s and p95 8 s: mean 2·e^(σ²/2) each, with σ = ln 4/1.645.
    let square = (4.0_f64.ln() / Z95).powi(2);
    let sum = (think.median_s.ln() + ((think.p95_s / think.median_s).ln() / Z95).powi(2) / 2.0).exp();
    assert!((sum - 4.0 * (square / 2.0).exp()).abs() < 1e-9, "{think:?}");
}

#[test]
fn a_state_that_is_never_left_ends_the_session() {
    let mut chain = chain(&[vec![0, 1]]);
    chain.links[1] = vec![Link::default(), Link { chance: 1.0, ..Link::default() }, Link::default()];
    assert_eq!(chain.visits(), None);
    let chain = chain.without(1);
    assert_eq!(chain.links[0][1].chance, 1.0);
}
