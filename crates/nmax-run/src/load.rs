//! From a file, a log or a URL, and what is changed around it, to a plan.

use std::io::{self, Read};
use std::net::IpAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{fmt, fs};

use nmax_extract::{Extractor, tag};
use nmax_log::replay::Schedule;
use nmax_plan::addresses::{is_absolute, parse_proxy};
use nmax_plan::document::{self, DocumentError, Options, Origin};
use nmax_plan::plan::{Arrivals, Body, ClientCertificate, HostOverride, Plan, Profile, Workload};
use nmax_plan::planless::Planless;
use nmax_store::Manifest;

/// What a person changes of a plan.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Base URL of the target.
    pub target: Option<String>,
    /// Variables that the plan reads: name and value, before those of the environment.
    pub env: Vec<(String, String)>,
    /// Values of the document: path and value.
    pub set: Vec<(String, String)>,
    /// How much load, in place of the plan's level, profile and stages.
    pub level: Option<Workload>,
    /// Length of the load.
    pub duration: Option<Duration>,
    /// Its shape.
    pub profile: Option<Profile>,
    /// How many times shorter it is.
    pub compress: Option<f64>,
    /// Seed of every choice.
    pub seed: Option<u64>,
    /// How late a start may be to share its wake-up.
    pub pacing_slack: Option<Duration>,
    /// What is observed besides: kind and place.
    pub observe: Vec<(String, String)>,
    /// Whether any certificate is accepted.
    pub insecure: bool,
    /// PEM files with issuers of certificates.
    pub ca: Vec<String>,
    /// PEM file with the client's certificate.
    pub cert: Option<String>,
    /// That with its key.
    pub key: Option<String>,
    /// The proxy.
    pub proxy: Option<String>,
    /// Addresses that connections come from.
    pub source: Vec<IpAddr>,
    /// Addresses of names, before those of the plan.
    pub resolve: Vec<HostOverride>,
}

/// Why there is no plan.
#[derive(Debug)]
pub enum LoadError {
    /// The file cannot be read.
    File(String),
    /// What is wrong with the document or the arguments, all at once.
    Document(Vec<DocumentError>),
    /// Flags that do not fit.
    Usage(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(text) | Self::Usage(text) => f.write_str(text),
            Self::Document(errors) => write!(f, "{}; nothing was sent", every(errors)),
        }
    }
}

/// All errors of a document, and how many there are.
pub(crate) fn every(errors: &[DocumentError]) -> String {
    // The command puts `error: ` before the whole; each location gets its own.
    let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
    let plural = if errors.len() == 1 { "" } else { "s" };
    format!("{}\n{} error{plural}", lines.join("\nerror: "), errors.len())
}

/// Whether this is a URL, and not the path of a plan.
pub fn is_url(what: &str) -> bool {
    is_absolute(what)
}

/// Complains about an address without a scheme, as in `127.0.0.1:8080` or `shop.test/items`.
///
/// # Errors
/// What it was meant to be.
pub fn refuse_address(what: &str) -> Result<(), LoadError> {
    if !is_address(what) || Path::new(what).exists() {
        return Ok(());
    }
    let help = "a URL begins with http:// or https://, everything else is the path of a plan";
    let host_end = what.find('/').unwrap_or(what.len());
    let what = match what[..host_end].rfind('@') {
        Some(at) => format!("REDACTED{}", &what[at..]),
        None => what.to_owned(),
    };
    Err(LoadError::Usage(format!("{what}: there is no such file: did you mean http://{what}?\n  help: {help}")))
}

/// Whether this looks like host:port or host/path and not like the path of a plan.
fn is_address(what: &str) -> bool {
    let (place, path) = what.split_once('/').map_or((what, None), |(place, path)| (place, Some(path)));
    let (host, port) = place.rsplit_once(':').map_or((place, None), |(host, port)| (host, Some(port)));
    let is_plan = [".yaml", ".yml", ".json"].iter().any(|end| what.ends_with(end));
    let is_host = host == "localhost" || (host.contains('.') && !host.starts_with('.')) || host.starts_with('[');
    match port {
        Some(port) => !host.is_empty() && port.parse::<u16>().is_ok(),
        None => is_host && !is_plan && (path.is_some() || !host.contains(char::is_alphabetic) || host == "localhost"),
    }
}

