//! What is refused at once, with the reason.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use nmax_fleet::records::Command;
use nmax_fleet::warrant::SigningKey;
use nmax_fleet::{Coordinator, Key};
use nmax_metrics::Nanos;
use nmax_nats::{
    Access, Agreement, Announcement, Broker, Credentials, Level, NatsError, Workers, check, get, look, order, prepare,
    put, users,
};

use crate::server::{Nats, SYNCED, is_missing, until};
use crate::{SIZES, clock};

/// Connects, and says what is refused.
fn refused(access: &Access) -> NatsError {
    Broker::connect(access, clock()).unwrap_err()
}

#[test]
fn a_server_that_is_not_there_is_refused() {
    // A port that nothing listens on, as long as this socket has it.
    let taken = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://127.0.0.1:{}", taken.local_addr().unwrap().port());
    let error = refused(&Access::to(&url));
    assert!(matches!(&error, NatsError::Unreachable { urls, .. } if *urls == url), "{error}");
    assert!(error.to_string().contains("help: start one"), "{error}");
}

#[test]
fn an_old_server_is_refused_by_its_greeting() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("nats://127.0.0.1:{}", listener.local_addr().unwrap().port());
    thread::spawn(move || {
        let (mut client, _) = listener.accept().unwrap();
        let info = "INFO {\"server_id\":\"x\",\"server_name\":\"x\",\"version\":\"2.9.10\",\"host\":\"h\",\"port\":1,\
                    \"headers\":true,\"max_payload\":1048576,\"proto\":1,\"jetstream\":true}\r\n";
        client.write_all(info.as_bytes()).unwrap();
        let mut said = [0; 4096];
        while client.read(&mut said).is_ok_and(|length| length > 0) {
            let _ = client.write_all(b"PONG\r\n");
        }
    });
    let error = refused(&Access::to(&url));
    assert_eq!(error, NatsError::Old { version: "2.9.10".into() });
    assert!(error.to_string().contains("needs 2.12 or later"), "{error}");
}

#[test]
fn wrong_credentials_are_refused() {
    if is_missing() {
        return;
    }
    let server = Nats::with(&format!("{SYNCED}authorization {{ token: right }}\n"));
    let with = |credentials| Access { credentials, ..Access::to(&server.line.url()) };
    for credentials in [Credentials::None, Credentials::Token("wrong".into()), Credentials::File("/none".into())] {
        let error = refused(&with(credentials));
        assert!(matches!(error, NatsError::Credentials { .. }), "{error}");
    }
    Broker::connect(&with(Credentials::Token("right".into())), clock()).unwrap();
    assert_eq!(format!("{:?}", Credentials::Token("right".into())), "Token(..)");
}

#[test]
fn a_server_without_jetstream_is_refused() {
    if is_missing() {
        return;
    }
    let server = Nats::with("");
    let error = refused(&Access::to(&server.line.url()));
    assert!(matches!(error, NatsError::NoJetStream { .. }), "{error}");
}

/// A server without JetStream that is a leaf of one with it serves as well, as the way of a region.
#[test]
fn a_leaf_leads_to_its_hub() {
    if is_missing() {
        return;
    }
    let synced = SYNCED.replace("{ ", "{ domain: hub, ");
    let hub = Nats::with(&format!("{synced}leafnodes {{ listen: \"127.0.0.1:-1\" }}\n"));
    let said = std::fs::read_to_string(hub.folder().join("said")).unwrap();
    let (_, after) = said.split_once("leafnode connections on ").unwrap();
    let address = after.lines().next().unwrap();
    let remote = format!("leafnodes {{ remotes [ {{ url: \"nats://{address}\" }} ] }}\n");
    let leaf = Nats::with(&format!("{remote}default_js_domain: {{ \"$G\": hub }}\n"));
    let broker = until("the way to the hub", || Broker::connect(&Access::to(&leaf.line.url()), clock()).ok());
    prepare(&broker, SIZES).unwrap();
    look(&Broker::connect(&Access::to(&hub.line.url()), clock()).unwrap()).unwrap();
}

#[test]
fn other_machines_need_tls_and_credentials() {
    let mut access = Access::to("nats://192.0.2.1:4222");
    let error = refused(&access);
    assert!(matches!(error, NatsError::Unprotected { missing: "no credentials are given", .. }), "{error}");
    access.urls.push("nats://user:secret@127.0.0.1:4222".into());
    assert!(!refused(&access).to_string().contains("secret"));
}

