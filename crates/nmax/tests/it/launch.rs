//! What starts injectors: the files of `examples/fleet/launch`, with a real sshd where hosts are reached over ssh.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use rustix::process::Signal;

use crate::bench::{Bench, skip, until};
use crate::ports::free_port;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/fleet/launch").join(name)
}

fn text(name: &str) -> String {
    std::fs::read_to_string(file(name)).unwrap()
}

/// Every flag that a launcher gives is one of `nmax fleet join`.
#[test]
fn launchers_give_flags_that_exist() {
    let help = Bench::new().nmax(&["fleet", "join", "--help"]).exits(0).stdout;
    for name in ["nmax-injector.service", "compose.yaml", "kubernetes.yaml", "over-ssh.sh"] {
        let text = text(name);
        let lines = text.lines().filter(|line| !line.trim_start().starts_with('#'));
        let words =
            lines.flat_map(|line| line.split(|letter: char| !(letter.is_ascii_alphanumeric() || letter == '-')));
        let flags: Vec<&str> =
            words.map(|word| word.trim_start_matches("---")).filter(|word| word.starts_with("--")).collect();
        assert!(!flags.is_empty(), "{name}");
        for flag in flags {
            assert!(help.contains(&format!("{flag} ")) || help.contains(&format!("{flag}\n")), "{name}: {flag}");
        }
    }
}

/// systemd reads the unit: a key that it does not know would be left out in silence.
#[test]
fn systemd_knows_every_key_of_the_unit() {
    let mut verify = Command::new("systemd-analyze");
    let Ok(said) = verify.arg("verify").arg(file("nmax-injector.service")).output() else {
        return skip("systemd-analyze is not there");
    };
    let said = String::from_utf8_lossy(&said.stderr);
    let wrong = ["Unknown", "Failed to parse", "Invalid", "ignoring"];
    assert!(!wrong.iter().any(|word| said.contains(word)), "{said}");
}

/// Hosts of a list become injectors, each with its region, and are ended. The program below only says how it was called, and waits.
#[test]
fn hosts_of_a_list_become_injectors() {
    let sshd = Path::new("/usr/sbin/sshd");
    if !sshd.is_file() {
        return skip("sshd is not there; scripts/install-test-deps.sh installs it");
    }
    let bench = Bench::new();
    let path = |name: &str| bench.path(name).display().to_string();
    for key in ["host", "user"] {
        bench.shell(&format!("ssh-keygen -q -t ed25519 -N '' -f {}", path(key))).exits(0);
    }
    let (port, host, user) = (free_port(), path("host"), path("user"));
    bench.write(
        "sshd",
        &format!(
            "ListenAddress 127.0.0.1\nPort {port}\nHostKey {host}\nAuthorizedKeysFile {user}.pub\nStrictModes no\n\
             PidFile none\nPasswordAuthentication no\nPermitRootLogin yes\nSubsystem sftp internal-sftp\n"
        ),
    );
    bench.write("settings", &format!("Host *\nPort {port}\nIdentityFile {user}\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\nLogLevel ERROR\n"));
    // As root it needs an empty folder, which its package makes at boot.
    let _ = std::fs::create_dir_all("/run/sshd");
    let mut server = Command::new(sshd);
    server.args(["-D", "-e", "-f", &path("sshd")]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut server = server.spawn().unwrap();
    until("sshd", || std::net::TcpStream::connect(("127.0.0.1", port)).is_ok());

    // A shell could not trap a signal that is ignored when it starts, as it is here; nmax and Python can.
    let program = "#!/usr/bin/env python3\nimport signal, sys\nprint('called with', *sys.argv[1:], flush=True)\n\
                   signal.signal(signal.SIGINT, lambda *_: None)\nsignal.pause()\nprint('ends')\n";
    bench.write("injector", program);
    bench.shell("chmod +x injector").exits(0);
    bench.write("fleet.trust", "keys");
    bench.write("hosts.txt", "# two names of this machine\n127.0.0.1 eu\n\nlocalhost\n");
    let launch = |verb: &str, more: &str| {
        let (settings, folder) = (path("settings"), path("there"));
        let vars = format!("NMAX={} NMAX_FOLDER={folder} SSH_CONFIG={settings}", path("injector"));
        bench.shell(&format!("{vars} {} {verb} hosts.txt {more}", file("over-ssh.sh").display()))
    };
    launch("start", "nats://broker:4222 --allow-target '10.0.0.0/8'")
        .exits(0)
        .shows(&["127.0.0.1: started", "localhost: started"]);
    let log = |host: &str| std::fs::read_to_string(bench.path(&format!("there/{host}/log"))).unwrap_or_default();
    until("both logs", || log("127.0.0.1").contains("--region eu") && log("localhost").contains("called"));
    assert_eq!(log("localhost"), "called with fleet join nats://broker:4222 --allow-target 10.0.0.0/8\n");
    assert_eq!(std::fs::read_to_string(bench.path("there/localhost/fleet.trust")).unwrap(), "keys");
    launch("status", "").exits(0).shows(&["127.0.0.1: is there", "localhost: is there"]);
    launch("stop", "").exits(0).shows(&["localhost: asked to end"]);
    until("both ended", || ["127.0.0.1", "localhost"].iter().all(|host| log(host).ends_with("ends\n")));
    until("its end", || launch("status", "").exits(0).stdout.contains("127.0.0.1: is not there"));
    bench.write("hosts.txt", "nowhere.invalid\n");
    launch("start", "nats://broker:4222").exits(1).says(&["nowhere.invalid: cannot be reached"]);
    let pid = rustix::process::Pid::from_child(&server);
    let _ = rustix::process::kill_process(pid, Signal::TERM);
    let _ = server.wait();
}
