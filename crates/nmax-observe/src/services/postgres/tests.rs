use super::*;
use crate::fixture::{Fake, reading};

fn rows(rows: &[&[&str]]) -> Rows {
    let cell = |text: &&str| Some((*text).to_owned());
    rows.iter().map(|row| row.iter().map(cell).collect()).collect()
}

fn found(counters: &[&str], sessions: &[Rows]) -> PostgresReading {
    PostgresReading {
        counters: vec![rows(&[counters]), rows(&[&["2"]]), rows(&[&["100", "on", "1.5"]])],
        sessions: sessions.to_vec(),
        took: Duration::from_millis(800),
    }
}

#[test]
fn sessions_are_a_mean_and_counters_are_rates() {
    let samples = [
        rows(&[&["running", "2"], &["IO", "8"], &["Timeout", "1"], &["idle", "5"]]),
        rows(&[&["running", "4"], &["Lock", "1"], &["idle", "10"], &["idle in transaction", "1"]]),
    ];
    let mut rates = Rates::default();
    let mut look = |second, counters: &[&str]| {
        let found = found(counters, &samples);
        let sessions = Sessions::mean(&found.sessions).unwrap();
        readings(Nanos::from_secs(second), &found, &sessions, &mut rates, "shop")
    };
    look(1, &["100", "1", "10", "90", "1000", "7", "0", "0", "100"]);
    let told = look(3, &["312", "3", "30", "270", "5000", "9", "8192", "1", "1100"]);
    let value = |metric| reading(&told, "database shop", metric).value;
    assert_eq!(found(&[], &[]).version(), None, "a server that does not say it, as poolers");
    assert_eq!(value("running_count"), 3.0);
    assert_eq!(value("wait_io_count"), 4.0);
    assert_eq!(value("wait_lock_count"), 0.5);
    assert_eq!(value("wait_other_count"), 0.5);
    assert_eq!(value("active_count"), 8.0);
    assert_eq!(value("idle_in_transaction_count"), 0.5);
    assert_eq!(value("connections_count"), 16.0);
    assert_eq!(value("connections_limit_count"), 100.0);
    assert_eq!(value("locks_waiting_count"), 2.0);
    // 212 in 2 s, of which 6 were those of the reading itself.
    assert_eq!(value("commits_per_s"), 103.0);
    assert_eq!(value("hit_ratio"), 0.9);
    // A second of reading in two seconds.
    assert_eq!(value("reading_count"), 0.5);
    assert_eq!(reading(&told, "operations shop rows", "operations_per_s").value, 2_000.0);
    assert_eq!(reading(&told, "operations shop transactions", "operations_per_s").value, 104.0);
    assert_eq!(reading(&told, "operations shop blocks", "operations_per_s").value, 10.0);
    // The looks took 0.8 s: this is their middle.
    let at = reading(&told, "database shop", "active_count").at;
    assert_eq!(at, Some(Nanos(3_400_000_000)));
}

#[test]
fn sums_that_fall_are_no_growth() {
    let mut rates = Rates::default();
    let mut commits = |second, counters: &[&str]| {
        let found = found(counters, &[rows(&[])]);
        let sessions = Sessions::mean(&found.sessions).unwrap();
        let told = readings(Nanos::from_secs(second), &found, &sessions, &mut rates, "shop");
        let found = told.iter().find(|reading| reading.metric == "commits_per_s");
        found.map(|reading| reading.value)
    };
    assert_eq!(commits(1, &["900100", "1"]), None);
    assert_eq!(commits(2, &["900206", "1"]), Some(100.0));
    // A database is dropped, of which most of them were.
    assert_eq!(commits(3, &["500", "0"]), None);
    assert_eq!(commits(4, &["556", "0"]), Some(50.0));
    // Also where only one of the sums falls.
    assert_eq!(commits(5, &["562", "-1"]), None);
}

#[test]
fn what_is_hidden_is_said_once() {
    let mut notes = Notes::default();
    let mut hidden = found(&[], &[rows(&[&["hidden", "3"], &["disabled", "1"]])]);
    hidden.counters[2] = rows(&[&["100", "off", "0"]]);
    let sessions = Sessions::mean(&hidden.sessions).unwrap();
    notes.examine(&sessions, &hidden, "monitor");
    notes.examine(&sessions, &hidden, "monitor");
    assert_eq!(notes.waiting.len(), 3, "{:?}", notes.waiting);
    assert!(notes.waiting[0].contains("GRANT pg_monitor TO monitor"), "{:?}", notes.waiting);
    assert_eq!(sessions.active(), 0.0);
}

#[test]
fn places_of_servers() {
    let cases = [
        ("postgres://db1/shop", Some("db1:5432")),
        ("postgresql://app@db1:6000/shop?sslmode=disable", Some("db1:6000")),
        ("postgres:///shop", Some("/var/run/postgresql/.s.PGSQL.5432")),
        ("postgres://%2Frun%2Fpg:6000/shop", Some("/run/pg/.s.PGSQL.6000")),
        ("postgres:///shop?host=/run/pg", Some("/run/pg/.s.PGSQL.5432")),
        ("postgres://db1/shop?sslmode=verify-full&sslrootcert=ca.pem", Some("db1:5432")),
    ];
    for (url, want) in cases {
        assert_eq!(place(url).ok().map(|place| place.title()).as_deref(), want, "{url}");
    }
}

#[test]
fn a_wrong_mode_is_said_without_the_password() {
    let url = "postgres://app:s3cret@db1/shop?sslmode=verify";
    let trouble = source(url, "shop", Duration::from_secs(1)).read(Nanos(0)).unwrap_err();
    assert!(trouble.is_final && trouble.text.contains("`verify` is not an `sslmode`"), "{trouble}");
    assert!(!trouble.text.contains("s3cret"), "{trouble}");
}

#[test]
fn whoever_says_nothing_is_named() {
    let server = Fake::hangs();
    let url = format!("postgres://app:s3cret@{}/shop", server.address);
    let trouble = source(&url, "shop", Duration::from_secs(1)).read(Nanos(0)).unwrap_err();
    assert_eq!(trouble.text, format!("{} did not answer within 2 s", server.address));
    assert!(!trouble.is_final);
}
