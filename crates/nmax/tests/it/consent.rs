//! What is done only by consent: where name servers of a plan, observed sources and clients of the recorder are led, and
//! which programs are started.
//!
//! Addresses that are not loopback are in a network of its own, which ends with the test.

use std::fs;
use std::net::{SocketAddr, UdpSocket};
use std::os::unix::fs::PermissionsExt;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::bench::{Bench, Ended, skip};
use crate::peers::{arrived, target};

/// Waits in shell until a port answers.
const AWAIT: &str = "await() { for _ in $(seq 600); do curl -s -o /dev/null --max-time 2 \"$1\" && return; sleep 0.1; done; \
                     echo \"$1 does not answer\"; exit 9; }\n";

/// Runs lines of shell in a network of its own, in which this host has these addresses too; what they start ends with them.
/// `None` where the host has not what it takes.
fn in_a_network(bench: &Bench, addresses: &[&str], lines: &str) -> Option<Ended> {
    let works = |line: &str| Command::new("sh").args(["-c", line]).output().is_ok_and(|output| output.status.success());
    for (what, line) in [
        ("no network can be made (unshare)", "unshare --map-root-user --net true"),
        ("`ip` is not installed", "command -v ip"),
        ("`curl` is not installed", "command -v curl"),
    ] {
        if !works(line) {
            skip(what);
            return None;
        }
    }
    // `$(jobs -p)` is a shell of its own, which has no jobs.
    let mut script =
        "trap 'jobs -p >jobs.pids; kill $(cat jobs.pids) 2>/dev/null || true' EXIT\nip link set lo up\n".to_owned();
    for address in addresses {
        script.push_str(&format!("ip address add {address} dev lo\n"));
    }
    bench.write("script", &(script + AWAIT + lines));
    Some(bench.shell("unshare --map-root-user --net sh -eu ./script"))
}

/// A plan for a target, with more lines.
fn plan(target: &str, more: &str) -> String {
    format!(
        "nmax: 1\ntarget: {target}\nscenarios: {{ get: {{ steps: [{{ get: / }}] }} }}\n\
         workload: {{ open: {{ rate: 20/s }} }}\nduration: 1s\n{more}"
    )
}

/// Neither a check nor a run connects to a metadata address that is observed, by whatever form or name; not a word of it
/// is in what they say or write.
#[test]
fn metadata_is_not_observed() {
    let bench = Bench::new();
    // TCP connections that this network has begun so far; requests that the address has got.
    let mut lines = "opened() { awk '/^Tcp:/ && $6 ~ /^[0-9]+$/ { print $6 }' /proc/net/snmp; }\n\
                     served() { curl -s http://169.254.169.254/_truth | grep -o '\"requests\":[0-9]*'; }\n\
                     $NMAX target --listen 169.254.169.254:80 >target.log &\nawait http://169.254.169.254/\n"
        .to_owned();
    let places = [
        "prometheus: 'http://169.254.169.254/latest/meta-data/'",
        "nginx: 'http://0xA9FEA9FE/'",
        "redis: 'redis://[::ffff:169.254.169.254]:80'",
    ];
    for (number, place) in places.iter().enumerate() {
        bench.write(&format!("{number}.yaml"), &plan("http://127.0.0.1:8080", &format!("observe: [{{ {place} }}]\n")));
        // A check also connects to itself, to measure this machine; what arrived at the address is counted there.
        let run = "run --allow-target 0.0.0.0/0 --i-am-authorized-to-test 169.254.169.254";
        for (command, connections) in [("check", "$(served)"), (run, "$(opened)")] {
            lines.push_str(&format!(
                "before={connections}; code=0; $NMAX {command} {number}.yaml >said 2>&1 || code=$?; after={connections}\n\
                 echo $code $(grep -c 'metadata address' said) $([ \"$before\" = \"$after\" ] && echo untouched)\n"
            ));
        }
    }
    let Some(ended) = in_a_network(&bench, &["169.254.169.254/32"], &lines) else { return };
    // Exit code, lines that say why, whether anything came.
    assert_eq!(ended.stdout, "3 1 untouched\n2 1 untouched\n".repeat(places.len()), "{}", ended.stderr);
    assert!(bench.runs().is_empty(), "refused before a run begins");
}

