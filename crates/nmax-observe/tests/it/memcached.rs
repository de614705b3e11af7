//! memcached.

use std::process::Command;

use nmax_plan::plan::ObservedSource;
use nmax_sources::kinds::*;

use crate::ports::free_port;
use crate::server::{Folder, Server, program};
use crate::{Read, chat};

#[test]
fn gets_and_sets_are_counted_and_an_end_is_no_end() {
    let (folder, port) = (Folder::new("memcached"), free_port());
    let start = || {
        let mut command = Command::new(program("memcached", "memcached"));
        command.args(["-u", "root", "-l", "127.0.0.1", "-U", "0", "-t", "2", "-m", "16"]);
        command.args(["-p", &port.to_string()]);
        Server::start(command, &folder.0, port)
    };
    let server = start();
    let address = format!("127.0.0.1:{port}");
    let mut source = Read::every_second(ObservedSource::at(&MEMCACHED, &address));
    source.figures();
    // A miss is one line; a hit would be three.
    let sets = (0..10).map(|n| format!("set k{n} 0 0 1\r\nx\r\n"));
    let gets = (0..100).map(|_| "get none\r\n".to_owned());
    let hits = (0..5).map(|_| "touch k1 100\r\n".to_owned());
    chat(port, sets.chain(gets).chain(hits));
    let figures = source.figures();
    assert_eq!(figures.get("operations it gets", "operations_per_s"), 100.0);
    assert_eq!(figures.get("operations it sets", "operations_per_s"), 10.0);
    assert_eq!(figures.get("memcached it", "hit_ratio"), 0.0);
    assert_eq!(figures.get("pool it threads", "limit_count"), 2.0);
    assert_eq!(figures.get("memcached it", "memory_limit_bytes"), f64::from(16 << 20));

    let trouble = Read::every_second(ObservedSource::at(&REDIS, &format!("redis://{address}"))).trouble();
    assert!(trouble.text.contains("Redis's protocol"), "{trouble}");

    drop(server);
    source.is_away();
    let _server = start();
    source.figures();
}
