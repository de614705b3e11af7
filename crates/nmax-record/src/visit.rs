//! A person clicks, a proxy watches, and a plan comes of it.

use std::net::{IpAddr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nmax_http::Url;
use nmax_import::options::Options;
use nmax_import::recording::Entry;
use nmax_import::redact::{Secrets, redact};
use nmax_import::{convert, har};
use nmax_proxy::{BODY_BYTES_MAX, Event, Events, Hosts, Recorder, Settings};
use nmax_run::Trouble;
use nmax_run::signals::Interrupts;

use crate::browser::{self, Browser};
use crate::desk::{self, Desk, UserCommand};
use crate::files::{self, Bundle, PlanDestination, Readers, RecordingCopy};
use crate::log::Log;
use crate::make::at;
use crate::report::{ImportContext, ImportReport};
use crate::{sources, summary};

/// Between two looks at signals, the browser and the clock.
const LOOK: Duration = Duration::from_millis(50);
/// Things that wait to be looked at.
const WAITING_MAX: usize = 256;
/// Longest file of issuers, bytes.
const ISSUERS_BYTES_MAX: u64 = 16 << 20;

/// Something that happened, from any side.
enum VisitEvent {
    /// At the proxy.
    Event(Event),
    /// Nothing more will happen at the proxy.
    Over,
    /// The person typed a line.
    Line(String),
}

/// What is recorded, and how.
#[derive(Clone, Debug)]
pub struct Order {
    /// The page to begin with.
    pub url: String,
    /// Where the plan goes; `None` for the name of the host.
    pub output: Option<PathBuf>,
    /// Whether files that exist may be written over.
    pub force: bool,
    /// Hosts that are recorded besides that of the page.
    pub hosts: Vec<String>,
    /// Where the proxy listens.
    pub listen: SocketAddr,
    /// The browser that is opened; `None` opens none.
    pub browsing: Option<Browsing>,
    /// PEM files with issuers of certificates.
    pub upstream_ca: Vec<PathBuf>,
    /// Whether any certificate is taken.
    pub insecure: bool,
    /// When it ends by itself.
    pub duration: Option<Duration>,
    /// How the plan is made; its name and its key are chosen here.
    pub options: Options,
}

/// A browser that is opened.
#[derive(Clone, Debug)]
pub struct Browsing {
    /// Where it is; `None` looks for one.
    pub program: Option<PathBuf>,
    /// Whether a program of the person's choice may be started.
    pub allow_exec: bool,
    /// Whether it has no window.
    pub is_headless: bool,
    /// Its flags.
    pub arguments: Vec<String>,
}

/// A recording that begins.
pub struct RecordingStarted<'a> {
    /// Hosts that are recorded.
    pub hosts: &'a Hosts,
    /// Where the proxy is.
    pub address: SocketAddr,
    /// Whether a browser was opened.
    pub has_browser: bool,
    /// The certificate that clients have to trust.
    pub certificate: &'a Path,
    /// The page to begin with.
    pub url: &'a Url,
}

/// Somebody who is told of a recording while it goes on.
pub trait Listener {
    /// Something that a person should know.
    fn note(&mut self, text: &str);

