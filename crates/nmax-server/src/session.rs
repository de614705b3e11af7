//! Who may change something: short sessions, signed with keys that all instances of a folder of runs share, so that each of
//! them verifies what another one made, and none keeps a list.
//!
//! A session is `nonce.expires.key id.signature`. Keys are replaced once a day; sessions of the one before are still read.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};
use serde_json::{Value, json};

/// The keys, in the folder of the runs.
const FILE: &str = ".nmax-sessions.json";
/// Seconds that a session lasts.
pub(crate) const LENGTH_S: u64 = 8 * 3_600;
/// Seconds after which a session is replaced when it is used.
const RENEWED_AFTER_S: u64 = 3_600;
/// Seconds that a key signs.
const KEY_LENGTH_S: u64 = 24 * 3_600;
/// Longest session that is looked at.
const BYTES_MAX: usize = 256;

/// Random bytes as text.
///
/// # Errors
/// The system has none.
pub(crate) fn random() -> io::Result<String> {
    let mut bytes = [0; 24];
    SystemRandom::new().fill(&mut bytes).map_err(|_| io::Error::other("the system gives no random bytes"))?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

/// Whether two texts are equal, in a time that tells nothing of where they differ.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    let key = hmac::Key::new(hmac::HMAC_SHA256, b"compare");
    hmac::verify(&key, one.as_bytes(), hmac::sign(&key, other.as_bytes()).as_ref()).is_ok()
}

/// A session that was verified.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Session {
    /// Sent as a header with everything that changes something: another site cannot know it.
    pub(crate) key: String,
    /// In its place, when it is old.
    pub(crate) renewed: Option<String>,
}

struct Key {
    id: String,
    made_s: u64,
    secret: hmac::Key,
    text: String,
}

/// Makes and verifies sessions.
pub(crate) struct Sessions {
    file: PathBuf,
    keys: Mutex<Vec<Key>>,
}

impl Sessions {
    /// With the keys of this folder, which are made where there are none.
    ///
    /// # Errors
    /// They cannot be read or written.
    pub(crate) fn open(folder: &Path, now_s: u64) -> io::Result<Self> {
        let sessions = Self { file: folder.join(FILE), keys: Mutex::default() };
        sessions.refresh(now_s)?;
        Ok(sessions)
    }

    /// Reads the keys again, and makes a new one where the newest is old.
    fn refresh(&self, now_s: u64) -> io::Result<()> {
        let mut keys = read(&self.file)?;
        // One that was made in the future says that the clock went back.
        keys.retain(|key| key.made_s <= now_s + KEY_LENGTH_S && now_s < key.made_s + KEY_LENGTH_S + LENGTH_S);
        if keys.last().is_none_or(|newest| now_s >= newest.made_s + KEY_LENGTH_S) {
            keys.push(Key::new(random()?, random()?, now_s));
            write(&self.file, &keys)?;
        }
        *self.keys.lock().unwrap_or_else(PoisonError::into_inner) = keys;
        Ok(())
    }

    /// A new session.
    ///
    /// # Errors
    /// No key can be made or kept.
    pub(crate) fn begin(&self, now_s: u64) -> io::Result<String> {
        self.refresh(now_s)?;
        Ok(self.sign(&random()?, now_s + LENGTH_S))
    }

    fn sign(&self, nonce: &str, expires_s: u64) -> String {
        let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
        let key = keys.last().expect("there is a key from the beginning");
        let signed = format!("{nonce}.{expires_s}.{}", key.id);
        let signature = URL_SAFE_NO_PAD.encode(hmac::sign(&key.secret, signed.as_bytes()));
        format!("{signed}.{signature}")
    }

    /// The session that a browser sent, unless it is over or was not made by these keys.
    pub(crate) fn verify(&self, sent: &str, now_s: u64) -> Option<Session> {
        self.verified(sent, now_s).or_else(|| {
            // Another instance may have made a new key.
            self.refresh(now_s).ok()?;
            self.verified(sent, now_s)
        })
    }

    fn verified(&self, sent: &str, now_s: u64) -> Option<Session> {
        let (signed, signature) = sent.get(..sent.len().min(BYTES_MAX))?.rsplit_once('.')?;
        let mut parts = signed.split('.');
        let (nonce, expires, id) = (parts.next()?, parts.next()?, parts.next()?);
        let expires_s: u64 = expires.parse().ok()?;
        if parts.next().is_some() || now_s >= expires_s || expires_s > now_s + LENGTH_S {
            return None;
        }
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        let key = {
            let keys = self.keys.lock().unwrap_or_else(PoisonError::into_inner);
            let key = keys.iter().find(|key| key.id == id)?;
            hmac::verify(&key.secret, signed.as_bytes(), &signature).ok()?;
            URL_SAFE_NO_PAD.encode(hmac::sign(&key.secret, format!("change {nonce}").as_bytes()))
        };
        let is_old = expires_s - now_s < LENGTH_S - RENEWED_AFTER_S;
        // The same nonce, so that pages that are open go on with their key as long as that of the session signs.
        let renewed = (is_old && self.refresh(now_s).is_ok()).then(|| self.sign(nonce, now_s + LENGTH_S));
        Some(Session { key, renewed })
    }
}

