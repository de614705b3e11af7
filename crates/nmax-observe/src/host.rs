//! This host, read from `/proc` and `/sys`: processors, memory, disks, network, tables of the kernel, control groups and
//! named processes.
//!
//! What cannot be read is absent, never zero, and is said once. Rates are those since the reading before; counters that go
//! back give none. One look takes a few dozen small reads, whatever the load is; what grows with the number of sockets or
//! threads is looked at as often as it costs little.
//!
//! # Layout
//! - [`files`]: files that are read again and again; [`reading`]: figures, notes, rates
//! - [`cpu`], [`pressure`], [`memory`], [`disk`], [`net`], [`tcp`], [`kernel`], [`cgroup`]: parts of a host
//! - [`neighbours`]: what else took the processors during a hold
//! - [`processes`]: named processes; [`waits`]: threads that wait for a processor

mod cgroup;
mod cpu;
mod disk;
pub(crate) mod files;
mod kernel;
mod memory;
mod neighbours;
mod net;
mod pressure;
mod processes;
pub(crate) mod reading;
mod tcp;
#[cfg(test)]
pub(crate) mod tree;
mod waits;

use std::path::Path;

use nmax_metrics::Nanos;
use nmax_plan::plan::ProcessRef;

use crate::process::listening::listening_on;
use crate::{Reading, Source, Trouble};
use files::Files;
pub use files::{Spent, kept_files};
pub use neighbours::{Neighbours, Used};
use reading::{HostReading, Notes};

/// A host and named processes on it.
#[derive(Debug)]
pub struct Host {
    files: Files,
    notes: Notes,
    cpu: cpu::Cpu,
    pressure: pressure::Pressure,
    memory: memory::Memory,
    disks: disk::Disks,
    net: net::Net,
    tcp: tcp::Tcp,
    kernel: kernel::Kernel,
    group: Option<cgroup::Group>,
    processes: processes::Processes,
    /// Port whose process is read as well.
    port: Option<u16>,
    looks: u64,
}

impl Host {
    /// Reads below `root`, which is `/` but in tests, and the processes of these names. Nothing is read yet.
    pub fn new(root: &Path, processes: Vec<(String, ProcessRef)>) -> Self {
        Self {
            files: Files::new(root),
            notes: Notes::default(),
            cpu: cpu::Cpu::new(),
            pressure: pressure::Pressure::new(),
            memory: memory::Memory::new(),
            disks: disk::Disks::new(),
            net: net::Net::new(),
            tcp: tcp::Tcp::new(),
            kernel: kernel::Kernel::new(),
            group: None,
            processes: processes::Processes::new(processes),
            port: None,
            looks: 0,
        }
    }

    /// Reads the process that listens on a port as well, under its own name: the first look finds out which one it is.
    #[must_use]
    pub(crate) fn also_serving(mut self, port: Option<u16>) -> Self {
        self.port = port;
        self
    }

    /// What reading took until now, counted.
    pub fn spent(&self) -> Spent {
        self.files.spent
    }
}

impl Source for Host {
    fn read(&mut self, now: Nanos) -> Result<Vec<Reading>, Trouble> {
        let mut look = HostReading { now, files: &mut self.files, notes: &mut self.notes, readings: Vec::new() };
        self.cpu.read(&mut look);
        self.memory.read(&mut look);
        self.pressure.read(&mut look);
        self.disks.read(&mut look);
        self.net.read(&mut look);
        self.tcp.read(&mut look);
        self.kernel.read(&mut look);
        if self.looks == 0 {
            self.group = cgroup::Group::own(&mut look);
            self.processes.set_own_group(self.group.as_ref().map(|group| group.path.as_str()));
            let own = std::process::id();
            let served = self.port.and_then(|port| listening_on(look.files, port, own));
            if let Some((name, process)) = served {
                self.processes.add(&mut look, name, process);
            }
        }
        self.looks += 1;
        if let Some(group) = &mut self.group {
            group.read(&mut look, "cgroup");
        }
        self.processes.read(&mut look, self.memory.available_bytes);
        let readings = look.readings;
        if readings.is_empty() {
            let place = self.files.path("proc");
            let text = format!("{} cannot be read; mount it for nmax", place.display());
            return Err(Trouble::passing(text));
        }
        Ok(readings)
    }

    fn notes(&mut self) -> Vec<String> {
        self.notes.take()
    }

    fn events(&mut self) -> Vec<(&'static str, String)> {
        let changes = self.notes.take_changes().into_iter();
        changes.map(|text| ("OBSERVED", text)).collect()
    }
}

#[cfg(test)]
mod tests;