/// The plan of a file.
///
/// # Errors
/// Everything that is wrong with it.
pub fn plan_of_file(file: &Path, changes: &Changes) -> Result<Plan, LoadError> {
    let text = read_document(file).map_err(|error| {
        let help =
            "give the path of a plan, or a URL with http:// or https://; `nmax init` writes a plan to start from";
        LoadError::File(format!("{}: cannot read the plan: {error}\n  help: {help}", file.display()))
    })?;
    plan_of_text(file, &text, changes)
}

/// The plan of the text of a file, beside which lies what it names.
///
/// # Errors
/// Everything that is wrong with it.
pub fn plan_of_text(file: &Path, text: &str, changes: &Changes) -> Result<Plan, LoadError> {
    let folder = file.parent().unwrap_or(Path::new(""));
    let place = |name: &str| folder.join(name);
    parse(text, (&file.display().to_string(), Origin::Written), &place, changes)
}

/// The plan that a stored run went by, changes of its load included: run again, it starts the same iterations at the same
/// instants. Files are looked for where the run had them: in the current folder, and in that of its plan.
///
/// # Errors
/// Everything that is wrong with it: secrets that were masked must be given again.
pub fn plan_of_run(directory: &Path, changes: &Changes) -> Result<Plan, LoadError> {
    let manifest = Manifest::read(directory).map_err(|error| LoadError::File(error.to_string()))?;
    let mut words = manifest.command.split(' ').map(|word| Path::new(word.trim_matches('\'')));
    let written =
        words.find(|word| word.extension().is_some_and(|end| end == "yaml" || end == "yml") && word.is_file());
    let folder = written.and_then(Path::parent).unwrap_or(Path::new(""));
    let place = |name: &str| match Path::new(name).exists() {
        true => PathBuf::from(name),
        false => folder.join(name),
    };
    let label = format!("{}: plan", directory.display());
    parse(&manifest.plan, (&label, Origin::Stored), &place, changes)
}

/// Whether this is the directory of a run.
pub fn is_run(what: &str) -> bool {
    Path::new(what).is_dir() && Manifest::read(Path::new(what)).is_ok()
}

fn parse(
    text: &str,
    (label, origin): (&str, Origin),
    place: &dyn Fn(&str) -> PathBuf,
    changes: &Changes,
) -> Result<Plan, LoadError> {
    let read = |name: &str| read_beside(&place(name));
    let given = |name: &str| changes.env.iter().rev().find(|(given, _)| given == name).map(|(_, value)| value.clone());
    let env = |name: &str| given(name).or_else(|| std::env::var(name).ok());
    let options = Options {
        file: label,
        origin,
        read: &read,
        exists: &|name| length(&place(name)),
        env: &env,
        target: changes.target.as_deref(),
        set: &changes.set,
        level: changes.level.as_ref(),
        duration: changes.duration,
        profile: changes.profile,
        compress: changes.compress,
        seed: changes.seed,
        check_source: &|source| Extractor::new(source).map(|_| ()),
    };
    let mut plan = document::parse(text, &options).map_err(LoadError::Document)?;
    refuse_listed(&plan)?;
    // Files that the plan names are relative to it.
    plan.change_files(&mut |name| *name = place(name).display().to_string());
    tag(&mut plan);
    plan.defaults.ca_files.extend(changes.ca.iter().cloned());
    plan.defaults.insecure |= changes.insecure;
    apply_connection_changes(&mut plan, changes)?;
    Ok(plan)
}

/// The plan of a log, whose requests are not in it yet.
///
/// # Errors
/// Everything that is wrong with it.
pub fn plan_of_log(text: &str, changes: &Changes) -> Result<Plan, LoadError> {
    let options = Options {
        read: &|_| Ok(Schedule::stub()),
        exists: &|_| Ok(0),
        target: changes.target.as_deref(),
        set: &changes.set,
        seed: changes.seed,
        check_source: &|source| Extractor::new(source).map(|_| ()),
        ..Options::standalone("replay")
    };
    let mut plan = document::parse(text, &options).map_err(LoadError::Document)?;
    plan.defaults.ca_files.extend(changes.ca.iter().cloned());
    plan.defaults.insecure |= changes.insecure;
    apply_connection_changes(&mut plan, changes)?;
    Ok(plan)
}

