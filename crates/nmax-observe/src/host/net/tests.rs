use crate::host::tree::{Tree, read_at};

fn table(received: u64, dropped: u64) -> String {
    format!(
        "Inter-|   Receive  |  Transmit\n face |bytes packets errs\n\
         \x20   lo: {received} 1 0 0 0 0 0 0 {received} 1 0 0 0 0 0 0\n\
         eth0:{received} 2 1 {dropped} 0 0 0 0 500 2 2 1 0 0 0 0\n\
         \x20 ifb0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n\
         veth12ab: 5 0 0 0 0 0 0 0 5 0 0 0 0 0 0 0\n\
         broken: 1 2 3\n"
    )
}

#[test]
fn bytes_drops_and_speed() {
    let tree = Tree::new(&[
        ("proc/net/dev", &table(1_000, 3)),
        ("sys/class/net/eth0/speed", "1000\n"),
        ("sys/class/net/lo/speed", "-1\n"),
    ]);
    let mut host = tree.host(&[]);
    read_at(&mut host, 0);
    tree.write("proc/net/dev", table(3_000, 7));
    let seen = read_at(&mut host, 2);
    assert_eq!(seen.get("net eth0 received_bytes_per_s"), Some(&1_000.0));
    assert_eq!(seen.get("net eth0 sent_bytes_per_s"), Some(&0.0));
    assert_eq!(seen.get("net eth0 dropped_per_s"), Some(&2.0));
    assert_eq!(seen.get("net eth0 errors_per_s"), Some(&0.0));
    assert_eq!(seen.get("net eth0 speed_bytes_per_s"), Some(&125e6));
    assert_eq!(seen.get("net lo received_bytes_per_s"), Some(&1_000.0));
    assert_eq!(seen.get("net lo speed_bytes_per_s"), None);
    let others =
        seen.keys().filter(|figure| figure.contains("ifb0") || figure.contains("veth") || figure.contains("broken"));
    assert_eq!(others.count(), 0);
}
