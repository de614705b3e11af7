#![allow(clippy::disallowed_methods, reason = "waits for real processes")]

use std::process::{Child, Command};
use std::time::Duration;

use super::*;
use crate::host::tree::Tree;

/// A process of the test's own, ended with it.
struct Own(Child);

impl Drop for Own {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_process_is_found_by_name_number_and_file() {
    let own = Own(Command::new("sleep").arg("600").spawn().unwrap());
    let pid = own.0.id();
    // Its name is that of its parent until it has begun.
    let begun = || pids(Path::new("/"), &ProcessRef::Name("sleep".into())).contains(&pid);
    for _ in 0..6_000 {
        if begun() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    assert!(begun());
    let file = std::env::temp_dir().join(format!("nmax-pid-{pid}"));
    fs::write(&file, format!("{pid}\n")).unwrap();
    let by_file = pids(Path::new("/"), &ProcessRef::PidFile(file.display().to_string()));
    fs::remove_file(&file).unwrap();
    assert_eq!(by_file, [pid]);
    assert_eq!(pids(Path::new("/"), &ProcessRef::Pid(pid)), [pid]);
    assert!(pids(Path::new("/"), &ProcessRef::Name("no-such-process".into())).is_empty());
}

/// What is no file of a number is none at once, and is not read to its end.
#[test]
fn a_file_of_a_number_is_a_short_file() {
    for file in ["/dev/zero", "/", "/no/such/file"] {
        assert!(pids(Path::new("/"), &ProcessRef::PidFile(file.into())).is_empty(), "{file}");
    }
}

#[test]
fn long_names_are_those_of_the_command_line() {
    let tree = Tree::new(&[
        ("proc/5/comm", "a-very-long-nam\n"),
        ("proc/5/cmdline", "/usr/bin/a-very-long-name\0--flag\0"),
        ("proc/6/comm", "a-very-long-nam\n"),
        ("proc/6/cmdline", "/usr/bin/a-very-long-namesake\0"),
        ("proc/7/comm", "a-very\n"),
        ("proc/self/comm", "a-very\n"),
    ]);
    let found = |name: &str| pids(tree.path(), &ProcessRef::Name(name.into()));
    assert_eq!(found("a-very-long-name"), [5]);
    assert_eq!(found("a-very"), [7]);
}

/// Names that are known are not read again, but those of new processes are, and all of them now and then.
#[test]
fn few_names_are_read_and_changes_are_seen() {
    let tree = Tree::new(&[]);
    (1..=200).for_each(|pid| tree.write(&format!("proc/{pid}/comm"), "old\n"));
    let mut files = Files::new(tree.path());
    let mut names = Names::default();
    for _ in 0..FRESH_LOOKS {
        names.refresh(&mut files);
    }
    let before = files.spent.opens;
    names.refresh(&mut files);
    assert!(files.spent.opens - before <= 1 + 200 / u64::from(AGAIN_EVERY) + 1);
    let wanted = ProcessRef::Name("new".into());
    // A process that begins has the name of its parent at first.
    tree.write("proc/201/comm", "old\n");
    names.refresh(&mut files);
    tree.write("proc/201/comm", "new\n");
    names.refresh(&mut files);
    assert_eq!(names.pids(&mut files, &wanted), [201]);
    // Its number is given to another one, between two looks.
    tree.write("proc/100/comm", "new\n");
    (0..AGAIN_EVERY).for_each(|_| names.refresh(&mut files));
    assert_eq!(names.pids(&mut files, &wanted), [100, 201]);
    fs::remove_dir_all(tree.path().join("proc/100")).unwrap();
    names.refresh(&mut files);
    assert_eq!(names.pids(&mut files, &wanted), [201]);
}

/// The one that opened a socket is meant, also where others of its name share it; not the one that asks, and not a client.
#[test]
fn the_process_that_serves_a_port_is_found() {
    use std::os::unix::fs::symlink;
    let row = |port: u16, state: &str, inode: u32| {
        format!(" 0: 0100007F:{port:04X} 00000000:0000 {state} 0:0 00:0 0 0 0 {inode} 1\n")
    };
    let table = ["head\n", &row(8080, "0A", 71), &row(8080, "01", 72), &row(9090, "0A", 73)].concat();
    let tree = Tree::new(&[("proc/net/tcp", &table)]);
    for (pid, comm, inode) in [(5, "client", 72), (30, "shop", 71), (31, "log", 71), (40, "shop", 73), (7, "own", 73)] {
        tree.write(&format!("proc/{pid}/comm"), format!("{comm}\n"));
        fs::create_dir_all(tree.path().join(format!("proc/{pid}/fd"))).unwrap();
        symlink(format!("socket:[{inode}]"), tree.path().join(format!("proc/{pid}/fd/3"))).unwrap();
    }
    let found = |port| listening::listening_on(&mut Files::new(tree.path()), port, 7);
    assert_eq!(found(8080), Some(("shop".into(), ProcessRef::Pid(30))));
    assert_eq!(found(9090), Some(("shop".into(), ProcessRef::Pid(40))));
    assert_eq!(found(80), None);
    // A worker of the same name has inherited it.
    symlink("socket:[71]", tree.path().join("proc/40/fd/4")).unwrap();
    assert_eq!(found(8080), Some(("shop".into(), ProcessRef::Name("shop".into()))));
}
