//! Injectors that are there, runs for them, and files.

use nmax_fleet::{Coordinator, Key};
use nmax_nats::{Access, Agreement, Announcement, Broker, NatsError, Offers, Worker, Workers, get, hash, put};

use crate::server::{Nats, is_missing, until};
use crate::{broker, clock};

fn worker(id: &str) -> Worker {
    Worker { id: id.into(), host: "h".into(), cores: 2, capacity: 1000, ..Worker::default() }
}

#[test]
fn injectors_that_leave_or_die_are_not_listed() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = broker(&server);
    let workers = Workers::new(&broker);
    let ids = || workers.list().into_iter().map(|worker| worker.id).collect::<Vec<_>>();
    // A line of its own, to cut.
    let other = Nats::with("");
    other.line.lead_to(server.port);
    let dying = Broker::connect(&Access::to(&other.line.url()), clock()).unwrap();
    let _dies = Announcement::new(&dying, worker("dies")).unwrap();
    let leaves = Announcement::new(&broker, worker("leaves")).unwrap();
    let stays = Announcement::new(&broker, worker("stays")).unwrap();
    until("all three", || (ids() == ["dies", "leaves", "stays"]).then_some(()));
    stays.set(Worker { run: Some("r".into()), ..worker("stays") });
    until("its run", || workers.list().iter().any(|worker| worker.run.as_deref() == Some("r")).then_some(()));
    drop(leaves);
    until("two", || (ids() == ["dies", "stays"]).then_some(()));
    other.line.lead_to(0);
    until("one", || (ids() == ["stays"]).then_some(()));
}

#[test]
fn runs_are_offered_once_each() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = broker(&server);
    let mut offers = Offers::new(&broker);
    let mut seen = Vec::new();
    for run in ["a", "b"] {
        let mut manager = Agreement::new(&broker, run, "m", Vec::new()).unwrap();
        until("the spec", || manager.once(Key::Spec, Some(run.as_bytes())));
        until("the claim", || manager.once(Key::Claim(0), Some(b"x")));
        until("the offer", || {
            seen.extend(offers.take().into_iter().map(|offer| (offer.run, offer.spec)));
            seen.iter().any(|(of, _)| of == run).then_some(())
        });
    }
    assert_eq!(seen, [("a".to_owned(), b"a".to_vec()), ("b".into(), b"b".to_vec())]);
}

#[test]
fn files_are_what_their_names_say() {
    if is_missing() {
        return;
    }
    let server = Nats::start();
    let broker = broker(&server);
    let bytes: Vec<u8> = (0..700_000_u32).map(|n| (n % 251) as u8).collect();
    let name = put(&broker, &bytes).unwrap();
    assert_eq!((name.clone(), put(&broker, &bytes).unwrap()), (hash(&bytes), name.clone()));
    assert_eq!(get(&broker, &name).unwrap(), bytes);
    assert!(matches!(get(&broker, &hash(b"other")), Err(NatsError::File { .. })));
    assert!(matches!(get(&broker, "../../etc/passwd"), Err(NatsError::File { .. })));
    let empty = put(&broker, b"").unwrap();
    assert_eq!(get(&broker, &empty).unwrap(), b"");
    // Someone who may write the store puts other bytes under the name.
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let client = async_nats::connect(server.line.url()).await.unwrap();
        let store = async_nats::jetstream::new(client).get_object_store("nmax_files").await.unwrap();
        store.put(name.as_str(), &mut &b"forged"[..]).await.unwrap();
    });
    let error = get(&broker, &name).unwrap_err();
    assert!(error.to_string().contains("another than its name says"), "{error}");
}
