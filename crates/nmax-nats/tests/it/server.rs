//! Real nats-servers in folders of their own. Each chooses its ports itself, and clients reach it through a [`Line`], which keeps
//! its port when the server is killed and comes back under another one.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, AtomicU16, AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::{self, sleep};
use std::time::Duration;

use serde_json::Value;

/// Between two looks, and how many there are before a test fails.
const LOOK: Duration = Duration::from_millis(5);
const LOOKS_MAX: u32 = 48_000;

/// Looks until there is something.
#[track_caller]
pub(crate) fn until<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    for _ in 0..LOOKS_MAX {
        if let Some(seen) = look() {
            return seen;
        }
        sleep(LOOK);
    }
    panic!("not seen: {what}");
}

/// The server, where `scripts/install-test-deps.sh` puts it.
pub(crate) fn program() -> Option<PathBuf> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/test-tools/nats-server");
    file.is_file().then_some(file)
}

/// Whether a test cannot run, and says why.
pub(crate) fn is_missing() -> bool {
    let is_missing = program().is_none();
    if is_missing {
        eprintln!("SKIPPED: nats-server is not installed; scripts/install-test-deps.sh installs it");
    }
    is_missing
}

/// A port that stays, in front of one that does not.
pub(crate) struct Line {
    port: u16,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Where the server is; 0 while it is down, or cut off.
    to: AtomicU16,
    is_over: AtomicBool,
    open: Mutex<Vec<TcpStream>>,
}

impl Line {
    /// One that leads nowhere so far.
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared::default());
        let of = shared.clone();
        thread::spawn(move || {
            for client in listener.incoming() {
                if of.is_over.load(Ordering::Acquire) {
                    return;
                }
                let to = of.to.load(Ordering::Acquire);
                if let (Ok(client), true) = (client, to != 0)
                    && let Ok(server) = TcpStream::connect(("127.0.0.1", to))
                {
                    let _ = (client.set_nodelay(true), server.set_nodelay(true));
                    copy(&client, &server);
                    copy(&server, &client);
                    of.open.lock().unwrap().extend([client, server]);
                }
            }
        });
        Self { port, shared }
    }

    /// Where clients connect.
    pub(crate) fn url(&self) -> String {
        format!("nats://127.0.0.1:{}", self.port)
    }

    /// Leads to another port, or to none.
    pub(crate) fn lead_to(&self, port: u16) {
        self.shared.to.store(port, Ordering::Release);
        for stream in self.shared.open.lock().unwrap().drain(..) {
            let _ = stream.shutdown(Shutdown::Both);
        }
    }
}

impl Drop for Line {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Release);
        self.lead_to(0);
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

/// Copies one direction until it ends; then the other ends too.
fn copy(from: &TcpStream, to: &TcpStream) {
    let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
    thread::spawn(move || {
        let _ = io::copy(&mut from, &mut to);
        let _ = (from.shutdown(Shutdown::Both), to.shutdown(Shutdown::Both));
    });
}

/// A server.
pub(crate) struct Nats {
    folder: PathBuf,
    name: String,
    more: String,
    child: Option<Child>,
    pub(crate) port: u16,
    pub(crate) line: Line,
    /// Where the other servers of a cluster connect.
    route: Option<Line>,
}

/// JetStream as a fleet needs it.
pub(crate) const SYNCED: &str = "jetstream { store_dir: \"FOLDER/js\", sync_interval: always, max_file: 1G }\n";

impl Nats {
    /// One server with a fleet's settings.
    pub(crate) fn start() -> Self {
        Self::with(SYNCED)
    }

    /// One server with these settings, in which `FOLDER` is its folder.
    pub(crate) fn with(settings: &str) -> Self {
        let mut server = Self::new("alone", settings);
        server.run();
        server
    }

    fn new(name: &str, settings: &str) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = std::env::temp_dir().join(format!("nmax-nats-{}-{number}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let more = settings.replace("FOLDER", folder.to_str().unwrap());
        Self { folder, name: name.into(), more, child: None, port: 0, line: Line::new(), route: None }
    }

    /// Starts it, and waits until its ports are known.
    #[track_caller]
    pub(crate) fn run(&mut self) {
        let (folder, name, more) = (self.folder.display(), &self.name, &self.more);
        let config = format!("server_name: {name}\nlisten: \"127.0.0.1:-1\"\nports_file_dir: \"{folder}\"\n{more}");
        fs::write(self.folder.join("config"), config).unwrap();
        let said = fs::OpenOptions::new().create(true).append(true).open(self.folder.join("said")).unwrap();
        let mut command = Command::new(program().unwrap());
        command.arg("-c").arg(self.folder.join("config")).stdin(Stdio::null());
        let mut child = command.stdout(said.try_clone().unwrap()).stderr(said).spawn().unwrap();
        let file = self.folder.join(format!("nats-server_{}.ports", child.id()));
        let ports = until("ports of the server", || {
            let has_ended = child.try_wait().unwrap().is_some();
            assert!(!has_ended, "{}", fs::read_to_string(self.folder.join("said")).unwrap_or_default());
            serde_json::from_slice::<Value>(&fs::read(&file).ok()?).ok()
        });
        let port = |of: &str| ports[of][0].as_str().and_then(|url| url.rsplit_once(':')?.1.parse().ok());
        self.port = port("nats").unwrap();
        if let Some(route) = &self.route {
            route.lead_to(port("cluster").unwrap());
        }
        self.child = Some(child);
        self.line.lead_to(self.port);
    }

    /// Kills it as a power cut does; its disk stays.
    pub(crate) fn kill(&mut self) {
        // First, so that no client meets another server that is given its port.
        self.line.lead_to(0);
        if let Some(route) = &self.route {
            route.lead_to(0);
        }
        if let Some(mut child) = self.child.take() {
            let _ = child.kill();
            let _ = child.wait();
        }
    }

    /// Its folder.
    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        self.kill();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Three servers.
pub(crate) struct Cluster(pub(crate) BTreeMap<String, Nats>);

impl Cluster {
    pub(crate) fn start() -> Self {
        let routes = ["a", "b", "c"].map(|name| (name, Line::new()));
        let urls = routes.iter().map(|(_, line)| line.url()).collect::<Vec<_>>().join(", ");
        let settings = format!("{SYNCED}cluster {{ name: c, listen: \"127.0.0.1:-1\", routes: [{urls}] }}\n");
        let servers = routes.map(|(name, route)| {
            let mut server = Nats::new(name, &settings);
            server.route = Some(route);
            server.run();
            (name.to_owned(), server)
        });
        Self(servers.into())
    }

    /// Starts one again.
    pub(crate) fn run(&mut self, name: &str) {
        self.0.get_mut(name).unwrap().run();
    }

    pub(crate) fn kill(&mut self, name: &str) {
        self.0.get_mut(name).unwrap().kill();
    }

    /// Where clients connect.
    pub(crate) fn urls(&self) -> Vec<String> {
        self.0.values().map(|server| server.line.url()).collect()
    }
}
