//! Keys that are pressed while a run goes on. The terminal hands them over one by one and does not show them; however the
//! run ends, it is what it was before.

use std::io::{IsTerminal, Read};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Signal, getpgrp, getpid, kill_process};
use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcgetpgrp, tcsetattr};

/// How often it is looked whether keys are still wanted, ns.
const LOOK_NS: i64 = 100_000_000;

/// The terminal as it was, while it is not.
static BEFORE: Mutex<Option<Termios>> = Mutex::new(None);

/// A key with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// Holds the display, or goes on with it.
    Hold,
    /// Shows or hides what keys do.
    Help,
}

/// Keys are listened to until this is dropped.
pub struct Keys {
    is_over: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Keys {
    /// Begins to listen; `None` where nobody can press one: standard input is not a terminal, or not this program's turn.
    /// `q` asks the process for its end as Ctrl-C does, and the other keys are handed over.
    pub fn listen(pressed: impl Fn(Key) + Send + 'static) -> Option<Self> {
        if !is_ours() {
            return None;
        }
        let before = tcgetattr(std::io::stdin()).ok()?;
        let mut single = before.clone();
        single.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO);
        *BEFORE.lock().unwrap_or_else(PoisonError::into_inner) = Some(before);
        nmax_run::signals::before_exit(restore);
        tcsetattr(std::io::stdin(), OptionalActions::Now, &single).ok()?;
        let is_over = Arc::new(AtomicBool::new(false));
        let ends = Arc::clone(&is_over);
        let thread = std::thread::Builder::new().name("nmax-keys".into()).spawn(move || listen(&ends, &pressed));
        let keys = Self { is_over, thread: thread.ok() };
        keys.thread.is_some().then_some(keys)
    }
}

impl Drop for Keys {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        restore();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Makes the terminal what it was before; again, it does nothing.
pub fn restore() {
    if let Some(before) = BEFORE.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, &before);
    }
}

/// Whether standard input is a terminal and this program is in its foreground: reading would stop one that is not.
pub fn is_ours() -> bool {
    std::io::stdin().is_terminal() && tcgetpgrp(std::io::stdin()).is_ok_and(|group| group == getpgrp())
}

fn listen(is_over: &AtomicBool, pressed: &impl Fn(Key)) {
    let mut stdin = std::io::stdin();
    let mut bytes = [0; 16];
    while !is_over.load(Ordering::SeqCst) {
        let look = Timespec { tv_sec: 0, tv_nsec: LOOK_NS };
        let mut waits = [PollFd::new(&stdin, PollFlags::IN)];
        match poll(&mut waits, Some(&look)) {
            Ok(0) => continue,
            Err(error) if error == rustix::io::Errno::INTR => continue,
            Err(_) => return,
            Ok(_) if is_over.load(Ordering::SeqCst) => return,
            Ok(_) => {}
        }
        if !is_ours() {
            std::thread::park_timeout(std::time::Duration::from_nanos(LOOK_NS.unsigned_abs()));
            continue;
        }
        // An end, or a terminal that is gone: nobody presses any more.
        let Ok(count @ 1..) = stdin.read(&mut bytes) else { return };
        for byte in &bytes[..count] {
            match byte {
                b'q' | b'Q' => drop(kill_process(getpid(), Signal::INT)),
                b'p' | b'P' => pressed(Key::Hold),
                b'?' | b'h' => pressed(Key::Help),
                _ => {}
            }
        }
    }
}