/// What is observed beyond this host is named, with its address, by `check` and by `run`.
#[test]
fn other_hosts_that_are_observed_are_named() {
    let bench = Bench::new();
    let observe = "observe: [{ prometheus: 'http://10.9.9.9:8080/metrics', name: app }, { redis: '127.0.0.1:1' }]\n";
    bench.write("plan.yaml", &plan("http://127.0.0.1:8080", observe));
    let lines = "$NMAX target --listen 10.9.9.9:8080 --listen 127.0.0.1:8080 >target.log &\nawait http://10.9.9.9:8080/\n\
                 $NMAX check plan.yaml || true\n$NMAX run plan.yaml -q || true\n";
    let Some(ended) = in_a_network(&bench, &["10.9.9.9/32"], lines) else { return };
    ended
        .shows(&["prometheus app", "! read beyond this host: 10.9.9.9:8080\n"])
        .says(&["note: the run reads sources beyond this host: prometheus app on 10.9.9.9 at 10.9.9.9:8080\n"]);
}

/// The defect that this rules out: a plan for a loopback target that sends questions to whatever name server it names.
#[test]
fn name_servers_of_a_plan_are_asked_by_consent() {
    let bench = Bench::new();
    for (name, server) in [("private", "10.9.9.9:5353"), ("public", "8.8.4.4:5353"), ("metadata", "169.254.169.254:53")]
    {
        let dns =
            format!("defaults: {{ dns: {{ servers: ['{server}'], ttl: 0s, cache: vu }}, connection: per-request }}\n");
        bench.write(&format!("{name}.yaml"), &plan("http://shop.test:8080", &dns));
    }
    let lines = "\
        count() { awk '/^Udp:/ && $5 ~ /^[0-9]+$/ { print $5 }' /proc/net/snmp; }\n\
        try() { before=$(count); code=0; $NMAX run \"$@\" >said 2>&1 || code=$?; echo $1 $code $(( $(count) - before > 0 )); \
                grep -o 'name server of the plan: [0-9.]* is a [a-z]*' said || true; }\n\
        try private.yaml\ntry private.yaml --allow-target 10.0.0.0/8\n\
        try public.yaml --allow-target 0.0.0.0/0\ntry public.yaml --i-am-authorized-to-test 8.8.4.4\n\
        try metadata.yaml --allow-target 0.0.0.0/0 --i-am-authorized-to-test 169.254.169.254\n\
        code=0; $NMAX check private.yaml --once >said 2>&1 || code=$?; echo once $code\n\
        code=0; $NMAX scale private.yaml >said 2>&1 || code=$?; echo scale $code\n";
    let addresses = ["10.9.9.9/32", "8.8.4.4/32", "169.254.169.254/32"];
    let Some(ended) = in_a_network(&bench, &addresses, lines) else { return };
    // Exit code, and whether a datagram left. Nobody listens there, so a name that may be asked for is not found.
    let want = "private.yaml 2 0\nname server of the plan: 10.9.9.9 is a private\nprivate.yaml 5 1\n\
                public.yaml 2 0\nname server of the plan: 8.8.4.4 is a public\npublic.yaml 5 1\n\
                metadata.yaml 2 0\nonce 2\nscale 2\n";
    let said = fs::read_to_string(bench.path("said")).unwrap_or_default();
    assert_eq!(
        ended.stdout.replace("name server of the plan: 169.254.169.254 is a cloud\n", ""),
        want,
        "{}{said}",
        ended.stderr
    );
}

