//! The whole reader: against this machine, against broken kernels, and what it costs.

#![allow(clippy::disallowed_methods, reason = "compares with what this machine really does")]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddrV4, TcpListener, TcpStream};
use std::os::unix::fs::MetadataExt;
use std::time::Instant;

use proptest::prelude::*;
use rustix::net::{AddressFamily, SocketFlags, SocketType};

use super::tree::{Figures, Tree, figures, read_at};
use super::*;

/// A reader of this machine, and the time since it began.
struct Real {
    host: Host,
    began: Instant,
}

impl Real {
    fn new() -> Self {
        let mut real = Self { host: Host::new(Path::new("/"), Vec::new()), began: Instant::now() };
        real.read();
        real
    }

    /// What there was since the last look, and the seconds since the first.
    fn read(&mut self) -> (Figures, f64) {
        let now = self.began.elapsed();
        let readings = self.host.read(Nanos(now.as_nanos() as u64)).unwrap();
        (figures(&readings), now.as_secs_f64())
    }
}

/// Sum of a metric over all sources of a kind.
fn sum(figures: &Figures, kind: &str, metric: &str) -> f64 {
    let wanted =
        figures.iter().filter(|(figure, _)| figure.starts_with(kind) && figure.ends_with(&format!(" {metric}")));
    wanted.map(|(_, value)| value).sum()
}

/// Oracle: the CPU time of this thread is less than that of all of them.
#[test]
fn busy_processors_are_seen() {
    let cpu_s = || {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
        time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
    };
    let mut real = Real::new();
    let before = cpu_s();
    let mut sink = 0_u64;
    while cpu_s() - before < 0.4 {
        sink = std::hint::black_box(sink.wrapping_mul(31).wrapping_add(7));
    }
    let (seen, span_s) = real.read();
    // What the host below took away is in the time of the thread, too.
    let busy_s = (seen["cpu busy_cores"] + seen["cpu steal_cores"]) * span_s;
    // Time is counted in hundredths on each processor.
    assert!(busy_s >= 0.4 - 0.02 * seen["cpu cores_count"], "{busy_s} s of {span_s} s: {seen:?}");
    assert!(seen["cpu busy_cores"] <= seen["cpu cores_count"]);
}

/// Oracle: bytes that reached the disk. Nothing to test where the folder is not on a disk.
#[test]
fn written_bytes_are_seen() {
    let path = std::env::temp_dir().join(format!("nmax-written-{}", std::process::id()));
    let mut file = std::fs::File::create(&path).unwrap();
    let mut real = Real::new();
    file.write_all(&vec![5; 8 << 20]).unwrap();
    file.sync_all().unwrap();
    let device = file.metadata().unwrap().dev();
    let (seen, span_s) = real.read();
    std::fs::remove_file(&path).unwrap();
    let is_on_shown_disk = rustix::fs::major(device) > 0 && seen.keys().any(|figure| figure.starts_with("disk "));
    if is_on_shown_disk {
        let written = sum(&seen, "disk ", "written_bytes_per_s") * span_s;
        assert!(written >= f64::from(8 << 20), "{written}: {seen:?}");
        assert!(sum(&seen, "operations disk writes", "operations_per_s") > 0.0);
    }
}

/// Oracle: bytes of a transfer over the loopback are received there.
#[test]
fn bytes_on_the_loopback_are_seen() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let mut one = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (mut other, _) = listener.accept().unwrap();
    let mut real = Real::new();
    let reader = std::thread::spawn(move || {
        let mut bytes = Vec::new();
        other.read_to_end(&mut bytes).map(|_| bytes.len())
    });
    one.write_all(&vec![5; 4 << 20]).unwrap();
    drop(one);
    assert_eq!(reader.join().unwrap().unwrap(), 4 << 20);
    let (seen, span_s) = real.read();
    let received = seen["net lo received_bytes_per_s"] * span_s;
    assert!(received >= f64::from(4 << 20), "{received}");
    assert!(seen["tcp sent_segments_per_s"] > 0.0);
}

