//! The container image: the folder that the `Containerfile` is built in.

use std::path::Path;

use super::{BILL, LICENSES, Parts, write as put};

/// Below the folder of packages.
pub(super) const FOLDER: &str = "image";
/// Describes the image, at the root.
const CONTAINERFILE: &str = "Containerfile";
/// The documents that an image holds beside the programs.
const DOCUMENTS: [&str; 3] = ["LICENSE", LICENSES, BILL];

/// Writes what the image holds, with the `Containerfile`; all that this copies must be there.
pub(super) fn write(root: &Path, folder: &Path, parts: &Parts) -> Result<(), String> {
    super::emptied(folder)?;
    for program in &parts.programs {
        let path = folder.join(&program.path);
        put(&path, &program.bytes)?;
        executable(&path, program.mode)?;
    }
    for name in DOCUMENTS {
        put(&folder.join(name), &parts.document(name)?.bytes)?;
    }
    let text = super::text(&root.join(CONTAINERFILE))?;
    put(&folder.join(CONTAINERFILE), text.as_bytes())?;
    match copied(&text).into_iter().find(|source| !folder.join(source).is_file()) {
        None => Ok(()),
        Some(source) => Err(format!("{CONTAINERFILE} copies {source}, which is not packed")),
    }
}

fn executable(path: &Path, mode: u32) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt;
    let permissions = std::fs::Permissions::from_mode(mode);
    std::fs::set_permissions(path, permissions).map_err(|error| format!("{}: {error}", path.display()))
}

/// The files that a `Containerfile` copies: all words of `COPY` but flags and the last.
fn copied(text: &str) -> Vec<&str> {
    let mut sources = Vec::new();
    for line in text.lines() {
        let Some(words) = line.strip_prefix("COPY ") else { continue };
        let words: Vec<&str> = words.split_whitespace().filter(|word| !word.starts_with("--")).collect();
        sources.extend(words.split_last().map_or(&[][..], |(_, sources)| sources));
    }
    sources
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dist::PROGRAMS;
    use crate::tidy;

    fn containerfile() -> String {
        std::fs::read_to_string(tidy::root().join(CONTAINERFILE)).unwrap()
    }

    #[test]
    fn the_image_copies_what_is_packed() {
        let text = containerfile();
        let sources = copied(&text);
        for source in &sources {
            assert!(PROGRAMS.contains(source) || DOCUMENTS.contains(source), "{source}: no packed file");
        }
        assert!(sources.contains(&PROGRAMS[0]), "{sources:?}");
        // Where `make dist` was called, they are there.
        let folder = tidy::root().join(super::super::FOLDER).join(FOLDER);
        if folder.join(PROGRAMS[0]).is_file() {
            sources.iter().for_each(|source| assert!(folder.join(source).is_file(), "{source}"));
        }
    }

    /// Each instruction is one that an image from nothing can have, and none needs a shell.
    #[test]
    fn the_image_needs_neither_a_shell_nor_root() {
        let text = containerfile();
        let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).collect();
        assert_eq!(lines[0], "FROM scratch");
        let user = lines.iter().find_map(|line| line.strip_prefix("USER ")).expect("it has a user");
        let numbers: Vec<u32> = user.split(':').map(|number| number.parse().expect("names need /etc/passwd")).collect();
        assert!(numbers.iter().all(|number| *number > 0), "{user}");
        for line in lines.iter().filter(|line| !line.starts_with(' ')) {
            let word = line.split(' ').next().unwrap_or_default();
            assert!(
                ["FROM", "ARG", "LABEL", "COPY", "WORKDIR", "USER", "ENV", "ENTRYPOINT", "CMD"].contains(&word),
                "{line}"
            );
            if ["ENTRYPOINT", "CMD"].contains(&word) {
                let list: Result<Vec<String>, _> = serde_json::from_str(line[word.len()..].trim());
                assert!(list.is_ok(), "{line}: a list, since there is no shell");
            }
        }
    }
}
