use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, listen, socket_with};

use super::*;
use crate::fixture::{Fake, SLACK};

fn connect(server: &Fake) -> Link {
    Link::open(&ServiceAddress::parse(&server.address.to_string(), 1).unwrap()).unwrap()
}

#[test]
fn lines_and_bytes_come_in_turn() {
    let server = Fake::start(|mut stream| {
        // In pieces that end anywhere.
        for piece in ["one\r", "\ntw", "o\n12345", "678three\n"] {
            stream.write_all(piece.as_bytes()).unwrap();
            stream.flush().unwrap();
        }
        None
    });
    let mut link = connect(&server);
    assert_eq!(link.line().unwrap(), b"one");
    assert_eq!(link.line().unwrap(), b"two");
    assert_eq!(link.bytes(8).unwrap(), b"12345678");
    assert_eq!(link.line().unwrap(), b"three");
    assert_eq!(link.line().unwrap_err(), Broken::Gone);
}

#[test]
fn whoever_says_nothing_is_left_in_time() {
    let server = Fake::hangs();
    let mut link = connect(&server);
    let begin = now();
    assert_eq!(link.line().unwrap_err(), Broken::Late);
    assert!(begin.elapsed() < PATIENCE + SLACK);
}

#[test]
fn whoever_drips_is_left_in_time() {
    // A byte now and then keeps each wait short; the whole is limited.
    let server = Fake::start(|mut stream| {
        let _ = stream.set_read_timeout(Some(Duration::from_millis(100)));
        for _ in 0..50 {
            stream.write_all(b"x").ok()?;
            let _ = stream.read(&mut [0]);
        }
        None
    });
    let mut link = connect(&server);
    let begin = now();
    assert_eq!(link.line().unwrap_err(), Broken::Late);
    assert!(begin.elapsed() < PATIENCE + SLACK);
}

#[test]
fn answers_without_end_are_cut_off() {
    let server = Fake::endless("", "and so on and so on and so on");
    let mut link = connect(&server);
    assert_eq!(link.line().unwrap_err(), Broken::Long);
    assert_eq!(connect(&server).bytes(usize::MAX).unwrap_err(), Broken::Long);
}

#[test]
fn nobody_there_and_no_such_name() {
    let server = Fake::hangs();
    let place = ServiceAddress::parse(&server.address.to_string(), 1).unwrap();
    drop(server);
    let broken = Link::open(&place).map(drop).unwrap_err();
    assert_eq!(broken.trouble("db1").text, "db1: connection refused");
    let place = ServiceAddress::parse("no-such-name.invalid", 1).unwrap();
    let broken = Link::open(&place).map(drop).unwrap_err();
    assert!(broken.trouble("db1").text.contains("name is not found"), "{broken:?}");
}

#[test]
fn a_full_queue_is_left_in_time() {
    let path = std::env::temp_dir().join(format!("nmax-queue-{}", std::process::id()));
    let address = SocketAddrUnix::new(&path).unwrap();
    let server = socket_with(AddressFamily::UNIX, SocketType::STREAM, SocketFlags::CLOEXEC, None).unwrap();
    bind(&server, &address).unwrap();
    listen(&server, 0).unwrap();
    let place = ServiceAddress { host: path.to_str().unwrap().to_owned(), ..ServiceAddress::parse("h", 1).unwrap() };
    // It takes nobody, and has room for one.
    let first = Link::open(&place).unwrap();
    let begin = now();
    assert_eq!(Link::open(&place).map(drop).unwrap_err(), Broken::Late);
    assert!(begin.elapsed() < PATIENCE + SLACK);
    drop((first, server));
    assert!(matches!(Link::open(&place).map(drop), Err(Broken::Failed(_))));
    std::fs::remove_file(&path).unwrap();
}

#[test]
fn words_of_a_server_are_short_and_hold_no_secret() {
    let text = server_text(b"ERR unknown command AUTH s3cret\r\n\x1b[31m", Some("s3cret"));
    assert_eq!(text, "ERR unknown command AUTH ***\\r\\n\\u001b[31m");
    assert_eq!(server_text("x".repeat(1_000).as_bytes(), Some("")).len(), SAID_CHARS);
}

#[test]
fn words_of_a_server_can_be_read() {
    // what it said, the secret, what is shown
    let cases = [
        ("role \"nobody\" isn't there", None, "role \"nobody\" isn't there"),
        ("database \"nodb\" does not exist", Some("x"), "database \"nodb\" does not exist"),
        ("AUTH x failed, x", Some("x"), "AUTH *** failed, ***"),
        ("key \u{e9}x x\u{e9}", Some("x"), "key \u{e9}x x\u{e9}"),
        ("AUTH mys3cretword", Some("s3cret"), "AUTH my***word"),
        ("a\tb\u{202e}", None, "a\\tb\\u202e"),
    ];
    for (text, secret, want) in cases {
        assert_eq!(server_text(text.as_bytes(), secret), want);
    }
}
