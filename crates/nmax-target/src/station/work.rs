//! What threads do: burn processor time, write to a disk, write to memory.

use std::fs::{File, OpenOptions, remove_file};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::crew::Work;
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

/// Writes `bytes` to a file in `dir` and waits until they are on the disk, `writes` times.
pub(super) fn writing(dir: &Path, index: usize, bytes: usize, writes: u64) -> io::Result<Work> {
    let path = dir.join(format!("nmax-target-{}-{index}", std::process::id()));
    let file = nameless(&path)?;
    let content: Vec<u8> = (b'a'..=b'z').cycle().take(bytes).collect();
    Ok(Box::new(move |_| {
        for _ in 0..writes {
            file.write_all_at(&content, 0)?;
            file.sync_data()?;
        }
        Ok(())
    }))
}

/// A file that is gone once it is closed, however the process ends.
fn nameless(path: &Path) -> io::Result<File> {
    let file = OpenOptions::new().write(true).create_new(true).open(path)?;
    remove_file(path)?;
    Ok(file)
}

/// A piece of memory as the system sees it.
#[repr(align(4096))]
struct Page {
    touched: AtomicU64,
}

/// Threads that share some memory and write to pages of it, chosen anew for each request.
pub(super) fn touching(bytes: usize, touch_bytes: usize, threads: usize, random: Random) -> Vec<Work> {
    let count = bytes.div_ceil(PAGE_BYTES);
    let pages: Arc<[Page]> = (0..count)
        .map(|_| Page {
            touched: AtomicU64::new(1),
        })
        .collect();
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
