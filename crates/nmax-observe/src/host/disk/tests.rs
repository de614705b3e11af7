use super::*;
use crate::host::tree::{Tree, read_at};

/// A line of the table. Columns: reads, sectors read, ms; writes, sectors written, ms; ms busy, ms of all transfers.
fn line(name: &str, [reads, read, read_ms, writes, written, write_ms, busy, queue]: [u64; 8]) -> String {
    format!("   8       0 {name} {reads} 0 {read} {read_ms} {writes} 0 {written} {write_ms} 0 {busy} {queue} 0 0 0 0\n")
}

#[test]
fn only_whole_disks_that_are_used_are_shown() {
    let used = [1, 1, 1, 1, 1, 1, 1, 1];
    let names = [
        "sda", "sda1", "sda15", "nvme0n1", "nvme0n1p2", "mmcblk0", "mmcblk0p1", "dm-1", "dm-10", "loop3", "zram0",
        "sdp", "sdp1", "xvda1", "sr0", "md127",
    ];
    let mut text: String = names.iter().map(|name| line(name, used)).collect();
    text.push_str(&line("sdz", [0; 8]));
    text.push_str("   8 0 sdy 1 2\nnonsense\n");
    let shown: Vec<String> = parse(&text).into_keys().collect();
    // A machine may have a part of a disk only: `xvda1` is all that there is of it.
    assert_eq!(shown, ["mmcblk0", "nvme0n1", "sda", "sdp", "xvda1"]);
}

/// Little's law holds between the figures: queue = rate of transfers · time of each.
#[test]
fn figures_as_iostat_defines_them() {
    let table = |counters| line("sda", counters) + &line("sdb", [5, 8, 3, 0, 0, 0, 2, 2]);
    let tree = Tree::new(&[("proc/diskstats", &table([100, 800, 1_000, 50, 400, 5_000, 900, 6_000]))]);
    let mut host = tree.host(&[]);
    read_at(&mut host, 0);
    // In 2 s: 30 reads of 240 sectors in 300 ms, 10 writes of 80 sectors in 700 ms, 500 ms busy.
    tree.write("proc/diskstats", table([130, 1_040, 1_300, 60, 480, 5_700, 1_400, 7_000]));
    let seen = read_at(&mut host, 2);
    let value = |metric: &str| seen[&format!("disk sda {metric}")];
    assert_eq!(value("await_ms"), 25.0);
    assert_eq!(value("queue_count"), 0.5);
    assert_eq!((value("reads_per_s"), value("writes_per_s")), (15.0, 5.0));
    assert_eq!(value("read_bytes_per_s"), 240.0 * 512.0 / 2.0);
    assert_eq!(value("written_bytes_per_s"), 80.0 * 512.0 / 2.0);
    assert_eq!(value("busy_ratio"), 0.25);
    let transfers_per_s = value("reads_per_s") + value("writes_per_s");
    assert_eq!(value("queue_count"), transfers_per_s * value("await_ms") / 1e3);
    assert_eq!(seen.get("operations disk reads operations_per_s"), Some(&15.0));
    // An idle disk has no time of a transfer, and it is not 0.
    assert_eq!(seen.get("disk sdb await_ms"), None);
    assert_eq!(seen.get("disk sdb queue_count"), Some(&0.0));
}

#[test]
fn a_disk_that_is_replaced_has_no_rates_and_too_many_are_cut() {
    let many = |reads: u64| -> String {
        let name = |number: u64| format!("sd{}", char::from(b'a' + number as u8));
        (0..20).map(|number| line(&name(number), [reads, 1, 1, 1, 1, 1, 1, 1])).collect()
    };
    let tree = Tree::new(&[("proc/diskstats", &many(10))]);
    let mut host = tree.host(&[]);
    read_at(&mut host, 0);
    tree.write("proc/diskstats", many(3));
    let seen = read_at(&mut host, 1);
    assert!(!seen.contains_key("disk sda reads_per_s") && !seen.contains_key("disk sda await_ms"), "{seen:?}");
    assert_eq!(seen.get("disk sda writes_per_s"), Some(&0.0));
    let disks = seen.keys().filter(|figure| figure.ends_with(" queue_count")).count();
    assert_eq!(disks, DISKS_MAX);
}
