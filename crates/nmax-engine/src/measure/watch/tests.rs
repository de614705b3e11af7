use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;

use super::*;

/// A `/proc` and `/sys` of its own, gone at the end.
struct Tree(PathBuf);

impl Tree {
    fn new(name: &str, files: &[(&str, &str)]) -> Self {
        let root = std::env::temp_dir().join(format!("nmax-watch-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&root);
        let tree = Self(root);
        files.iter().for_each(|(path, text)| tree.write(path, text));
        tree
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.0.join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

impl Drop for Tree {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

#[test]
fn a_connection_of_this_process_takes_a_port() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let mut watch = Watch::new(Path::new("/"));
    watch.read(Nanos::ZERO);
    let held: Vec<_> = (0..40).map(|_| TcpStream::connect(address).unwrap()).collect();
    let after = watch.read(Nanos::from_secs(3_600));
    // Other tests of this process open and close files meanwhile.
    assert!(after.open_files.unwrap() >= 40, "{after:?}");
    assert!(after.sockets.unwrap() >= 40, "{after:?}");
    assert!(after.resident_bytes.unwrap() > 0);
    let Some(used) = after.ports_used else {
        return eprintln!("SKIPPED: this kernel does not tell which ports are in use");
    };
    assert!((40..=watch.ports_limit().unwrap()).contains(&used), "{after:?}");
    drop(held);
}

/// Rival mistake: a figure that cannot be read shown as zero.
#[test]
fn what_cannot_be_read_is_absent_and_never_zero() {
    let tree = Tree::new("empty", &[]);
    let mut watch = Watch::new(&tree.0);
    let reading = watch.read(Nanos::ZERO);
    let nothing = Reading { cpu: reading.cpu, ..Reading::default() };
    assert_eq!(reading, nothing);
    assert_eq!(watch.ports_limit(), None);
    let lines = reading.resources(Nanos::from_secs(1), &nothing, Nanos::ZERO);
    assert_eq!(lines.len(), 1, "{lines:?}");
}

#[test]
fn all_figures_come_from_the_tree() {
    let head = "  sl  local_address rem_address   st\n";
    let row = |n: u32, inode: u64| {
        format!(
            "   {n}: 0100007F:{:04X} 0200007F:0050 01 00000000:00000000 00:00000000 00000000     0        0 {inode} 1\n",
            40_000 + n
        )
    };
    let table = format!("{head}{}{}", row(0, 71), row(1, 72));
    let tree = Tree::new(
        "full",
        &[
            ("proc/sys/net/ipv4/ip_local_port_range", "32768\t60999\n"),
            ("proc/sys/net/ipv4/ip_local_reserved_ports", "40100-40109,50000\n"),
            ("proc/sys/net/ipv4/tcp_tw_reuse", "0\n"),
            ("proc/net/sockstat", "sockets: used 17\nTCP: inuse 1 orphan 0 tw 314 alloc 1 mem 83\n"),
            ("proc/net/tcp", &table),
            ("proc/meminfo", "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable: 900 kB\n"),
            ("proc/self/status", "VmRSS:\t 12 kB\nVmSwap:\t 8 kB\n"),
            ("proc/self/cgroup", "0::/a/b\n"),
            ("sys/fs/cgroup/a/memory.max", "100000\n"),
            ("sys/fs/cgroup/a/memory.current", "95000\n"),
            ("sys/fs/cgroup/a/memory.stat", "anon 1\nactive_file 5000\ninactive_file 10000\n"),
            ("sys/fs/cgroup/a/b/memory.max", "max\n"),
            ("sys/fs/cgroup/a/b/memory.current", "95000\n"),
        ],
    );
    fs::create_dir_all(tree.0.join("proc/self/fd")).unwrap();
    for (name, to) in [("0", "/dev/null"), ("3", "socket:[71]"), ("4", "socket:[72]")] {
        symlink(to, tree.0.join("proc/self/fd").join(name)).unwrap();
    }
    let mut watch = Watch::new(&tree.0);
    assert_eq!(watch.ports_limit(), Some(28_232 - 11));
    let reading = watch.read(Nanos::ZERO);
    assert_eq!((reading.open_files, reading.sockets), (Some(2), Some(2)));
    assert_eq!((reading.ports_used, reading.time_wait), (Some(2), Some(314)));
    assert_eq!((reading.resident_bytes, reading.swapped_bytes), (Some(12 << 10), Some(8 << 10)));
    // 100,000 − (95,000 − 15,000), and not the 90 % of the host.
    assert_eq!(reading.memory_available, Some(0.2));
}

/// Looking at every socket is dear; it is left out until it has paid for itself.
#[test]
fn sockets_are_not_looked_at_too_often() {
    let mut watch = Watch::new(Path::new("/"));
    assert!(watch.read(Nanos::from_secs(1)).sockets.is_some());
    assert!(watch.read(Nanos::from_secs(1)).sockets.is_none(), "it took some time");
    assert!(watch.read(Nanos::from_secs(7_200)).sockets.is_some());
}
