//! What reading this host once a second costs: `cargo run --release -p nmax-observe --example host_cost [SECONDS] [NAME..]`.
//!
//! Prints CPU time of the reading thread per second, reads and figures. Names are those of processes to read as well.

use std::path::Path;
use std::time::Duration;

use nmax_metrics::Nanos;
use nmax_observe::Source;
use nmax_observe::connections::Connections;
use nmax_observe::host::Host;
use nmax_plan::plan::ProcessRef;
use rustix::time::{ClockId, clock_gettime};

#[expect(clippy::disallowed_methods, clippy::print_stdout, reason = "measures by the clock, for a person")]
fn main() {
    let mut arguments = std::env::args().skip(1);
    let seconds: u64 = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(10);
    let processes = arguments.map(|name| (name.clone(), ProcessRef::Name(name))).collect();
    let mut host = Host::new(Path::new("/"), processes);
    let mut connections = Connections::new();
    for second in 0..=seconds {
        let now = Nanos::from_secs(second);
        let began = cpu_us();
        let figures = host.read(now).map_or(0, |readings| readings.len());
        let of_host = cpu_us() - began;
        let sampled = connections.read(now).map_or(0, |readings| readings.len());
        let of_connections = cpu_us() - began - of_host;
        let spent = host.spent();
        println!(
            "{second} s: host {of_host} us, {figures} figures; connections {of_connections} us, {sampled}; {spent:?}"
        );
        for note in host.notes() {
            println!("  {note}");
        }
        std::thread::sleep(Duration::from_secs(1));
    }
    for reading in host.read(Nanos::from_secs(seconds + 1)).unwrap_or_default() {
        println!("  {}: {} = {} {}", reading.source, reading.metric, reading.value, reading.unit.name());
    }
}

/// CPU time of this thread, us.
fn cpu_us() -> i64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec * 1_000_000 + time.tv_nsec / 1_000
}
