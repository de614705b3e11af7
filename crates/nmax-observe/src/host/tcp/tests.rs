use super::*;
use crate::host::tree::{Tree, read_at};

#[test]
fn names_and_numbers_are_matched_by_place() {
    let text = "IpExt: A B\nIpExt: 7 8\nTcpExt: SyncookiesSent ListenOverflows X ListenDrops\nTcpExt: 1 20 -1 30\n";
    assert_eq!(pairs(text, "TcpExt:", ["ListenOverflows", "ListenDrops"]), [Some(20), Some(30)]);
    assert_eq!(pairs(text, "TcpExt:", ["ListenDrops", "X", "Y"]), [Some(30), None, None]);
    assert_eq!(pairs("TcpExt: A\n", "TcpExt:", ["A"]), [None]);
}

#[test]
fn sockets_by_state_and_queues() {
    let row =
        |state: &str, queues: &str| format!("   0: 0100007F:1F90 00000000:0000 {state} {queues} 00:00000000 0 0 0 1\n");
    let head = "  sl  local_address rem_address   st tx_queue rx_queue\n";
    let listening = row("0A", "00000000:00000003") + &row("0A", "00000000:0000000B");
    let others =
        row("01", "00000000:00000009") + &row("08", "0:0") + &row("03", "0:0") + &row("04", "0:0") + &row("05", "0:0");
    let tree = Tree::new(&[
        ("proc/net/tcp", &format!("{head}{listening}{others}")),
        ("proc/net/tcp6", &format!("{head}{}", row("08", "0:0"))),
        ("proc/net/sockstat", "sockets: used 17\nTCP: inuse 1 orphan 0 tw 314 alloc 1 mem 83\n"),
        ("proc/net/snmp", "Tcp: CurrEstab OutSegs RetransSegs\nTcp: 12 1000 10\n"),
        ("proc/net/netstat", "TcpExt: ListenOverflows ListenDrops\nTcpExt: 5 6\n"),
    ]);
    let mut host = tree.host(&[]);
    let seen = read_at(&mut host, 0);
    let cases = [
        ("established_count", 12.0),
        ("time_wait_count", 314.0),
        ("accept_queue_count", 14.0),
        ("listening_count", 2.0),
        ("close_wait_count", 2.0),
        ("syn_recv_count", 1.0),
        ("fin_wait_count", 2.0),
        ("syn_sent_count", 0.0),
    ];
    for (metric, want) in cases {
        assert_eq!(seen.get(&format!("tcp {metric}")), Some(&want), "{metric}");
    }
    tree.write("proc/net/snmp", "Tcp: CurrEstab OutSegs RetransSegs\nTcp: 12 1200 16\n");
    tree.write("proc/net/netstat", "TcpExt: ListenOverflows ListenDrops\nTcpExt: 9 4\n");
    let seen = read_at(&mut host, 2);
    assert_eq!(seen.get("tcp sent_segments_per_s"), Some(&100.0));
    assert_eq!(seen.get("tcp retransmitted_per_s"), Some(&3.0));
    assert_eq!(seen.get("tcp listen_overflows_per_s"), Some(&2.0));
    assert_eq!(seen.get("tcp listen_drops_per_s"), None, "it went back");
}

/// Looking at every socket is dear; it is left out until it has paid for itself.
#[test]
fn sockets_are_not_looked_at_too_often() {
    let tree = Tree::new(&[("proc/net/tcp", "head\n")]);
    let mut host = tree.host(&[]);
    assert!(read_at(&mut host, 1).contains_key("tcp listening_count"));
    assert!(!read_at(&mut host, 1).contains_key("tcp listening_count"), "it took some time");
    assert!(read_at(&mut host, 7_200).contains_key("tcp listening_count"));
}
