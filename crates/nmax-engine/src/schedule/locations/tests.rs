use super::*;

fn slot(location: Option<LocationId>) -> Rc<VuSlot> {
    let slot = VuSlot::default();
    slot.location.set(location);
    Rc::new(slot)
}

/// A user at the location is found first; whoever must move comes from where most wait.
#[test]
fn idle_users_wait_where_they_are() {
    let mut idle = Idle::default();
    assert!(idle.pop(None).is_none() && idle.pop_any().is_none());
    for location in [Some(0), Some(1), Some(1), Some(1)] {
        idle.push(slot(location));
    }
    assert!(idle.pop(None).is_none() && idle.pop(Some(7)).is_none());
    assert_eq!(idle.pop(Some(0)).unwrap().location.get(), Some(0));
    assert!(idle.pop(Some(0)).is_none());
    assert_eq!(idle.pop_any().unwrap().location.get(), Some(1));
    idle.push(slot(None));
    assert_eq!(idle.pop(None).unwrap().location.get(), None);
}

/// Law: a location gets no user exactly when no number below `count` leads there; as many as are called enough are.
#[test]
fn locations_without_users_are_found() {
    let plan = |weights: [f64; 3], seed| {
        let mut plan = Plan::for_url(&nmax_plan::planless::Planless::get("http://h.test/")).unwrap();
        plan.seed = seed;
        plan.locations = weights
            .map(|weight| Location {
                name: format!("at {weight}"),
                down_bits_per_s: None,
                up_bits_per_s: None,
                round_trip: std::time::Duration::ZERO,
                jitter: std::time::Duration::ZERO,
                weight,
            })
            .to_vec();
        plan
    };
    for (weights, seed) in [([20.0, 80.0, 0.0], 1), ([1.0, 1.0, 8.0], 7), ([3.0, 4.0, 5.0], 9)] {
        let mut plan = plan(weights, seed);
        let cycle = weights.iter().sum::<f64>() as u64;
        for count in 0..=cycle {
            let locations = Locations::new(&plan);
            let is_met = |index: usize| (0..count).any(|vu| locations.place(0, 0, vu) == Some(index as LocationId));
            let without = without_users(&plan, count);
            for (index, weight) in weights.iter().enumerate() {
                let is_listed = without.iter().any(|(listed, _)| *listed == index);
                assert_eq!(is_listed, *weight > 0.0 && !is_met(index), "{index} of {weights:?} for {count}");
            }
            for (index, enough) in without {
                let is_listed = |count| without_users(&plan, count).iter().any(|(listed, _)| *listed == index);
                assert!(!is_listed(enough) && is_listed(enough - 1));
            }
        }
        plan.scenarios[0].location = Some(0);
        assert_eq!(without_users(&plan, 1), [], "nobody is shared out");
    }
}
