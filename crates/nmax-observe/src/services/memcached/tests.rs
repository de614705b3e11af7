use std::io::{BufRead, BufReader, Write};

use super::*;
use crate::fixture::{Fake, value};

/// A server that answers each line.
fn memcached(mut answer: impl FnMut() -> String + Send + 'static) -> Fake {
    Fake::start(move |stream| {
        let mut stream = BufReader::new(stream);
        let mut line = String::new();
        while stream.read_line(&mut line).is_ok_and(|count| count > 0) {
            assert_eq!(line, "stats\r\n");
            line.clear();
            stream.get_mut().write_all(answer().as_bytes()).unwrap();
        }
        None
    })
}

#[test]
fn figures_are_those_between_two_looks() {
    let mut looks = 0;
    let server = memcached(move || {
        looks += 1;
        format!(
            "STAT version 1.6.18\r\nSTAT threads 4\r\nSTAT curr_connections 11\r\nSTAT rusage_user 0.{looks}00000\r\n\
             STAT rusage_system 0.{looks}50000\r\nSTAT cmd_get {looks}000\r\nSTAT cmd_set {looks}0\r\n\
             STAT get_hits {looks}00\r\nSTAT get_misses {looks}00\r\nSTAT limit_maxbytes 67108864\r\nEND\r\n"
        )
    });
    let mut source = source(&server.address.to_string(), "cache");
    source.read(Nanos::from_secs(1)).unwrap();
    let readings = source.read(Nanos::from_secs(2)).unwrap();
    assert_eq!(source.about().as_deref(), Some("memcached 1.6.18"));
    assert_eq!(value(&readings, "memcached cache", "connections_count"), 10.0);
    assert_eq!(value(&readings, "memcached cache", "hit_ratio"), 0.5);
    assert_eq!(value(&readings, "operations cache gets", "operations_per_s"), 1_000.0);
    assert_eq!(value(&readings, "operations cache sets", "operations_per_s"), 10.0);
    assert!((value(&readings, "pool cache threads", "in_use_count") - 0.2).abs() < 1e-9);
    assert_eq!(value(&readings, "pool cache threads", "limit_count"), 4.0);
}

#[test]
fn what_is_no_memcached_is_said() {
    let cases = [
        ("CLIENT_ERROR unauthenticated\r\n", true, "wants a user"),
        ("ERROR\r\n", false, "does not speak memcached's text protocol"),
        ("STAT a 1\r\n<html>\r\n", false, "does not speak memcached's text protocol"),
    ];
    for (said, is_final, says) in cases {
        let server = memcached(|| said.to_owned());
        let trouble = source(&server.address.to_string(), "cache").read(Nanos(0)).unwrap_err();
        assert_eq!(trouble.is_final, is_final, "{trouble}");
        assert!(trouble.text.contains(says) && !trouble.text.contains("html"), "{trouble}");
    }
    let endless = Fake::endless("", "STAT a 1\r\n");
    let trouble = source(&endless.address.to_string(), "cache").read(Nanos(0)).unwrap_err();
    assert!(trouble.text.contains("more than 1 MiB"), "{trouble}");
}
