use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};

use proptest::prelude::*;

use super::*;

fn value(readings: &[Reading], metric: &str) -> Option<f64> {
    readings.iter().find(|reading| reading.metric == metric).map(|reading| reading.value)
}

/// Both ends of each are this process's. On the loopback a round trip takes microseconds and nothing is lost.
#[test]
fn connections_of_this_process_are_seen() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let held: Vec<_> = (0..20)
        .map(|_| {
            let mut client = TcpStream::connect(address).unwrap();
            let (mut server, _) = listener.accept().unwrap();
            client.write_all(b"?").unwrap();
            server.read_exact(&mut [0]).unwrap();
            server.write_all(b"!").unwrap();
            client.read_exact(&mut [0]).unwrap();
            (client, server)
        })
        .collect();
    let mut connections = Connections::new();
    let first = connections.read(Nanos::ZERO).unwrap();
    let sampled = value(&first, "sampled_count").unwrap();
    assert!((40.0..=SAMPLED_MAX as f64).contains(&sampled), "{first:?}");
    let (rtt_ms, p95_ms) = (value(&first, "rtt_ms").unwrap(), value(&first, "rtt_p95_ms").unwrap());
    assert!(rtt_ms > 0.0 && rtt_ms <= p95_ms && p95_ms < 1_000.0, "{first:?}");
    assert_eq!(value(&first, "retransmitted_per_s"), None, "a rate needs two looks");
    assert!(connections.read(Nanos::ZERO).unwrap().is_empty(), "it took some time");
    let later = connections.read(Nanos::from_secs(100)).unwrap();
    assert!(value(&later, "retransmitted_per_s").is_some(), "{later:?}");
    drop(held);
}

/// Law: what one row of an answer says comes out, whatever stands before it; a foreign or cut answer says nothing false.
#[test]
fn an_answer_is_taken_apart() {
    let mut info = vec![0_u8; 160];
    info[68..72].copy_from_slice(&1_500_u32.to_ne_bytes());
    info[100..104].copy_from_slice(&7_u32.to_ne_bytes());
    info[148..152].copy_from_slice(&900_u32.to_ne_bytes());
    let attribute = |kind: u16, body: &[u8]| {
        let length = 4 + body.len();
        let mut bytes = [(length as u16).to_ne_bytes(), kind.to_ne_bytes()].concat();
        bytes.extend(body);
        bytes.resize(length.next_multiple_of(4), 0);
        bytes
    };
    let message = |kind: u16, body: &[u8]| {
        let mut bytes = ((16 + body.len()) as u32).to_ne_bytes().to_vec();
        bytes.extend(kind.to_ne_bytes());
        bytes.extend([0; 10]);
        bytes.extend(body);
        bytes
    };
    let mut body = vec![0; 72];
    body[68..72].copy_from_slice(&4_711_u32.to_ne_bytes());
    let row = [body, attribute(8, &[0]), attribute(2, &info)].concat();
    let want = Row { inode: 4_711, rtt_us: 1_500, rtt_min_us: Some(900), sent_again: 7 };
    let answer = [message(20, &row), message(3, &[0; 4])].concat();
    let batch = diag::parse(&answer);
    assert_eq!((batch.rows.as_slice(), batch.is_last, batch.error), ([want].as_slice(), true, None));
    for cut in 0..answer.len() {
        let batch = diag::parse(&answer[..cut]);
        assert!(batch.rows.iter().all(|row| *row == want));
    }
    let refused = diag::parse(&message(2, &(-2_i32).to_ne_bytes()));
    assert_eq!(refused.error, Some(2));
}

#[test]
fn quantiles_are_values_that_occur() {
    // values, q, quantile
    let cases = [
        (vec![], 0.5, None),
        (vec![9], 0.95, Some(9)),
        (vec![4, 1, 3, 2], 0.5, Some(2)),
        ((1..=100).collect(), 0.95, Some(95)),
    ];
    for (mut values, q, want) in cases {
        assert_eq!(quantile(&mut values, q), want);
    }
}

proptest! {
    /// Law: no bytes make it fail or loop.
    #[test]
    fn any_bytes_are_an_answer(bytes in proptest::collection::vec(any::<u8>(), 0..300), lengths in any::<[u8; 3]>()) {
        diag::parse(&bytes);
        // Lengths that make sense lead further in.
        let mut near = bytes;
        for (at, length) in lengths.into_iter().enumerate() {
            let at = at * 16;
            if near.len() > at + 6 {
                near[at..at + 6].copy_from_slice(&[length, 0, 0, 0, 20, 0]);
            }
        }
        diag::parse(&near);
    }
}

/// A host that is short of descriptors or memory for a moment, or slow, is asked again; a kernel that cannot tell is not.
#[test]
fn what_may_pass_is_tried_again() {
    for code in [11, 12, 24, 105, 110] {
        let found = trouble(&std::io::Error::from_raw_os_error(code));
        assert!(!found.is_final, "{code}: {found:?}");
        assert!(found.text.contains("round trips are not seen"), "{found:?}");
    }
    for code in [1, 2, 13, 22, 93, 95, 97] {
        assert!(trouble(&std::io::Error::from_raw_os_error(code)).is_final, "{code}");
    }
}
