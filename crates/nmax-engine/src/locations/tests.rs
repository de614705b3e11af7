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
