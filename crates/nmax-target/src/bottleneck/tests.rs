use proptest::prelude::*;

use super::*;

fn parsed(text: &str) -> Bottleneck {
    text.parse().unwrap()
}

#[test]
fn every_kind_is_read() {
    const MS: u64 = 1_000_000;
    let cases = [
        ("cpu:work=10ms", "", "main", Scarce::Cpu { work_ns: 10 * MS, threads: THREADS }),
        ("/a=lock:held=2ms,threads=4,name=l-1", "/a", "l-1", Scarce::Lock { held_ns: 2 * MS, threads: 4 }),
        (
            "disk:bytes=64kB,writes=10,dir=/var/tmp,threads=1",
            "",
            "main",
            Scarce::Disk { bytes: 64_000, writes: 10, dir: "/var/tmp".into(), threads: 1 },
        ),
        (
            "pool:size=4,timeout=1s,name=orders",
            "",
            "orders",
            Scarce::Pool { size: 4, held_ns: 0, timeout_ns: Some(1_000 * MS) },
        ),
        (
            "memory:bytes=3MB,touch=4096,threads=2",
            "",
            "main",
            Scarce::Memory { bytes: 3_000_000, touch_bytes: 4_096, threads: 2 },
        ),
        ("network:bytes_per_s=2MB", "", "main", Scarce::Network { bytes_per_s: 2_000_000 }),
        (
            "/b=dependency:url=http://localhost:9000/a?b=c,name=stock",
            "/b",
            "stock",
            Scarce::Dependency { address: "127.0.0.1:9000".parse().unwrap(), path: "/a?b=c".into() },
        ),
    ];
    for (text, prefix, name, scarce) in cases {
        let want = Bottleneck { prefix: prefix.into(), name: name.into(), scarce };
        assert_eq!(parsed(text), want, "{text}");
    }
}

#[test]
fn what_is_wrong_is_said_with_what_to_write() {
    let cases = [
        ("", "has no `:`"),
        ("/a", "has a path but no `=`"),
        ("sloth:work=1ms", "is not a known kind"),
        ("cpu:work=11s", "work is more than 10 s"),
        ("cpu:threads=4", "`work` is missing"),
        ("cpu:work=1ms,threads=0", "threads is not between 1 and 256"),
        ("cpu:work=1ms,size=4", "`size` is not known here"),
        ("lock:held=1ms,name=", "the name has other characters"),
        ("lock:held=1ms,name=a\"b", "the name has other characters"),
        ("disk:bytes=0,dir=/tmp", "`bytes=0` is not a size"),
        ("disk:bytes=1kB,writes=no", "writes is not between 1 and 10000"),
        ("pool:size=0", "size is not between 1 and 10000"),
        ("memory:bytes=1kB,touch=2kB", "`touch=2kB` is not a size between 1 and 1000 bytes"),
        ("memory:bytes=2GB,touch=2kB", "`bytes=2GB` is not a size"),
        ("/a=network:bytes_per_s=1kB", "a network is for all paths"),
        ("dependency:url=https://127.0.0.1:1/", "url is not `http://`"),
        ("dependency:url=http://127.0.0.1/", "url is not `http://`"),
        ("dependency:url=http://127.0.0.1:1/a b", "url is not `http://`"),
    ];
    for (text, want) in cases {
        let error = text.parse::<Bottleneck>().unwrap_err().to_string();
        assert!(error.contains(want), "{text}: {error}");
        assert!(error.contains("help: write"), "{text}: {error}");
    }
}

proptest! {
    /// Law: no text is answered by a panic.
    #[test]
    fn any_text_is_read_or_refused(text in "(/a=)?(cpu|lock|disk|pool|memory|network|dependency):[a-z_]{0,8}=[ -~]{0,12}") {
        let _ = text.parse::<Bottleneck>();
    }
}
