//! A fleet as `nmax serve` shows it: who is there, which runs go on, and these runs written into a folder. No injector waits for
//! it, so it may end and come back, and any number of them may look at the same fleet. Of several that share a folder, one
//! writes a run; another takes over when that one died.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use nmax_engine::runtime::real::monotonic;
use nmax_fleet::records::{Command, Start};
use nmax_fleet::seal::SealKey;
use nmax_fleet::warrant::{PublicKey, SigningKey};
use nmax_metrics::Nanos;
use nmax_nats::{Broker, KnownRun, Runs, Workers};
use nmax_run::fleet::{keys, manager};
use nmax_run::signals::Interrupts;
use nmax_run::{SessionError, Trouble};
use nmax_server::{Fleet, FleetEnd, FleetPage};
use nmax_store::StoreError;

use super::look::{access, calendar, connect, injectors, row};
use super::order::{self, of_others, pause};
use crate::args::WatchArgs;
use crate::say;

/// How often it is looked for runs, and for a server that does not answer.
const LOOK: Duration = Duration::from_millis(500);
/// After what failed it is tried again after this time.
const AGAIN: Nanos = Nanos::from_secs(30);
/// Runs that are followed at the same time.
const FOLLOWED_MAX: usize = 8;
/// Runs that have ended and are written into the folder when they are not in it: the newest ones.
const PAST_MAX: usize = 20;

/// A fleet that is looked at.
#[derive(Debug)]
struct Watch {
    args: WatchArgs,
    runs_dir: PathBuf,
    keys: Option<Keys>,
    link: OnceLock<Linked>,
    /// What was told last of what is wrong.
    trouble: Mutex<String>,
    followed: Mutex<BTreeMap<String, Following>>,
}

/// What opens runs, and ends them.
#[derive(Debug)]
struct Keys {
    signers: Vec<PublicKey>,
    seal: SealKey,
    signing: Option<SigningKey>,
}

/// What is known over a connection.
#[derive(Debug)]
struct Linked {
    broker: Broker,
    workers: Workers,
    runs: Runs,
}

/// How far a run was followed.
#[derive(Debug)]
enum Following {
    UnderWay,
    Done,
    Failed { why: String, again: Nanos },
}

/// Looks at a fleet from now on.
pub(super) fn watch(args: &WatchArgs, runs_dir: &Path) -> Result<Arc<dyn Fleet>, Trouble> {
    let watch = Arc::new(Watch {
        args: args.clone(),
        runs_dir: runs_dir.to_owned(),
        keys: keys(args.fleet_key.as_deref())?,
        link: OnceLock::new(),
        trouble: Mutex::default(),
        followed: Mutex::default(),
    });
    if watch.keys.is_none() {
        let file = keys::OWNER_FILE;
        say::note(format_args!(
            "{file} is not here, so runs of the fleet are listed and not followed: `--fleet-key FILE`"
        ));
    }
    let of = Arc::clone(&watch);
    let look = move || {
        while !of.link() {
            pause(LOOK);
        }
        loop {
            of.look();
            pause(LOOK);
        }
    };
    std::thread::Builder::new().name("nmax-fleet".into()).spawn(look).map_err(Trouble::internal)?;
    Ok(watch)
}

