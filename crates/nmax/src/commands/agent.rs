//! `nmax agent`

use std::fs;
use std::net::IpAddr;

use nmax_observe::agent::token::Token;
use nmax_observe::agent::{Agent, AgentOptions, Place};
use nmax_plan::addresses::{ServiceUrl, is_here};

use super::run::complain;
use super::target::shutdown;
use crate::args::AgentArgs;
use crate::exit::Exit;
use crate::say;

/// The variable that holds the token where no file does.
const TOKEN_VARIABLE: &str = "NMAX_AGENT_TOKEN";

/// Watches this host until a signal or the given time; prints the URL for the plan.
pub fn agent(args: &AgentArgs) -> Exit {
    let options = match options(args) {
        Ok(options) => options,
        Err(why) => return complain(&why, Exit::Usage),
    };
    let reactor = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(reactor) => reactor,
        Err(error) => return complain(&error, Exit::Internal),
    };
    reactor.block_on(async {
        let agent = match Agent::bind(options).await {
            Ok(agent) => agent,
            Err(error) => {
                let text =
                    format!("cannot listen on {}: {error}\n  help: choose a free port, or 0 for any", args.listen);
                return complain(&text, Exit::Usage);
            }
        };
        if let Some(address) = agent.address() {
            say::line(format_args!("http://{address}"));
        }
        agent.run(shutdown(args.for_time), |text| say::note(text)).await;
        Exit::Pass
    })
}

fn options(args: &AgentArgs) -> Result<AgentOptions, String> {
    let token = token(args)?;
    let place = match &args.push {
        Some(url) => call(url, args.name.as_deref())?,
        None => Place::Listen(args.listen),
    };
    let is_open = match &place {
        Place::Listen(address) => !is_loopback(address.ip()),
        Place::Call { place, .. } => !is_here(place.rsplit_once(':').map_or(place, |(host, _)| host)),
    };
    if token.is_none() && is_open {
        return Err(format!(
            "beyond this host an agent needs a token\n  help: put 16 or more random characters into a file for --token-file, or into \
             {TOKEN_VARIABLE}: `export {TOKEN_VARIABLE}=$(head -c 24 /dev/urandom | base64)`"
        ));
    }
    let is_name = |name: &String| !name.is_empty() && name.len() <= 64 && !name.contains('/');
    if let Some(wrong) = args.process.iter().find(|name| !is_name(name)) {
        return Err(format!(
            "--process: `{}` is not the name of a process\n  help: write the name of the program without its folder, such as \
             `postgres`",
            wrong.escape_debug()
        ));
    }
    Ok(AgentOptions { place, token, processes: args.process.clone() })
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
        format!("{whence}: this is no token\n  help: a token has 1 to 1024 letters, digits and signs, without spaces")
    })?;
    Ok(Some(token))
}

fn call(url: &str, name: Option<&str>) -> Result<Place, String> {
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
            name.escape_debug()
        ));
    }
    Ok(Place::Call { place: parts.place(), name: name.map(str::to_owned) })
}
