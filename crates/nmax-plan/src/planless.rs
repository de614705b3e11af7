//! Runs without a document: one URL, a number of VUs or a rate, a duration or a number of requests.

use std::sync::Arc;
use std::time::Duration;

use nmax_secrets::masked_url;

use crate::addresses;
use crate::document::{DocumentError, Location, MAX_IN_FLIGHT_DEFAULT, SEED_DEFAULT};
use crate::plan::{
    Arrivals, Body, Call, CallKind, Coding, Connection, Defaults, HttpCall, Method, Plan, Profile, REDIRECTS_MAX,
    Scenario, Step, TIMEOUT_DEFAULT, Version, Workload,
};
use crate::profile;
use crate::schedule::{Stage, StageKind, nanos};
use crate::template::Template;
use crate::units::RATE_PER_S_MAX;

/// VUs of a run that names neither VUs nor a rate.
pub const VUS_DEFAULT: u32 = 10;
/// Length of a run that names neither a duration nor a number of requests.
pub const LENGTH_DEFAULT: Duration = Duration::from_secs(10);

/// `nmax run URL ...`: what the arguments say, not yet checked. Texts are taken as they are, `${` included.
#[derive(Clone, Debug, PartialEq)]
pub struct Planless {
    /// `URL`, with scheme; the path defaults to `/`.
    pub url: String,
    /// `-X`
    pub method: Method,
    /// `-H 'Name: value'`, in order.
    pub headers: Vec<(String, String)>,
    /// `-b`
    pub body: Option<String>,
    /// `-c`: VUs; with a rate, the in-flight limit.
    pub vus: Option<u32>,
    /// `-r`: requests per second, whatever the replies do.
    pub rate_per_s: Option<f64>,
    /// Law of the arrivals, with a rate.
    pub arrivals: Arrivals,
    /// `-d`
    pub duration: Option<Duration>,
    /// `-n`: stop after that many.
    pub requests: Option<u64>,
    /// `--http1.0`
    pub version: Version,
    /// `--close` is [`Connection::PerRequest`].
    pub connection: Connection,
    /// `--timeout`
    pub timeout: Option<Duration>,
    /// `--ca`: PEM files with additional issuers.
    pub ca_files: Vec<String>,
    /// `--insecure`
    pub insecure: bool,
    /// `--follow`: most redirects that a request follows; 0 = none.
    pub redirects_max: u32,
    /// `--compressed`: content codings that requests accept, best first; replies in them are decoded.
    pub compression: Vec<Coding>,
    /// `--profile`: a named shape in place of one long hold.
    pub profile: Option<Profile>,
    /// `--compress`: how many times shorter stages become; 1 = as they are.
    pub compress: f64,
    /// `--seed`
    pub seed: Option<u64>,
}

impl Planless {
    /// A GET of this URL with every default: 10 VUs for 10 s.
    pub fn get(url: impl Into<String>) -> Self {
        Self {
            url: url.into(),
            method: Method::Get,
            headers: Vec::new(),
            body: None,
            vus: None,
            rate_per_s: None,
            arrivals: Arrivals::Even,
            duration: None,
            requests: None,
            version: Version::Http11,
            connection: Connection::KeepAlive,
            timeout: None,
            ca_files: Vec::new(),
            insecure: false,
            redirects_max: 0,
            compression: Vec::new(),
            profile: None,
            compress: 1.0,
            seed: None,
        }
    }
}

impl Plan {
    /// The plan of a run without a document; all errors at once.
    ///
    /// With a rate the workload is open and `vus` limits what is in flight, else it is closed. Requests without a
    /// duration take as long as they take; with both, whichever ends first.
    pub fn for_url(run: &Planless) -> Result<Self, Vec<DocumentError>> {
        let mut errors = Vec::new();
        let url = split(&run.url).map_err(|error| errors.push(error)).ok();
        check(run, &mut errors);
        let (Some((target, path)), true) = (url, errors.is_empty()) else {
            return Err(errors);
        };
        let (workload, written) = profile::workload(run.profile, workload(run));
        let stages = stages(run, &workload).map_err(|error| vec![error])?;
        let mut thresholds = Vec::new();
        crate::document::add_default_thresholds(&mut thresholds);
        Ok(Self {
            name: name_of(&target),
            defaults: Defaults {
                connection: run.connection,
                version: run.version,
                timeout: run.timeout.unwrap_or(TIMEOUT_DEFAULT),
                headers: run.headers.iter().map(|(name, value)| (name.clone(), literal(value))).collect(),
                ca_files: run.ca_files.clone(),
                insecure: run.insecure,
                redirects_max: run.redirects_max,
                compression: run.compression.clone(),
                ..Defaults::default()
            },
            scenarios: vec![scenario(run, &path)],
            workload,
            written,
            stages,
            iterations: run.requests,
            seed: run.seed.unwrap_or(SEED_DEFAULT),
            thresholds,
            profile: run.profile,
            compress: run.compress,
            ..Self::minimal(target)
        })
    }
}

/// With a rate the workload is open, else closed.
fn workload(run: &Planless) -> Workload {
    match run.rate_per_s {
        Some(rate_per_s) => Workload::Open {
            rate_per_s,
            arrivals: run.arrivals,
            max_in_flight: run.vus.unwrap_or(MAX_IN_FLIGHT_DEFAULT),
        },
        None => Workload::Closed { vus: run.vus.unwrap_or(VUS_DEFAULT) },
    }
}

