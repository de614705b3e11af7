//! A server in a folder: found, configured, started on free ports, and ended when dropped.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use crate::ports::free_port;

/// Longest wait for a server that comes up, or ends.
const WAIT_MAX: Duration = Duration::from_secs(60);
/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// A program that tests run, and the Debian package that has it.
pub(super) struct Program {
    pub(super) name: &'static str,
    pub(super) package: &'static str,
}

impl Program {
    /// Where it is; panics with the package's name when it is nowhere.
    #[track_caller]
    pub(super) fn path(&self) -> PathBuf {
        let path = std::env::var("PATH").unwrap_or_default();
        let mut folders = path.split(':').chain(["/usr/sbin", "/usr/local/sbin"]);
        folders.find_map(|folder| Some(Path::new(folder).join(self.name)).filter(|file| file.is_file())).unwrap_or_else(
            || {
                panic!(
                    "{} is missing: install the Debian package `{}`, or run scripts/install-test-deps.sh",
                    self.name, self.package
                )
            },
        )
    }
}

/// A server at work.
pub(super) struct Server {
    child: Child,
    /// The ports that it listens on, in the order of its configuration.
    pub(super) ports: Vec<u16>,
    /// Its own folder.
    pub(super) folder: PathBuf,
}

impl Server {
    /// Starts a server on `count` ports. `prepare` writes what it needs into its folder and gives the command.
    pub(super) fn start(folder: PathBuf, count: usize, prepare: impl Fn(&Path, &[u16]) -> Command) -> Self {
        fs::create_dir_all(&folder).unwrap();
        let ports: Vec<u16> = (0..count).map(|_| free_port()).collect();
        let mut command = prepare(&folder, &ports);
        let said = fs::File::create(folder.join("said")).unwrap();
        command.stdin(Stdio::null()).stdout(said.try_clone().unwrap()).stderr(said);
        let child = command.spawn().unwrap();
        let mut server = Self { child, ports, folder };
        if server.comes_up() {
            return server;
        }
        let text = |name: &str| fs::read_to_string(server.file(name)).unwrap_or_default();
        panic!("the server does not start:\n{}{}", text("said"), text("error.log"));
    }

    /// The address of a port, such as `http://127.0.0.1:4711`.
    pub(super) fn url(&self, index: usize) -> String {
        format!("http://127.0.0.1:{}", self.ports[index])
    }

    /// A file of its folder.
    pub(super) fn file(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    fn comes_up(&mut self) -> bool {
        let begin = Instant::now();
        for port in self.ports.clone() {
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                if self.child.try_wait().unwrap().is_some() {
                    return false;
                }
                assert!(begin.elapsed() < WAIT_MAX, "nothing listens on port {port}");
                sleep(LOOK);
            }
        }
        true
    }
}

impl Drop for Server {
    /// Asks, so that it ends its own children, and then insists.
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        let begin = Instant::now();
        while begin.elapsed() < WAIT_MAX {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return;
            }
            sleep(LOOK);
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
