//! Slices kept under a name, in `slices.toml` of the runs directory.

use std::fs;
use std::io::ErrorKind;
use std::path::PathBuf;

use nmax_slice::saved::{FILE, Saved, read, with};
use nmax_text::shown;

use super::{Asked, joined};
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
    read(&text(args)?).map_err(|errors| joined(&errors))
}

/// What is asked: flags, or a kept slice of which flags replace parts.
pub(super) fn asked(args: &SliceArgs) -> Result<Asked, String> {
    let typed = args.request();
    let phase = args.phase.map(|phase| phase.name().to_owned());
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
        return Err(format!("no slice `{name}` in {}\n  help: {help}", path(args).display()));
    };
    let request = &mut kept.request;
    for (own, given) in [
        (&mut request.filter, typed.filter),
        (&mut request.by, typed.by),
        (&mut request.tags, typed.tags),
        (&mut request.show, typed.show),
    ] {
        if !given.is_empty() {
            *own = given;
        }
    }
    request.sort = typed.sort.or(request.sort.take());
    request.top = typed.top.or(request.top);
    request.every = typed.every.or(request.every.take());
    request.is_over_time |= typed.is_over_time;
    kept.phase = phase.or(kept.phase);
    Ok(kept)
}

/// Keeps the slice where a name was given.
pub(super) fn keep(args: &SliceArgs, asked: &Asked) -> Result<(), String> {
    let Some(name) = &args.save else { return Ok(()) };
    let file = path(args);
    let text = with(&text(args)?, name, asked).map_err(|errors| joined(&errors))?;
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
pub(super) fn list(args: &SliceArgs) -> Result<(), String> {
    let slices = slices(args)?;
    if args.json {
        let rows: Vec<_> = slices.iter().map(|(name, saved)| super::formats::request(Some(name), saved)).collect();
        say::line(format_args!("{:#}", serde_json::json!({ "schema_version": 1, "slices": rows })));
        return Ok(());
    }
    if slices.is_empty() {
        say::note(format_args!("no slices in {}\n  help: keep one by --save NAME", path(args).display()));
    }
    let widest = slices.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    for (name, saved) in slices {
        say::line(format_args!("{name:<widest$}  {}", flags(&saved)));
    }
    Ok(())
}

/// A slice as the flags that ask for it.
fn flags(saved: &Saved) -> String {
    let request = &saved.request;
    let mut flags = Vec::new();
    let lists =
        [("--by", &request.by), ("--where", &request.filter), ("--tag", &request.tags), ("--show", &request.show)];
    for (flag, list) in lists {
        flags.extend(list.iter().map(|text| format!("{flag} {}", quoted(text))));
    }
    for (flag, text) in [("--sort", &request.sort), ("--every", &request.every), ("--phase", &saved.phase)] {
        flags.extend(text.iter().map(|text| format!("{flag} {}", quoted(text))));
    }
    flags.extend(request.top.map(|top| format!("--top {top}")));
    if request.is_over_time && request.every.is_none() {
        flags.push("--over time".to_owned());
    }
    flags.join(" ")
}

/// A text for a shell.
fn quoted(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.,:/%+".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", shown(text).replace('\'', r"'\''"))
    }
}