/// Clients of other hosts are led to nothing that only the recorder's host reaches, but to a host that is recorded.
#[test]
fn the_recorder_lends_its_loopback_to_nobody() {
    let bench = Bench::new();
    let lines = "\
        $NMAX target --listen 127.0.0.1:18500 --listen 169.254.7.7:18500 --listen 10.9.9.1:18500 >target.log &\n\
        await http://127.0.0.1:18500/\n\
        record() { $NMAX record \"$1\" -o \"$2\" --no-browser --listen 10.9.9.1:18700 --quiet >$2.log 2>&1 <typing & recorder=$!; }\n\
        get() { curl -s -o $1.body -w \"$1 %{http_code} %{http_connect}\\n\" --max-time 30 --proxy http://10.9.9.1:18700 --noproxy '' \
                --interface \"$2\" $4 \"$3\" || true; }\n\
        mkfifo typing; exec 3<>typing\n\
        record http://10.9.9.1:18500/ site\nawait http://10.9.9.1:18700/\n\
        get loopback 10.9.9.2 http://127.0.0.1:18500/ ''\n\
        get name 10.9.9.2 http://localhost:18500/ ''\n\
        get mapped 10.9.9.2 'http://[::ffff:127.0.0.1]:18500/' ''\n\
        get any 10.9.9.2 http://0.0.0.0:18500/ ''\n\
        get link-local 10.9.9.2 http://169.254.7.7:18500/ ''\n\
        get tunnel 10.9.9.2 http://127.0.0.1:18500/ -p\n\
        get recorded 10.9.9.2 http://10.9.9.1:18500/ ''\n\
        get here 10.9.9.1 http://127.0.0.1:18500/ ''\n\
        kill -INT $recorder; wait $recorder || true\n\
        record http://127.0.0.1:18500/ own\nawait http://10.9.9.1:18700/\n\
        get recorded-loopback 10.9.9.2 http://127.0.0.1:18500/ ''\n\
        get other-name 10.9.9.2 http://localhost:18500/ ''\n\
        kill -INT $recorder; wait $recorder || true\n";
    let addresses = ["10.9.9.1/32", "10.9.9.2/32", "169.254.7.7/16"];
    let Some(ended) = in_a_network(&bench, &addresses, lines) else { return };
    let want = "loopback 403 000\nname 403 000\nmapped 403 000\nany 403 000\nlink-local 403 000\ntunnel 000 403\n\
                recorded 200 000\nhere 200 000\nrecorded-loopback 200 000\nother-name 403 000\n";
    assert_eq!(ended.stdout, want, "{}", ended.stderr);
    let page = fs::read_to_string(bench.path("loopback.body")).unwrap();
    assert!(
        page.contains("127.0.0.1:18500 is at 127.0.0.1") && page.contains("not lent") && page.contains("--host"),
        "{page}"
    );
}

