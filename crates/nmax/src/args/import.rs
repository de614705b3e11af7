//! The flags of `nmax import`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use nmax_import::options::{Resources, SecretsIn};

use super::LogArgs;
use super::values::choice;

const IMPORT_EXAMPLES: &str = "\
Examples:
  nmax import har shop.har                     the HAR that a browser saved, as a plan
  nmax import curl \"curl 'http://127.0.0.1:8080/' -H 'accept: text/html'\"
  nmax import log access.log                   what all users did, as a mix of scenarios";

/// Plans from what users really did.
#[derive(Debug, Args)]
#[command(after_help = IMPORT_EXAMPLES)]
pub struct ImportArgs {
    #[command(subcommand)]
    pub what: ImportVerb,
}

#[derive(Debug, Subcommand)]
pub enum ImportVerb {
    /// Make a plan of HAR files that browsers and proxies save
    Har(HarArgs),
    /// Make a plan of one copied curl command
    Curl(CurlArgs),
    /// Make a plan and a traffic profile of access logs
    Log(Box<LogArgs>),
}

const HAR_EXAMPLES: &str = "\
Examples:
  nmax import har shop.har                     writes shop.yaml and what belongs to it
  nmax import har one.har two.har -o visit     two visits of one kind: think times become a distribution,
                                               and values that differ are known to change
  nmax import har shop.har --host api.shop.test --resources parsed

In a browser: developer tools, network, tick \"keep log\", click through, then \"save all as HAR with content\". \
Chrome leaves cookies and tokens out unless its settings say \"allow to generate HAR with sensitive data\".

Written beside each other: NAME.yaml (the plan), NAME.evidence.json (why each value is correlated), NAME.har (the \
recording without its secrets), NAME.secrets.json (its secrets, for your eyes only, never in version control), and \
data files. The files that were given are not changed.

Exit codes: 0 written, 2 usage or a file that cannot be read.";

#[derive(Debug, Args)]
#[command(after_help = HAR_EXAMPLES)]
pub struct HarArgs {
    /// HAR files; recordings of the same clicks become one scenario, others one each
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Also take requests that got no reply, as files of converters and of sites that were down have them
    #[arg(long)]
    pub without_replies: bool,
    #[command(flatten)]
    pub plan: MadeArgs,
}

const CURL_EXAMPLES: &str = "\
Examples:
  nmax import curl \"curl 'http://127.0.0.1:8080/api' -H 'accept: application/json' --data-raw 'a=1'\" -o api
  xclip -o | nmax import curl -
  nmax import curl -o api curl http://127.0.0.1:8080/api -H 'accept: application/json' -d a=1

Everything after the word curl belongs to curl: put flags of nmax before it, or after a command in quotes.

In a browser: developer tools, network, right click on a request, \"copy as cURL (bash)\".

Exit codes: 0 written, 2 usage or a command that cannot be read.";

#[derive(Debug, Args)]
#[command(after_help = CURL_EXAMPLES)]
pub struct CurlArgs {
    /// The command as one argument, word by word, or `-` to read it from standard input
    #[arg(value_name = "COMMAND", required = true)]
    pub command: Vec<String>,
    #[command(flatten)]
    pub plan: MadeArgs,
}

/// A command line in which all behind the word `curl` of `nmax import curl curl ..` is curl's: `--` stands before it.
/// Other command lines stay as they are.
pub fn with_curl_apart(line: impl Iterator<Item = OsString>) -> Vec<OsString> {
    let mut line: Vec<OsString> = line.collect();
    let is = |at: usize, word: &str| line.get(at).is_some_and(|own| own == word);
    if !(is(1, "import") && is(2, "curl")) {
        return line;
    }
    let command = CurlArgs::augment_args(clap::Command::new("curl"));
    let takes_value = |word: &str| {
        command.get_arguments().any(|known| {
            let is_named = known.get_long().is_some_and(|long| word.strip_prefix("--") == Some(long))
                || known.get_short().is_some_and(|short| word == format!("-{short}"));
            is_named && known.get_action().takes_values()
        })
    };
    let mut at = 3;
    while let Some(word) = line.get(at).and_then(|word| word.to_str()) {
        match word {
            "--" => break,
            word if takes_value(word) => at += 2,
            word if word.starts_with('-') && word != "-" => at += 1,
            word => {
                if nmax_import::curl::is_curl(word) {
                    line.insert(at, "--".into());
                }
                break;
            }
        }
    }
    line
}

/// The plan that is made, and where it goes.
#[derive(Debug, Args)]
pub struct MadeArgs {
    /// Name of the plan and of the files beside it, as in visit or plans/visit [default: the first file's]
    #[arg(short, long, value_name = "NAME")]
    pub output: Option<PathBuf>,
    /// Also keep requests to this host and its subdomains; may be repeated
    #[arg(long, value_name = "HOST")]
    pub host: Vec<String>,
    /// Resources of a page: those recorded, those found in the page at run time, or none
    #[arg(long, value_parser = choice(RESOURCES), default_value = "recorded")]
    pub resources: Resources,
    /// Where the plan reads passwords and keys: a file of mode 0600 beside it, or environment variables
    #[arg(long, value_parser = choice(SECRETS), default_value = "file")]
    pub secrets: SecretsIn,
    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,
    /// Print what was found as JSON
    #[arg(long)]
    pub json: bool,
}

/// What pages load with them.
const RESOURCES: [(&str, Resources, &str); 3] = [
    ("recorded", Resources::Recorded, "Those of the recording"),
    ("parsed", Resources::Parsed, "Those that the page names when it is loaded"),
    ("none", Resources::None, "None"),
];

/// Where the plan takes passwords and keys from.
const SECRETS: [(&str, SecretsIn, &str); 2] =
    [("file", SecretsIn::File, "NAME.secrets.csv"), ("env", SecretsIn::Env, "${env.NAME}")];
