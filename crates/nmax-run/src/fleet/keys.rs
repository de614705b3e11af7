//! The keys of a fleet: one file for those who order runs, one for the injectors that verify and open them.

use std::fs;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use nmax_fleet::seal::{KEY_BYTES, NONCE_BYTES, SealKey};
use nmax_fleet::warrant::{PublicKey, SigningKey};
use ring::rand::{SecureRandom, SystemRandom};

/// File of those who order runs.
pub const OWNER_FILE: &str = "fleet.key";
/// What a certificate begins with.
const PEM: &str = "-----BEGIN";
/// File of the injectors.
pub const TRUST_FILE: &str = "fleet.trust";

/// What those who order runs have.
#[derive(Debug)]
pub struct OwnerKeys {
    /// Signs runs.
    pub signing: SigningKey,
    /// Seals plans.
    pub seal: SealKey,
}

/// What injectors have.
#[derive(Clone, Debug)]
pub struct TrustKeys {
    /// Who may order runs.
    pub signers: Vec<PublicKey>,
    /// Opens plans.
    pub seal: SealKey,
}

/// Random bytes.
///
/// # Errors
/// When the system gives none.
pub fn random<const N: usize>() -> Result<[u8; N], String> {
    let mut bytes = [0; N];
    SystemRandom::new().fill(&mut bytes).map_err(|_| "the system gives no random numbers".to_owned())?;
    Ok(bytes)
}

/// Seals a text with a nonce of its own.
///
/// # Errors
/// When the system gives no random numbers.
pub fn seal(key: &SealKey, purpose: &str, text: &[u8]) -> Result<Vec<u8>, String> {
    Ok(key.seal(purpose, random::<NONCE_BYTES>()?, text))
}

/// Makes the keys of a fleet in a folder; the paths of both files.
///
/// - `users`: as whom each connects to the broker, the seed of an nkey
/// - `certificate`: of the broker, PEM
///
/// # Errors
/// When one is there already, or cannot be written.
pub fn make(folder: &Path, users: [&str; 2], certificate: &str) -> Result<[PathBuf; 2], String> {
    let seed = random::<KEY_BYTES>()?;
    let secret = SigningKey::text_of(&seed).map_err(|error| error.to_string())?;
    let public = SigningKey::parse(&secret).map_err(|error| error.to_string())?.public();
    let seal = SealKey::new(random()?);
    let files = [OWNER_FILE, TRUST_FILE].map(|name| folder.join(name));
    if let Some(file) = files.iter().find(|file| file.exists()) {
        return Err(format!(
            "{}: is there already\n  help: runs are ordered with it; use another folder",
            file.display()
        ));
    }
    let texts = [
        format!("# Orders runs on the fleet. Keep it to yourself.\n{secret}\n{seal}\n{}\n{certificate}", users[0]),
        format!(
            "# For injectors: who may order runs, the key that opens their plans, and their user of NATS.\n\
             {public}\n{seal}\n{}\n{certificate}",
            users[1]
        ),
    ];
    for (file, text) in files.iter().zip(texts) {
        write(file, &text)?;
    }
    Ok(files)
}

/// Writes a new file that only its owner reads.
///
/// # Errors
/// When it is there already, or cannot be written.
pub fn write(file: &Path, text: &str) -> Result<(), String> {
    let opened = fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(file);
    let written = opened.and_then(|mut opened| opened.write_all(text.as_bytes()));
    written.map_err(|error| format!("{}: cannot write: {error}", file.display()))
}

/// The keys of a file, before its certificate.
fn lines(file: &Path) -> Result<Vec<String>, String> {
    let text = fs::read_to_string(file).map_err(|error| {
        format!(
            "{}: cannot read: {error}\n  help: `nmax fleet key` makes {OWNER_FILE} and {TRUST_FILE}",
            file.display()
        )
    })?;
    let lines = text.lines().map(str::trim).take_while(|line| !line.starts_with(PEM));
    let lines = lines.filter(|line| !line.is_empty() && !line.starts_with('#'));
    Ok(lines.map(str::to_owned).collect())
}

/// The one line of a file that is of this kind.
fn only<T, E: ToString>(file: &Path, lines: &[String], parse: impl Fn(&str) -> Result<T, E>) -> Result<T, String> {
    let found = lines.iter().find_map(|line| parse(line).ok());
    found.ok_or_else(|| {
        let error = parse("").err().map_or_else(String::new, |error| error.to_string());
        format!("{}: {error}", file.display())
    })
}

/// How the owner of a file of either kind connects to the broker.
#[derive(Clone, Debug, Default)]
pub struct Connection {
    /// As whom: the seed of an nkey.
    pub user: Option<String>,
    /// A file with the certificate that the broker shows, PEM.
    pub certificate: Option<PathBuf>,
}

/// How the owner of a key file connects. Without a user and a certificate where the file is missing or names none.
pub fn connection(file: &Path) -> Connection {
    let user = lines(file).unwrap_or_default().into_iter().find(|line| line.starts_with("SU"));
    let has_certificate = fs::read_to_string(file).is_ok_and(|text| text.contains(PEM));
    Connection { user, certificate: has_certificate.then(|| file.to_owned()) }
}

/// Reads the file of those who order runs.
///
/// # Errors
/// When it is not one.
pub fn owner(file: &Path) -> Result<OwnerKeys, String> {
    let lines = lines(file)?;
    if lines.iter().any(|line| line.parse::<PublicKey>().is_ok()) {
        return Err(format!(
            "{}: this is the file of injectors\n  help: runs are ordered with {OWNER_FILE}",
            file.display()
        ));
    }
    Ok(OwnerKeys { signing: only(file, &lines, SigningKey::parse)?, seal: only(file, &lines, str::parse)? })
}

/// Reads the file of an injector; it may have several lines of those who may order runs.
///
/// # Errors
/// When it is not one.
pub fn trust(file: &Path) -> Result<TrustKeys, String> {
    let lines = lines(file)?;
    let signers: Vec<PublicKey> = lines.iter().filter_map(|line| line.parse().ok()).collect();
    only(file, &lines, str::parse::<PublicKey>)?;
    Ok(TrustKeys { signers, seal: only(file, &lines, str::parse)? })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn both_files_fit_each_other() {
        let folder = std::env::temp_dir().join(format!("nmax-keys-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [key, known] = make(&folder, ["SUA", "SUB"], "-----BEGIN CERTIFICATE-----\nSUC\n").unwrap();
        let (owner, known_keys) = (owner(&key).unwrap(), trust(&known).unwrap());
        assert_eq!((known_keys.signers, known_keys.seal), (vec![owner.signing.public()], owner.seal));
        assert!([&key, &known].iter().all(|file| file.metadata().unwrap().permissions().mode() & 0o777 == 0o600));
        let connections = [&key, &known].map(|file| connection(file));
        assert_eq!(connections.each_ref().map(|known| known.user.as_deref()), [Some("SUA"), Some("SUB")]);
        assert_eq!(connections[1].certificate, Some(known.clone()));
        assert!(make(&folder, ["", ""], "").unwrap_err().contains("is there already"));
        assert!(self::owner(&known).unwrap_err().contains("the file of injectors"), "it orders no runs");
        assert!(self::trust(&key).is_err() && trust(&folder.join("none")).unwrap_err().contains("nmax fleet key"));
        fs::remove_dir_all(folder).unwrap();
    }
}
