use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;

use proptest::prelude::*;

use super::*;
use crate::fixture::{Fake, value};

/// One command of a client; `None` when it has gone.
fn heard(stream: &mut BufReader<TcpStream>) -> Option<Vec<String>> {
    let mut line = || {
        let mut line = String::new();
        let count = stream.read_line(&mut line).ok()?;
        (count > 0).then(|| line.trim_end().to_owned())
    };
    let words: usize = line()?.strip_prefix('*')?.parse().ok()?;
    (0..words)
        .map(|_| {
            line()?;
            line()
        })
        .collect()
}

/// A server that answers each command.
fn redis(mut answer: impl FnMut(&[String]) -> String + Send + 'static) -> Fake {
    Fake::start(move |stream| {
        let mut stream = BufReader::new(stream);
        while let Some(words) = heard(&mut stream) {
            stream.get_mut().write_all(answer(&words).as_bytes()).unwrap();
        }
        None
    })
}

fn bulk(text: &str) -> String {
    format!("${}\r\n{text}\r\n", text.len())
}

#[test]
fn figures_are_those_between_two_looks() {
    let mut looks = 0;
    let server = redis(move |words| {
        assert_eq!(words, ["INFO"]);
        looks += 1;
        let commands = looks * 101;
        let hits = looks * 30;
        bulk(&format!(
            "# Clients\r\nconnected_clients:8\r\nmaxclients:100\r\nmaxmemory:0\r\nused_memory:4096\r\n\
             total_commands_processed:{commands}\r\nkeyspace_hits:{hits}\r\nkeyspace_misses:{looks}0\r\n\
             used_cpu_sys_main_thread:0.{looks}\r\nused_cpu_user_main_thread:0.{looks}5\r\nrole:master\r\n"
        ))
    });
    let mut source = source(&format!("redis://{}", server.address), "cache");
    source.read(Nanos::from_secs(1)).unwrap();
    let readings = source.read(Nanos::from_secs(2)).unwrap();
    assert_eq!(value(&readings, "redis cache", "connections_count"), 7.0);
    // One command of the second was the question itself.
    assert_eq!(value(&readings, "operations cache commands", "operations_per_s"), 100.0);
    assert_eq!(value(&readings, "redis cache", "hit_ratio"), 0.75);
    assert!((value(&readings, "pool cache thread", "in_use_count") - 0.2).abs() < 1e-9);
    assert_eq!(value(&readings, "pool cache thread", "limit_count"), 1.0);
    let limit = readings.iter().find(|reading| reading.metric == "memory_limit_bytes");
    assert_eq!(limit, None, "0 stands for no limit");
}

#[test]
fn user_and_password_are_said_once_per_connection() {
    let mut heard = Vec::new();
    let server = redis(move |words| {
        heard.push(words.join(" "));
        match &*heard {
            [first] if first == "AUTH app s3@cret" => "+OK\r\n".into(),
            [_, second] if second == "INFO" => bulk("connected_clients:1\r\n"),
            [_, _, third] if third == "INFO" => bulk("connected_clients:1\r\n"),
            _ => format!("-ERR heard {heard:?}\r\n"),
        }
    });
    let mut source = source(&format!("redis://app:s3%40cret@{}", server.address), "cache");
    source.read(Nanos::from_secs(1)).unwrap();
    source.read(Nanos::from_secs(2)).unwrap();
}

#[test]
fn refusals_are_final_or_not_and_never_show_the_password() {
    // said by the server, is final, says
    let cases = [
        ("-NOAUTH Authentication required.\r\n", true, "wants a password"),
        ("-WRONGPASS invalid username-password pair s3cret\r\n", true, "does not take the password"),
        ("-NOPERM this user has no permissions to run the 'info' command\r\n", true, "grant `+info`"),
        ("-DENIED Redis is running in protected mode\r\n", true, "refuses this host"),
        ("-LOADING Redis is loading the dataset in memory\r\n", false, "LOADING"),
        ("-ERR max number of clients reached\r\n", false, "as many clients as it may"),
        ("-ERR unknown command `AUTH`, with args: `s3cret`\r\n", false, "the error ERR"),
        ("----s3cret BEGIN----\r\n", false, "answers with an error"),
        ("HTTP/1.1 400 Bad Request\r\n", false, "does not speak Redis's protocol"),
        ("$oops\r\n", false, "does not speak Redis's protocol"),
        ("$99999999999999999999\r\n", false, "does not speak Redis's protocol"),
        ("$18446744073709551615\r\n", false, "more than 1 MiB"),
    ];
    for (said, is_final, says) in cases {
        let server = redis(|_| said.to_owned());
        let url = format!("redis://app:s3cret@{}", server.address);
        let trouble = source(&url, "cache").read(Nanos(0)).unwrap_err();
        assert_eq!(trouble.is_final, is_final, "{trouble}");
        assert!(trouble.text.contains(says) && !trouble.text.contains("s3cret"), "{trouble}");
        assert!(trouble.text.contains(&server.address.to_string()), "{trouble}");
    }
    let trouble = source("redis://:s3cret@cache?ca=x", "cache").read(Nanos(0)).unwrap_err();
    assert!(trouble.is_final && trouble.text.contains("without TLS"), "{trouble}");
}

#[test]
fn a_kept_connection_that_was_closed_is_made_anew() {
    let server = Fake::start(|stream| {
        let mut stream = BufReader::new(stream);
        heard(&mut stream)?;
        stream.get_mut().write_all(bulk("connected_clients:1\r\n").as_bytes()).unwrap();
        None
    });
    let mut source = source(&format!("redis://{}", server.address), "cache");
    for second in 1..4 {
        source.read(Nanos::from_secs(second)).unwrap();
    }
}

#[test]
fn whoever_says_nothing_is_named() {
    let server = Fake::hangs();
    let trouble = source(&format!("redis://{}", server.address), "cache").read(Nanos(0)).unwrap_err();
    assert_eq!(trouble.text, format!("{} did not answer within 2 s", server.address));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    /// No answer makes it panic, or makes a figure that is no number.
    #[test]
    fn anything_may_be_answered(info in "([a-z_]{1,8}|connected_clients|used_memory|[:\r\n]|NaN|inf|-?[0-9]{1,20}){0,30}") {
        let numbers = numbers(info.lines(), ':');
        let mut rates = Rates::default();
        for second in 1..3 {
            let readings = readings(Nanos::from_secs(second), &numbers, &mut rates, "cache");
            prop_assert!(readings.iter().all(|reading| reading.value.is_finite()));
        }
    }
}
