//! `nmax data`: files made, masked and checked by a real process.

use std::collections::HashMap;
use std::fs;

use crate::bench::{Bench, count, number};
use crate::schema::assert_schema;

/// The cells of a file without quotes.
fn rows(bench: &Bench, name: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(bench.path(name)).unwrap();
    text.lines().map(|line| line.split(',').map(str::to_owned).collect()).collect()
}

#[test]
fn parts_are_the_whole() {
    let bench = Bench::new();
    let generate = |more: &str| {
        let args = format!("data generate person --columns email,last_name --unique email --seed 7 {more}");
        bench.nmax(&args.split(' ').collect::<Vec<_>>()).exits(0).stdout
    };
    let whole = generate("-n 3k");
    assert_eq!(whole.lines().count(), 3001);
    let parts =
        generate("-n 1k").lines().chain(generate("-n 2000 --from 1k").lines().skip(1)).collect::<Vec<_>>().join("\n");
    assert_eq!(whole.trim_end(), parts);
    let other = bench.nmax(&["data", "generate", "person", "-n", "5", "--format", "jsonl", "--seed", "7"]).exits(0);
    let first: serde_json::Value = serde_json::from_str(other.stdout.lines().next().unwrap()).unwrap();
    assert_eq!(whole.lines().nth(1).unwrap().split(',').nth(1).unwrap(), first["last_name"], "the same person");
}

#[test]
fn skew_is_told_and_repeats_are_found() {
    let bench = Bench::new();
    bench
        .nmax(&["data", "generate", "person", "-n", "20k", "-o", "people.csv"])
        .exits(0)
        .says(&["20,000 records", "last_name", "Gini"]);
    let shown = bench
        .nmax(&["data", "check", "people.csv", "--column", "last_name", "--unique", "email", "--shards", "4", "--json"])
        .exits(3)
        .json();
    assert_schema(&shown, "data-check");
    assert_eq!(count(&shown["rows"]), 20_000);
    let [last, email] = [0, 1].map(|at| &shown["columns"][at]);
    assert_eq!((&last["name"], &email["name"]), (&"last_name".into(), &"email".into()));
    assert!(count(&email["duplicates"]) > 0);
    assert_eq!(last["top"][0]["value"], "Smith");
    let spread = last["shards"]["by_hash"]["rows"].as_array().unwrap();
    assert_eq!(spread.iter().map(count).sum::<u64>(), 20_000);
    assert!(number(&last["shards"]["by_hash"]["largest_to_mean"]) >= 1.0);
    bench
        .nmax(&["data", "check", "people.csv", "--unique", "email"])
        .exits(3)
        .shows(&["email should not repeat", "different"]);
}

/// The oracle joins the two files before and after.
#[test]
fn masked_files_join_as_before() {
    let bench = Bench::new();
    bench.nmax(&["data", "generate", "person", "-n", "2000", "-o", "people.csv"]).exits(0);
    let people = rows(&bench, "people.csv");
    let mut orders = String::from("{\"order\": 0, \"customer\": {\"email\": null}}\n");
    for (at, person) in people.iter().enumerate().skip(1) {
        orders += &format!("{{\"order\": {at}, \"customer\": {{\"email\": \"{}\"}}, \"x\": [1.50]}}\n", person[5]);
    }
    bench.write("orders.jsonl", &orders);
    bench
        .nmax(&["data", "mask", "people.csv", "--new-key", "key", "-o", "people2.csv"])
        .exits(0)
        .says(&["LEFT ALONE", "email", "a new secret is in", "2,000 records"]);
    bench
        .nmax(&["data", "mask", "orders.jsonl", "--key-file", "key", "-o", "orders2.jsonl"])
        .exits(0)
        .says(&["customer.email"]);
    let masked = rows(&bench, "people2.csv");
    let lines = fs::read_to_string(bench.path("orders2.jsonl")).unwrap();
    let mut pairs: HashMap<&str, &str> = HashMap::new();
    for (at, line) in lines.lines().enumerate().skip(1) {
        let order: serde_json::Value = serde_json::from_str(line).unwrap();
        assert_eq!(order["customer"]["email"], masked[at][5], "the join holds");
        assert!(line.contains(&format!("\"order\": {at},")) && line.ends_with("\"x\": [1.50]}"), "{line}");
        assert_eq!(*pairs.entry(&people[at][1]).or_insert(&masked[at][1]), masked[at][1], "a name is one name");
        assert_eq!(people[at][1].len(), masked[at][1].len());
    }
    assert_eq!(people[0], masked[0]);
    let changed = people.iter().zip(&masked).filter(|(before, after)| before[1] != after[1]).count();
    assert!(changed > 1950, "{changed} of 2000 names are others");
    let smiths = |rows: &[Vec<String>], name: &str| rows.iter().filter(|row| row[1] == name).count();
    assert_eq!(smiths(&people, "Smith"), smiths(&masked, pairs["Smith"]), "as common as before");
}

