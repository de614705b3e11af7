//! Plans and what belongs to them, by the hash of their bytes. They are sealed before they come here.

use async_nats::jetstream::object_store::{GetErrorKind, InfoErrorKind, ObjectStore};
use ring::digest::{SHA256, digest};
use tokio::io::AsyncReadExt;

use crate::broker::{Broker, Link};
use crate::error::NatsError;
use crate::streams::FILES;

/// Largest file, bytes: a plan with its files has at most 256 MiB before it is sealed.
pub(crate) const FILE_BYTES_MAX: usize = 257 << 20;

/// SHA-256 of bytes, hex.
pub fn hash(bytes: &[u8]) -> String {
    digest(&SHA256, bytes).as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Keeps bytes under their hash, which it returns. What is there already is not sent again.
///
/// # Errors
/// Why they are not kept.
pub fn put(broker: &Broker, bytes: &[u8]) -> Result<String, NatsError> {
    let name = hash(bytes);
    broker.wait_for(async {
        let store = store(&broker.link).await?;
        match store.info(&name).await {
            Ok(info) if info.size == bytes.len() => return Ok(()),
            Err(error) if error.kind() != InfoErrorKind::NotFound => {
                return Err(broker.link.lost(&format!("$O.{FILES}"), &error.to_string()));
            }
            _ => {}
        }
        let mut left = bytes;
        let put = store.put(name.as_str(), &mut left).await;
        put.map(drop).map_err(|error| NatsError::of_operation(&format!("$O.{FILES}"), &error))
    })?;
    Ok(name)
}

/// The bytes of this hash.
///
/// # Errors
/// When they are not there, cannot be had, or are others.
pub fn get(broker: &Broker, name: &str) -> Result<Vec<u8>, NatsError> {
    let file = |reason: &str| NatsError::File { hash: name.into(), reason: reason.into() };
    if name.len() != 64 || !name.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(file("has a name that is not a SHA-256"));
    }
    let bytes = broker.wait_for(async {
        let store = store(&broker.link).await?;
        let object = store.get(name).await.map_err(|error| match error.kind() {
            GetErrorKind::NotFound => file("is not there"),
            _ => broker.link.lost(&format!("$O.{FILES}"), &error.to_string()),
        })?;
        if object.info().size > FILE_BYTES_MAX {
            return Err(file("is larger than 257 MiB"));
        }
        let mut bytes = Vec::new();
        // Its own sum is not relied on: a stream's owner could write both.
        let read = object.take(FILE_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).await;
        read.map_err(|error| file(&format!("cannot be read: {error}")))?;
        Ok(bytes)
    })?;
    if hash(&bytes) == name { Ok(bytes) } else { Err(file("is another than its name says")) }
}

async fn store(link: &Link) -> Result<ObjectStore, NatsError> {
    let store = link.context.get_object_store(FILES).await;
    store.map_err(|error| link.lost(&format!("OBJ_{FILES}"), &error.to_string()))
}