/// Law: a program starts because of a plan, a flag or what was saved only where the person says `--allow-exec`.
#[test]
fn programs_start_by_consent_only() {
    let (bench, target) = (Bench::new(), target());
    let url = target.url();
    let program = bench.path("program");
    fs::write(&program, "#!/bin/sh\ntouch ran\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let timeline = |item: &str| plan(&url, &format!("timeline: [{{ at: 100ms, name: it, {item} }}]\n"));
    bench.write("command.yaml", &timeline("command: 'touch ran'"));
    bench.write(
        "undo.yaml",
        &timeline(&format!("http: {{ get: '{url}' }}, for: 100ms, undo: {{ command: 'touch ran' }}")),
    );
    bench.write(
        "signal.yaml",
        &timeline(&format!("signal: {{ send: CONT, process: {{ pid: {} }} }}", std::process::id())),
    );
    let program = program.to_str().unwrap();
    let has_run = || fs::remove_file(bench.path("ran")).is_ok();
    let without: &[&[&str]] = &[
        &["run", "command.yaml"],
        &["run", "undo.yaml"],
        &["run", "signal.yaml"],
        &["scale", &url, "--axis", "n=1,2", "--apply", "touch ran; echo {n}"],
        &["record", &url, "--browser", program, "--headless"],
    ];
    for args in without {
        bench.nmax(args).exits(2).says(&["--allow-exec"]);
        assert!(!has_run(), "{args:?}");
    }
    // What tries a plan, or reads what was saved, runs no timeline.
    for args in [
        &["check", "command.yaml", "--quick"][..],
        &["check", "command.yaml", "--once"],
        &["run", "command.yaml", "--wire"],
        &["run", "command.yaml", "--set", "timeline=null", "--no-smoke", "-q"],
        &[
            "scale", "command.yaml", "--axis", "vus=1", "--level-time", "200ms", "--replicates", "1", "--budget", "3s",
            "-q",
        ],
    ] {
        bench.nmax(args);
        assert!(!has_run(), "{args:?}");
    }
    let before = arrived(&target);
    bench.nmax(&["run", "command.yaml", "--allow-exec", "--no-smoke", "-q"]);
    assert!(has_run() && arrived(&target) > before);
    for run in bench.runs() {
        bench.nmax(&["show", run.to_str().unwrap()]);
        assert!(!has_run(), "{}", run.display());
    }
    // The second value of the knob is never reached: the first level has no target.
    bench
        .nmax(&["scale", "http://127.0.0.1:1", "--axis", "n=1,2", "--apply", "touch ran; echo {n}", "--allow-exec"])
        .exits(5);
    assert!(has_run());
    let args = ["record", &url, "--browser", program, "--allow-exec", "--headless", "--duration", "1s"];
    bench.nmax(&args);
    assert!(has_run());
}

/// Answers every question for an address with the loopback, which holds for no time; counts them. Ends when dropped.
struct NameServer {
    at: SocketAddr,
    asked: Arc<AtomicU64>,
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl NameServer {
    fn start() -> Self {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        socket.set_read_timeout(Some(Duration::from_millis(50))).unwrap();
        let at = socket.local_addr().unwrap();
        let (asked, is_over) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, over) = (Arc::clone(&asked), Arc::clone(&is_over));
        let thread = std::thread::spawn(move || {
            let mut question = [0; 512];
            while !over.load(Ordering::Relaxed) {
                let Ok((length, peer)) = socket.recv_from(&mut question) else { continue };
                count.fetch_add(1, Ordering::Relaxed);
                let mut reply = question[..length].to_vec();
                let is_v4 = reply[length - 3] == 1;
                (reply[2], reply[3], reply[7]) = (0x81, 0x80, u8::from(is_v4));
                if is_v4 {
                    reply.extend([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
                }
                let _ = socket.send_to(&reply, peer);
            }
        });
        Self { at, asked, is_over, thread: Some(thread) }
    }
}

impl Drop for NameServer {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::Relaxed);
        let _ = self.thread.take().map(JoinHandle::join);
    }
}

/// A run that would ask for a name at each of its connections asks a server so many questions in any second; what it does
/// not ask is an error of its own, with the reason, and the run is no measurement.
#[test]
fn a_name_server_is_not_flooded() {
    const QUESTIONS_PER_S_MAX: u64 = 1_000;
    let (bench, target, names) = (Bench::new(), target(), NameServer::start());
    let url = format!("http://shop.test:{}", target.address().port());
    let dns =
        format!("defaults: {{ dns: {{ servers: ['{}'], ttl: 0s, cache: vu }}, connection: per-request }}\n", names.at);
    bench.write("plan.yaml", &plan(&url, &dns).replace("20/s", "1500/s"));
    let begun = Instant::now();
    let ended = bench.nmax(&["run", "plan.yaml", "--no-smoke", "--json", "-q"]);
    let seconds = begun.elapsed().as_secs() + 1;
    let asked = names.asked.load(Ordering::Relaxed);
    assert!((1..=seconds * QUESTIONS_PER_S_MAX).contains(&asked), "{asked} questions in {seconds} s");
    let json = ended.json();
    let errors = &json["requests"][0]["errors"]["injector"];
    if errors.as_u64().unwrap_or(0) > 0 {
        assert_eq!((ended.code, &json["verdict"]), (4, &"INVALID".into()), "{json:#}");
        let failures = fs::read_to_string(bench.run().join("failures.jsonl")).unwrap();
        assert!(failures.contains("1000 times within a second") && failures.contains("dns.cache: run"), "{failures}");
    }
}