/// One hold, or the stages of the profile, whose only hold lasts as long as the duration says.
fn stages(run: &Planless, workload: &Workload) -> Result<Vec<Stage>, DocumentError> {
    let mut stages = match run.profile {
        Some(profile) => profile::Shape::usual(profile, workload).stages(),
        None => {
            vec![Stage::hold(profile::full(workload), run.requests.is_none().then_some(LENGTH_DEFAULT))]
        }
    };
    if let Some(duration) = run.duration {
        let mut holds = stages.iter_mut().filter(|stage| stage.kind == StageKind::Hold);
        match (holds.next(), holds.next()) {
            (Some(hold), None) => hold.length_ns = Some(nanos(duration)),
            _ => {
                let name = run.profile.map_or("", Profile::name);
                let message =
                    format!("profile `{name}` has not one hold, so it is not clear what should last that long");
                return Err(error("-d", message, "leave it out; `--compress 60` makes all of it shorter"));
            }
        }
    }
    profile::compress(&mut stages, run.compress);
    Ok(stages)
}

fn scenario(run: &Planless, path: &str) -> Scenario {
    let before_query = path.split('?').next().unwrap_or(path);
    let request = HttpCall {
        method: run.method,
        body: run.body.as_ref().map_or(Body::Empty, |body| Body::Text(literal(body))),
        ..HttpCall::get(Template::text(path))
    };
    let name = Template::text(format!("{} {}", run.method.token(), masked_url(before_query)));
    let steps = vec![Step::Call(Arc::new(Call { name, what: CallKind::Http(Arc::new(request)), ..Call::get(path) }))];
    Scenario::with_steps("url", steps)
}

fn literal(text: &str) -> Template {
    if text.is_empty() { Template::default() } else { Template::text(text) }
}

fn error(flag: &str, message: impl Into<String>, remedy: &str) -> DocumentError {
    DocumentError { at: Location::Flag(flag.into()), message: message.into(), remedy: remedy.into() }
}

/// Scheme, host and port; path and query.
fn split(url: &str) -> Result<(String, String), DocumentError> {
    let remedy = "write scheme, host and path, such as `http://127.0.0.1:8080/search?q=tea`";
    let url = url.split('#').next().unwrap_or(url);
    let host_at = url.find("://").filter(|_| addresses::is_absolute(url)).map_or(0, |at| at + 3);
    let path_at = url[host_at..].find(['/', '?']).map_or(url.len(), |at| at + host_at);
    let (origin, path) = url.split_at(path_at);
    let target = addresses::origin(origin).map_err(|message| error("URL", message, remedy))?;
    if path.contains(|c: char| c.is_control() || c == ' ') {
        return Err(error(
            "URL",
            format!("`{}` contains a space or a control character", nmax_text::shown(path)),
            "write `%20` for a space",
        ));
    }
    let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
    Ok((target, path))
}

fn check(run: &Planless, errors: &mut Vec<DocumentError>) {
    if run.vus.is_some_and(|vus| !(1..=1_000_000).contains(&vus)) {
        errors.push(error("-c", "VUs must be from 1 to 1000000", "write a number such as `-c 64`"));
    }
    if run.rate_per_s.is_some_and(|rate| !(rate > 0.0 && rate <= RATE_PER_S_MAX)) {
        errors.push(error("-r", "the rate must be above 0/s and at most 1000M/s", "write a rate such as `-r 2000/s`"));
    }
    if run.duration.is_some_and(|duration| duration.is_zero() || duration > crate::units::DURATION_MAX) {
        errors.push(error(
            "-d",
            "the duration must be above zero and at most 100 years",
            "write a duration such as `-d 10s`",
        ));
    }
    if !(1.0..=profile::COMPRESS_MAX).contains(&run.compress) {
        errors.push(error(
            "--compress",
            format!("a run cannot be made {} times shorter", run.compress),
            "write a number from 1 up, such as `60`: an hour becomes a minute",
        ));
    }
    if run.requests.is_some_and(|requests| !(1..=1 << 53).contains(&requests)) {
        errors.push(error("-n", "the number of requests must be at least 1", "write a number such as `-n 1000`"));
    }
    if run.timeout.is_some_and(|timeout| timeout.is_zero()) {
        errors.push(error("--timeout", "the timeout is zero", "write a duration such as `--timeout 30s`"));
    }
    if run.redirects_max > REDIRECTS_MAX {
        errors.push(error("--follow", format!("more than {REDIRECTS_MAX} redirects"), "follow fewer"));
    }
    for (name, value) in &run.headers {
        if !crate::plan::http::is_token(name) || value.contains(['\r', '\n', '\0']) {
            let message =
                format!("`{}` is not a header: a sign in its name or value is not allowed", nmax_text::shown(name));
            errors.push(error("-H", message, "write `-H 'Name: value'` in one line"));
        } else if crate::plan::http::is_own_header(name) {
            let message = format!("header `{name}` is written by nmax itself");
            errors.push(error("-H", message, "leave it out; `--close` closes connections"));
        } else if !run.compression.is_empty() && name.eq_ignore_ascii_case("accept-encoding") {
            let message = "header `accept-encoding` is written by nmax itself with `--compressed`";
            errors.push(error("-H", message, "leave one of them out; without `--compressed` replies are not decoded"));
        }
    }
}

/// The host, in characters that suit a directory.
fn name_of(target: &str) -> String {
    let host = nmax_text::url::split(target).host.trim_matches(['[', ']']);
    let name: String =
        host.chars().map(|c| if c.is_alphanumeric() || matches!(c, '.' | '-') { c } else { '-' }).take(64).collect();
    if name.is_empty() { "url".into() } else { name }
}

#[cfg(test)]
mod tests;
