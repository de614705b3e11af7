//! Archives whose bytes depend on their files only: tar in the form `ustar`, gzip, ar, and sums.

use std::io::Write;

use flate2::{Compression, GzBuilder};
use sha2::{Digest, Sha256};

/// Bytes of a header and of the unit of a tar archive.
const BLOCK: usize = 512;
/// Longest path of a header without a prefix.
const PATH_MAX: usize = 100;

/// A file of a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct File {
    /// From the root of the package, with `/` between.
    pub(super) path: String,
    /// Permissions.
    pub(super) mode: u32,
    /// All of it.
    pub(super) bytes: Vec<u8>,
}

impl File {
    /// A file that everybody may read.
    pub(super) fn data(path: &str, bytes: impl Into<Vec<u8>>) -> Self {
        Self { path: path.to_owned(), mode: 0o644, bytes: bytes.into() }
    }

    /// The same in a folder.
    pub(super) fn below(self, folder: &str) -> Self {
        Self { path: format!("{folder}/{}", self.path), ..self }
    }
}

/// A tar archive: folders before what they hold, sorted by path, owned by 0, of one time.
pub(super) fn tar(files: &[File], epoch: u64) -> Result<Vec<u8>, String> {
    let mut files: Vec<&File> = files.iter().collect();
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut archive = Vec::new();
    let mut folders: Vec<&str> = Vec::new();
    for file in files {
        for (end, _) in file.path.match_indices('/') {
            let folder = &file.path[..=end];
            if !folders.contains(&folder) {
                folders.push(folder);
                archive.extend(header(folder, 0o755, 0, epoch)?);
            }
        }
        archive.extend(header(&file.path, file.mode, file.bytes.len(), epoch)?);
        archive.extend(&file.bytes);
        archive.resize(archive.len().next_multiple_of(BLOCK), 0);
    }
    // Two empty blocks end it, and tools write it in records of twenty.
    archive.resize((archive.len() + 2 * BLOCK).next_multiple_of(20 * BLOCK), 0);
    Ok(archive)
}

/// The header of a file, or of a folder, whose path ends with `/`.
fn header(path: &str, mode: u32, size: usize, epoch: u64) -> Result<[u8; BLOCK], String> {
    if path.len() > PATH_MAX {
        return Err(format!("{path}: longer than {PATH_MAX} bytes; shorten it"));
    }
    let mut block = [0; BLOCK];
    let mut put = |at: usize, text: &str| block[at..at + text.len()].copy_from_slice(text.as_bytes());
    put(0, path);
    put(100, &format!("{mode:07o}"));
    put(108, "0000000");
    put(116, "0000000");
    put(124, &format!("{size:011o}"));
    put(136, &format!("{epoch:011o}"));
    // While it is summed, the place of the sum holds spaces.
    put(148, "        ");
    put(156, if path.ends_with('/') { "5" } else { "0" });
    put(257, "ustar\x0000root");
    put(297, "root");
    let sum: u32 = block.iter().map(|byte| u32::from(*byte)).sum();
    block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    Ok(block)
}

/// Compressed as well as gzip can, without name and time.
pub(super) fn gzip(bytes: &[u8]) -> Result<Vec<u8>, String> {
    // 255: of no operating system in particular.
    let mut packer = GzBuilder::new().mtime(0).operating_system(255).write(Vec::new(), Compression::best());
    packer.write_all(bytes).and_then(|()| packer.finish()).map_err(|error| format!("cannot compress: {error}"))
}

/// An ar archive, as Debian packages are.
pub(super) fn ar(members: &[(&str, &[u8])], epoch: u64) -> Vec<u8> {
    let mut archive = b"!<arch>\n".to_vec();
    for (name, bytes) in members {
        let header = format!("{name:<16}{epoch:<12}{:<6}{:<6}{:<8}{:<10}`\n", 0, 0, 100_644, bytes.len());
        archive.extend(header.as_bytes());
        archive.extend(*bytes);
        if bytes.len() % 2 == 1 {
            archive.push(b'\n');
        }
    }
    archive
}

/// Lines as `sha256sum` writes and checks them, sorted by name.
pub(super) fn sums<'a>(files: impl Iterator<Item = (&'a str, &'a [u8])>) -> String {
    let mut lines: Vec<(&str, String)> = files.map(|(name, bytes)| (name, sha256(bytes))).collect();
    lines.sort_unstable();
    lines.iter().map(|(name, sum)| format!("{sum}  {name}\n")).collect()
}

/// SHA-256 in hexadecimal.
pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Read;
    use std::process::{Command, Stdio};

    use super::*;

    fn files() -> Vec<File> {
        vec![
            File::data("b/two", "two\n"),
            File { path: "b/a/program".to_owned(), mode: 0o755, bytes: vec![7; 1000] },
            File::data("a", ""),
        ]
    }

    /// What a tool says of bytes on its standard input; `None` where it is not installed.
    fn told(program: &str, args: &[&str], input: &[u8]) -> Option<String> {
        let mut command = Command::new(program);
        command.args(args).env("TZ", "UTC").env("LC_ALL", "C").stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().ok()?;
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input).unwrap();
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success(), "{program} {args:?}");
        Some(String::from_utf8(output.stdout).unwrap())
    }

    #[test]
    fn tar_reads_the_archive() {
        let archive = tar(&files(), 951_782_400).unwrap();
        let Some(said) = told("tar", &["-tvf", "-"], &archive) else {
            return eprintln!("SKIPPED: tar is not installed");
        };
        let said: Vec<String> =
            said.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
        let want = [
            "-rw-r--r-- root/root 0 2000-02-29 00:00 a",
            "drwxr-xr-x root/root 0 2000-02-29 00:00 b/",
            "drwxr-xr-x root/root 0 2000-02-29 00:00 b/a/",
            "-rwxr-xr-x root/root 1000 2000-02-29 00:00 b/a/program",
            "-rw-r--r-- root/root 4 2000-02-29 00:00 b/two",
        ];
        assert_eq!(said, want);
        assert_eq!(told("tar", &["-xOf", "-", "b/two"], &archive).unwrap(), "two\n");
    }

    #[test]
    fn the_order_of_files_does_not_matter() {
        let mut turned = files();
        turned.reverse();
        assert_eq!(tar(&files(), 1), tar(&turned, 1));
        assert!(tar(&[File::data(&"x".repeat(101), "")], 1).unwrap_err().contains("shorten"));
    }

    #[test]
    fn packed_bytes_come_back_and_are_the_same_each_time() {
        let bytes = b"nmax".repeat(1000);
        let packed = gzip(&bytes).unwrap();
        assert_eq!(packed, gzip(&bytes).unwrap());
        let mut back = Vec::new();
        flate2::read::GzDecoder::new(packed.as_slice()).read_to_end(&mut back).unwrap();
        assert_eq!(back, bytes);
    }

    #[test]
    fn sums_are_those_of_sha256sum() {
        let files = [("b", &b"abc"[..]), ("a", b"")];
        let want = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a\n\
                    ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b\n";
        assert_eq!(sums(files.into_iter()), want);
    }

    #[test]
    fn members_begin_at_even_places() {
        let archive = ar(&[("debian-binary", b"2.0\n"), ("odd", b"x"), ("end", b"yy")], 5);
        assert!(archive.starts_with(b"!<arch>\ndebian-binary   5           0     0     100644  4         `\n2.0\n"));
        assert!(archive.ends_with(b"`\nyy") && archive.len() == 8 + 3 * 60 + 4 + 2 + 2);
    }
}
