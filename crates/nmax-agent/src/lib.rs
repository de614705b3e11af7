//! `nmax agent`: watches the host of a server for runs elsewhere. The library is the command's; the program `nmax-agent` is
//! the same without the load generator, small enough to copy to every server.
//!
//! # Layout
//! - [`AgentArgs`]: the flags; [`run`]: what they ask for; [`stopped`]: until when

#![cfg_attr(test, allow(clippy::unwrap_used))]

use std::fmt::Display;
use std::fs;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use nmax_observe::agent::token::{STRONG_BYTES_MIN, Token};
use nmax_observe::agent::{Agent, AgentOptions, Endpoint};
use nmax_plan::units::parse_duration;
use nmax_sources::service::{ServiceUrl, is_here};
use tokio::signal::unix::{SignalKind, signal};

/// The variable that holds the token where no file does.
const TOKEN_VARIABLE: &str = "NMAX_AGENT_TOKEN";

/// Shown below the help of `nmax agent`; `nmax-agent` puts its own name into it.
pub const AGENT_EXAMPLES: &str = "\
Examples:
  nmax agent                                                 for runs on this host, or through a tunnel
  NMAX_AGENT_TOKEN=.. nmax agent --listen 0.0.0.0:9797       runs ask it: `agent: http://db1:9797` in the plan
  nmax agent --token-file /etc/nmax.token --push http://10.0.0.5:9798 --name db1
                                                             it calls the run: `agent: { listen: \"0.0.0.0:9798\" }`

It reads /proc and /sys once a second and keeps five minutes. It needs no rights of root; without them the open files
of other users' processes stay unknown. It ends with Ctrl-C or SIGTERM. See docs/how-to/observe-servers.md.";

/// The flags of `nmax agent` and `nmax-agent`.
#[derive(Debug, Args)]
#[command(after_help = AGENT_EXAMPLES)]
pub struct AgentArgs {
    /// Address at which runs ask
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:9797")]
    pub listen: SocketAddr,
    /// Call the run at this URL in place of waiting to be asked
    #[arg(long, value_name = "URL", conflicts_with = "listen")]
    pub push: Option<String>,
    /// With --push: the host's name in the plan
    #[arg(long, value_name = "NAME", requires = "push")]
    pub name: Option<String>,
    /// File with the token that both sides know [default: the variable NMAX_AGENT_TOKEN]
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// Watch the processes of this name, besides those that plans ask for; may be repeated
    #[arg(long, value_name = "NAME")]
    pub process: Vec<String>,
    /// Stop after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub for_time: Option<Duration>,
}

/// Why no agent is at work.
#[derive(Debug)]
pub enum Failure {
    /// The flags or the environment are wrong; the text says what to do.
    Usage(String),
    /// The system refuses what an agent needs.
    Internal(String),
}

/// Watches this host until a signal or the given time. `line` is given the URL for the plan, `note` what happens.
///
/// # Errors
/// [`Failure`], before the first reading.
pub fn run(args: &AgentArgs, line: impl Fn(&dyn Display), note: impl Fn(&str)) -> Result<(), Failure> {
    let options = options(args).map_err(Failure::Usage)?;
    let reactor = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let reactor = reactor.map_err(|error| Failure::Internal(error.to_string()))?;
    reactor.block_on(async {
        let agent = Agent::bind(options).await.map_err(|error| {
            let listen = args.listen;
            Failure::Usage(format!("cannot listen on {listen}: {error}\n  help: choose a free port, or 0 for any"))
        })?;
        if let Some(address) = agent.address() {
            line(&format_args!("http://{address}"));
        }
        agent.run(stopped(args.for_time), note).await;
        Ok(())
    })
}

