//! The clocks of the target: the only place that reads one.
//!
//! `CLOCK_MONOTONIC` in nanoseconds is also the time base of the timerfd in `timers`.

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Now on the monotonic clock, in nanoseconds.
pub(crate) fn now_ns() -> u64 {
    nanos(clock_gettime(ClockId::Monotonic))
}

/// Seconds since 1970, UTC; for the expiry of signed tokens.
pub(crate) fn unix_s() -> u64 {
    nanos(clock_gettime(ClockId::Realtime)) / 1_000_000_000
}

/// Burns `work_ns` of this thread's CPU time. Being preempted does not shorten the work.
pub(crate) fn burn(work_ns: u64) {
    let cpu_ns = || nanos(clock_gettime(ClockId::ThreadCPUTime));
    let start_ns = cpu_ns();
    while cpu_ns().saturating_sub(start_ns) < work_ns {
        std::hint::spin_loop();
    }
}

fn nanos(time: Timespec) -> u64 {
    let seconds = u64::try_from(time.tv_sec).unwrap_or(0);
    let rest = u64::try_from(time.tv_nsec).unwrap_or(0);
    seconds.saturating_mul(1_000_000_000).saturating_add(rest)
}
