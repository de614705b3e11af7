//! Each bad habit as a plain client sees it.

use std::io::ErrorKind;

use super::*;

/// What a plain client gets.
fn ask(server: &BadServer) -> Result<String, ErrorKind> {
    let mut stream = TcpStream::connect(server.address).expect("the server listens");
    stream.write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n").map_err(|error| error.kind())?;
    let mut reply = String::new();
    stream.read_to_string(&mut reply).map_err(|error| error.kind())?;
    Ok(reply)
}

#[test]
fn each_has_its_habit() {
    assert_eq!(ask(&BadServer::start(Habit::NotHttp)).as_deref(), Ok("220 mail.test ESMTP ready\r\n"));
    assert!(ask(&BadServer::start(Habit::ClosesMidReply)).is_ok_and(|reply| reply.ends_with("\r\n\r\nabc")));
    assert!(ask(&BadServer::start(Habit::ClosesAfterReply)).is_ok_and(|reply| reply.ends_with("\r\n\r\nok")));
    assert_eq!(ask(&BadServer::start(Habit::Resets)), Err(ErrorKind::ConnectionReset));
}

#[test]
fn silence_ends_with_the_server() {
    let server = BadServer::start(Habit::Silent);
    let address = server.address;
    let mut stream = TcpStream::connect(address).expect("the server listens");
    stream.write_all(b"GET / HTTP/1.1\r\nhost: h\r\n\r\n").expect("the kernel takes it");
    while server.connections() == 0 {
        std::thread::yield_now();
    }
    drop(server);
    assert!(TcpStream::connect(address).is_err(), "it stopped");
}

#[test]
fn nobody_listens_at_a_refusing_url() {
    let url = refusing_url();
    let address = url.strip_prefix("http://").expect("it is a plain URL");
    assert!(TcpStream::connect(address).is_err());
}
