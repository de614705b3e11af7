//! `cargo xtask dist`: what users download, in `target/package`.
//!
//! One archive with the static program, completions, manual pages, licenses, a bill of materials and checksums; a Debian
//! package of the same; the files of the container image; `SHA256SUMS`. The same sources and tools give the same bytes:
//! names are sorted, owners are 0, every time is that of the commit (or `SOURCE_DATE_EPOCH`), and no path of this machine
//! gets into a program.
//!
//! # Layout
//! - [`facts`]: version, target, time; [`build`]: cargo, and whether a program is static ([`elf`])
//! - [`linked`]: the crates in a program; [`licenses`], [`sbom`]: their texts and their list
//! - [`pack`]: tar, gzip, ar and checksums; [`deb`]: where Debian keeps things
//! - [`image`]: what the `Containerfile` copies

mod build;
mod deb;
mod elf;
mod facts;
mod image;
mod licenses;
mod linked;
mod pack;
mod sbom;

use std::fs;
use std::path::Path;

use facts::Facts;
use pack::File;

use crate::shell::complain;
use crate::tidy;

/// The programs of a package, each the only one of a crate of its name. The first one writes completions and pages.
const PROGRAMS: [&str; 2] = ["nmax", "nmax-agent"];

/// Where everything is put, from the root.
const FOLDER: &str = "target/package";
/// Checksums of the packages, in the form of `sha256sum`.
const SUMS: &str = "SHA256SUMS";
const LICENSES: &str = "THIRD-PARTY-LICENSES";
const BILL: &str = "nmax.cdx.json";
const SCHEMA: &str = "plan.schema.json";

/// Builds and packs.
///
/// # Errors
/// Names the step that failed and what to do.
pub(crate) fn run() -> Result<(), String> {
    let root = tidy::root();
    let facts = Facts::read(&root)?;
    complain(&format!("== nmax {} for {}, profile {}", facts.version, facts.target, facts.profile));
    let parts = parts(&root, &facts)?;

    let folder = root.join(FOLDER);
    emptied(&folder)?;
    let base = format!("nmax-{}-{}-linux", facts.version, facts.arch);
    let mut archive = parts.archive();
    let sums = pack::sums(archive.iter().map(|file| (file.path.as_str(), file.bytes.as_slice())));
    archive.push(File::data(SUMS, sums));
    let archive: Vec<File> = archive.into_iter().map(|file| file.below(&base)).collect();
    let packages = [
        (format!("{base}.tar.gz"), pack::gzip(&pack::tar(&archive, facts.epoch)?)?),
        (format!("nmax_{}_{}.deb", facts.deb_version(), facts.deb_arch()?), deb::package(&parts, &facts)?),
    ];
    for (name, bytes) in &packages {
        write(&folder.join(name), bytes)?;
    }
    let sums = pack::sums(packages.iter().map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
    write(&folder.join(SUMS), sums.as_bytes())?;
    image::write(&root, &folder.join(image::FOLDER), &parts)?;

    for (name, bytes) in &packages {
        complain(&format!("{FOLDER}/{name}  {:.1} MB", megabytes(bytes.len())));
    }
    for program in &parts.programs {
        complain(&format!("{}  {:.1} MB, static", program.path, megabytes(program.bytes.len())));
    }
    Ok(())
}

/// What every package holds.
struct Parts {
    /// At the root, executable.
    programs: Vec<File>,
    /// As the archive names them: `nmax.bash`, `_nmax` and so on.
    completions: Vec<File>,
    /// `nmax.1` and so on.
    pages: Vec<File>,
    /// `LICENSE`, `README.md` and so on.
    documents: Vec<File>,
}

impl Parts {
    /// The files of the archive.
    fn archive(&self) -> Vec<File> {
        let completions = self.completions.iter().map(|file| file.clone().below("completions"));
        let pages = self.pages.iter().map(|file| file.clone().below("man"));
        let rest = self.programs.iter().chain(&self.documents).cloned();
        rest.chain(completions).chain(pages).collect()
    }

    /// A document by its name.
    fn document(&self, name: &str) -> Result<&File, String> {
        self.documents.iter().find(|file| file.path == name).ok_or_else(|| format!("{name} is not packed"))
    }
}

fn parts(root: &Path, facts: &Facts) -> Result<Parts, String> {
    build::programs(root, facts, &PROGRAMS)?;
    let mut programs = Vec::new();
    for name in PROGRAMS {
        let path = build::path(root, facts, name);
        let bytes = fs::read(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        elf::check(root, &path, facts.is_stripped())?;
        programs.push(File { path: name.to_owned(), mode: 0o755, bytes });
    }
    let main = build::path(root, facts, PROGRAMS[0]);
    let crates = linked::crates(root, facts, &PROGRAMS)?;
    let mut documents = vec![
        File::data(LICENSES, licenses::text(&crates, facts)?),
        File::data(BILL, sbom::bill(&crates, facts)),
        File::data(SCHEMA, text(&root.join("docs/schema").join(SCHEMA))?),
    ];
    for name in ["LICENSE", "README.md", "CHANGELOG.md"] {
        documents.push(File::data(name, text(&root.join(name))?));
    }
    Ok(Parts { programs, completions: build::completions(&main)?, pages: build::pages(root, &main)?, documents })
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn write(path: &Path, bytes: &[u8]) -> Result<(), String> {
    fs::write(path, bytes).map_err(|error| format!("{}: {error}", path.display()))
}

/// Makes a folder, or removes what an earlier run left in it.
fn emptied(folder: &Path) -> Result<(), String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(failed)?;
    }
    fs::create_dir_all(folder).map_err(failed)
}

fn megabytes(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}