#[test]
fn a_certificate_of_another_authority_is_refused() {
    if is_missing() {
        return;
    }
    let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (made.cert.pem(), made.signing_key.serialize_pem());
    let folder = std::env::temp_dir().join(format!("nmax-tls-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).unwrap();
        folder.join(name)
    };
    let (certificate, key) = (write("certificate", &certificate), write("key", &key));
    let tls = format!("tls {{ cert_file: {certificate:?}, key_file: {key:?} }}\n");
    let server = Nats::with(&format!("{SYNCED}{tls}"));
    let mut access = Access::to(&server.line.url());
    let error = refused(&access);
    assert!(matches!(error, NatsError::Tls { .. }), "{error}");
    access.tls.authorities.push(certificate);
    prepare(&Broker::connect(&access, clock()).unwrap(), SIZES).unwrap();
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_check_tells_what_to_change() {
    if is_missing() {
        return;
    }
    let server = Nats::with("jetstream { store_dir: \"FOLDER/js\" }\n");
    let access = Access::to(&server.line.url());
    let findings = check(&access, clock(), SIZES);
    let has = |text: &str| findings.iter().any(|finding| finding.what.contains(text));
    assert!(findings.iter().all(|finding| finding.level < Level::Failure), "{findings:#?}");
    assert!(has("without TLS") && has("every client") && has("one server") && has("syncs each"), "{findings:#?}");
    assert!(has("the user may write") && has("ahead of this machine's"), "{findings:#?}");

    let small = nmax_nats::Sizes { results_bytes: 1 << 60, ..SIZES };
    let server = Nats::start();
    let findings = check(&Access::to(&server.line.url()), clock(), small);
    let worst = findings.last().unwrap();
    assert!(worst.level == Level::Failure && worst.what.contains("NMAX_RES"), "{findings:#?}");
}

/// The permissions that are printed are enough for what each does, and no more.
#[test]
fn an_injector_may_take_part_and_not_command() {
    if is_missing() {
        return;
    }
    let users = users("user: manager, password: m", "user: injector, password: i");
    let server = Nats::with(&format!("{SYNCED}authorization {{ {users} }}\n"));
    let connect = |name: &str, password: &str| {
        let credentials = Credentials::User(name.into(), password.into());
        Broker::connect(&Access { credentials, ..Access::to(&server.line.url()) }, clock()).unwrap()
    };
    let (manager, injector) = (connect("manager", "m"), connect("injector", "i"));
    prepare(&manager, SIZES).unwrap();
    look(&injector).unwrap();
    let key = SigningKey::from_seed(&[7; 32]).unwrap();

    let plan = put(&manager, b"a plan").unwrap();
    assert_eq!(get(&injector, &plan).unwrap(), b"a plan");
    let mut ordered = Agreement::new(&manager, "r", "manager", Vec::new()).unwrap();
    let mut taken = Agreement::new(&injector, "r", "i", vec![key.public()]).unwrap();
    until("the spec", || ordered.once(Key::Spec, Some(b"spec")));
    assert_eq!(until("the spec", || taken.once(Key::Spec, None)), b"spec");
    until("the claim", || taken.once(Key::Claim(0), Some(b"i")));
    until("the lease", || taken.lease(0, Nanos::from_secs(15)));
    until("a stamp", || taken.stamps(Nanos::ZERO).pop());
    assert_eq!(crate::results::sent(&injector, "r", 3), crate::results::taken(&manager, "r", "m", 3));
    order(&manager, "r", Command::Stop, &key).unwrap();
    until("the command", || taken.command());
    let worker = nmax_nats::Worker { id: "i".into(), ..Default::default() };
    let workers = Workers::new(&manager);
    let _announced = Announcement::new(&injector, worker.clone()).unwrap();
    until("the worker", || (workers.list() == [worker.clone()]).then_some(()));

    // What it may not, it is told.
    let error = order(&injector, "r", Command::Cut, &key).unwrap_err();
    assert!(matches!(error, NatsError::Denied { .. }), "{error}");
    let mut forged = Agreement::new(&injector, "s", "i", Vec::new()).unwrap();
    let denied = until("the refusal", || {
        assert_eq!(forged.once(Key::Spec, Some(b"mine")), None);
        injector.troubles().into_iter().find(|trouble| trouble.to_string().contains("nmax.ctl.s."))
    });
    assert!(matches!(denied, NatsError::Denied { .. }), "{denied}");
    put(&injector, b"another plan").unwrap_err();
}
