//! Which runs and logs are on each side.

use std::path::{Path, PathBuf};

use nmax_store::{RunEntry, StoreError};

use super::{Ask, Listener};
use crate::{Exit, Trouble};

/// Most runs on a side.
const RUNS_MAX: usize = 200;
/// Most runs that a message names.
const NAMED_MAX: usize = 10;

/// What a side is made of.
pub(super) enum Part {
    /// The directory of a run.
    Run(PathBuf),
    /// An access log, or the profile of one.
    Log(PathBuf),
}

/// What is on each side.
pub(super) fn sides(ask: &Ask, listener: &mut dyn Listener) -> Result<(Vec<Part>, Vec<Part>), Trouble> {
    let (before, after): (&[String], &[String]) = match ask.sides.as_slice() {
        [] if !ask.before.is_empty() => (&ask.before, &ask.after),
        [before, after] => (std::slice::from_ref(before), std::slice::from_ref(after)),
        given => {
            let lacks =
                if given.is_empty() { "no runs are given" } else { "one side alone has nothing to be compared with" };
            let help = "give two, as in `nmax compare 3f2a last`, or several: `nmax compare --before A B --after C D`";
            return Err(Trouble::usage(lacks, help));
        }
    };
    match (parts(ask, before, listener), parts(ask, after, listener)) {
        (Ok(before), Ok(after)) => Ok((before, after)),
        (before, after) => Err(together([before.err(), after.err()].into_iter().flatten().flatten().collect())),
    }
}

/// All problems as one: the call is wrong if any of them says so.
fn together(problems: Vec<Trouble>) -> Trouble {
    let is_usage = problems.iter().any(|problem| problem.exit != Exit::Invalid);
    let texts: Vec<String> = problems.into_iter().map(|problem| problem.text).collect();
    Trouble { text: texts.join("\nerror: "), exit: if is_usage { Exit::Usage } else { Exit::Invalid } }
}

/// What these words mean; all that is wrong at once.
fn parts(ask: &Ask, asked: &[String], listener: &mut dyn Listener) -> Result<Vec<Part>, Vec<Trouble>> {
    let (mut parts, mut problems) = (Vec::new(), Vec::new());
    for one in asked {
        match part(ask, one, listener) {
            Ok(found) => parts.extend(found),
            Err(problem) => problems.push(problem),
        }
    }
    if parts.len() > RUNS_MAX {
        let text = format!("{} runs on one side are too many", parts.len());
        problems.push(Trouble::usage(text, format_args!("give at most {RUNS_MAX}")));
    }
    if problems.is_empty() { Ok(parts) } else { Err(problems) }
}

fn part(ask: &Ask, asked: &str, listener: &mut dyn Listener) -> Result<Vec<Part>, Trouble> {
    match asked.split_once(':') {
        Some(("tag", tag)) => return group(ask, asked, listener, |run| run.tags.iter().any(|one| one == tag)),
        Some(("name", name)) => return group(ask, asked, listener, |run| run.name == name),
        _ => {}
    }
    match nmax_store::find(&ask.runs_dir, asked) {
        Ok(directory) => Ok(vec![Part::Run(directory)]),
        Err(StoreError::NotFound { .. }) if Path::new(asked).is_file() => Ok(vec![Part::Log(PathBuf::from(asked))]),
        Err(StoreError::NotFound { .. }) if Path::new(asked).is_dir() => Err(Trouble::usage(
            format_args!("{asked}: this is not a run: it has no manifest.json"),
            "give the directory of a run, as `nmax runs` lists them",
        )),
        Err(error) => {
            let runs = nmax_store::list(&ask.runs_dir).unwrap_or_default();
            let is_tag = runs.iter().any(|run| run.tags.iter().any(|tag| tag == asked));
            let help = format!("there are runs with this tag: write `tag:{asked}`");
            if is_tag { Err(Trouble::usage(format_args!("{asked}: no such run"), &help)) } else { Err(error.into()) }
        }
    }
}

/// All sound runs of a label or a name: what judges nothing is no choice of a person here.
fn group(
    ask: &Ask,
    asked: &str,
    listener: &mut dyn Listener,
    is_meant: impl Fn(&RunEntry) -> bool,
) -> Result<Vec<Part>, Trouble> {
    let list = nmax_store::list(&ask.runs_dir)?;
    let meant: Vec<&RunEntry> = list.iter().filter(|run| is_meant(run)).collect();
    if meant.is_empty() {
        let folder = ask.runs_dir.display();
        return Err(Trouble::usage(format_args!("{asked}: no such run in {folder}"), "`nmax runs` lists them"));
    }
    let (sound, unsound): (Vec<&RunEntry>, Vec<&RunEntry>) = meant.iter().partition(|run| lacks(run).is_none());
    let ended = || unsound.iter().filter(|run| run.verdict.is_some());
    if sound.is_empty() && ended().next().is_some() {
        // The comparison refuses them, and its files say why.
        return Ok(ended().map(|run| Part::Run(run.path.clone())).collect());
    }
    if sound.is_empty() {
        let named = unsound.iter().take(NAMED_MAX);
        let named: Vec<String> = named.filter_map(|run| lacks(run).map(|lack| format!("{} {lack}", run.id))).collect();
        let more = match unsound.len().saturating_sub(NAMED_MAX) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let text = format!(
            "{asked}: this may not be compared: none of these runs is valid: {}{more}\n  help: `nmax show {}` says why",
            named.join(", "),
            unsound[0].id
        );
        return Err(Trouble { text, exit: Exit::Invalid });
    }
    if !unsound.is_empty() {
        listener.note(&format!(
            "{asked}: {} runs that are INVALID or did not come to their end are left out",
            unsound.len()
        ));
    }
    Ok(sound.into_iter().map(|run| Part::Run(run.path.clone())).collect())
}

/// Why a run judges nothing.
fn lacks(run: &RunEntry) -> Option<&'static str> {
    if run.running {
        Some("goes on")
    } else if !run.finished || run.interrupted || run.aborted {
        Some("did not come to its end")
    } else if run.verdict.as_deref() == Some("invalid") {
        Some("is INVALID")
    } else {
        None
    }
}
