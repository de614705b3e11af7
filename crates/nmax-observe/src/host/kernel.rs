//! Tables of the kernel that can be full: open files, tracked connections.

use nmax_sources::figures;

use super::files::CachedFile;
use super::reading::HostReading;

/// Open files and how many there may be: `/proc/sys/fs/file-nr`, whose middle number is that of free ones among the first.
fn parse_files(text: &str) -> Option<(u64, u64)> {
    let mut numbers = text.split_ascii_whitespace().map_while(|word| word.parse::<u64>().ok());
    let (held, free, most) = (numbers.next()?, numbers.next()?, numbers.next()?);
    Some((held.saturating_sub(free), most))
}

fn parse_number(text: &str) -> Option<f64> {
    text.trim().parse::<u64>().ok().map(|number| number as f64)
}

/// The kernel's tables.
#[derive(Debug)]
pub(super) struct Kernel {
    files: CachedFile,
    tracked: CachedFile,
    tracked_limit: CachedFile,
}

impl Kernel {
    pub(super) fn new() -> Self {
        Self {
            files: CachedFile::new("proc/sys/fs/file-nr"),
            tracked: CachedFile::new("proc/sys/net/netfilter/nf_conntrack_count"),
            tracked_limit: CachedFile::new("proc/sys/net/netfilter/nf_conntrack_max"),
        }
    }

    /// Hosts that track no connections have no such figures.
    pub(super) fn read(&mut self, look: &mut HostReading<'_>) {
        let files = self.files.read(look.files).ok().and_then(parse_files);
        let mut number = |file: &mut CachedFile| file.read(look.files).ok().and_then(parse_number);
        let (tracked, limit) = (number(&mut self.tracked), number(&mut self.tracked_limit));
        let figures = [
            (figures::OPEN_FILES_COUNT, files.map(|(open, _)| open as f64)),
            (figures::OPEN_FILES_LIMIT_COUNT, files.map(|(_, most)| most as f64)),
            (figures::CONNTRACK_COUNT, tracked),
            (figures::CONNTRACK_LIMIT_COUNT, limit),
        ];
        look.put_all("kernel", &figures);
    }
}

#[cfg(test)]
mod tests;