impl Key {
    fn new(id: String, text: String, made_s: u64) -> Self {
        Self { id, made_s, secret: hmac::Key::new(hmac::HMAC_SHA256, text.as_bytes()), text }
    }
}

/// Keys, the oldest first; none where the file is missing or holds something else.
fn read(file: &Path) -> io::Result<Vec<Key>> {
    let text = match fs::read_to_string(file) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        text => text?,
    };
    let keys = serde_json::from_str::<Value>(&text).unwrap_or_default();
    let key = |key: &Value| {
        let text = |name: &str| Some(key[name].as_str()?.to_owned());
        Some(Key::new(text("id")?, text("secret")?, key["made_s"].as_u64()?))
    };
    Ok(keys.as_array().into_iter().flatten().filter_map(key).collect())
}

/// For the owner alone, and whole at any time.
fn write(file: &Path, keys: &[Key]) -> io::Result<()> {
    let keys: Vec<Value> =
        keys.iter().map(|key| json!({"id": key.id, "made_s": key.made_s, "secret": key.text})).collect();
    let new = file.with_extension(format!("json.{}.tmp", std::process::id()));
    let mut open = OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&new)?;
    open.write_all(Value::Array(keys).to_string().as_bytes())?;
    fs::rename(&new, file)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("nmax-sessions-{name}-{}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        folder
    }

    #[test]
    fn any_instance_verifies_until_the_end() {
        let folder = folder("instances");
        let (one, other) = (Sessions::open(&folder, 1_000).unwrap(), Sessions::open(&folder, 1_000).unwrap());
        let session = one.begin(1_000).unwrap();
        let key = one.verify(&session, 1_001).unwrap().key;
        assert_eq!(other.verify(&session, 1_000 + LENGTH_S - 1).unwrap().key, key);
        assert_eq!(other.verify(&session, 1_000 + LENGTH_S), None);
        fs::remove_dir_all(folder).unwrap();
    }

    /// A day later the keys are others; what the old one signed is still read, and is renewed with the new one.
    #[test]
    fn keys_are_replaced() {
        let folder = folder("rotation");
        let sessions = Sessions::open(&folder, 0).unwrap();
        let late = KEY_LENGTH_S - 10;
        let session = sessions.begin(late).unwrap();
        let tomorrow = KEY_LENGTH_S + 10;
        let fresh = sessions.begin(tomorrow).unwrap();
        let id = |session: &str| session.split('.').nth(2).unwrap().to_owned();
        assert_ne!(id(&session), id(&fresh));
        let renewed = sessions.verify(&session, late + RENEWED_AFTER_S + 20).unwrap().renewed.unwrap();
        assert_eq!(id(&renewed), id(&fresh));
        assert!(Sessions::open(&folder, tomorrow).unwrap().verify(&session, tomorrow).is_some());
        // Long after it, no session of the old key may go on.
        sessions.refresh(late + KEY_LENGTH_S + LENGTH_S).unwrap();
        assert_eq!(sessions.verify(&session, late + KEY_LENGTH_S + LENGTH_S), None);
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn only_the_owner_reads_the_keys() {
        use std::os::unix::fs::PermissionsExt;
        let folder = folder("mode");
        drop(Sessions::open(&folder, 0).unwrap());
        assert_eq!(fs::metadata(folder.join(FILE)).unwrap().permissions().mode() & 0o777, 0o600);
        fs::remove_dir_all(folder).unwrap();
    }

    proptest! {
        /// Law: a session with any other byte is none.
        #[test]
        fn no_other_text_is_a_session(place in 0..200_usize, byte in "[A-Za-z0-9._-]", extra in "[ -~]{0,300}") {
            let folder = folder(&format!("forged-{place}"));
            let sessions = Sessions::open(&folder, 0).unwrap();
            let session = sessions.begin(0).unwrap();
            let mut forged = session.clone();
            let place = place % session.len();
            forged.replace_range(place..=place, &byte);
            prop_assert_eq!(sessions.verify(&forged, 1).is_some(), forged == session);
            prop_assert_eq!(sessions.verify(&extra, 1), None);
            fs::remove_dir_all(folder).unwrap();
        }
    }
}
