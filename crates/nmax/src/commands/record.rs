//! `nmax record`: a person clicks, a proxy watches, and a plan comes of it.
//!
//! # Layout
//! - `browser`: found, started with a profile that is thrown away, and ended
//! - `log`: what was recorded: in memory, and on disk without secrets while it happens
//! - `screen`: what the person sees meanwhile; `desk`: what the person types

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use nmax_http::Url;
use nmax_import::redact::{Secrets, redact};
use nmax_import::{convert, har};
use nmax_proxy::{BODY_BYTES_MAX, Event, Events, Hosts, Recorder, Settings};
use nmax_run::Exit;
use nmax_run::signals::Interrupts;

use super::import::files::{self, Bundle, Kept, Place, Readers, Trouble};
use super::import::told::Beside;
use super::import::{nothing, options, recordings, tell};
use super::run::complain;
use crate::args::RecordArgs;
use crate::say;

mod browser;
mod desk;
mod log;
mod screen;

use browser::Browser;
use desk::{Desk, Wish};
use log::Log;
use screen::Screen;

/// Between two looks at signals, the browser and the clock.
const LOOK: Duration = Duration::from_millis(50);
/// Things that wait to be looked at.
const WAITING_MAX: usize = 256;
/// Longest file of issuers, bytes.
const ISSUERS_BYTES_MAX: u64 = 16 << 20;

/// Something that happened, from any side.
enum Happened {
    /// At the proxy.
    Event(Event),
    /// Nothing more will happen at the proxy.
    Over,
    /// The person typed a line.
    Line(String),
}

/// Records until the person has had enough, and makes a plan of it.
pub fn record(args: &RecordArgs) -> Exit {
    match try_record(args) {
        Ok(()) => Exit::Pass,
        Err((text, exit)) => complain(&text, exit),
    }
}

fn try_record(args: &RecordArgs) -> Result<(), Trouble> {
    let usage = |text: String| (text, Exit::Usage);
    let url = Url::parse(&args.url).map_err(|error| usage(error.to_string()))?;
    let place = Place::new(&args.plan.output.clone().unwrap_or_else(|| name_of(&url)), args.plan.force)?;
    let ca_file = place.path(&format!("{}.ca.pem", place.name()));
    let har_file = place.path(&format!("{}.har", place.name()));
    place.vacant(&[place.plan(), har_file.clone(), place.secrets(), place.evidence(), ca_file.clone()])?;
    let settings = settings(args, &url)?;
    let interrupts = Interrupts::listen().map_err(|error| usage(error.to_string()))?;
    let (mut recorder, events) = Recorder::start(&settings).map_err(|error| usage(error.to_string()))?;
    let mut browser = open(args, &recorder)?;
    let mut log = Log::create(&place, recordings::new_key()?)?;
    let certificate = log.keep_certificate(ca_file, &recorder.ca.pem)?;
    let mut screen = Screen::new(args.quiet);
    screen.begin(&settings.hosts, &recorder, browser.is_some(), certificate.path(), &url);
    let (happened, happens) = sync_channel(WAITING_MAX);
    let watching = watch(events, happened.clone());
    desk::listen(move |line| happened.send(Happened::Line(line)).is_ok());
    let course = Course { args, interrupts: &interrupts, happens: &happens };
    let followed = course.follow(&mut browser, &mut log, &mut screen);
    drop(browser);
    recorder.stop();
    let drained = followed.and_then(|()| course.drain(&mut log, &mut screen));
    // It ended with the recorder.
    let _ = watching.map(JoinHandle::join);
    drop(certificate);
    drained?;
    finish(args, &place, log, &recorder)
}

/// Name of a recording that got none: the host, when it has one.
fn name_of(url: &Url) -> PathBuf {
    let host = &url.origin.host;
    match host.parse::<IpAddr>() {
        Ok(_) => "visit".into(),
        Err(_) => host.into(),
    }
}

fn settings(args: &RecordArgs, url: &Url) -> Result<Settings, Trouble> {
    let usage = |text: String| (text, Exit::Usage);
    let mut hosts = Hosts::of_page(&url.origin.host).map_err(|error| usage(error.to_string()))?;
    let mut errors = Vec::new();
    for host in &args.plan.host {
        if let Err(error) = hosts.add(host) {
            errors.push(error.to_string());
        }
    }
    let mut upstream_ca = Vec::new();
    for file in &args.upstream_ca {
        match recordings::bytes(file, ISSUERS_BYTES_MAX) {
            Ok(pem) => upstream_ca.push(pem),
            Err(why) => {
                errors.push(format!("{}: {why}\n  help: give a PEM file with `BEGIN CERTIFICATE`", file.display()))
            }
        }
    }
    if !errors.is_empty() {
        return Err(usage(errors.join("\nerror: ")));
    }
    let local = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), args.port.unwrap_or(0));
    Ok(Settings {
        listen: args.listen.unwrap_or(local),
        hosts,
        upstream_ca,
        insecure: args.insecure,
        is_browser_silenced: !args.no_browser,
        body_bytes_max: BODY_BYTES_MAX,
    })
}

/// The browser, when one is wanted and there is one.
fn open(args: &RecordArgs, recorder: &Recorder) -> Result<Option<Browser>, Trouble> {
    if args.no_browser {
        return Ok(None);
    }
    if let (Some(program), false) = (&args.browser, args.allow_exec) {
        let program = program.display();
        let why = format!(
            "--browser {program}: it starts a program of your choice\n  help: add --allow-exec, or leave it out: browsers are \
             found by themselves"
        );
        return Err((why, Exit::Usage));
    }
    let wanted = browser::Wanted {
        path: args.browser.as_deref(),
        is_headless: args.headless,
        arguments: &args.browser_arg,
        proxy: recorder.address,
        spki: &recorder.ca.spki_sha256,
        url: &args.url,
    };
    match browser::open(&wanted) {
        Ok(browser) => Ok(Some(browser)),
        // Whoever named one wants no other way.
        Err(why) if args.browser.is_some() || args.headless => Err((why, Exit::Usage)),
        Err(why) => {
            say::note(why);
            Ok(None)
        }
    }
}

