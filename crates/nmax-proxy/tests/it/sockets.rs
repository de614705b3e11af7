//! WebSockets and other upgrades: the server decides, and what is said is recorded.

use nmax_import::recording::{Kind, header};
use nmax_testkit::servers::SocketEcho;

use crate::bench::{Bench, Client, server};

/// A frame of a client, masked.
fn frame(first: u8, content: &[u8]) -> Vec<u8> {
    let mask = [7, 77, 177, 250];
    let mut frame = vec![first];
    match u8::try_from(content.len()) {
        Ok(short) if short < 126 => frame.push(0x80 | short),
        _ => {
            frame.push(0x80 | 126);
            frame.extend(u16::try_from(content.len()).unwrap().to_be_bytes());
        }
    }
    frame.extend(mask);
    frame.extend(content.iter().enumerate().map(|(at, byte)| byte ^ mask[at % 4]));
    frame
}

fn begin(client: &mut Client, target: &str) {
    client.send(format!(
        "GET {target} HTTP/1.1\r\nHost: x\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n\
         Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\
         Sec-WebSocket-Protocol: chat.v2, chat.v1\r\nSec-WebSocket-Extensions: permessage-deflate\r\n\r\n"
    ));
}

#[test]
fn a_websocket_passes_with_its_subprotocol_and_its_messages_are_recorded() {
    let echo = SocketEcho::start();
    let mut bench = Bench::new();
    // As browsers do, through a tunnel although it is not encrypted.
    let mut client = bench.client();
    client.send(format!("CONNECT {0} HTTP/1.1\r\nHost: {0}\r\n\r\n", echo.address()));
    assert!(client.head().starts_with("HTTP/1.1 200 "));
    begin(&mut client, "/room?id=7");
    let head = client.head();
    assert!(head.starts_with("HTTP/1.1 101 "), "{head}");
    assert!(head.contains("sec-websocket-protocol: chat.v2\r\n"), "{head}");
    // RFC 6455, section 1.3.
    assert!(head.contains("sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n"), "{head}");
    assert!(head.contains("x-extensions: \r\n"), "nothing is offered that could not be read: {head}");
    let long = "l".repeat(40_000);
    for (first, content) in [
        (0x81, "hello".as_bytes()),
        (0x01, b"in "),
        (0x89, b"ping"),
        (0x00, b"three "),
        (0x80, b"parts"),
        (0x82, &[0, 255, 1]),
        (0x81, long.as_bytes()),
    ] {
        client.send(frame(first, content));
        let header = if content.len() < 126 { 2 } else { 4 };
        let back = client.bytes(header + content.len());
        assert_eq!((back[0], &back[header..]), (first, content), "the frame comes back");
    }
    client.send(frame(0x88, &[3, 232]));
    client.bytes(4);
    drop(client);
    let entry = bench.entry();
    assert_eq!(entry.kind, Kind::Socket);
    assert_eq!(entry.request.url, format!("http://{}/room?id=7", echo.address()));
    assert_eq!(entry.response.as_ref().unwrap().status, 101);
    assert!(header(&entry.request.headers, "sec-websocket-key").is_some());
    for is_sent in [true, false] {
        let said: Vec<(u8, &str)> = entry
            .messages
            .iter()
            .filter(|message| message.is_sent == is_sent)
            .map(|message| (message.opcode, message.data.as_str()))
            .collect();
        let want = [(1, "hello"), (1, "in three parts"), (2, "AP8B"), (1, long.as_str())];
        assert_eq!(said, want, "sent: {is_sent}");
    }
    assert!(entry.messages.is_sorted_by_key(|message| message.at_us));
    assert!(entry.messages.iter().all(|message| message.at_us >= entry.sent_us));
}

#[test]
fn a_refusal_of_the_server_is_what_the_client_gets() {
    let echo = SocketEcho::start();
    let mut bench = Bench::new();
    let mut client = bench.client();
    begin(&mut client, &format!("http://{}/refused", echo.address()));
    let answer = client.answer("GET");
    assert_eq!((answer.status(), answer.text().as_str()), (401, "no!\n"));
    let entry = bench.entry();
    assert_eq!((entry.kind, entry.response.unwrap().status), (Kind::Socket, 401));
}

#[test]
fn another_protocol_passes_as_it_is() {
    let url = server(|mut client| {
        let head = client.head();
        assert!(head.to_ascii_lowercase().contains("upgrade: tardis/1"), "{head}");
        client.send("HTTP/1.1 101 Go\r\nConnection: upgrade\r\nUpgrade: tardis/1\r\n\r\nwelcome");
        let said = client.bytes(5);
        client.send(said);
    });
    let mut bench = Bench::new();
    let mut client = bench.client();
    client.send(format!("GET {url}/ HTTP/1.1\r\nHost: x\r\nConnection: upgrade\r\nUpgrade: tardis/1\r\n\r\n"));
    assert!(client.head().starts_with("HTTP/1.1 101 "));
    assert_eq!(client.bytes(7), b"welcome");
    client.send([0xff, 0, 1, 2, 3]);
    assert_eq!(client.bytes(5), [0xff, 0, 1, 2, 3]);
    drop(client);
    let entry = bench.entry();
    assert_eq!((entry.response.unwrap().status, entry.messages.len()), (101, 0));
}

#[test]
fn an_offer_of_http2_without_tls_is_not_taken() {
    let url = server(|mut client| {
        let head = client.head().to_ascii_lowercase();
        let has_offer = head.contains("upgrade") || head.contains("http2-settings");
        client.send(format!("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n{has_offer:5}"));
    });
    let bench = Bench::new();
    let mut client = bench.client();
    client.send(format!(
        "GET {url}/ HTTP/1.1\r\nHost: x\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n"
    ));
    assert_eq!(client.answer("GET").text(), "false");
}

#[test]
fn events_of_a_stream_are_recorded_one_by_one() {
    let url = server(|mut client| {
        client.head();
        client.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\ndata: one\n\nda");
        client.send("ta: two\n\n");
    });
    let mut bench = Bench::new();
    assert_eq!(bench.client().get(&url).text(), "data: one\n\ndata: two\n\n");
    let entry = bench.entry();
    assert_eq!(entry.kind, Kind::Events);
    let said: Vec<&str> = entry.messages.iter().map(|message| message.data.as_str()).collect();
    assert_eq!(said, ["one", "two"]);
}