/// The keys of those who order runs, or of injectors.
fn keys(file: Option<&Path>) -> Result<Option<Keys>, Trouble> {
    let usual = Path::new(keys::OWNER_FILE);
    let Some(file) = file.or_else(|| usual.exists().then_some(usual)) else { return Ok(None) };
    Ok(Some(match (keys::owner(file), keys::trust(file)) {
        (Ok(keys), _) => Keys { signers: vec![keys.signing.public()], seal: keys.seal, signing: Some(keys.signing) },
        (_, Ok(keys)) => Keys { signers: keys.signers, seal: keys.seal, signing: None },
        (Err(error), Err(_)) => return Err(error.into()),
    }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Watch {
    /// What the key file says of the connection.
    fn known(&self) -> keys::Connection {
        keys::connection(self.args.fleet_key.as_deref().unwrap_or(Path::new(keys::OWNER_FILE)))
    }

    /// Connects; whether that is done.
    fn link(&self) -> bool {
        match connect(&self.args.nats, &self.args.access, self.known()) {
            Ok(broker) => {
                let (workers, runs) = (Workers::new(&broker), Runs::new(&broker));
                let _ = self.link.set(Linked { broker, workers, runs });
                true
            }
            Err(error) => {
                self.warn(error.text);
                false
            }
        }
    }

    /// Tells what is wrong, once.
    fn warn(&self, text: String) {
        let mut told = lock(&self.trouble);
        if *told != text {
            say::warning(&text);
            *told = text;
        }
    }

    /// Begins to follow what is not followed: runs that go on, and the newest ones of those that have ended.
    fn look(self: &Arc<Self>) {
        let (Some(link), Some(_)) = (self.link.get(), &self.keys) else { return };
        let now = calendar();
        // The one who ordered it has made its directory by the time it begins.
        let begins = |run: &KnownRun| matches!(run.start, Some(Start::Go { origin_ns, .. }) if now >= Nanos(origin_ns));
        let runs: Vec<KnownRun> = link.runs.list().into_iter().filter(begins).collect();
        let (current, past): (Vec<KnownRun>, Vec<KnownRun>) = runs.into_iter().partition(|run| row(run, now).goes_on);
        let mut folder = None;
        for run in current.into_iter().chain(past.into_iter().take(PAST_MAX)) {
            let id = &run.spec.run;
            let mut followed = lock(&self.followed);
            if followed.values().filter(|following| matches!(following, Following::UnderWay)).count() >= FOLLOWED_MAX {
                return;
            }
            match followed.get(id) {
                Some(Following::UnderWay | Following::Done) => continue,
                Some(Following::Failed { again, .. }) if monotonic() < *again => continue,
                Some(Following::Failed { .. }) | None => {}
            }
            let folder = folder.get_or_insert_with(|| nmax_store::newest(&self.runs_dir, usize::MAX));
            match entry(folder, id) {
                Some(entry) if entry.finished => drop(followed.insert(id.clone(), Following::Done)),
                // Another process writes it.
                Some(entry) if entry.running => {}
                _ => {
                    followed.insert(id.clone(), Following::UnderWay);
                    let (watch, run) = (Arc::clone(self), run.clone());
                    let follow = move || watch.follow(&run);
                    let thread = std::thread::Builder::new().name("nmax-follow".into());
                    if let Err(error) = thread.spawn(follow) {
                        followed.insert(id.clone(), failed(error));
                    }
                }
            }
        }
    }

    /// Follows a run to its end.
    fn follow(&self, run: &KnownRun) {
        let id = &run.spec.run;
        let ended = self.conduct(run);
        let mut followed = lock(&self.followed);
        match ended {
            Ok(()) => drop(followed.insert(id.clone(), Following::Done)),
            // Another process was faster.
            Err(SessionError::Store(StoreError::Exists { .. })) => drop(followed.remove(id)),
            Err(error) => {
                self.warn(format!("run {id}: {error}"));
                followed.insert(id.clone(), failed(error));
            }
        }
    }

    fn conduct(&self, run: &KnownRun) -> Result<(), SessionError> {
        let (Some(link), Some(keys)) = (self.link.get(), &self.keys) else { return Ok(()) };
        let broken = |error: String| SessionError::Fleet(vec![error]);
        let order = of_others(&link.broker, &keys.seal, &run.spec, &self.runs_dir).map_err(broken)?;
        let mut fleet = order::Fleet::new(&link.broker, &run.spec.run, keys.signers.clone(), None)
            .map_err(|error| broken(error.text))?;
        // A follower gives no commands, so it gets no signals; it ends with the process.
        let finished = manager::conduct(&order, &run.spec, &mut fleet, &Interrupts::default(), &mut [])?;
        finished.trouble.map_or(Ok(()), |trouble| Err(broken(trouble)))
    }
}

fn failed(error: impl ToString) -> Following {
    Following::Failed { why: error.to_string(), again: monotonic() + AGAIN }
}

/// The run of this id among directories.
fn entry(folder: &[PathBuf], run: &str) -> Option<nmax_store::RunEntry> {
    let end = format!("-{run}");
    let found = folder.iter().find(|path| path.to_str().is_some_and(|path| path.ends_with(&end)))?;
    nmax_store::entry(found)
}

impl Fleet for Watch {
    fn page(&self) -> FleetPage {
        let address = access(&self.args.nats, &self.args.access, self.known()).shown();
        let can_end = self.keys.as_ref().is_some_and(|keys| keys.signing.is_some());
        let Some(link) = self.link.get() else {
            return FleetPage { address, can_end, trouble: lock(&self.trouble).clone(), ..FleetPage::default() };
        };
        let (is_connected, now) = (link.broker.is_connected(), calendar());
        let failed = |(run, following): (&String, &Following)| match following {
            Following::Failed { why, .. } => Some(format!("run {run} is not followed: {why}")),
            Following::UnderWay | Following::Done => None,
        };
        let trouble = match is_connected {
            false => "the connection to NATS is down; nmax tries again".into(),
            true => lock(&self.followed).iter().find_map(failed).unwrap_or_default(),
        };
        FleetPage {
            address,
            is_connected,
            trouble,
            can_end,
            injectors: injectors(&link.workers, monotonic()),
            runs: link.runs.list().iter().map(|run| row(run, now)).collect(),
            here: Vec::new(),
        }
    }

    fn goes_on(&self, run: &str) -> bool {
        self.link.get().and_then(|link| link.runs.get(run)).is_some_and(|run| row(&run, calendar()).goes_on)
    }

    fn end(&self, run: &str, how: FleetEnd) -> Result<String, String> {
        let link = self.link.get().ok_or("there is no connection to NATS")?;
        let signing = self.keys.as_ref().and_then(|keys| keys.signing.as_ref());
        let signing =
            signing.ok_or("this server has no key that ends runs\n  help: start it with `--fleet-key fleet.key`")?;
        let command = match how {
            FleetEnd::Stop => Command::Stop,
            FleetEnd::Cut => Command::Cut,
        };
        nmax_nats::order(&link.broker, run, command, signing).map_err(|error| error.to_string())?;
        Ok("all injectors are asked to end".into())
    }
}
