//! What injectors agree on.

use std::collections::{BTreeMap, BTreeSet};
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
    // Who has the lease in which epoch, and until when at most. Each is heard of no more after it renewed.
    let (mut seen, mut gone) = (BTreeMap::<u32, (usize, Nanos, u32)>::new(), BTreeSet::new());
    until("three holders", || {
        for (n, member) in all.iter_mut().enumerate() {
            let lease = if gone.contains(&n) { None } else { member.lease(0, LENGTH) };
            let Some(Lease::Mine { epoch, until }) = lease else { continue };
            let now = clock.now();
            if until <= now {
                continue;
            }
            let (last, (_, ends, _)) = seen.last_key_value().map_or((0, (n, Nanos::ZERO, 0)), |(e, of)| (*e, *of));
            assert!(epoch >= last, "{n} has epoch {epoch} after {last}");
            assert!(epoch == last || ends <= now, "epoch {epoch} began at {now:?}, {last} ends at {ends:?}");
            let (holder, ends, renewals) = seen.entry(epoch).or_insert((n, until, 0));
            assert_eq!(*holder, n, "two have epoch {epoch}");
            *renewals += u32::from(until > *ends);
            *ends = until;
            if *renewals == 2 {
                gone.insert(n);
            }
        }
        (gone.len() == 3).then_some(())
    });

    // What is let go, another has at once, and not when it ends.
    let length = Nanos::from_secs(3600);
    let mut holder = |n: usize, epoch| {
        until("the lease", || match all[n].lease(1, length) {
            Some(Lease::Mine { epoch: held, .. }) if held == epoch => Some(()),
            Some(Lease::Other) => {
                // It asks anew.
                all[n].release(1);
                None
            }
            _ => None,
        });
        all[n].release(1);
    };
    (1..=4).for_each(|epoch| holder(epoch as usize % 2, epoch));
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
    until("the refusal", || (broker.refusals().values().sum::<u64>() == 1).then_some(()));
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
    let (before, calendar) = (clock.now(), SystemTime::now().duration_since(UNIX_EPOCH).unwrap());
    let after = clock.now();
    let known = other.offset(after).unwrap();
    let [least, most] = [after, before].map(|now| calendar.as_secs_f64() - now.as_secs_f64());
    let (offset, error) = (known.offset_s, known.error_s + 1e-6);
    assert!((least - error..=most + error).contains(&offset), "{offset} ± {error} s, truly {least} to {most}");
}
