//! Slices kept under a name, in `slices.toml` of the runs directory.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use nmax_run::Trouble;
use nmax_slice::SliceError;
use nmax_slice::saved::{FILE, Saved, read, with};
use nmax_text::shown;

use crate::args::SliceArgs;
use crate::say;

/// Longest file that is read, bytes.
const FILE_BYTES_MAX: u64 = 1 << 20;

fn path(args: &SliceArgs) -> PathBuf {
    args.runs_dir.join(FILE)
}

/// The text of the file; empty while there is none.
fn text(args: &SliceArgs) -> Result<String, String> {
    let path = path(args);
    let refused = |error: std::io::Error| {
        format!("{}: cannot be read: {error}\n  help: it is a text in UTF-8; restore or remove it", path.display())
    };
    match fs::metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(String::new()),
        Err(error) => return Err(refused(error)),
        Ok(facts) if facts.len() > FILE_BYTES_MAX => {
            return Err(format!("{}: is longer than 1 MiB\n  help: remove slices from it", path.display()));
        }
        Ok(_) => {}
    }
    fs::read_to_string(&path).map_err(refused)
}

fn slices(args: &SliceArgs) -> Result<Vec<(String, Saved)>, String> {
    read(&text(args)?).map_err(|errors| SliceError::joined(&errors))
}

/// What is asked: flags, or a kept slice of which flags replace parts.
pub(super) fn requested_slice(args: &SliceArgs) -> Result<Saved, Trouble> {
    let typed = args.request();
    let phase = args.phase.clone();
    let Some(name) = &args.saved else {
        return Ok(Saved { request: typed, phase });
    };
    let slices = slices(args)?;
    let Some((_, mut kept)) = slices.iter().find(|(known, _)| known == name).cloned() else {
        let names: Vec<&str> = slices.iter().map(|(name, _)| name.as_str()).collect();
        let help = if names.is_empty() {
            "keep one by --save NAME".to_owned()
        } else {
            format!("there are {}", names.join(", "))
        };
        return Err(Trouble::usage(format_args!("no slice `{name}` in {}", path(args).display()), help));
    };
    kept.replace(Saved { request: typed, phase });
    Ok(kept)
}

/// Keeps the slice where a name was given.
pub(super) fn keep(args: &SliceArgs, asked: &Saved) -> Result<(), String> {
    let Some(name) = &args.save else { return Ok(()) };
    let file = path(args);
    let text = with(&text(args)?, name, asked).map_err(|errors| SliceError::joined(&errors))?;
    let refused = |error: std::io::Error| {
        let help = "choose a directory that you may write to by --runs-dir";
        format!("{}: cannot be written: {error}\n  help: {help}", file.display())
    };
    fs::create_dir_all(&args.runs_dir).map_err(refused)?;
    let temporary = file.with_extension("toml.tmp");
    fs::write(&temporary, text).and_then(|()| fs::rename(&temporary, &file)).map_err(refused)?;
    say::note(format_args!("kept as `{name}` in {}", file.display()));
    Ok(())
}

/// Lists what is kept.
pub(super) fn list(args: &SliceArgs) -> Result<(), Trouble> {
    let slices = slices(args)?;
    if args.json {
        say::line(format_args!("{:#}", nmax_report::slices::list(&slices)));
        return Ok(());
    }
    if slices.is_empty() {
        say::note(format_args!("no slices in {}\n  help: keep one by --save NAME", path(args).display()));
    }
    let widest = slices.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, saved) in slices {
        say::line(format_args!("{name:<widest$}  {}", saved.flags(shown)));
    }
    Ok(())
}
