use super::*;
use crate::host::tree::{Tree, read_at};

#[test]
fn bytes_and_rates() {
    let tree = Tree::new(&[
        (
            "proc/meminfo",
            "MemTotal: 1000 kB\nMemFree: 1 kB\nMemAvailable:  900 kB\nSwapTotal: 50 kB\nSwapFree: 20 kB\nDirty: 3 kB\n",
        ),
        ("proc/vmstat", "nr_free_pages 5\npswpin 10\npswpout 0\npgmajfault 100\noom_kill 1\n"),
    ]);
    let mut host = tree.host(&[]);
    let first = read_at(&mut host, 0);
    assert_eq!(first.get("memory total_bytes"), Some(&1_024_000.0));
    assert_eq!(first.get("memory available_bytes"), Some(&921_600.0));
    assert_eq!(first.get("memory swap_used_bytes"), Some(&30_720.0));
    assert_eq!(first.get("memory dirty_bytes"), Some(&3_072.0));
    // A kernel without a counter has no such figure, and one that goes back has none this time.
    tree.write("proc/vmstat", "pswpin 14\npgmajfault 90\noom_kill 3\n");
    let seen = read_at(&mut host, 2);
    assert_eq!(seen.get("memory swap_in_bytes_per_s"), Some(&(2.0 * page_size() as f64)));
    assert_eq!(seen.get("memory oom_kills_per_s"), Some(&1.0));
    assert_eq!(seen.get("memory swap_out_bytes_per_s"), None);
    assert_eq!(seen.get("memory major_faults_per_s"), None);
}
