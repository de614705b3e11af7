//! Clock, tasks and server models by hand.

use std::cell::RefCell;
use std::rc::Rc;

use nmax_engine::runtime::{Runtime, Timer};
use nmax_metrics::{Clock, Nanos};

use super::*;

const fn ms(millis: u64) -> Nanos {
    Nanos::from_millis(millis)
}

/// When tasks that sleep until these instants wake up.
fn wake_ups(sleeps: &[u64], blocks: &[(u64, u64)]) -> Vec<(u64, Nanos)> {
    let world = Rc::new(World::default());
    for (at, span) in blocks {
        world.block(ms(*at), ms(*span));
    }
    let runtime = SimRuntime::new(Rc::clone(&world));
    let woken = Rc::new(RefCell::new(Vec::new()));
    for sleep in sleeps.iter().copied() {
        let (timer, clock, woken) = (runtime.timer(), runtime.clone(), Rc::clone(&woken));
        runtime.spawn(async move {
            timer.sleep_until(ms(sleep)).await;
            woken.borrow_mut().push((sleep, clock.now()));
        });
    }
    world.run(|| woken.borrow().len() == sleeps.len(), || ());
    world.clear();
    woken.take()
}

#[test]
fn the_clock_jumps_from_deadline_to_deadline() {
    assert_eq!(wake_ups(&[30, 10, 3_600_000], &[]), [(10, ms(10)), (30, ms(30)), (3_600_000, ms(3_600_000))]);
}

#[test]
fn a_busy_thread_is_late_in_order() {
    let woken = wake_ups(&[5, 10, 12, 19, 20, 45], &[(40, 10), (10, 10)]);
    assert_eq!(woken, [(5, ms(5)), (10, ms(20)), (12, ms(20)), (19, ms(20)), (20, ms(20)), (45, ms(50))]);
}

#[test]
#[should_panic(expected = "stuck")]
fn a_world_in_which_nothing_can_happen_says_so() {
    let world = Rc::new(World::default());
    SimRuntime::new(Rc::clone(&world)).spawn(std::future::pending());
    world.run(|| false, || ());
}

#[test]
fn a_queue_serves_in_order_of_arrival() {
    let mut queue = Queue::new(2);
    let done: Vec<Nanos> = [0, 1, 2, 50].iter().map(|at| queue.admit(ms(*at), ms(10))).collect();
    assert_eq!(done, [ms(10), ms(11), ms(20), ms(60)]);
}

#[test]
fn work_goes_on_after_a_freeze() {
    let freeze = Freeze { from: ms(100), to: ms(150) };
    let cases = [(80, 100, "before"), (95, 165, "across the beginning"), (120, 170, "inside"), (150, 170, "after")];
    for (at, done, why) in cases {
        assert_eq!(freeze.done(ms(at), ms(20)), ms(done), "{why}");
    }
}

#[test]
fn a_call_shows_what_was_asked() {
    let call = Call { at: Nanos::ZERO, number: 0, bytes: b"GET /a?b=c HTTP/1.1\r\nhost: h\r\n\r\n" };
    assert_eq!(call.target(), "/a?b=c");
    assert!(call.contains("host: h") && !call.contains("cookie"));
}
