//! The clocks of a host that does not know the run's.

use std::time::SystemTime;

use nmax_metrics::{Clock, Nanos};
use rustix::time::{ClockId, clock_gettime};

/// Time since the host was started; it goes on while the host sleeps, and nobody sets it.
#[derive(Clone, Copy, Debug)]
pub(super) struct HostClock;

impl Clock for HostClock {
    fn now(&self) -> Nanos {
        read(ClockId::Boottime)
    }
}

/// The calendar, ns since 1970; 0 before.
pub(super) fn calendar() -> Nanos {
    let since = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
    Nanos(u64::try_from(since.as_nanos()).unwrap_or(u64::MAX))
}

/// CPU time of this process.
pub(super) fn cpu() -> Nanos {
    read(ClockId::ProcessCPUTime)
}

fn read(clock: ClockId) -> Nanos {
    let time = clock_gettime(clock);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    Nanos(seconds.saturating_mul(1_000_000_000).saturating_add(time.tv_nsec as u64))
}