/// Waits for Ctrl-C, SIGTERM or the end of a time.
pub async fn stopped(for_time: Option<Duration>) {
    let (Ok(mut interrupt), Ok(mut terminate)) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()))
    else {
        return;
    };
    let end = async {
        match for_time {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        () = end => {}
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    parse_duration(text).map_err(|error| error.to_string())
}

fn options(args: &AgentArgs) -> Result<AgentOptions, String> {
    let token = token(args)?;
    let place = match &args.push {
        Some(url) => call(url, args.name.as_deref())?,
        None => Endpoint::Listen(args.listen),
    };
    let is_open = match &place {
        Endpoint::Listen(address) => !is_loopback(address.ip()),
        Endpoint::Call { place, .. } => !is_here(place.rsplit_once(':').map_or(place, |(host, _)| host)),
    };
    if is_open {
        keep_out(token.as_ref(), args.token_file.as_deref())?;
    }
    let is_name = |name: &String| !name.is_empty() && name.len() <= 64 && !name.contains('/');
    if let Some(wrong) = args.process.iter().find(|name| !is_name(name)) {
        return Err(format!(
            "--process: `{}` is not the name of a process\n  help: write the name of the program without its folder, such as \
             `postgres`",
            nmax_text::shown(wrong)
        ));
    }
    Ok(AgentOptions { endpoint: place, token, processes: args.process.clone() })
}

/// Complains where others in the network could come to know the token: there is none, it can be guessed, or it can be read.
fn keep_out(token: Option<&Token>, file: Option<&Path>) -> Result<(), String> {
    let strong = format!("`export {TOKEN_VARIABLE}=$(head -c 24 /dev/urandom | base64)`");
    let Some(token) = token else {
        return Err(format!(
            "beyond this host an agent needs a token\n  help: put {STRONG_BYTES_MIN} or more random characters into a file for \
             --token-file, or into {TOKEN_VARIABLE}: {strong}"
        ));
    };
    if !token.is_strong() {
        let whence = file.map_or_else(|| TOKEN_VARIABLE.to_owned(), |file| file.display().to_string());
        return Err(format!(
            "{whence}: beyond this host a token of fewer than {STRONG_BYTES_MIN} characters can be guessed\n  help: give both \
             sides a random one, such as {strong} makes"
        ));
    }
    let about = file.and_then(|file| Some((file, fs::metadata(file).ok()?)));
    if let Some((file, about)) = about
        && about.is_file()
        && about.permissions().mode() & 0o077 != 0
    {
        let (file, mode) = (file.display(), about.permissions().mode() & 0o777);
        return Err(format!(
            "--token-file {file}: others on this host may read or change it (mode {mode:04o})\n  help: `chmod 600 {file}`; if \
             someone has read it, give both sides a new token"
        ));
    }
    Ok(())
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// The token of the file or the variable, if there is one.
fn token(args: &AgentArgs) -> Result<Option<Token>, String> {
    let (whence, text) = match &args.token_file {
        Some(file) => {
            let text = fs::read_to_string(file);
            let text = text.map_err(|error| format!("--token-file {}: {error}", file.display()))?;
            (file.display().to_string(), text)
        }
        None => match std::env::var(TOKEN_VARIABLE) {
            Ok(text) => (TOKEN_VARIABLE.to_owned(), text),
            Err(_) => return Ok(None),
        },
    };
    let token = Token::new(&text).ok_or_else(|| {
        format!(
            "{whence}: this is not a token\n  help: a token has 1 to 1024 letters, digits and signs, without spaces"
        )
    })?;
    Ok(Some(token))
}

fn call(url: &str, name: Option<&str>) -> Result<Endpoint, String> {
    let help = "write the address at which the plan listens, such as `http://10.0.0.5:9798`";
    let wrong = |what: String| format!("--push: {what}\n  help: {help}");
    let parts = ServiceUrl::parse(url).map_err(wrong)?;
    let is_plain = parts.scheme == "http" && parts.user.is_none() && matches!(parts.rest, "" | "/");
    let (true, Some(_)) = (is_plain && !parts.host.is_empty(), parts.port) else {
        return Err(wrong("this is not `http://HOST:PORT`".to_owned()));
    };
    if let Some(name) = name
        && (name.trim().is_empty() || name.len() > 64 || name.contains(|c: char| !c.is_ascii_graphic()))
    {
        return Err(format!(
            "--name: `{}` is not the name of a host\n  help: write the `name` that the plan gives it",
            nmax_text::shown(name)
        ));
    }
    Ok(Endpoint::Call { place: parts.place(), name: name.map(str::to_owned) })
}
