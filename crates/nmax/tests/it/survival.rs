//! What is left after a kill, on a full disk, and where nothing can be written.

use std::fs;
use std::path::Path;
use std::process::Command;

use rustix::process::Signal;

use crate::bench::{Bench, count, exchanges, lines, number, runs_in, skip, until};
use crate::peers::{arrived, target};
use crate::schema::assert_summary;

#[test]
fn a_killed_run_reads_back_up_to_its_last_full_second() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/10ms", target.url());
    let job = bench.spawn(&["run", &url, "-r", "50/s", "-d", "60s"]);
    let windows = || bench.runs().first().map(|run| lines(&run.join("windows.jsonl"))).unwrap_or_default();
    until("two full seconds on the disk", || windows().len() >= 2);
    bench.nmax(&["runs"]).exits(0).shows(&["RUNNING"]);
    bench.nmax(&["show", "last"]).exits(0).shows(&[", still running after ", " of 1 min"]);
    job.signal(Signal::KILL);
    job.wait().exits(137);
    let (at_server, windows) = (arrived(&target), windows());
    assert!(!bench.run().join("summary.json").exists());
    let summary = bench.nmax(&["show", "last", "--json"]).exits(0).json();
    assert_summary(&summary);
    let seen = count(&summary["total"]["count"]);
    assert_eq!(seen, windows.iter().map(exchanges).sum::<u64>(), "all that is on the disk is shown");
    assert_eq!(number(&summary["duration_s"]), windows.len() as f64);
    // 50 were due in each second, and none is later at the client than at the server. Requests and replies under way at
    // the border of the last second are not among them.
    let due = 50 * windows.len() as u64;
    assert!(seen <= at_server && at_server + 25 >= due, "client {seen}, due {due}, server {at_server}");
    assert!(seen + 25 >= due && seen <= due, "client {seen}, due {due}");
    bench
        .nmax(&["show", "last"])
        .exits(0)
        .shows(&[", cut off after ", " of 1 min", "before its planned end", "GET /delay/10ms"]);
    bench.nmax(&["runs"]).exits(0).shows(&["CUT OFF"]);
    bench.nmax(&["report", "last"]).exits(0).shows(&["report.html"]);
    assert!(fs::read_to_string(bench.run().join("report.html")).unwrap().contains("GET /delay/10ms"));
}

#[test]
fn a_torn_last_line_is_ignored() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/5ms", target.url());
    bench.nmax(&["run", &url, "-c", "1", "-d", "1100ms", "--exit-zero"]).exits(0);
    let file = bench.run().join("windows.jsonl");
    let whole = fs::read(&file).unwrap();
    fs::remove_file(bench.run().join("summary.json")).unwrap();
    fs::write(&file, &whole[..whole.len() - 7]).unwrap();
    let summary = bench.nmax(&["show", "--json"]).exits(0).json();
    let left: u64 = lines(&file).iter().map(exchanges).sum();
    assert!(left > 0);
    assert_eq!(count(&summary["total"]["count"]), left);
}

#[test]
fn a_place_that_cannot_be_written_stops_the_run_before_it_sends() {
    let (bench, target) = (Bench::new(), target());
    bench.write("file", "not a folder");
    let run = ["run", &target.url(), "-n", "5", "--runs-dir", "file/runs"];
    let said = bench.nmax(&run).exits(2);
    said.says(&["error: file/runs", "cannot create", "help: a part of this path is a file"]);
    assert_eq!(arrived(&target), 0);
}

/// A run whose directory could not be written to its end gives the same answer now and later: it was cut off.
fn cut_off_by_the_disk(bench: &Bench, said: crate::bench::Ended, runs: &Path) -> serde_json::Value {
    let stopped = said.exits(5).says(&["error: ", "cannot write", "help: "]);
    assert!(!stopped.stdout.contains("report.html"), "there is none:\n{}", stopped.stdout);
    assert!(stopped.stdout.contains(", cut off after "), "{}", stopped.stdout);
    let [run] = runs_in(runs).try_into().unwrap();
    let left: u64 = lines(&run.join("windows.jsonl")).iter().map(exchanges).sum();
    let folder = runs.to_str().unwrap();
    let shown = bench.nmax(&["show", "last", "--runs-dir", folder]).exits(0);
    assert_eq!(shown.stdout, stopped.stdout);
    shown.shows(&["[INTERRUPTED]"]);
    bench.nmax(&["runs", "--runs-dir", folder]).exits(0).shows(&["CUT OFF"]);
    let summary = bench.nmax(&["show", "last", "--runs-dir", folder, "--json"]).exits(0).json();
    assert_eq!(count(&summary["total"]["count"]), left, "{summary:#}");
    summary
}

