//! What dies, stops or is cut off is an injector.

use rustix::process::Signal;

use crate::bench::Job;
use crate::fleet::{CONTROL, DATA, Fleet, RATE, lasts, urls};
use crate::law::{Outcome, found};
use crate::world;

/// How long an injector is stopped, s.
const STOPPED: u64 = 60;
/// How long a link is cut, s.
const CUT: u64 = 25;

/// What happens to the part of an injector that is lost.
#[derive(Clone, Copy, PartialEq)]
enum Loss {
    /// It stays lost.
    Continue,
    /// A fifth injector takes it.
    Takeover,
}

/// A run under way of so many seconds, and one of the injectors that have a part of it.
fn under_way(loss: Loss, seconds: u64) -> (Fleet, Job, String) {
    let mut fleet = Fleet::start();
    let (injectors, policy) = match loss {
        Loss::Continue => (4, "continue"),
        Loss::Takeover => (5, "takeover"),
    };
    fleet.join_all(injectors);
    let manager = fleet.run(seconds, &["--injectors", "4", "--policy", policy]);
    fleet.loaded(5 * RATE);
    let one = fleet.one_of_the_run();
    (fleet, manager, one)
}

/// What a killed injector does not do any more, or what is left out until another does it, is named.
fn killed(loss: Loss, seconds: u64, fault: &str) -> (Fleet, Outcome) {
    let (mut fleet, manager, one) = under_way(loss, seconds);
    fleet.kill_injector(&one);
    // What is in its spool is sent by the next process there.
    fleet.rejoin(&one, &urls(), &[]);
    let found = found(&fleet, seconds, manager);
    found.holds(fault, &fleet);
    found.says("RESULTS_LOST", "are lost");
    (fleet, found)
}

#[test]
fn an_injector_is_killed() {
    world::run(|| {
        let (_fleet, found) = killed(Loss::Continue, 20, "kill -9 of an injector");
        assert!(found.lost_s() >= 10, "{:#}", found.summary);
    });
}

#[test]
fn an_injector_is_killed_and_replaced() {
    world::run(|| {
        let (_fleet, found) = killed(Loss::Takeover, 40, "kill -9 of an injector, takeover");
        assert!(found.lost_s() <= 25, "{:#}", found.summary);
    });
}

/// It wakes after a minute: what it did before is not lost, and it does not make up for what it slept through.
fn stopped(loss: Loss, fault: &str) -> Outcome {
    let seconds = STOPPED + 20;
    let (fleet, manager, one) = under_way(loss, seconds);
    fleet.injector(&one).signal(Signal::STOP);
    lasts(STOPPED);
    fleet.injector(&one).signal(Signal::CONT);
    let found = found(&fleet, seconds, manager);
    found.holds(fault, &fleet);
    found
}

#[test]
fn an_injector_is_stopped() {
    world::run(|| drop(stopped(Loss::Continue, "SIGSTOP of an injector")));
}

#[test]
fn an_injector_is_stopped_and_replaced() {
    world::run(|| {
        let found = stopped(Loss::Takeover, "SIGSTOP of an injector, takeover");
        assert!(found.lost_s() <= 25, "{:#}", found.summary);
    });
}

/// It goes on without NATS, and its results come when the link is back.
#[test]
fn an_injector_is_cut_off() {
    world::run(|| {
        let (fleet, manager, one) = under_way(Loss::Continue, CUT + 15);
        world::link(&one, CONTROL, false);
        lasts(CUT);
        world::link(&one, CONTROL, true);
        let found = found(&fleet, CUT + 15, manager);
        found.holds("partition of an injector", &fleet);
        found.is_whole();
    });
}

/// It ends by itself when its lease does; another goes on; it knows of that when the link is back.
#[test]
fn an_injector_is_cut_off_and_replaced() {
    world::run(|| {
        let (fleet, manager, one) = under_way(Loss::Takeover, CUT + 25);
        world::link(&one, CONTROL, false);
        lasts(CUT);
        world::link(&one, CONTROL, true);
        let found = found(&fleet, CUT + 25, manager);
        found.holds("partition of an injector, takeover", &fleet);
        assert!(found.lost_s() <= 10, "{:#}", found.summary);
    });
}

/// Its machine is cut off from the target too: its requests fail, and are counted as that.
#[test]
fn a_machine_is_cut_off() {
    world::run(|| {
        let (fleet, manager, one) = under_way(Loss::Continue, CUT + 15);
        [CONTROL, DATA].into_iter().for_each(|net| world::link(&one, net, false));
        lasts(CUT);
        [CONTROL, DATA].into_iter().for_each(|net| world::link(&one, net, true));
        let found = found(&fleet, CUT + 15, manager);
        found.holds("partition of an injector's machine", &fleet);
        assert_eq!(found.lost_s(), 0, "{:#}", found.summary);
    });
}

/// The disk of its spool is full: what cannot be kept is not loaded, and its part is named as lost from then on.
#[test]
fn a_disk_is_full() {
    world::run(|| {
        let mut fleet = Fleet::start();
        fleet.join_all(3);
        let spool = fleet.bench.path("spool-small");
        let here = spool.display();
        world::shell(&format!("mkdir {here}; mount -t tmpfs -o size=256k tmpfs {here}"));
        fleet.join("small", &[CONTROL, DATA], &urls(), &[]);
        let manager = fleet.run(20, &["--injectors", "4"]);
        fleet.loaded(5 * RATE);
        world::shell(&format!("! cat /dev/zero >{here}/full 2>/dev/null"));
        let found = found(&fleet, 20, manager);
        found.holds("full disk of an injector's spool", &fleet);
        assert!(found.lost_s() >= 10, "{:#}", found.summary);
        // It takes part in runs again once there is room.
        world::shell(&format!("rm {here}/full"));
        fleet.forget();
        let found = self::found(&fleet, 20, fleet.run(20, &["--injectors", "4"]));
        found.is_whole();
    });
}
