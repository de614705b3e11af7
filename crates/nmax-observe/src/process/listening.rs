//! Which process of this host serves a port.

use std::collections::{BTreeMap, HashSet};
use std::fs;

use nmax_plan::plan::ProcessRef;

use crate::host::files::Files;

/// Open files of all processes that are looked at for it.
const FILES_MAX: usize = 100_000;

/// Sockets that listen on a port: rows of `/proc/net/tcp` with state `0A`.
fn parse(text: &str, port: u16) -> impl Iterator<Item = u64> {
    text.lines().skip(1).filter_map(move |line| {
        let mut words = line.split_ascii_whitespace().skip(1);
        let (_, local) = words.next()?.split_once(':')?;
        let is_it = u16::from_str_radix(local, 16).ok()? == port && words.nth(1)? == "0A";
        words.nth(5).filter(|_| is_it)?.parse().ok()
    })
}

/// Name of the process that listens on a port, and how it is found again: by its number, or by its name where several of
/// one name share the socket. `None` when nobody does, when it is `own`, or when its files may not be seen.
///
/// O(open files of the host); meant for once.
pub(crate) fn listening_on(files: &mut Files, port: u16, own: u32) -> Option<(String, ProcessRef)> {
    let mut sockets = HashSet::new();
    for table in ["proc/net/tcp", "proc/net/tcp6"] {
        sockets.extend(parse(files.read(table).unwrap_or_default(), port));
    }
    if sockets.is_empty() {
        return None;
    }
    let holders = holders(files, &sockets, own);
    // Helpers of another name may have inherited the socket; the one with the lowest number opened it.
    let (_, name) = holders.first_key_value()?;
    let alike: Vec<u32> = holders.iter().filter(|(_, other)| *other == name).map(|(pid, _)| *pid).collect();
    let process = match alike[..] {
        [pid] => ProcessRef::Pid(pid),
        _ => ProcessRef::Name(name.clone()),
    };
    Some((name.clone(), process))
}

/// Names of the processes that have one of these sockets open, by number.
fn holders(files: &mut Files, sockets: &HashSet<u64>, own: u32) -> BTreeMap<u32, String> {
    let mut left = FILES_MAX;
    let mut holders = BTreeMap::new();
    let pids = files.list("proc").unwrap_or_default();
    for pid in pids.iter().filter_map(|name| name.parse::<u32>().ok()).filter(|pid| *pid != own) {
        let folder = files.path(&format!("proc/{pid}/fd"));
        let Ok(entries) = fs::read_dir(folder) else { continue };
        let holds = entries.flatten().take(left).any(|entry| {
            left -= 1;
            let link = fs::read_link(entry.path()).ok();
            let inode = link.and_then(|link| crate::connections::inode(link.to_str()?));
            inode.is_some_and(|inode| sockets.contains(&inode))
        });
        if holds && let Ok(comm) = files.read(&format!("proc/{pid}/comm")) {
            holders.insert(pid, comm.trim_end().to_owned());
        }
    }
    holders
}
