//! Completion of the command line. The script of `nmax completions SHELL` asks nmax itself at each Tab, so ids of runs,
//! codes and files are those of the moment.
//!
//! The shell sets [`VARIABLE`] and puts the words behind `--`. In that mode nmax prints candidates and nothing else:
//! neither an error nor a panic reaches the terminal of somebody who types. Without the variable nothing here runs.
//!
//! # Layout
//! - [`bash`]: the script of bash and its answers; those of the other shells are clap's
//! - [`candidates`]: what may stand for a value: runs, codes, plans

use std::ffi::OsString;
use std::path::Path;

use clap::CommandFactory;
use clap_complete::env::{CompleteEnv, Elvish, EnvCompleter, Fish, Powershell, Shells, Zsh};
use nmax_run::{Exit, Trouble};

use crate::args::Cli;
use crate::commands::complain;

mod bash;
pub mod candidates;

/// Set by the script of a shell: which shell asks.
const VARIABLE: &str = "NMAX_COMPLETE";

const SHELLS: [&dyn EnvCompleter; 5] = [&bash::Bash, &Elvish, &Fish, &Powershell, &Zsh];

/// What zsh needs to complete already at the first Tab when it loads the file `_nmax` by itself.
const ZSH_AUTOLOADED: &str = r#"
if [[ "${funcstack[1]}" == _nmax ]]; then
    _clap_dynamic_completer_nmax "$@"
fi
"#;

/// Answers a shell that asks for candidates; `None` when no shell asks.
pub fn answer() -> Option<Exit> {
    let shell = std::env::var_os(VARIABLE).filter(|shell| !shell.is_empty() && shell != "0")?;
    let words: Vec<OsString> = std::env::args_os().collect();
    let is_asked = words.iter().any(|word| word == "--");
    if is_asked {
        std::panic::set_hook(Box::new(|_| {}));
    }
    let current_dir = std::env::current_dir().ok();
    let environment = CompleteEnv::with_factory(Cli::command).var(VARIABLE).shells(Shells(&SHELLS));
    match environment.try_complete(words, current_dir.as_deref()) {
        Ok(_) => Some(Exit::Pass),
        Err(_) if is_asked => Some(Exit::Usage),
        Err(_) => {
            let shell = shell.display();
            let help = "unset it, or name bash, elvish, fish, powershell or zsh";
            Some(complain(Trouble::usage(format_args!("{VARIABLE}={shell}: not a shell that nmax knows"), help)))
        }
    }
}

/// The script that connects a shell with `completer`, the program to ask.
pub fn script(shell: &str, completer: &str) -> String {
    let adapter = SHELLS.into_iter().find(|known| known.name() == shell).expect("the command line names a shell");
    let mut script = Vec::new();
    // Writing into memory cannot fail.
    let _ = adapter.write_registration(VARIABLE, "nmax", "nmax", completer, &mut script);
    let script = String::from_utf8_lossy(&script);
    let script = script.trim();
    if shell == "zsh" { format!("{script}\n{ZSH_AUTOLOADED}") } else { format!("{script}\n") }
}

/// How a script calls the program that was called by the first of `words`: a path from the root, or a name to be looked up.
pub fn completer(first: Option<OsString>, current_dir: Option<&Path>) -> String {
    let first = first.unwrap_or_else(|| "nmax".into());
    let path = Path::new(&first);
    let path = match current_dir {
        Some(current_dir) if path.components().count() > 1 => current_dir.join(path),
        _ => path.to_owned(),
    };
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests;
