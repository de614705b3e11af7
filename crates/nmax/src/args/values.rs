//! Values of flags, from their text; the error says what to write.

/// `NAME=VALUE`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    if name.is_empty() {
        return Err("the name before `=` is missing".into());
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// `Name: value`.
pub fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// A method, in any case.
pub fn method(text: &str) -> Result<nmax_plan::plan::Method, String> {
    let known = nmax_plan::plan::Method::ALL;
    known
        .into_iter()
        .find(|method| method.token().eq_ignore_ascii_case(text))
        .ok_or_else(|| {
            let names: Vec<&str> = known.iter().map(|method| method.token()).collect();
            format!("write one of {}", names.join(", "))
        })
}

/// A time such as `30s`.
pub fn duration(text: &str) -> Result<std::time::Duration, String> {
    nmax_plan::units::parse_duration(text).map_err(|error| error.to_string())
}

/// The URL of an HTTP proxy.
pub fn proxy(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("http://");
    let rest = rest.ok_or("write it as http://host:port; https:// servers behind it are fine")?;
    // A user name and password may hold anything.
    let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
    let url = nmax_http::Url::parse(&format!("http://{host}"));
    url.map(|_| text.to_owned()).map_err(|error| error.to_string())
}

/// Addresses for a name, in curl's form. A number before a colon is a port, so `host:1::2` is port 1 only if `:2` were an address.
pub fn resolve(text: &str) -> Result<nmax_plan::plan::HostOverride, String> {
    let (host, rest) = text.split_once(':').ok_or("write HOST:ADDRESS or HOST:PORT:ADDRESS")?;
    if host.is_empty() || host.contains(['[', ']', '/']) {
        return Err("the host name is missing: write HOST:PORT:ADDRESS".into());
    }
    let with_port = rest.split_once(':').and_then(|(port, list)| {
        let port: u16 = port.parse().ok()?;
        Some((Some(port), addresses(list).ok()?))
    });
    let (port, addresses) = match with_port {
        Some(both) => both,
        None => (None, addresses(rest)?),
    };
    Ok(nmax_plan::plan::HostOverride {
        host: host.to_ascii_lowercase(),
        port,
        addresses: addresses.into_iter().map(|address| (address, None)).collect(),
    })
}

/// Addresses with commas between, IPv6 ones in brackets or not.
fn addresses(list: &str) -> Result<Vec<std::net::IpAddr>, String> {
    let address = |text: &str| {
        let bare = text
            .strip_prefix('[')
            .and_then(|text| text.strip_suffix(']'))
            .unwrap_or(text);
        let parsed = bare.parse().map_err(|_| format!("`{text}` is no IP address"));
        parsed as Result<std::net::IpAddr, String>
    };
    list.split(',').map(address).collect()
}

/// A rate such as `2000/s`.
pub fn rate(text: &str) -> Result<f64, String> {
    // People who come from other tools write a bare number.
    let text = if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        format!("{text}/s")
    } else {
        text.to_owned()
    };
    nmax_plan::units::parse_rate(&text).map_err(|error| error.to_string())
}
