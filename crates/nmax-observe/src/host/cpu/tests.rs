use proptest::prelude::*;

use super::*;
use crate::Source;
use crate::host::tree::{Tree, read_at};

const STAT: &str = "cpu  100 0 50 800 40 4 6 0 0 0\ncpu0 60 0 20 400 10 4 6 0 0 0\ncpu1 40 0 30 400 30 0 0 0 0 0\n\
                    intr 5 1 2\nprocs_running 4\nprocs_blocked 2\n";

#[test]
fn cores_are_shares_of_the_time_that_passed() {
    let tree = Tree::new(&[("proc/stat", STAT), ("proc/loadavg", "1.25 0.5 0.1 3/80 99\n")]);
    let mut host = tree.host(&[]);
    let first = read_at(&mut host, 0);
    assert!(!first.contains_key("cpu busy_cores"), "a rate needs two looks: {first:?}");
    let later = "cpu  200 20 80 830 50 4 16 10 0 0\ncpu0 160 20 50 400 10 4 6 0 0 0\ncpu1 40 0 30 430 40 0 10 10 0 0\n\
                 procs_running 1\nprocs_blocked 0\n";
    tree.write("proc/stat", later);
    let seen = read_at(&mut host, 1);
    // 210 hundredths on 2 cores: 120 user, 30 system, 30 idle, 10 waiting, 10 interrupts, 10 stolen.
    let cases = [
        ("cpu cores_count", 2.0),
        ("cpu running_count", 0.0),
        ("cpu blocked_count", 0.0),
        ("cpu user_cores", 240.0 / 210.0),
        ("cpu system_cores", 60.0 / 210.0),
        ("cpu iowait_cores", 20.0 / 210.0),
        ("cpu irq_cores", 20.0 / 210.0),
        ("cpu steal_cores", 20.0 / 210.0),
        ("cpu busy_cores", 320.0 / 210.0),
        ("cpu load1", 1.25),
        ("cpu 0 busy_ratio", 1.0),
        ("cpu 1 busy_ratio", 10.0 / 60.0),
    ];
    for (figure, want) in cases {
        let found = seen.get(figure).copied();
        assert!(found.is_some_and(|found| (found - want).abs() < 1e-9), "{figure}: {found:?}, not {want}");
    }
}

#[test]
fn waiting_is_the_mean_number_of_tasks_that_wait() {
    let schedule = |one: u64, other: u64| {
        format!(
            "version 17\ntimestamp 1\ncpu0 0 0 0 0 0 0 5000 {one} 9\ndomain0 03 0\ncpu1 0 0 0 0 0 0 5000 {other} 9\n"
        )
    };
    let tree = Tree::new(&[("proc/stat", STAT), ("proc/schedstat", &schedule(0, 7))]);
    let mut host = tree.host(&[]);
    read_at(&mut host, 0);
    // 3 s and 2 s waited within 2 s.
    tree.write("proc/schedstat", schedule(3_000_000_000, 2_000_000_007));
    assert_eq!(read_at(&mut host, 2).get("cpu waiting_count"), Some(&2.5));
    tree.write("proc/schedstat", schedule(0, 0));
    assert_eq!(read_at(&mut host, 3).get("cpu waiting_count"), None, "a counter that went back");
}

#[test]
fn the_three_states_of_the_schedulers_counters() {
    // text of /proc/schedstat, waits
    let cases = [
        ("version 17\ntimestamp 5\n", None),
        ("cpu0 0 0 0 0 0 0 0 0 0\ncpu1 0 0 0 0 0 0 0 0 0\n", Some(None)),
        ("cpu0 0 0 0 0 0 0 10 4 0\ncpu1 0 0 0 0 0 0 0 3 0\n", Some(Some(7))),
        ("cpu0 0 0\n", None),
    ];
    for (text, want) in cases {
        assert_eq!(parse_waits(text), want, "{text}");
    }
    // Without them the threads are asked.
    let tree = Tree::new(&[("proc/stat", STAT), ("proc/7/task/8/schedstat", "5 1000 1\n")]);
    let mut host = tree.host(&[]);
    read_at(&mut host, 0);
    tree.write("proc/7/task/8/schedstat", "5 2000001000 1\n");
    tree.write("proc/7/task/9/schedstat", "5 3000000000 1\n");
    let waiting = read_at(&mut host, 1_000).get("cpu waiting_count").copied();
    assert!(waiting.is_some_and(|waiting| (waiting - 0.005).abs() < 1e-12), "{waiting:?}");
    (1_001..1_004).for_each(|second| drop(read_at(&mut host, second)));
    let notes = host.notes();
    let said = notes.iter().filter(|note| note.contains("/proc/schedstat")).count();
    assert_eq!(said, 1, "once, whatever the number of looks: {notes:?}");
    assert!(host.notes().is_empty());
}

proptest! {
    /// Law: the modes of all cores add up to the cores that there are, whatever each of them grew by.
    #[test]
    fn modes_add_up(
        before in proptest::array::uniform8(0_u64..1_000_000),
        grown in proptest::array::uniform8(0_u64..1_000_000),
    ) {
        prop_assume!(grown.iter().sum::<u64>() > 0);
        let line = |values: [u64; 8]| values.map(|value| value.to_string()).join(" ");
        let after = std::array::from_fn(|index| before[index] + grown[index]);
        let text = |values| format!("cpu {0}\ncpu0 {0}\ncpu1 {0}\ncpu2 {0}\n", line(values));
        let tree = Tree::new(&[("proc/stat", &text(before))]);
        let mut host = tree.host(&[]);
        read_at(&mut host, 0);
        tree.write("proc/stat", text(after));
        let seen = read_at(&mut host, 1);
        let idle = grown[3] as f64 / grown.iter().sum::<u64>() as f64 * 3.0;
        let all = ["busy_cores", "iowait_cores", "steal_cores"].iter().map(|metric| seen[&format!("cpu {metric}")]);
        prop_assert!((all.sum::<f64>() + idle - 3.0).abs() < 1e-9, "{seen:?}");
    }
}
