//! The flags of `nmax agent`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::values::duration;

const AGENT_EXAMPLES: &str = "\
Examples:
  nmax agent                                                 for runs on this host, or through a tunnel
  NMAX_AGENT_TOKEN=.. nmax agent --listen 0.0.0.0:9797       runs ask it: `agent: http://db1:9797` in the plan
  nmax agent --token-file /etc/nmax.token --push http://10.0.0.5:9798 --name db1
                                                             it calls the run: `agent: { listen: \"0.0.0.0:9798\" }`

It reads /proc and /sys once a second and keeps five minutes. It needs no rights of root; without them the open files
of other users' processes stay unknown. It ends with Ctrl-C or SIGTERM. See docs/how-to/observe-servers.md.";

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
    /// End by itself after this time
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub for_time: Option<std::time::Duration>,
}