/// Oracle: a socket that listens with room for one gets more. Its queue is full, and the kernel counts what it dropped.
#[test]
fn queues_of_listening_sockets_that_overflow_are_seen() {
    let any = SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0);
    let new =
        || rustix::net::socket_with(AddressFamily::INET, SocketType::STREAM, SocketFlags::NONBLOCK, None).unwrap();
    let listener = new();
    rustix::net::bind(&listener, &any).unwrap();
    rustix::net::listen(&listener, 0).unwrap();
    let address = rustix::net::getsockname(&listener).unwrap();
    let mut real = Real::new();
    let clients: Vec<_> = (0..8).map(|_| new()).collect();
    for client in &clients {
        // It goes on after this, if there is room.
        let _ = rustix::net::connect(client, &address);
    }
    // A kernel with much to do counts a little later.
    let mut seen = real.read().0;
    for _ in 0..3_000 {
        if seen["tcp listen_overflows_per_s"] > 0.0 {
            break;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
        seen = real.read().0;
    }
    assert!(seen["tcp listen_overflows_per_s"] > 0.0, "{seen:?}");
    assert!(seen["tcp listen_drops_per_s"] >= seen["tcp listen_overflows_per_s"] * 0.99);
}

#[test]
fn a_place_without_proc_is_named() {
    let tree = Tree::new(&[]);
    let mut host = tree.host(&[("it", ProcessRef::Name("it".into()))]);
    let trouble = host.read(Nanos::ZERO).unwrap_err();
    assert!(trouble.text.contains(&tree.path().join("proc").display().to_string()), "{trouble}");
    assert!(!trouble.is_final, "it may be mounted later");
    tree.write("proc/loadavg", "1 1 1 1/1 1\n");
    assert!(host.read(Nanos::from_secs(1)).is_ok());
    let notes = host.notes();
    assert!(notes.iter().any(|note| note.contains("/proc/diskstats")), "{notes:?}");
}

/// Counted and not timed, on a host with 200 processes. Files of the host stay open; names are known; what grows with sockets
/// and threads waits until it has paid for itself, so looks a microsecond apart are without it.
#[test]
fn a_look_takes_few_reads_and_keeps_nothing() {
    let numbers = ["1".to_owned()];
    let tree = Tree::new(&[("sys/fs/cgroup/cgroup.controllers", "")]);
    FILES.iter().for_each(|(path, text)| tree.write(path, filled(text, &numbers)));
    (7..207).for_each(|pid| tree.write(&format!("proc/{pid}/comm"), if pid == 7 { "it" } else { "other" }));
    let mut host = tree.host(&[("it", ProcessRef::Name("it".into()))]);
    (0..5).for_each(|second| drop(host.read(Nanos::from_secs(second))));
    let before = host.spent();
    let looks = 16;
    let counts = allocation_counter::measure(|| {
        (1..=looks).for_each(|number| drop(host.read(Nanos(4_000_000_000 + number * 1_000))));
    });
    let after = host.spent();
    let per_look = |now: u64, before: u64| (now - before).div_ceil(looks);
    let opens = per_look(after.opens, before.opens);
    let reads = per_look(after.reads, before.reads);
    let bytes = per_look(after.bytes, before.bytes);
    // 13 of them are names, a sixteenth of all; the rest is of the process and of control groups.
    assert!(opens <= 34, "{opens} opens");
    assert!(reads <= 60, "{reads} reads");
    assert!(bytes <= 4_000, "{bytes} bytes");
    assert!(counts.count_total / looks <= 1_500, "{counts:?}");
    assert_eq!(counts.count_current, 0, "a look keeps nothing: {counts:?}");
}

