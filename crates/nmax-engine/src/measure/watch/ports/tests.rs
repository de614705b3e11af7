use super::*;

fn range_of(reserved: &[(u16, u16)]) -> Range {
    Range { first: 32_768, last: 60_999, reserved: reserved.to_vec() }
}

const HEAD: &str = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n";

/// A line as Linux writes it.
fn line(local: &str, remote: &str, state: &str, timer: &str, inode: u64) -> String {
    format!(
        "   0: {local} {remote} {state} 00000000:00000000 {timer} 00000000     0        0 {inode} 1 0000000080a26770 20 4 30 10 -1\n"
    )
}

fn most(reuse: Reuse, lines: &[String], own: &[u64]) -> u64 {
    let text = HEAD.to_owned() + &lines.concat();
    let rows: Vec<Row> = text.lines().skip(1).filter_map(Row::parse).collect();
    Counter::new(range_of(&[]), reuse).count(&rows, &own.iter().copied().collect())
}

#[test]
fn reserved_ports_are_not_given_out() {
    assert_eq!(range_of(&[]).count(), 28_232);
    assert_eq!(range_of(&[(40_000, 40_009), (50_000, 50_000), (80, 90)]).count(), 28_221);
    assert!(!range_of(&[(40_000, 40_009)]).contains(40_009));
}

/// Rival mistake: all sockets of the process, files and the target's own side included, as if they were ports.
#[test]
fn only_ports_of_one_source_to_one_destination_add_up() {
    let (here, there, else_) = ("0100007F", "0200000A:0050", "0200000A:0051");
    let lines = [
        line(&format!("{here}:8000"), there, "01", "00:00000000", 7),
        line(&format!("{here}:8001"), there, "01", "00:00000000", 8),
        line(&format!("{here}:8002"), else_, "01", "00:00000000", 9),
        line("0200007F:8003", there, "01", "00:00000000", 10),
        // A listener, a server's side, and a stranger's destination.
        line("00000000:8004", "00000000:0000", "0A", "00:00000000", 11),
        line(&format!("{here}:0050"), there, "01", "00:00000000", 12),
        line(&format!("{here}:8005"), "0900000A:0050", "01", "00:00000000", 99),
        line(&format!("{here}:8006"), "0900000A:0050", "01", "00:00000000", 98),
        line(&format!("{here}:8007"), "0900000A:0050", "01", "00:00000000", 97),
    ];
    assert_eq!(most(Reuse::Never, &lines, &[7, 8, 9, 10, 11, 12]), 2);
    assert_eq!(most(Reuse::Never, &lines, &[]), 0);
}

/// A port in TIME_WAIT is taken, unless the system gives it out again.
#[test]
fn time_wait_takes_ports_unless_they_are_reused() {
    let waiting = |local: &str, left: &str| line(local, "0200007F:0050", "06", &format!("03:{left}"), 0);
    let open = line("0100007F:8000", "0200007F:0050", "01", "00:00000000", 7);
    // 59.5 s left: half a second old. 58 s left: two seconds old.
    let lines = [open, waiting("0100007F:8001", "0000173E"), waiting("0100007F:8002", "000016A8")];
    assert_eq!(most(Reuse::Never, &lines, &[7]), 3);
    assert_eq!(most(Reuse::Loopback, &lines, &[7]), 2);
    assert_eq!(most(Reuse::Always, &lines, &[7]), 2);
    let far: Vec<String> = lines.iter().map(|line| line.replace("0100007F", "0100000A")).collect();
    assert_eq!(most(Reuse::Loopback, &far, &[7]), 3);
}

/// The destination of a connection that is gone stays known: its ports are still in TIME_WAIT.
#[test]
fn a_destination_once_had_is_remembered() {
    let mut counter = Counter::new(range_of(&[]), Reuse::Never);
    let open = line("0100007F:8000", "0200007F:0050", "01", "00:00000000", 7);
    let gone = line("0100007F:8000", "0200007F:0050", "06", "03:00001700", 0);
    let count = |counter: &mut Counter, line: &str| counter.count(&[Row::parse(line).unwrap()], &HashSet::from([7]));
    assert_eq!(count(&mut counter, &gone), 0);
    assert_eq!(count(&mut counter, &open), 1);
    assert_eq!(count(&mut counter, &gone), 1);
}

#[test]
fn loopback_is_told_in_both_families() {
    for (address, is_loopback) in [
        ("0100007F", true),
        ("0100000A", false),
        ("00000000000000000000000001000000", true),
        ("0000000000000000FFFF00000100007F", true),
        ("0000000000000000FFFF00000100000A", false),
        ("B80D01200000000000000000017F007F", false),
    ] {
        let text = line(&format!("{address}:8000"), "0200007F:0050", "06", "03:00000000", 0);
        assert_eq!(Row::parse(&text).unwrap().is_loopback(), is_loopback, "{address}");
    }
}

proptest::proptest! {
    /// No text, however odd, is a panic; what Linux never writes is left out.
    #[test]
    fn any_line_parses_or_is_left_out(line in "[ -~]{0,80}") {
        let _ = Row::parse(&line);
    }
}
