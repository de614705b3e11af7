use super::*;
use crate::host::tree::{Tree, read_at};

#[test]
fn tables_and_their_limits() {
    let tree = Tree::new(&[("proc/sys/fs/file-nr", "4352\t52\t9223372036854775807\n")]);
    let mut host = tree.host(&[]);
    let seen = read_at(&mut host, 0);
    assert_eq!(seen.get("kernel open_files_count"), Some(&4_300.0));
    assert_eq!(seen.get("kernel open_files_limit_count"), Some(&(i64::MAX as f64)));
    assert_eq!(seen.get("kernel conntrack_count"), None);
    // The module may be loaded later.
    tree.write("proc/sys/net/netfilter/nf_conntrack_count", "17\n");
    tree.write("proc/sys/net/netfilter/nf_conntrack_max", "65536\n");
    let seen = read_at(&mut host, 1);
    assert_eq!(seen.get("kernel conntrack_count"), Some(&17.0));
    assert_eq!(seen.get("kernel conntrack_limit_count"), Some(&65_536.0));
    assert_eq!(parse_files("12 0"), None);
}