/// Complains about a plan that starts iterations by a list, which is in a log and not in the plan.
fn refuse_listed(plan: &Plan) -> Result<(), LoadError> {
    let is_listed = |workload: &Workload| matches!(workload, Workload::Open { arrivals: Arrivals::Listed, .. });
    let mut workloads = std::iter::once(&plan.workload).chain(plan.background.iter().map(|own| &own.workload));
    if workloads.any(is_listed) {
        let help = "replay the log by `nmax replay LOG`, or write `arrivals: even` or `arrivals: poisson`";
        return Err(LoadError::Usage(format!(
            "`arrivals: listed` is the plan of a replay, and its instants are in the log\n  help: {help}"
        )));
    }
    Ok(())
}

/// The text of a plan, which may come through a pipe. What is longer than a plan can be is not read to its end.
pub(crate) fn read_document(file: &Path) -> io::Result<String> {
    let mut text = String::new();
    let opened = fs::File::open(file)?;
    opened.take(document::DOCUMENT_BYTES_MAX as u64 + 1).read_to_string(&mut text)?;
    Ok(text)
}

/// Changes the way to the servers.
fn apply_connection_changes(plan: &mut Plan, changes: &Changes) -> Result<(), LoadError> {
    plan.pacing_slack = changes.pacing_slack.or(plan.pacing_slack);
    let defaults = &mut plan.defaults;
    if let Some((certificate_file, key_file)) = changes.cert.clone().zip(changes.key.clone()) {
        defaults.client_certificate = Some(ClientCertificate { certificate_file, key_file });
    }
    if let Some(proxy) = &changes.proxy {
        // Not by the parser of arguments, which quotes what it refuses: it may hold a password.
        let parsed = parse_proxy(proxy)
            .map_err(|error| LoadError::Usage(format!("--proxy: {}\n  help: {}", error.message, error.remedy)));
        defaults.proxy = Some(parsed?);
    }
    if !changes.source.is_empty() {
        defaults.source_addresses.clone_from(&changes.source);
    }
    // The first that covers a name counts.
    plan.hosts.splice(0..0, changes.resolve.iter().cloned());
    let env = |name: &str| std::env::var(name).ok();
    document::observe_also(plan, &changes.observe, &env).map_err(LoadError::Document)
}

/// The text of a file that a document names.
pub(crate) fn read_beside(file: &Path) -> Result<String, String> {
    length(file)?;
    fs::read_to_string(file).map_err(|error| error.to_string())
}

/// Length in bytes of a file that can be read.
pub(crate) fn length(file: &Path) -> Result<u64, String> {
    let about = fs::metadata(file).map_err(|error| error.to_string())?;
    if !about.is_file() {
        return Err("it is not a file".to_owned());
    }
    match fs::File::open(file) {
        Ok(_) => Ok(about.len()),
        Err(error) => Err(error.to_string()),
    }
}

/// The plan of a URL; `body_file` is sent with every request.
///
/// # Errors
/// What is wrong with it.
pub fn plan_of_url(planless: &Planless, body_file: Option<&str>, changes: &Changes) -> Result<Plan, LoadError> {
    let mut plan = Plan::for_url(planless).map_err(LoadError::Document)?;
    if let Some(file) = body_file {
        length(Path::new(file)).map_err(|error| {
            LoadError::Usage(format!("-b @{file}: {error}\n  help: give the path of a file, or the text itself"))
        })?;
        send_file(&mut plan, file);
    }
    apply_connection_changes(&mut plan, changes)?;
    Ok(plan)
}

/// Sends a file with every request.
fn send_file(plan: &mut Plan, file: &str) {
    for scenario in &mut plan.scenarios {
        scenario.change_calls(&mut |call| {
            if let Some(request) = call.http_mut() {
                request.body = Body::File(file.to_owned());
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_paths() {
        for what in
            ["127.0.0.1:8080", "[::1]:80", "shop:8080", "localhost", "10.0.0.1", "shop.test/items", "a.b:1/x.json"]
        {
            assert!(is_address(what), "{what}");
        }
        for what in ["plan.yaml", "plans/shop.yaml", "./plan", "../plan", "my.plans/shop.yml", "plan", "plan:x", ":80"]
        {
            assert!(!is_address(what), "{what}");
        }
    }
}
