//! A server in a folder of its own, on a free port, ended when dropped.

use std::fs;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process};

/// Between two looks.
const LOOK: Duration = Duration::from_millis(10);
/// Longest wait for a server that comes up, or ends.
const LOOKS_MAX: u32 = 6_000;

/// Where a program is; panics with the Debian package that has it.
#[track_caller]
pub(crate) fn program(name: &str, package: &str) -> PathBuf {
    let path = std::env::var("PATH").unwrap_or_default();
    let databases = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let databases = databases.map(|version| version.path().join("bin"));
    let mut folders = path.split(':').map(PathBuf::from).chain(["/usr/sbin".into()]).chain(databases);
    folders.find_map(|folder| Some(folder.join(name)).filter(|file| file.is_file())).unwrap_or_else(|| {
        panic!("{name} is missing: install the Debian package `{package}`, or run scripts/install-test-deps.sh")
    })
}

/// A folder for one test, removed when dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(name: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        // Short, since sockets in files have short names.
        let path = std::env::temp_dir().join(format!("nmax-{name}-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A server at work.
pub(crate) struct Server(Child);

impl Server {
    /// Starts a server and waits until its port listens.
    #[track_caller]
    pub(crate) fn start(mut command: Command, folder: &Path, port: u16) -> Self {
        let said = fs::File::create(folder.join("said")).unwrap();
        let said = (said.try_clone().unwrap(), said);
        command.stdin(Stdio::null()).stdout(said.0).stderr(said.1);
        let mut server = Self(command.spawn().unwrap());
        for _ in 0..LOOKS_MAX {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return server;
            }
            if server.0.try_wait().unwrap().is_some() {
                break;
            }
            sleep(LOOK);
        }
        let said = fs::read_to_string(folder.join("said")).unwrap_or_default();
        panic!("the server does not start:\n{said}");
    }
}

impl Drop for Server {
    /// Asks, so that it ends its own children, and then insists. On INT none of them waits for its clients.
    fn drop(&mut self) {
        let _ = kill_process(Pid::from_child(&self.0), Signal::INT);
        for _ in 0..LOOKS_MAX {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            sleep(LOOK);
        }
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}
