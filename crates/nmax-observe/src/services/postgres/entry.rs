//! How PostgreSQL is entered: over TLS or in clear text, as libpq does by `sslmode`.
//!
//! Source: PostgreSQL's documentation, *SSL Support* of libpq. A second attempt has a connection of its own and the rest of
//! the first one's time.

use nmax_sources::tls::Encryption;

use crate::Trouble;
use crate::reach::{Broken, Link, QueryError};
use crate::service_address::ServiceAddress;
use crate::tls::Tls;

use super::wire::offers_tls;

/// Logs in by `log_in` over a new connection, encrypted as `tls` wants it. TLS is not spoken over a socket in a file.
pub(super) fn enter(
    link: &mut Link,
    place: &ServiceAddress,
    tls: &Tls,
    log_in: impl Fn(&mut Link) -> Result<(), QueryError>,
) -> Result<(), QueryError> {
    match tls.encryption() {
        _ if place.host.starts_with('/') => log_in(link),
        Encryption::Never => log_in(link).map_err(|asked| match asked {
            QueryError::Barred(trouble) => QueryError::Refused(Trouble {
                text: format!("{}; where it demands TLS, write `sslmode=require`", trouble.text),
                ..trouble
            }),
            asked => asked,
        }),
        Encryption::Always => {
            if !offers_tls(link)? {
                let remedy = "switch it on there by `ssl = on`, or allow clear text by `sslmode=prefer`";
                return Err(Trouble::lasting(format!("it speaks no TLS; {remedy}")).into());
            }
            tls.begin(link, &place.host)?;
            log_in(link)
        }
        Encryption::IfOffered => {
            let first = match offers_tls(link) {
                Ok(false) => return log_in(link),
                Ok(true) => tls.begin(link, &place.host).and_then(|()| log_in(link)),
                Err(asked) => Err(asked),
            };
            again(link, place, first, "without TLS", log_in)
        }
        Encryption::IfDemanded => {
            let first = log_in(link);
            again(link, place, first, "with TLS", |link| match offers_tls(link)? {
                true => tls.begin(link, &place.host).and_then(|()| log_in(link)),
                false => Err(Trouble::lasting("it speaks no TLS").into()),
            })
        }
    }
}

/// What came of the first attempt, or of a second one where that may help. When both fail, both are told.
fn again(
    link: &mut Link,
    place: &ServiceAddress,
    first: Result<(), QueryError>,
    how: &str,
    second: impl Fn(&mut Link) -> Result<(), QueryError>,
) -> Result<(), QueryError> {
    let first = match first {
        Err(QueryError::Barred(trouble)) => Some(trouble),
        Err(QueryError::Broken(Broken::Gone)) => None,
        first => return first,
    };
    let second = link.open_again(place).map_err(QueryError::from).and_then(|()| second(link));
    match (first, second) {
        (Some(first), Err(QueryError::Barred(second) | QueryError::Refused(second))) if first.text != second.text => {
            Err(QueryError::Refused(Trouble {
                text: format!("{}; {how}: {}", first.text, second.text),
                is_final: first.is_final && second.is_final,
            }))
        }
        (Some(first), Err(_)) => Err(QueryError::Refused(first)),
        (_, second) => second,
    }
}

#[cfg(test)]
mod tests;
