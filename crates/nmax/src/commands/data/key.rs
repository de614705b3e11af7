//! The secret under which values are masked.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use sha2::{Digest, Sha256};

use super::Trouble;
use super::output::note;
use crate::args::MaskArgs;

/// Least length of a secret, in bytes.
const LEAST: usize = 16;
/// Most; more is no secret but a wrong file.
const MOST: u64 = 1 << 16;

/// The key: the first half of the SHA-256 of the secret, without white space around it.
pub(super) fn key(args: &MaskArgs) -> Result<[u8; 16], Trouble> {
    let secret = match (&args.key_file, &args.key_env, &args.new_key) {
        (Some(file), ..) => read(file)?,
        (_, Some(name), _) => std::env::var(name).map_err(|_| {
            Trouble::usage(format_args!("the environment has no variable `{name}`"), "set it, or use --key-file")
        })?,
        (.., Some(file)) => make(file)?,
        _ => {
            return Err(Trouble::usage("a key is missing", "use --key-file, --key-env or --new-key"));
        }
    };
    let secret = secret.trim();
    if secret.len() < LEAST {
        let text = format!("the secret has {} bytes; it can be guessed", secret.len());
        return Err(Trouble::usage(text, format_args!("take at least {LEAST}; --new-key FILE makes one")));
    }
    let digest = Sha256::digest(secret.as_bytes());
    Ok(std::array::from_fn(|at| digest[at]))
}

fn read(file: &Path) -> Result<String, Trouble> {
    let mut secret = String::new();
    let read = File::open(file).and_then(|opened| opened.take(MOST).read_to_string(&mut secret));
    read.map_err(|error| {
        let text = format!("{}: cannot read the secret: {error}", file.display());
        Trouble::usage(text, "give a file of text; --new-key FILE makes one")
    })?;
    Ok(secret)
}

/// Writes 32 random bytes in hexadecimal digits that only the owner may read.
fn make(file: &Path) -> Result<String, Trouble> {
    let mut bytes = [0; 32];
    let secret = File::open("/dev/urandom").and_then(|mut random| random.read_exact(&mut bytes)).and_then(|()| {
        let secret: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(file)?;
        file.write_all(format!("{secret}\n").as_bytes())?;
        Ok(secret)
    });
    let secret = secret.map_err(|error| {
        let help = "give a new name; to use the secret that is there, use --key-file";
        Trouble::usage(format_args!("{}: cannot write the secret: {error}", file.display()), help)
    })?;
    let path = fs::canonicalize(file).unwrap_or_else(|_| file.to_owned());
    note(format_args!(
        "a new secret is in {}; keep it from others, and use it for all files that belong together",
        path.display()
    ));
    Ok(secret)
}