/// Takes what happens at the proxy, on a thread of its own, because it waits for it.
fn watch(mut events: Events, happened: SyncSender<Happened>) -> Option<JoinHandle<()>> {
    let thread = std::thread::Builder::new().name("nmax-events".into());
    let watching = thread.spawn(move || {
        while let Some(event) = events.next_blocking() {
            if happened.send(Happened::Event(event)).is_err() {
                return;
            }
        }
        // Nobody listens any more when it fails.
        let _ = happened.send(Happened::Over);
    });
    watching.ok()
}

/// What is looked at while it records.
struct Course<'a> {
    args: &'a RecordArgs,
    interrupts: &'a Interrupts,
    happens: &'a Receiver<Happened>,
}

impl Course<'_> {
    /// Until the person has had enough, in one way or another.
    #[expect(clippy::disallowed_methods, reason = "a recording lasts as long as a person says")]
    fn follow(&self, browser: &mut Option<Browser>, log: &mut Log, screen: &mut Screen) -> Result<(), Trouble> {
        let begin = Instant::now();
        let mut desk = Desk::default();
        loop {
            let is_long_enough = self.args.duration.is_some_and(|most| begin.elapsed() >= most);
            let is_closed = browser.as_mut().is_some_and(Browser::has_ended);
            if self.interrupts.count() > 0 || is_long_enough || is_closed {
                return Ok(());
            }
            match self.happens.recv_timeout(LOOK) {
                Ok(Happened::Event(event)) => take(event, log, screen)?,
                Ok(Happened::Line(line)) => match desk.typed(&line) {
                    Wish::End => return Ok(()),
                    Wish::Ask => screen.ask(),
                    Wish::Cancel => screen.never_mind(),
                    Wish::Mark(mark) => {
                        screen.marked(&mark.name);
                        log.mark(mark);
                    }
                },
                Err(RecvTimeoutError::Timeout) => {}
                Ok(Happened::Over) | Err(RecvTimeoutError::Disconnected) => return Ok(()),
            }
        }
    }

    /// What was under way when it ended.
    fn drain(&self, log: &mut Log, screen: &mut Screen) -> Result<(), Trouble> {
        loop {
            match self.happens.recv() {
                Ok(Happened::Event(event)) => take(event, log, screen)?,
                Ok(Happened::Line(_)) => {}
                Ok(Happened::Over) | Err(_) => return Ok(()),
            }
        }
    }
}

fn take(event: Event, log: &mut Log, screen: &mut Screen) -> Result<(), Trouble> {
    match event {
        Event::Exchange(entry) => {
            let shown = log.add(*entry)?;
            screen.exchange(&shown);
        }
        Event::Passed(host) => screen.passed(&host),
        Event::Untrusted { host, reason } => screen.untrusted(&host, &reason),
    }
    Ok(())
}

/// Makes the plan, writes everything, and says so.
fn finish(args: &RecordArgs, place: &Place, log: Log, recorder: &Recorder) -> Result<(), Trouble> {
    let summary = recorder.summary();
    let mut warnings = screen::warnings(&summary);
    warnings.extend(log.warnings());
    let key = *log.key();
    let Some(recording) = log.close() else {
        let mut text = "nothing was recorded".to_owned();
        for warning in warnings {
            text.push_str(&format!("\n  {warning}"));
        }
        text.push_str("\n  help: open the page through the proxy, and give each host that belongs to it by --host");
        return Err((text, Exit::Unreachable));
    };
    let mut stored = recording.clone();
    let secrets = redact(&mut stored, &key);
    let text = har::write(&stored, env!("CARGO_PKG_VERSION"));
    drop(stored);
    let converted = convert(vec![recording], &options(&args.plan, place, key));
    if converted.summary.steps == 0 {
        let beside = Beside { warnings, ..Beside::default() };
        let file = keep(place, &text, &secrets)?;
        let what = format!("so that no plan was written; the recording is {}", file.display());
        return Err((nothing(&converted, beside, &what), Exit::Unreachable));
    }
    let kept = Kept { name: format!("{}.har", place.name()), text: Some(text) };
    let bundle = Bundle { converted: &converted, secrets: &secrets, recordings: &[kept] };
    // Nothing was in the way when the recording began; what is there now is its own.
    let files = files::write(&place.overwriting(), &bundle)?;
    let beside = Beside { files, warnings, redactions: secrets.redactions, ..Beside::default() };
    tell(&args.plan, &converted, beside);
    Ok(())
}

/// Writes a recording of which no plan can be made, and its secrets. Returns its file.
fn keep(place: &Place, text: &str, secrets: &Secrets) -> Result<PathBuf, Trouble> {
    let har_file = place.path(&format!("{}.har", place.name()));
    let secrets_file = place.secrets();
    if secrets.redactions > 0 {
        files::ignore(&place.path(""), &[&secrets_file])?;
        files::replace(&secrets_file, secrets.to_json().as_bytes(), Readers::Owner)
            .map_err(|error| files::refused(&secrets_file, &error))?;
    }
    files::replace(&har_file, text.as_bytes(), Readers::Owner).map_err(|error| files::refused(&har_file, &error))?;
    Ok(har_file)
}
