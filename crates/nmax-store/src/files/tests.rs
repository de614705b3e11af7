use std::sync::{Arc, Mutex};

use super::*;
use crate::testing::Scratch;

/// A disk with room for `room` bytes.
struct SmallDisk {
    bytes: Arc<Mutex<Vec<u8>>>,
    room: usize,
}

impl Write for SmallDisk {
    fn write(&mut self, block: &[u8]) -> io::Result<usize> {
        let mut bytes = self.bytes.lock().unwrap();
        let fits = block.len().min(self.room - bytes.len());
        if fits == 0 {
            return Err(io::ErrorKind::StorageFull.into());
        }
        bytes.extend_from_slice(&block[..fits]);
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Sink for SmallDisk {
    fn cut(&mut self, length: u64) -> io::Result<()> {
        self.bytes.lock().unwrap().truncate(length as usize);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_keeps_whole_blocks_only() {
    let bytes = Arc::default();
    let disk = SmallDisk { bytes: Arc::clone(&bytes), room: 10 };
    let mut stream = Stream::over("windows.jsonl".into(), Box::new(disk));
    stream.append(b"first\n").unwrap();
    let error = stream.append(b"second\n").unwrap_err().to_string();
    assert!(error.contains("windows.jsonl: cannot write to"), "{error}");
    assert!(error.contains("help: the disk is full"), "{error}");
    assert_eq!(*bytes.lock().unwrap(), b"first\n");
    assert!(matches!(stream.append(b"x\n"), Err(StoreError::Broken { .. })), "no gap may be hidden");
    assert_eq!(*bytes.lock().unwrap(), b"first\n");
}

#[test]
fn dev_full_is_reported_with_path_and_remedy() {
    let path = PathBuf::from("/dev/full");
    let Ok(file) = OpenOptions::new().write(true).open(&path) else {
        return;
    };
    let error = Stream::over(path, Box::new(file)).append(b"line\n").unwrap_err().to_string();
    assert!(error.starts_with("/dev/full: cannot write to"), "{error}");
    assert!(error.contains("disk is full"), "{error}");
}

#[test]
fn a_whole_file_replaces_the_old_one_and_leaves_no_temporary() {
    let scratch = Scratch::new();
    let path = scratch.path().join("names.json");
    write_whole(&path, b"old").unwrap();
    write_whole(&path, b"new").unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"new");
    assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 1);
}
