use super::*;
use crate::host::tree::Tree;

/// A process of this name that used `cpu` hundredths and began at `began_s`.
fn process(tree: &Tree, pid: u32, name: &str, cpu: u64, began_s: u64) {
    let begin = began_s * 100;
    let stat = format!("{pid} ({name}) S 1 1 1 0 -1 4 0 0 0 0 {cpu} 0 0 0 20 0 3 0 {begin} 999999 10 0\n");
    tree.write(&format!("proc/{pid}/stat"), stat);
}

/// `/proc/stat` of two processors after that many hundredths.
fn modes(tree: &Tree, busy: u64, idle: u64, steal: u64) {
    let line = format!("{busy} 0 0 {idle} 0 0 0 {steal}");
    tree.write("proc/stat", format!("cpu  {line}\ncpu0 {line}\ncpu1 {line}\n"));
}

const HOLD: (Nanos, Nanos) = (Nanos::from_secs(10), Nanos::from_secs(14));

fn poll(neighbours: &mut Neighbours, ms: u64) {
    // Tests do not wait for what looking cost.
    neighbours.pace = Pace::new(COST);
    neighbours.poll(Nanos::from_millis(ms), HOLD);
}

#[test]
fn what_took_the_processors_in_the_hold_is_named() {
    let tree = Tree::new(&[("proc/self/cgroup", "0::/load\n"), ("sys/fs/cgroup/cgroup.controllers", "cpu\n")]);
    let group = |throttled_us: u64, frozen_us: u64| {
        tree.write("sys/fs/cgroup/load/cpu.stat", format!("usage_usec 1\nthrottled_usec {throttled_us}\n"));
        tree.write("sys/fs/cgroup/load/cgroup.stat.local", format!("frozen_usec {frozen_us}\n"));
    };
    let own = std::process::id();
    let mut neighbours = Neighbours::new(tree.path(), None);
    assert_eq!(neighbours.used(), None, "nothing was read yet");
    modes(&tree, 0, 0, 0);
    group(0, 0);
    process(&tree, own, "nmax", 100, 1);
    process(&tree, 1_000_001, "rustc", 500, 2);
    process(&tree, 1_000_002, "kworker/0:1-ev", 0, 0);
    poll(&mut neighbours, 9_000);
    // Before the hold: no part of it.
    modes(&tree, 200, 0, 0);
    process(&tree, 1_000_001, "rustc", 700, 2);
    poll(&mut neighbours, 10_010);
    assert_eq!(neighbours.used(), None, "the hold only");
    // Two seconds of two processors: 2.2 s busy, 1.4 s idle, 0.4 s of steal.
    modes(&tree, 420, 140, 40);
    group(300_000, 0);
    process(&tree, own, "nmax", 150, 1);
    process(&tree, 1_000_001, "rustc", 800, 2);
    process(&tree, 1_000_002, "kworker/0:1-ev", 2, 0);
    process(&tree, 1_000_003, "cc1 (x)", 40, 11);
    poll(&mut neighbours, 12_010);
    poll(&mut neighbours, 12_200);
    let used = neighbours.used().unwrap();
    let round = |value: f64| (value * 1e3).round() / 1e3;
    let names: Vec<_> = used.processes.iter().map(|(name, cores)| (name.as_str(), round(*cores))).collect();
    assert_eq!(names, [("rustc", 0.5), ("cc1 (x)", 0.2), ("kworker", 0.01)]);
    let figures = [used.span_s, used.cores, used.steal_cores, used.idle_cores, used.own_cores, used.others_cores];
    assert_eq!(figures.map(round), [2.0, 2.0, 0.2, 0.7, 0.25, 0.14], "too early a look counts nothing");
    assert_eq!((used.throttled_s, used.frozen_s), (Some(0.3), Some(0.0)));
}

/// A number that is given again is another process, and one that is gone takes nothing back.
#[test]
fn processes_that_come_and_go_never_count_below_zero() {
    let tree = Tree::new(&[]);
    let mut neighbours = Neighbours::new(tree.path(), None);
    modes(&tree, 0, 0, 0);
    process(&tree, 1_000_001, "old", 900, 2);
    process(&tree, 1_000_002, "gone", 900, 2);
    poll(&mut neighbours, 10_000);
    modes(&tree, 100, 100, 0);
    process(&tree, 1_000_001, "new", 30, 11);
    std::fs::remove_file(tree.path().join("proc/1000002/stat")).unwrap();
    poll(&mut neighbours, 11_000);
    let used = neighbours.used().unwrap();
    assert_eq!(used.processes, [("new".to_owned(), 0.3)]);
    assert_eq!((used.throttled_s, used.frozen_s), (None, None), "unknown is absent");
}

#[test]
fn this_host_can_be_looked_at() {
    let mut neighbours = Neighbours::new(Path::new("/"), None);
    let always = (Nanos::ZERO, Nanos::from_secs(1_000_000));
    // The kernel counts hundredths of a second: looking takes that long after some looks.
    let looks = (0..100_000).find(|second| {
        neighbours.pace = Pace::new(COST);
        neighbours.poll(Nanos::from_secs(*second), always);
        neighbours.used().is_some()
    });
    assert!(
        looks.is_some()
            && neighbours.used().is_some_and(|used| used.cores >= 1.0 && used.processes.len() <= NAMED_MAX + 1)
    );
}
