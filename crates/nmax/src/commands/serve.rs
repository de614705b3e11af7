//! `nmax serve`, and the page of `nmax run --ui`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

use nmax_run::{Exit, Trouble};
use nmax_server::{Grants, Options, Server};
use tokio::sync::oneshot;

use super::Ended;
use crate::args::{SafetyArgs, ServeArgs};
use crate::say;

/// The secret of programs.
const TOKEN: &str = "NMAX_SERVE_TOKEN";
/// Fewest characters of it.
const TOKEN_MIN: usize = 16;
/// How much less often than others a thread that serves a run of its own process runs.
const NICE: i32 = 10;

/// Serves until a signal.
pub fn serve(args: &ServeArgs) -> Ended {
    let listen = args.listen.listen;
    let token = token()?;
    if !listen.ip().is_loopback() && token.is_none() {
        let text = format!("{listen} can be reached by other machines, and {TOKEN} is not set");
        return Err(Trouble::usage(
            text,
            "set it to a secret, as in `NMAX_SERVE_TOKEN=$(openssl rand -hex 24) nmax serve ..`",
        ));
    }
    let fleet = super::fleet::watched(&args.fleet, &args.runs_dir)?;
    let grants = Grants {
        start: !args.read_only,
        exec: args.allow_exec,
        record: !args.read_only && listen.ip().is_loopback(),
        flags: flags(&args.safety),
    };
    let options = Options {
        runs_dir: args.runs_dir.clone(),
        listen,
        may_move: true,
        hosts: args.listen.host.clone(),
        token,
        plans: (!args.read_only).then(|| args.plans.clone()),
        grants,
        program: program()?,
        fleet,
    };
    let runs_dir = args.runs_dir.display().to_string();
    let is_read_only = args.read_only;
    let begun = |server: &Server| {
        let address = server.address()?;
        say_moved(server, address);
        say::line(format!("runs of {runs_dir} at http://{address}/"));
        if !is_read_only {
            say::line(changing(address, &server.secrets().borrow()));
        }
        if !address.ip().is_loopback() {
            say::note("beyond this machine nothing is encrypted: put a proxy with TLS in front of it, or use `ssh -L`");
        }
        Ok(())
    };
    run(options, begun, nmax_agent::stopped(None))
}

fn run(options: Options, begun: impl FnOnce(&Server) -> std::io::Result<()>, end: impl Future<Output = ()>) -> Ended {
    let listen = options.listen;
    nmax_server::serve(options, begun, |address, secret| say::line(changing(address, secret)), end).map_err(
        |error| Trouble::usage(format!("cannot serve at {listen}: {error}"), "choose another address with --listen"),
    )?;
    Ok(Exit::Pass)
}

fn say_moved(server: &Server, address: SocketAddr) {
    if let Some(port) = server.moved_from {
        say::note(format_args!("port {port} is in use; this is port {}", address.port()));
    }
}

/// What opens the page so that it may change something.
fn changing(address: SocketAddr, secret: &str) -> String {
    format!("to change something, open once: http://{address}/#token={secret}")
}

/// The secret of programs, from the environment.
fn token() -> Result<Option<String>, Trouble> {
    let token = std::env::var(TOKEN).ok().filter(|token| !token.is_empty());
    match token {
        Some(token) if token.len() < TOKEN_MIN => {
            let text = format!("{TOKEN} has fewer than {TOKEN_MIN} characters");
            Err(Trouble::usage(text, "make one with `openssl rand -hex 24`"))
        }
        token => Ok(token),
    }
}

fn program() -> Result<PathBuf, Trouble> {
    std::env::current_exe().map_err(Trouble::internal)
}

/// What each run that is started here may load.
fn flags(safety: &SafetyArgs) -> Vec<String> {
    let allowed = safety.allow_target.iter().map(|what| format!("--allow-target={what}"));
    allowed.chain(safety.authorized.iter().map(|host| format!("--i-am-authorized-to-test={}", host))).collect()
}

/// A page beside a run of this process.
pub struct Page {
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
    /// The address that may change something.
    pub address: String,
}

impl Page {
    /// Serves the runs of a folder on a thread that gives way to the load.
    ///
    /// # Errors
    /// It cannot listen.
    pub fn open(runs_dir: &Path, listen: SocketAddr) -> Result<Self, Trouble> {
        let options = Options {
            runs_dir: runs_dir.to_owned(),
            listen,
            may_move: true,
            hosts: Vec::new(),
            token: token()?,
            plans: None,
            grants: Grants::default(),
            program: program()?,
            fleet: None,
        };
        let (end, ended) = oneshot::channel::<()>();
        let (tell, told) = std::sync::mpsc::sync_channel(1);
        let serve = move || {
            let _ = rustix::process::setpriority_process(None, NICE);
            let failed = tell.clone();
            let begun = |server: &Server| {
                let address = server.address()?;
                say_moved(server, address);
                let _ =
                    tell.send(Ok(format!("http://{address}/#token={}&run=last", server.secrets().borrow().as_str())));
                Ok(())
            };
            let end = async {
                let _ = ended.await;
            };
            if let Err(error) = nmax_server::serve(options, begun, |_, _| {}, end) {
                let _ = failed.send(Err(error));
            }
        };
        let thread = std::thread::Builder::new().name("nmax-serve".into()).spawn(serve).map_err(Trouble::internal)?;
        let failed = |error: std::io::Error| {
            Trouble::usage(format!("cannot serve at {listen}: {error}"), "choose another address with --ui=ADDRESS")
        };
        let address = told.recv().map_err(Trouble::internal)?.map_err(failed)?;
        Ok(Self { end: Some(end), thread: Some(thread), address })
    }
}

impl Page {
    /// Keeps the page open for the person who looks at it, until a signal.
    pub fn stay(self) {
        say::note(format_args!(
            "the page stays at {} until Ctrl-C",
            self.address.split('#').next().unwrap_or_default()
        ));
        if let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() {
            runtime.block_on(nmax_agent::stopped(None));
        }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        drop(self.end.take());
        let _ = self.thread.take().map(JoinHandle::join);
    }
}
