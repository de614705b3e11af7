use super::*;
use crate::Source;
use crate::host::tree::{Tree, read_at};

const UPTIME: (&str, &str) = ("proc/loadavg", "0 0 0 1/1 1\n");

fn stat(used_us: u64, periods: u64, throttled: u64, throttled_us: u64) -> String {
    format!(
        "usage_usec {used_us}\nuser_usec 1\nnr_periods {periods}\nnr_throttled {throttled}\nthrottled_usec {throttled_us}\n"
    )
}

#[test]
fn the_level_that_limits_is_shown() {
    let tree = Tree::new(&[
        UPTIME,
        ("proc/self/cgroup", "0::/a/b\n"),
        ("sys/fs/cgroup/cgroup.controllers", "cpu memory\n"),
        // The inner one may have more than the outer one.
        ("sys/fs/cgroup/a/b/cpu.max", "300000 100000\n"),
        ("sys/fs/cgroup/a/b/cpu.stat", &stat(0, 100, 0, 0)),
        ("sys/fs/cgroup/a/b/memory.max", "max\n"),
        ("sys/fs/cgroup/a/b/memory.current", "70\n"),
        ("sys/fs/cgroup/a/b/memory.events", "low 0\noom 9\noom_kill 1\noom_group_kill 5\n"),
        ("sys/fs/cgroup/a/b/cpu.pressure", "some avg10=0 total=0\n"),
        ("sys/fs/cgroup/a/cpu.max", "150000 100000\n"),
        ("sys/fs/cgroup/a/cpu.stat", &stat(5, 100, 10, 0)),
        ("sys/fs/cgroup/a/memory.max", "1000\n"),
        ("sys/fs/cgroup/a/memory.current", "900\n"),
    ]);
    let mut host = tree.host(&[]);
    read_at(&mut host, 0);
    tree.write("sys/fs/cgroup/a/cpu.stat", stat(3_000_005, 120, 15, 500_000));
    tree.write("sys/fs/cgroup/a/b/memory.events", "oom 9\noom_kill 5\noom_group_kill 5\n");
    tree.write("sys/fs/cgroup/a/b/cpu.pressure", "some avg10=0 total=500000\n");
    let seen = read_at(&mut host, 2);
    let cases = [
        ("quota_cores", 1.5),
        ("cpu_cores", 1.5),
        ("throttled_ratio", 0.25),
        ("throttled_s_per_s", 0.25),
        ("memory_bytes", 900.0),
        ("memory_limit_bytes", 1_000.0),
        ("oom_kills_per_s", 2.0),
        ("cpu_pressure_some_ratio", 0.25),
    ];
    for (metric, want) in cases {
        assert_eq!(seen.get(&format!("cgroup {metric}")), Some(&want), "{metric}");
    }
    assert_eq!(seen.get("cgroup memory_pressure_some_ratio"), None);
    // It did not run: no period went by, and none was cut short.
    assert_eq!(read_at(&mut host, 3).get("cgroup throttled_ratio"), Some(&0.0));
}

#[test]
fn a_group_without_limits_has_no_figures_and_version_1_is_said() {
    let text = "4:memory:/box/7\n2:cpu,cpuacct:/\n0::/\n";
    let tree = Tree::new(&[
        UPTIME,
        ("proc/self/cgroup", text),
        ("sys/fs/cgroup/unified/cgroup.controllers", "\n"),
        ("sys/fs/cgroup/unified/cpu.stat", &stat(1, 0, 0, 0)),
    ]);
    let mut host = tree.host(&[]);
    assert!(read_at(&mut host, 0).keys().all(|figure| !figure.starts_with("cgroup")));
    let notes = host.notes();
    assert!(notes.iter().any(|note| note.contains("version 1")), "{notes:?}");
    assert!(!is_in_version_1("4:memory:/\n3:pids:/box\n0::/box\n"));
}

#[test]
fn what_a_group_may_still_have() {
    let tree = Tree::new(&[
        ("sys/fs/cgroup/cgroup.controllers", ""),
        ("sys/fs/cgroup/a/memory.max", "100000\n"),
        ("sys/fs/cgroup/a/memory.current", "95000\n"),
        ("sys/fs/cgroup/a/memory.stat", "anon 1\nactive_file 5000\ninactive_file 10000\n"),
        ("sys/fs/cgroup/a/b/memory.max", "max\n"),
        ("sys/fs/cgroup/a/b/memory.current", "95000\n"),
    ]);
    let mut files = Files::new(tree.path());
    // Caches of files are given back: 100,000 − (95,000 − 15,000).
    assert_eq!(available_bytes(&mut files, "/a/b"), Some(20_000));
    assert_eq!(available_bytes(&mut files, "/c"), None);
    let deep = "/x".repeat(100);
    assert_eq!(levels(&files, &deep).len(), LEVELS_MAX + 1);
    assert_eq!(levels(&files, "/a/b"), ["sys/fs/cgroup/a/b", "sys/fs/cgroup/a", "sys/fs/cgroup"]);
}

#[test]
fn quotas() {
    // text, cores
    let cases = [
        ("max 100000\n", None),
        ("50000 100000\n", Some(0.5)),
        ("0 100000", None),
        ("1 0", None),
        ("-5 100", None),
        ("", None),
    ];
    for (text, want) in cases {
        assert_eq!(parse_quota(text), want, "{text}");
    }
}