    /// Exchanges are recorded from now on.
    fn begins(&mut self, begun: &RecordingStarted<'_>);

    /// An exchange, without its secrets.
    fn exchange(&mut self, entry: &Entry);

    /// A host that is not recorded, the first time.
    fn passed(&mut self, host: &str);

    /// A client does not trust the certificate.
    fn untrusted(&mut self, host: &str, reason: &str);

    /// The name of what comes next is wanted.
    fn request_name(&mut self);

    /// It was not given.
    fn cancel_name(&mut self);

    /// It was given.
    fn marked(&mut self, name: &str);
}

/// Records until the person has had enough, makes a plan of it and writes everything.
///
/// # Errors
/// Why there is no plan.
pub fn record(order: &Order, listener: &mut dyn Listener) -> Result<ImportReport, Trouble> {
    let url = Url::parse(&order.url).map_err(|error| error.to_string())?;
    let destination = PlanDestination::new(&order.output.clone().unwrap_or_else(|| name_of(&url)), order.force)?;
    let ca_file = destination.path(&format!("{}.ca.pem", destination.name()));
    let har_file = destination.path(&format!("{}.har", destination.name()));
    destination.vacant(&[
        destination.plan(),
        har_file.clone(),
        destination.secrets(),
        destination.evidence(),
        ca_file.clone(),
    ])?;
    let settings = settings(order, &url, listener)?;
    let interrupts = Interrupts::listen().map_err(|error| error.to_string())?;
    let (mut recorder, events) = Recorder::start(&settings).map_err(|error| error.to_string())?;
    let mut browser = open(order, &recorder, listener)?;
    let mut log = Log::create(&destination, sources::new_key()?)?;
    let certificate = log.keep_certificate(ca_file, &recorder.ca.pem)?;
    listener.begins(&RecordingStarted {
        hosts: &settings.hosts,
        address: recorder.address,
        has_browser: browser.is_some(),
        certificate: certificate.path(),
        url: &url,
    });
    let (happened, happens) = sync_channel(WAITING_MAX);
    let watching = watch(events, happened.clone());
    desk::listen(move |line| happened.send(VisitEvent::Line(line)).is_ok());
    let course = Course { duration: order.duration, interrupts: &interrupts, happens: &happens };
    let followed = course.follow(&mut browser, &mut log, listener);
    drop(browser);
    recorder.stop();
    let drained = followed.and_then(|()| course.drain(&mut log, listener));
    // It ended with the recorder.
    let _ = watching.map(JoinHandle::join);
    drop(certificate);
    drained?;
    finish(order, &destination, log, &recorder)
}

/// Name of a recording that got none: the host, when it has one.
fn name_of(url: &Url) -> PathBuf {
    let host = &url.origin.host;
    match host.parse::<IpAddr>() {
        Ok(_) => "visit".into(),
        Err(_) => host.into(),
    }
}

fn settings(order: &Order, url: &Url, listener: &mut dyn Listener) -> Result<Settings, Trouble> {
    let mut hosts = Hosts::of_page(&url.origin.host).map_err(|error| error.to_string())?;
    let mut errors = Vec::new();
    for host in &order.hosts {
        if let Err(error) = hosts.add(host) {
            errors.push(error.to_string());
        }
    }
    let mut upstream_ca = Vec::new();
    for file in &order.upstream_ca {
        match sources::bytes(file, ISSUERS_BYTES_MAX, &mut |text| listener.note(text)) {
            Ok(pem) => upstream_ca.push(pem),
            Err(why) => {
                errors.push(format!("{}: {why}\n  help: give a PEM file with `BEGIN CERTIFICATE`", file.display()))
            }
        }
    }
    if !errors.is_empty() {
        return Err(errors.join("\nerror: ").into());
    }
    Ok(Settings {
        listen: order.listen,
        hosts,
        upstream_ca,
        insecure: order.insecure,
        is_browser_silenced: order.browsing.is_some(),
        body_bytes_max: BODY_BYTES_MAX,
    })
}

/// The browser, when one is wanted and there is one.
fn open(order: &Order, recorder: &Recorder, listener: &mut dyn Listener) -> Result<Option<Browser>, Trouble> {
    let Some(browsing) = &order.browsing else {
        return Ok(None);
    };
    if let (Some(program), false) = (&browsing.program, browsing.allow_exec) {
        let program = program.display();
        return Err(Trouble::usage(
            format_args!("--browser {program}: it starts a program of your choice"),
            "add --allow-exec, or leave it out: browsers are found by themselves",
        ));
    }
    let wanted = browser::Wanted {
        path: browsing.program.as_deref(),
        is_headless: browsing.is_headless,
        arguments: &browsing.arguments,
        proxy: recorder.address,
        spki: &recorder.ca.spki_sha256,
        url: &order.url,
    };
    match browser::open(&wanted) {
        Ok(browser) => Ok(Some(browser)),
        // Whoever named one wants no other way.
        Err(why) if browsing.program.is_some() || browsing.is_headless => Err(why.into()),
        Err(why) => {
            listener.note(&why);
            Ok(None)
        }
    }
}

/// Takes what happens at the proxy, on a thread of its own, because it waits for it.
fn watch(mut events: Events, happened: SyncSender<VisitEvent>) -> Option<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name("nmax-events".into());
    let watching = thread.spawn(move || {
        while let Some(event) = events.next_blocking() {
            if happened.send(VisitEvent::Event(event)).is_err() {
                return;
            }
        }
        // Nobody listens any more when it fails.
        let _ = happened.send(VisitEvent::Over);
    });
    watching.ok()
}

/// What is looked at while it records.
struct Course<'a> {
    duration: Option<Duration>,
    interrupts: &'a Interrupts,
    happens: &'a Receiver<VisitEvent>,
}

