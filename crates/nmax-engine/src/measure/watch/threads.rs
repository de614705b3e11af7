//! How long a thread waited for a processor, as the scheduler counts it.

use std::fs::File;
use std::os::unix::fs::FileExt;

use nmax_metrics::Nanos;

/// Where the scheduler tells of the thread that opens it.
const SCHEDSTAT: &str = "/proc/thread-self/schedstat";

/// What the scheduler knows of one thread; kept open, so that a reading is one system call.
#[derive(Debug)]
pub struct ThreadSchedule {
    file: Option<File>,
}

impl ThreadSchedule {
    /// That of the calling thread.
    pub fn of_this_thread() -> Self {
        Self { file: File::open(SCHEDSTAT).ok() }
    }

    /// Time that the thread was ready to run and waited for a processor; `None` where the system does not tell.
    pub fn run_wait(&self) -> Option<Nanos> {
        let mut bytes = [0; 96];
        let length = self.file.as_ref()?.read_at(&mut bytes, 0).ok()?;
        parse(std::str::from_utf8(&bytes[..length]).ok()?)
    }
}

/// The second field of `/proc/.../schedstat`: time on a run queue, ns (kernel: `Documentation/scheduler/sched-stats.rst`).
fn parse(text: &str) -> Option<Nanos> {
    text.split_ascii_whitespace().nth(1)?.parse().ok().map(Nanos)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_second_field_is_the_wait() {
        assert_eq!(parse("1532 478 9\n"), Some(Nanos(478)));
        assert_eq!(parse("1532\n"), None);
        assert_eq!(parse("a b c"), None);
    }

    /// Two busy threads on one processor: each waits while the other runs. Where the system has no such counter there
    /// is nothing to test.
    #[test]
    fn it_grows_while_others_run() {
        let schedule = ThreadSchedule::of_this_thread();
        let (Some(before), Some(after)) = (schedule.run_wait(), schedule.run_wait()) else {
            return eprintln!("SKIPPED: this kernel has no schedstat of threads");
        };
        assert!(after >= before, "{after:?} after {before:?}");
    }
}
