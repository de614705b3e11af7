//! Whether a program runs without anything of the machine: by what `readelf` says, which comes with the linker.

use std::path::Path;

use super::facts::output;

/// Refuses a program that names a loader, and one with symbols where `is_stripped`.
///
/// # Errors
///
/// `readelf` cannot read it, or what is wrong and what to do about it.
pub(super) fn check(root: &Path, program: &Path, is_stripped: bool) -> Result<(), String> {
    let path = program.to_string_lossy();
    let headers = output(root, "readelf", &["--wide", "--segments", "--sections", &path])?;
    judge(&headers, is_stripped).map_err(|problem| format!("{path}: {problem}"))
}

fn judge(headers: &str, is_stripped: bool) -> Result<(), &'static str> {
    let has = |kind: &str| headers.split_whitespace().any(|word| word == kind);
    if has("INTERP") {
        return Err("is not static: it names a loader. Install the static C library (libc6-dev) and build again");
    }
    if is_stripped && has("SYMTAB") {
        return Err("is not stripped; set `strip = true` in [profile.dist]");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_must_be_static_and_stripped() {
        let (load, code) = ("  LOAD  0x000000 R E 0x1000\n", "  [ 1] .text  PROGBITS  .interp\n");
        let (interp, symtab) = ("  INTERP  0x000318 R 0x1\n", "  [29] .symtab  SYMTAB\n");
        assert_eq!(judge(&[load, code].concat(), true), Ok(()));
        assert_eq!(judge(&[load, symtab].concat(), false), Ok(()));
        assert!(judge(&[interp, code].concat(), true).unwrap_err().starts_with("is not static"));
        assert!(judge(&[load, symtab].concat(), true).unwrap_err().starts_with("is not stripped"));
    }

    /// Tests are built as usual, so they name a loader.
    #[test]
    fn this_test_is_not_static() {
        let own = std::env::current_exe().unwrap();
        assert!(check(Path::new("/"), &own, false).unwrap_err().contains("is not static"));
        assert!(check(Path::new("/"), Path::new(file!()), false).unwrap_err().starts_with("`readelf"));
    }
}
