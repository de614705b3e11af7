//! Where a source is, and what it is called where the plan does not say.

use nmax_sources::kind::{Form, SourceKind};
use nmax_sources::service::{Located, ServiceUrl, Wrong};

use super::super::cursor::{Decoder, Fields};
use super::super::keys;
use super::super::tree::{Node, Value};
use crate::addresses::origin;
use crate::plan::ObservedAddress;

/// What the key of the kind says.
pub(super) fn read(
    decoder: &mut Decoder,
    fields: Fields,
    kind: &SourceKind,
    node: &Node,
) -> Option<(ObservedAddress, Located)> {
    let locate = match kind.form {
        Form::Agent if matches!(node.value, Value::Map(_)) => return calling(decoder, fields, node),
        Form::Agent => agent,
        Form::Url(locate) | Form::Address(locate) | Form::File(locate) => locate,
        Form::Process => return None,
    };
    let text = decoder.expanded(node)?;
    match locate(&text) {
        Ok(located) => Some((ObservedAddress::At(located.place.clone()), located)),
        Err(wrong) => decoder.wrong(node.at, wrong.message, wrong.remedy).none(),
    }
}

/// An agent that calls at `{ listen: ADDRESS }`.
fn calling(decoder: &mut Decoder, fields: Fields, node: &Node) -> Option<(ObservedAddress, Located)> {
    let map = decoder.fields(node, &keys::AGENT)?;
    let listen = map.get("listen")?;
    let address = decoder.expanded(listen)?;
    let Ok(socket) = address.parse::<core::net::SocketAddr>() else {
        let message = format!("`{}` is not an address and a port", nmax_text::shown(&address));
        return decoder.wrong(listen.at, message, "write an address of this host, such as `0.0.0.0:9798`").none();
    };
    if fields.entry("token").is_none() && !socket.ip().is_loopback() {
        let message = "anybody could send readings to this address";
        decoder.wrong(listen.at, message, "add `token: ${env.NMAX_AGENT_TOKEN}`, which the agent must know");
    }
    let located = Located { place: address.clone(), name: String::new(), host: String::new() };
    Some((ObservedAddress::Calls(address), located))
}

/// An agent that is asked, called as its host.
fn agent(text: &str) -> Result<Located, Wrong> {
    let message = match origin(text) {
        Ok(origin) if origin.starts_with("https://") => "agents speak plain HTTP".to_owned(),
        Ok(origin) => {
            let name = ServiceUrl::parse(&origin).map(|url| url.host.to_owned()).unwrap_or_default();
            return Ok(Located { place: origin, host: name.clone(), name });
        }
        Err(_) if ServiceUrl::parse(text).is_ok_and(|url| url.user.is_some()) => "agents know no users".to_owned(),
        Err(message) => message,
    };
    let remedy = "write scheme, host and port, such as `http://db1:9797`; a secret is a `token`, TLS that of a tunnel";
    Err(Wrong::new(message, remedy))
}