/// Files as kernels have them, with `#` where a number changes.
const FILES: [(&str, &str); 18] = [
    ("proc/stat", "cpu # # # # # # # # 0 0\ncpu0 # # # # # # # # 0 0\nprocs_running #\nprocs_blocked #\n"),
    ("proc/loadavg", "# 1 1 1/1 1\n"),
    ("proc/schedstat", "cpu0 0 0 0 0 0 0 # # #\n"),
    ("proc/pressure/cpu", "some avg10=0 avg60=0 avg300=0 total=#\nfull avg10=0 total=#\n"),
    ("proc/meminfo", "MemTotal: # kB\nMemAvailable: # kB\nSwapTotal: # kB\nSwapFree: # kB\nDirty: # kB\n"),
    ("proc/vmstat", "pswpin #\npswpout #\npgmajfault #\noom_kill #\n"),
    ("proc/diskstats", "8 0 sda # 0 # # # 0 # # 0 # #\n8 1 sda1 # 0 # # # 0 # # 0 # #\n"),
    ("proc/net/dev", "a\nb\neth0: # # # # 0 0 0 0 # # # # 0 0 0 0\n"),
    ("proc/net/snmp", "Tcp: CurrEstab OutSegs RetransSegs\nTcp: # # #\n"),
    ("proc/net/netstat", "TcpExt: ListenOverflows ListenDrops\nTcpExt: # #\n"),
    ("proc/net/sockstat", "TCP: inuse # orphan 0 tw #\n"),
    ("proc/net/tcp", "head\n 0: 0100007F:0001 0:0 0A 0:# 0\n 0: 0:0 0:0 08 0:0\n"),
    ("proc/sys/fs/file-nr", "# # #\n"),
    ("proc/self/cgroup", "0::/a\n"),
    ("sys/fs/cgroup/a/cpu.max", "# #\n"),
    ("sys/fs/cgroup/a/cpu.stat", "usage_usec #\nnr_periods #\nnr_throttled #\nthrottled_usec #\n"),
    ("proc/7/stat", "7 (it) S 1 1 1 0 -1 4 0 0 0 0 # # 0 0 20 0 # 0 # # # 5\n"),
    ("proc/7/io", "read_bytes: #\nwrite_bytes: #\n"),
];

/// A number: usual, huge, or none at all.
fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => (0_u64..100_000).prop_map(|number| number.to_string()),
        2 => any::<u64>().prop_map(|number| number.to_string()),
        1 => "[-0-9.a-zäß: ]{0,12}",
    ]
}

fn filled(text: &str, numbers: &[String]) -> String {
    let mut numbers = numbers.iter().cycle();
    let parts = text.split('#');
    parts.fold(String::new(), |all, part| match all.is_empty() {
        true => part.to_owned(),
        false => all + numbers.next().unwrap() + part,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    /// Law: whatever the files say, and also when they are cut or their counters go back, no look fails by a panic and no
    /// figure is negative or infinite.
    #[test]
    fn no_kernel_makes_it_say_nonsense(
        looks in proptest::collection::vec((proptest::collection::vec(number(), 40), 0_usize..200, any::<u8>()), 2..4),
    ) {
        let tree = Tree::new(&[("sys/fs/cgroup/cgroup.controllers", ""), ("proc/7/comm", "it\n"), ("proc/uptime", "5 5\n")]);
        let mut host = tree.host(&[("it", ProcessRef::Name("it".into()))]);
        for (second, (numbers, cut, victim)) in looks.iter().enumerate() {
            for (index, (path, text)) in FILES.iter().enumerate() {
                let rotated: Vec<String> = numbers.iter().cycle().skip(index * 3).take(40).cloned().collect();
                let mut bytes = filled(text, &rotated).into_bytes();
                if usize::from(*victim) % FILES.len() == index {
                    bytes.truncate(*cut);
                }
                tree.write(path, bytes);
            }
            let seen = read_at(&mut host, second as u64);
            prop_assert!(seen.values().all(|value| value.is_finite() && *value >= 0.0), "{seen:?}");
        }
    }
}