impl Course<'_> {
    /// Until the person has had enough, in one way or another.
    #[expect(clippy::disallowed_methods, reason = "a recording lasts as long as a person says")]
    fn follow(&self, browser: &mut Option<Browser>, log: &mut Log, listener: &mut dyn Listener) -> Result<(), Trouble> {
        let begin = Instant::now();
        let mut desk = Desk::default();
        loop {
            let is_long_enough = self.duration.is_some_and(|most| begin.elapsed() >= most);
            let is_closed = browser.as_mut().is_some_and(Browser::has_ended);
            if self.interrupts.count() > 0 || is_long_enough || is_closed {
                return Ok(());
            }
            match self.happens.recv_timeout(LOOK) {
                Ok(VisitEvent::Event(event)) => take(event, log, listener)?,
                Ok(VisitEvent::Line(line)) => match desk.typed(&line) {
                    UserCommand::End => return Ok(()),
                    UserCommand::Ask => listener.request_name(),
                    UserCommand::Cancel => listener.cancel_name(),
                    UserCommand::Mark(mark) => {
                        listener.marked(&mark.name);
                        log.mark(mark);
                    }
                },
                Err(RecvTimeoutError::Timeout) => {}
                Ok(VisitEvent::Over) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// What was under way when it ended.
    fn drain(&self, log: &mut Log, listener: &mut dyn Listener) -> Result<(), Trouble> {
        loop {
            match self.happens.recv() {
                Ok(VisitEvent::Event(event)) => take(event, log, listener)?,
                Ok(VisitEvent::Line(_)) => {}
                Ok(VisitEvent::Over) | Err(_) => return Ok(()),
            }
        }
    }
}

fn take(event: Event, log: &mut Log, listener: &mut dyn Listener) -> Result<(), Trouble> {
    match event {
        Event::Exchange(entry) => {
            let shown = log.add(*entry)?;
            listener.exchange(&shown);
        }
        Event::Passed(host) => listener.passed(&host),
        Event::Untrusted { host, reason } => listener.untrusted(&host, &reason),
    }
    Ok(())
}

/// Makes the plan and writes everything.
fn finish(
    order: &Order,
    destination: &PlanDestination,
    log: Log,
    recorder: &Recorder,
) -> Result<ImportReport, Trouble> {
    let mut warnings = summary::warnings(&recorder.summary());
    warnings.extend(log.warnings());
    let key = *log.key();
    let Some(recording) = log.close() else {
        let mut text = "nothing was recorded".to_owned();
        for warning in warnings {
            text.push_str(&format!("\n  {warning}"));
        }
        text.push_str("\n  help: open the page through the proxy, and give each host that belongs to it by --host");
        return Err(Trouble::unreachable(text));
    };
    let mut stored = recording.clone();
    let secrets = redact(&mut stored, &key);
    let text = har::write(&stored, env!("CARGO_PKG_VERSION"));
    drop(stored);
    let converted = convert(vec![recording], &at(destination, key, &order.options));
    if converted.summary.steps == 0 {
        let beside = ImportContext { warnings, ..ImportContext::default() };
        let file = keep(destination, &text, &secrets)?;
        let what = format!("so that no plan was written; the recording is {}", file.display());
        return Err(Trouble::unreachable(ImportReport::new(converted, beside).nothing(&what)));
    }
    let kept = RecordingCopy { name: format!("{}.har", destination.name()), text: Some(text) };
    let bundle = Bundle { converted: &converted, secrets: &secrets, recordings: &[kept] };
    // Nothing was in the way when the recording began; what is there now is its own.
    let files = files::write(&destination.overwriting(), &bundle)?;
    let beside = ImportContext { files, warnings, redactions: secrets.redactions, ..ImportContext::default() };
    Ok(ImportReport::new(converted, beside))
}

/// Writes a recording of which no plan can be made, and its secrets. Returns its file.
fn keep(destination: &PlanDestination, text: &str, secrets: &Secrets) -> Result<PathBuf, Trouble> {
    let har_file = destination.path(&format!("{}.har", destination.name()));
    let secrets_file = destination.secrets();
    if secrets.redactions > 0 {
        files::ignore(&destination.path(""), &[&secrets_file])?;
        files::replace(&secrets_file, secrets.to_json().as_bytes(), Readers::Owner)
            .map_err(|error| files::refused(&secrets_file, &error))?;
    }
    files::replace(&har_file, text.as_bytes(), Readers::Owner).map_err(|error| files::refused(&har_file, &error))?;
    Ok(har_file)
}
