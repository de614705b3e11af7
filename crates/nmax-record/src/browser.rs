//! A browser for the recording: found, started with a profile that is thrown away, and ended.
//!
//! It trusts the recording's authority by the fingerprint of its key, in this profile only. Loopback addresses, which
//! browsers do not send through proxies, are sent through this one.

use std::fs;
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};

/// Names under which browsers of the Chromium family are installed.
const NAMES: [&str; 7] = [
    "chromium", "google-chrome-stable", "google-chrome", "chromium-browser", "chrome", "microsoft-edge",
    "brave-browser",
];
/// Where they are on a Mac.
const BUNDLES: [&str; 2] = [
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
];
/// What keeps a browser quiet: nothing but the person's clicks shall be seen.
const QUIET: [&str; 15] = [
    "--no-first-run",
    "--no-default-browser-check",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-extensions",
    "--disable-sync",
    "--disable-domain-reliability",
    "--disable-client-side-phishing-detection",
    "--disable-breakpad",
    "--disable-search-engine-choice-screen",
    "--metrics-recording-only",
    "--password-store=basic",
    "--disable-features=AutofillServerCommunication,CertificateTransparencyComponentUpdater,InterestFeedContentSuggestions,\
     MediaRouter,NetworkTimeServiceQuerying,OptimizationHints,Translate",
];
/// Flags that name servers of the browser's maker, asked whatever else is said. The recorder itself answers in their
/// place, and says that there is nothing.
const HOME: [&str; 3] = ["--gaia-url=", "--component-updater=url-source=", "--apps-gallery-update-url="];
/// How long it may take to end by itself.
const END_WAIT: Duration = Duration::from_secs(5);
/// Between two looks at it.
const LOOK: Duration = Duration::from_millis(20);

/// Which browser, and what it is told.
pub(crate) struct Wanted<'a> {
    /// Where it is; else it is looked for.
    pub(crate) path: Option<&'a Path>,
    pub(crate) is_headless: bool,
    /// Flags of the person.
    pub(crate) arguments: &'a [String],
    pub(crate) proxy: SocketAddr,
    /// Fingerprint of the authority's key.
    pub(crate) spki: &'a str,
    /// The page to begin with.
    pub(crate) url: &'a str,
}

/// A browser at work; it and its profile are gone when dropped.
pub(crate) struct Browser {
    child: Child,
    profile: PathBuf,
}

/// Starts it; else why not, and what to do.
pub(crate) fn open(wanted: &Wanted<'_>) -> Result<Browser, String> {
    let program = match wanted.path {
        Some(path) => path.to_owned(),
        None => find().ok_or(
            "no browser was found (Chromium, Chrome, Edge): give its place by --browser PATH --allow-exec, or point one at the \
             proxy",
        )?,
    };
    if !wanted.is_headless && !has_display() {
        return Err("there is no display for a browser: record with --headless, or point a client at the proxy".into());
    }
    let profile = std::env::temp_dir().join(format!("nmax-browser-{}", std::process::id()));
    let profile_error = |error| format!("{}: cannot make the browser's profile: {error}", profile.display());
    // Left by a process of the same number that was killed.
    let _ = fs::remove_dir_all(&profile);
    fs::create_dir(&profile).map_err(profile_error)?;
    let mut command = Command::new(&program);
    command
        .args(arguments(wanted, &profile))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Ctrl-C is for the recorder, which then ends the browser and all that it started.
        .process_group(0);
    match command.spawn() {
        Ok(child) => Ok(Browser { child, profile }),
        Err(error) => {
            let _ = fs::remove_dir_all(&profile);
            Err(format!(
                "{}: cannot start the browser: {error}\n  help: give its place by --browser PATH, or record with --no-browser",
                program.display()
            ))
        }
    }
}

fn arguments(wanted: &Wanted<'_>, profile: &Path) -> Vec<String> {
    let mut all = vec![
        format!("--user-data-dir={}", profile.display()),
        format!("--proxy-server=http://{}", reachable(wanted.proxy)),
        "--proxy-bypass-list=<-loopback>".to_owned(),
        format!("--ignore-certificate-errors-spki-list={}", wanted.spki),
        "--disable-quic".to_owned(),
    ];
    all.extend(QUIET.map(str::to_owned));
    all.extend(HOME.map(|flag| format!("{flag}http://{}/", reachable(wanted.proxy))));
    if wanted.is_headless {
        all.push("--headless=new".to_owned());
    }
    // Its sandbox refuses to work for root, as in containers.
    if rustix::process::geteuid().is_root() {
        all.push("--no-sandbox".to_owned());
    }
    all.extend(wanted.arguments.iter().cloned());
    all.push(wanted.url.to_owned());
    all
}

/// The proxy's address as this machine reaches it.
fn reachable(mut proxy: SocketAddr) -> SocketAddr {
    if proxy.ip().is_unspecified() {
        let loopback: std::net::IpAddr = match proxy {
            SocketAddr::V4(_) => std::net::Ipv4Addr::LOCALHOST.into(),
            SocketAddr::V6(_) => std::net::Ipv6Addr::LOCALHOST.into(),
        };
        proxy.set_ip(loopback);
    }
    proxy
}

fn find() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    let mut candidates = NAMES
        .iter()
        .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
        .chain(BUNDLES.iter().map(PathBuf::from));
    candidates.find(|candidate| candidate.is_file())
}

/// Whether a window can be shown.
fn has_display() -> bool {
    cfg!(target_os = "macos") || ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| std::env::var_os(name).is_some())
}

impl Browser {
    /// Whether the person has closed it.
    pub(crate) fn has_ended(&mut self) -> bool {
        !matches!(self.child.try_wait(), Ok(None))
    }

    #[expect(clippy::disallowed_methods, reason = "the browser is given a moment to end")]
    fn wait(&mut self, most: Duration) -> bool {
        let begin = Instant::now();
        while !self.has_ended() {
            if begin.elapsed() > most {
                return false;
            }
            std::thread::sleep(LOOK);
        }
        true
    }
}

impl Drop for Browser {
    /// Asks, so that it writes its profile to the end, and then insists.
    #[expect(clippy::disallowed_methods, reason = "its helpers may hold files of the profile for a moment")]
    fn drop(&mut self) {
        if let Some(group) = i32::try_from(self.child.id()).ok().and_then(Pid::from_raw) {
            if !self.has_ended() {
                let _ = kill_process_group(group, Signal::TERM);
                self.wait(END_WAIT);
            }
            // Helpers that outlive it, or all of them when it did not listen.
            let _ = kill_process_group(group, Signal::KILL);
            self.wait(END_WAIT);
        }
        for _ in 0..50 {
            match fs::remove_dir_all(&self.profile) {
                Err(error) if error.kind() != std::io::ErrorKind::NotFound => std::thread::sleep(LOOK),
                _ => return,
            }
        }
    }
}

#[cfg(test)]
mod tests;
