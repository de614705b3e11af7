//! Redis with a password.

use std::process::Command;

use nmax_plan::plan::ObservedSource;
use nmax_sources::kinds::*;

use crate::ports::free_port;
use crate::server::{Folder, Server, program};
use crate::{Read, chat};

fn start(folder: &Folder, port: u16) -> Server {
    let mut command = Command::new(program("redis-server", "redis-server"));
    let settings = ["--bind", "127.0.0.1", "--save", "", "--requirepass", "s3cret"];
    command.args(["--port", &port.to_string()]).args(settings).current_dir(&folder.0);
    Server::start(command, &folder.0, port)
}

fn line(text: &str) -> String {
    format!("{text}\r\n")
}

#[test]
fn commands_are_counted_and_an_end_is_no_end() {
    let (folder, port) = (Folder::new("redis"), free_port());
    let server = start(&folder, port);
    let url = |user: &str| ObservedSource::at(&REDIS, &format!("redis://{user}127.0.0.1:{port}"));
    let mut source = Read::every_second(url(":s3cret@"));
    source.figures();
    // A value, then hits and misses: a miss is one line too.
    let talk = [line("AUTH s3cret"), line("SET a 1")];
    let gets = (0..300).map(|n| line(if n % 3 == 0 { "EXISTS none" } else { "EXISTS a" }));
    chat(port, talk.into_iter().chain(gets));
    let figures = source.figures();
    assert_eq!(figures.get("operations it commands", "operations_per_s"), 302.0);
    assert_eq!(figures.get("redis it", "hits_per_s"), 200.0);
    assert_eq!(figures.get("redis it", "misses_per_s"), 100.0);
    assert_eq!(figures.get("pool it thread", "limit_count"), 1.0);
    assert!(figures.get("redis it", "memory_bytes") > 1e5);
    source.until(|figures| figures.get("redis it", "connections_count") == 0.0);

    let trouble = Read::every_second(url("")).trouble();
    assert!(trouble.is_final && trouble.text.contains("wants a password"), "{trouble}");
    let trouble = Read::every_second(url(":wrong-one@")).trouble();
    assert!(trouble.is_final && trouble.text.contains("does not take the password"), "{trouble}");
    assert!(!trouble.text.contains("wrong-one"), "{trouble}");
    let trouble = Read::every_second(ObservedSource::at(&MEMCACHED, &format!("127.0.0.1:{port}"))).trouble();
    assert!(trouble.text.contains("memcached's text protocol"), "{trouble}");

    drop(server);
    source.is_away();
    let _server = start(&folder, port);
    source.figures();
}