/// The same, where it was stopped on the way.
fn stopped_by_the_disk(bench: &Bench, said: crate::bench::Ended, runs: &Path) {
    let summary = cut_off_by_the_disk(bench, said.says(&["the run is stopped"]), runs);
    assert_eq!(number(&summary["duration_s"]), summary["duration_s"].as_f64().unwrap().round());
}

#[test]
fn a_limit_on_file_sizes_stops_the_run_with_a_message() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/1ms", target.url());
    // 1 KiB blocks in bash, 512-byte ones in a POSIX shell: either way full within a few seconds.
    let line = format!("ulimit -f 8 && exec \"$NMAX\" run {url} -c 4 -d 60s --runs-dir lim");
    let said = bench.shell(&line);
    stopped_by_the_disk(&bench, said.says(&["File too large"]), &bench.path("lim"));
}

/// A file system of 48 KiB; unmounted when dropped.
struct TinyDisk<'a>(&'a Path);

impl<'a> TinyDisk<'a> {
    fn mount(at: &'a Path) -> Option<Self> {
        fs::create_dir(at).unwrap();
        let mount = Command::new("mount").args(["-t", "tmpfs", "-o", "size=48k", "none"]).arg(at).output();
        mount.is_ok_and(|mount| mount.status.success()).then_some(Self(at))
    }
}

impl Drop for TinyDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).output();
    }
}

#[test]
fn a_full_disk_stops_the_run_with_a_message() {
    let (bench, target) = (Bench::new(), target());
    let runs = bench.path("tiny");
    let Some(_disk) = TinyDisk::mount(&runs) else {
        return skip("mounting a small file system is not permitted here");
    };
    let url = format!("{}/delay/1ms", target.url());
    let said = bench.nmax(&["run", &url, "-c", "4", "-d", "60s", "--runs-dir", "tiny"]);
    stopped_by_the_disk(&bench, said.says(&["the disk is full: free space"]), &runs);
}

/// Raw exchanges are written when all else is on the disk: what is then missing is the end of the directory.
#[test]
fn a_disk_that_is_full_at_the_end_leaves_one_answer() {
    let (bench, target) = (Bench::new(), target());
    // 16,000 exchanges of 30 bytes or more are beyond the limit in blocks of 512 bytes and of 1 KiB, the rest is below.
    let run = format!("run {} -c 2 -n 16000 --samples all --no-smoke --runs-dir lim", target.url());
    let said = bench.shell(&format!("ulimit -f 256 && exec \"$NMAX\" {run}"));
    cut_off_by_the_disk(&bench, said.says(&["samples-0000.parquet", "File too large"]), &bench.path("lim"));
    // A report that is made of it later changes nothing.
    let args = ["report", "last", "--runs-dir", "lim"];
    bench.nmax(&args).exits(0);
    bench.nmax(&["runs", "--runs-dir", "lim"]).exits(0).shows(&["(interrupted)"]);
    bench.nmax(&["show", "last", "--runs-dir", "lim"]).exits(0).shows(&["[INTERRUPTED]"]);
}

#[test]
fn two_runs_at_once_share_a_folder() {
    let (bench, target) = (Bench::new(), target());
    let url = format!("{}/delay/10ms", target.url());
    let jobs = ["first", "second"]
        .map(|name| bench.spawn(&["run", &url, "-n", "20", "--name", name, "--json", "--exit-zero"]));
    let sent = jobs.map(|job| count(&job.wait().exits(0).json()["total"]["count"]));
    assert_eq!(sent, [20, 20]);
    assert_eq!(arrived(&target), 40);
    assert_eq!(bench.runs().len(), 2);
    bench.nmax(&["runs"]).exits(0).shows(&["first", "second"]);
}
