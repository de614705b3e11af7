//! What injectors agree on.

use std::time::{SystemTime, UNIX_EPOCH};

use nmax_fleet::records::Command;
use nmax_fleet::warrant::SigningKey;
use nmax_fleet::{Coordinator, Key, Lease};
use nmax_metrics::Nanos;
use nmax_metrics::clock::OtherClock;
use nmax_nats::{Access, Agreement, Broker, order, prepare};

use crate::server::{Nats, is_missing, until};
use crate::{broker, clock};

/// The length of a lease that lives long enough for all to see it.
const LENGTH: Nanos = Nanos::from_secs(2);

/// Ten that take part in a run, each over a connection of its own.
fn ten(server: &Nats) -> Vec<Agreement> {
    let connect = |_| Broker::connect(&Access::to(&server.line.url()), clock()).unwrap();
    (0..10).map(|n| Agreement::new(&connect(n), "r", &format!("i{n}"), Vec::new()).unwrap()).collect()
}

#[test]
fn of_ten_who_race_the_first_counts() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let _made = broker(&server);
    let mut all = ten(&server);
    for round in 0..20 {
        let mut values = vec![None; all.len()];
        until("an answer for all", || {
            for (n, (member, value)) in all.iter_mut().zip(&mut values).enumerate() {
                let own = format!("{round} of {n}");
                *value = value.take().or_else(|| member.once(Key::Claim(round), Some(own.as_bytes())));
            }
            values.iter().all(Option::is_some).then_some(())
        });
        let first = values[0].clone();
        assert!(values.iter().all(|value| *value == first), "round {round}: {values:?}");
    }
    // One who comes later sees the same, and only looks.
    let mut late = Agreement::new(&broker(&server), "r", "late", Vec::new()).unwrap();
    let seen = until("the records", || late.barrier(Key::Claim, 20));
    assert_eq!(Some(seen), all[0].barrier(Key::Claim, 20));
    assert_eq!(late.once(Key::Start, None), None);
}

#[test]
fn a_lease_has_one_holder_and_epochs_rise() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = broker(&server);
    let clock = clock();
    let connect = || Broker::connect(&Access::to(&server.line.url()), clock.clone()).unwrap();
    let member = |n: u32| Agreement::new(&connect(), "r", &format!("i{n}"), Vec::new()).unwrap();
    let mut all: Vec<Agreement> = (0..10).map(member).collect();
    // When the holder of each epoch has stopped at the latest.
    let (mut epochs, mut until_last) = (Vec::new(), Nanos::ZERO);
    while epochs.len() < 3 {
        let (holder, epoch, ends) = until("a holder", || {
            let seen = all.iter_mut().enumerate().filter_map(|(n, member)| match member.lease(0, LENGTH) {
                Some(Lease::Mine { epoch, until }) => Some((n, epoch, until)),
                _ => None,
            });
            seen.last()
        });
        let now = clock.now();
        assert!(until_last <= now, "epoch {epoch} began at {now:?}, the one before ended at {until_last:?}");
        // It renews for a while, and all others are told no.
        let renewed = until("a renewal", || {
            for (n, member) in all.iter_mut().enumerate().filter(|(n, _)| *n != holder) {
                assert!(!matches!(member.lease(0, LENGTH), Some(Lease::Mine { .. })), "{n} has it too");
            }
            match all[holder].lease(0, LENGTH) {
                Some(Lease::Mine { epoch: held, until }) => {
                    assert_eq!(held, epoch);
                    (until > ends).then_some(until)
                }
                other => panic!("the holder has {other:?}"),
            }
        });
        (until_last, _) = (renewed, epochs.push(epoch));
        // It is heard of no more.
        drop(all.remove(holder));
    }
    assert_eq!(epochs, [1, 2, 3]);

    // What is let go, another has at once.
    let length = Nanos::from_secs(3600);
    let holder = |member: &mut Agreement, epoch| {
        until("the lease", || match member.lease(1, length) {
            Some(Lease::Mine { epoch: held, .. }) if held == epoch => Some(()),
            _ => None,
        });
    };
    holder(&mut all[0], 1);
    until("the refusal", || (all[1].lease(1, length) == Some(Lease::Other)).then_some(()));
    all[0].release(1);
    all[1].release(1);
    holder(&mut all[1], 2);
    drop(broker);
}

#[test]
fn only_signed_commands_of_this_run_count() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = broker(&server);
    let keys = [1, 2].map(|seed| SigningKey::from_seed(&[seed; 32]).unwrap());
    let mut run = Agreement::new(&broker, "r", "i", vec![keys[0].public()]).unwrap();
    order(&broker, "r", Command::Cut, &keys[1]).unwrap();
    order(&broker, "other", Command::Cut, &keys[0]).unwrap();
    until("the refusal", || (run.refused() == 1).then_some(()));
    assert_eq!(run.command(), None);
    order(&broker, "r", Command::Stop, &keys[0]).unwrap();
    assert_eq!(until("a command", || run.command()), Command::Stop);
    order(&broker, "r", Command::Cut, &keys[0]).unwrap();
    order(&broker, "r", Command::Stop, &keys[0]).unwrap();
    until("the stronger one", || (run.command() == Some(Command::Cut)).then_some(()));
    assert!(Agreement::new(&broker, "r.*", "i", Vec::new()).is_err(), "a run cannot listen to others");
}

#[test]
fn stamps_place_the_clock_of_the_broker() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let clock = clock();
    let broker = Broker::connect(&Access::to(&server.line.url()), clock.clone()).unwrap();
    prepare(&broker, crate::SIZES).unwrap();
    let mut run = Agreement::new(&broker, "r", "i", Vec::new()).unwrap();
    let stamps = until("a stamp", || run.stamps(Nanos::ZERO).pop());
    let mut other = OtherClock::default();
    other.exchanged(&stamps);
    // The server's calendar is this machine's, so the truth is known.
    let (now, calendar) = (clock.now(), SystemTime::now().duration_since(UNIX_EPOCH).unwrap());
    let known = other.offset(now).unwrap();
    let wrong = (known.offset_s + now.as_secs_f64() - calendar.as_secs_f64()).abs();
    assert!(wrong <= known.error_s + 1e-3, "wrong by {wrong} s, said {} s", known.error_s);
}