#[test]
fn wrong_input_is_told() {
    let bench = Bench::new();
    bench.write("empty.csv", "");
    bench.write("ragged.csv", "a,b\n1,2\n3\n");
    bench.write("lines.jsonl", "{\"a\": 1}\n[2]\n");
    bench.write("short.key", "secret\n");
    fs::write(bench.path("latin.csv"), b"name\nM\xfcller\n").unwrap();
    // arguments                                          words
    let cases: [(&str, &[&str]); 13] = [
        ("generate persons", &["did you mean `person`?"]),
        ("generate person --locale de_DE", &["no weights of names", "en_US"]),
        ("generate person --unique phone", &["`phone` repeats", "email, user_name"]),
        ("generate person --columns emial", &["no column `emial`", "did you mean `email`?"]),
        ("generate person --table t", &["--format sql"]),
        ("check empty.csv", &["empty.csv: line 1: the file is empty"]),
        ("check ragged.csv", &["ragged.csv: line 3: 1 cells, but the header has 2"]),
        ("check latin.csv", &["latin.csv: line 2: not UTF-8"]),
        ("check lines.jsonl", &["lines.jsonl: line 2: an object is expected"]),
        ("check ragged.csv --column x", &["no column `x`"]),
        ("check none.csv", &["none.csv: cannot read"]),
        ("mask ragged.csv --key-file short.key", &["6 bytes", "--new-key"]),
        ("mask ragged.csv", &["--key-file"]),
    ];
    for (arguments, words) in cases {
        let arguments: Vec<&str> = std::iter::once("data").chain(arguments.split(' ')).collect();
        bench.nmax(&arguments).exits(2).says(words);
    }
    bench.write("mask.key", "0123456789abcdef");
    bench
        .nmax(&["data", "mask", "ragged.csv", "--key-file", "mask.key", "-o", "ragged.csv"])
        .exits(2)
        .says(&["is the file that is read"]);
    assert_eq!(fs::read_to_string(bench.path("ragged.csv")).unwrap(), "a,b\n1,2\n3\n");
}

#[test]
fn values_cannot_steer_the_terminal() {
    let bench = Bench::new();
    fs::write(bench.path("odd.csv"), "a\u{1b}[2J,b\n\"x\ny\",1\n\"x\ny\",\0\n").unwrap();
    let shown = bench.nmax(&["data", "check", "odd.csv", "--unique", "b"]).exits(0).stdout;
    assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{shown:?}");
    assert!(shown.contains("a\\u001b[2J") && shown.contains("x\\ny"), "{shown}");
}

#[test]
fn a_reader_that_leaves_is_no_trouble_and_a_full_disk_is() {
    let bench = Bench::new();
    let ended =
        bench.shell("$NMAX data generate person -n 500k | head -n 2; $NMAX data generate uuid -n 9 > /dev/full");
    ended.exits(5).shows(&["first_name,"]).says(&["cannot write"]);
}

#[test]
fn the_example_runs() {
    let bench = Bench::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/data/run.sh");
    bench.shell(script).exits(0).shows(&["2857 of 2857 masked orders join a masked person"]);
}
