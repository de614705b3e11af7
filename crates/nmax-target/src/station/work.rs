//! What threads do: burn processor time, write to a disk, write to memory.

use std::fs::{File, OpenOptions, remove_file};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::OFlags;

use super::thread_pool::Work;
use crate::clock;
use crate::random::Random;

/// Bytes that the system gives and takes at once.
const PAGE_BYTES: usize = 4_096;

/// Purpose of the draws that choose pages; those of `random` are small numbers.
const PAGES_SALT: u64 = 1 << 32;

/// Burns processor time.
pub(super) fn burning(work_ns: u64) -> Work {
    Box::new(move |_| {
        clock::burn(work_ns);
        Ok(())
    })
}

/// Writes `bytes`, in whole blocks, to a file in `dir` and waits until they are on the disk, `writes` times.
pub(super) fn writing(dir: &Path, index: usize, bytes: usize, writes: u64) -> io::Result<Work> {
    let path = dir.join(format!("nmax-target-{}-{index}", std::process::id()));
    let content = Aligned::new(bytes.next_multiple_of(PAGE_BYTES));
    let direct = written(&path, content.bytes(), true);
    let file = direct.or_else(|_| {
        // It may be there already although it could not be opened so.
        let _ = remove_file(&path);
        written(&path, content.bytes(), false)
    })?;
    Ok(Box::new(move |_| {
        for _ in 0..writes {
            file.write_all_at(content.bytes(), 0)?;
            file.sync_data()?;
        }
        Ok(())
    }))
}

/// A file with this content that is gone once it is closed, however the process ends. A direct one passes the system's
/// cache, so that writing costs hardly any processor time; not every file system can do so.
fn written(path: &Path, content: &[u8], is_direct: bool) -> io::Result<File> {
    let mut options = OpenOptions::new();
    if is_direct {
        options.custom_flags(OFlags::DIRECT.bits() as i32);
    }
    let file = options.write(true).create_new(true).open(path)?;
    remove_file(path)?;
    file.write_all_at(content, 0)?;
    file.sync_all()?;
    Ok(file)
}

/// Bytes that begin where a block of memory begins, as direct writes want it.
struct Aligned {
    all: Vec<u8>,
    length: usize,
}

impl Aligned {
    fn new(length: usize) -> Self {
        Self { all: (b'a'..=b'z').cycle().take(length + PAGE_BYTES).collect(), length }
    }

    fn bytes(&self) -> &[u8] {
        let start = self.all.as_ptr().align_offset(PAGE_BYTES).min(PAGE_BYTES);
        &self.all[start..start + self.length]
    }
}

/// A piece of memory as the system sees it.
#[repr(align(4096))]
struct MemoryPage {
    touched: AtomicU64,
}

/// Threads that share some memory and write to pages of it, chosen anew for each request.
pub(super) fn touching(bytes: usize, touch_bytes: usize, threads: usize, random: Random) -> Vec<Work> {
    let count = bytes.div_ceil(PAGE_BYTES);
    let pages: Arc<[MemoryPage]> = (0..count).map(|_| MemoryPage { touched: AtomicU64::new(1) }).collect();
    let touched = touch_bytes.div_ceil(PAGE_BYTES) as u64;
    let work = |_| -> Work {
        let pages = Arc::clone(&pages);
        Box::new(move |number| {
            for turn in 0..touched {
                let draw = random.bits(number, PAGES_SALT + turn) as usize % pages.len();
                pages[draw].touched.fetch_add(1, Ordering::Relaxed);
            }
            Ok(())
        })
    };
    (0..threads).map(work).collect()
}
