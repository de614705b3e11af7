//! Values of flags, from their text; the error says what to write.

use std::net::IpAddr;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use nmax_plan::addresses::{parse_endpoint, parse_host};
use nmax_plan::plan::{HostOverride, PACING_SLACK_MAX};

/// One of a few values by its name. What the help says of each stands last, and may be empty.
pub fn choice<T: Copy + Send + Sync + 'static>(
    rows: impl IntoIterator<Item = (&'static str, T, &'static str)>,
) -> impl TypedValueParser<Value = T> {
    let rows: Vec<_> = rows.into_iter().collect();
    let names = rows
        .iter()
        .map(|(name, _, about)| PossibleValue::new(*name).help(Some(*about).filter(|about| !about.is_empty())));
    PossibleValuesParser::new(names.collect::<Vec<_>>()).try_map(move |text| {
        rows.iter().find(|(name, ..)| *name == text).map(|(_, value, _)| *value).ok_or("no such value")
    })
}

/// One of all values of a kind, which have names.
pub fn named<T: Copy + Send + Sync + 'static, const N: usize>(
    all: [T; N],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    choice(all.map(|value| (name(value), value, "")))
}

/// `NAME=VALUE`.
pub fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    if name.is_empty() {
        return Err("the name before `=` is missing".into());
    }
    Ok((name.to_owned(), value.to_owned()))
}

/// `KIND=WHERE`
pub fn observed(text: &str) -> Result<(String, String), String> {
    let (kind, place) = text.split_once('=').ok_or("write KIND=WHERE, as in process=nginx")?;
    Ok((kind.to_owned(), place.to_owned()))
}

/// What `--observe` says of itself, with every kind of source.
pub fn observe_help() -> String {
    let kinds: Vec<&str> = nmax_sources::kinds::ALL.iter().map(|kind| kind.word).collect();
    format!(
        "Also watch this during the run, as in process=nginx, redis=db1:6379 or log=/var/log/nginx/access.log; may be repeated. \
         Kinds: {}",
        kinds.join(", ")
    )
}

/// `Name: value`.
pub fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write 'Name: value'")?;
    Ok((name.trim().to_owned(), value.trim().to_owned()))
}

/// A method, in any case.
pub fn method(text: &str) -> Result<nmax_plan::plan::Method, String> {
    let known = nmax_plan::plan::Method::ALL;
    known.into_iter().find(|method| method.token().eq_ignore_ascii_case(text)).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|method| method.token()).collect();
        format!("write one of {}", names.join(", "))
    })
}

/// How many times shorter, from 1 up.
pub fn factor(text: &str) -> Result<f64, String> {
    let limits = 1.0..=nmax_plan::profile::COMPRESS_MAX;
    match text.parse::<f64>() {
        Ok(factor) if limits.contains(&factor) => Ok(factor),
        _ => Err("write a number from 1 up, such as 60: an hour becomes a minute".into()),
    }
}

/// A time such as `30s`.
pub fn duration(text: &str) -> Result<std::time::Duration, String> {
    nmax_plan::units::parse_duration(text).map_err(|error| {
        let seconds = text.parse::<u64>().map(|seconds| format!(": write `{seconds}s`"));
        error.to_string() + &seconds.unwrap_or_default()
    })
}

/// A pacing slack.
pub fn slack(text: &str) -> Result<std::time::Duration, String> {
    let slack = duration(text)?;
    if slack > PACING_SLACK_MAX {
        return Err("a pacing slack is longer than 1ms: write a duration up to it, such as 100us".to_owned());
    }
    Ok(slack)
}

/// Addresses for a name, in curl's form. A number before a colon is a port, so `host:1::2` is port 1 only if `:2` were an address.
pub fn resolve(text: &str) -> Result<HostOverride, String> {
    given(text).map_err(|error| format!("{error}: write HOST[:PORT]:ADDRESS, such as shop.test:443:10.0.0.7"))
}

fn given(text: &str) -> Result<HostOverride, String> {
    let (host, rest) = text.split_once(':').ok_or("the address is missing")?;
    let (host, _) = parse_host(host).map_err(|error| error.message)?;
    let with_port = rest.split_once(':').filter(|(port, _)| port.bytes().all(|byte| byte.is_ascii_digit()));
    let with_port = with_port.map(|(port, list)| match port.parse::<u16>() {
        Ok(port @ 1..) => addresses(list).map(|list| (Some(port), list)),
        _ => Err(format!("`{port}` is not a port from 1 to 65535")),
    });
    let (port, addresses) = match (with_port, addresses(rest)) {
        (Some(Ok((port, list))), _) => (port, list),
        (_, Ok(list)) => (None, list),
        (Some(Err(error)), Err(_)) | (None, Err(error)) => return Err(error),
    };
    Ok(HostOverride { host, port, addresses })
}

/// Addresses with commas between, each with a port of its own or not.
fn addresses(list: &str) -> Result<Vec<(IpAddr, Option<u16>)>, String> {
    let address = |text: &str| parse_endpoint(text).map_err(|error| error.message);
    list.split(',').map(address).collect()
}

/// A rate above 0, such as `2000/s`.
pub fn rate(text: &str) -> Result<f64, String> {
    // People who come from other tools write a bare number.
    let text = if text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') {
        format!("{text}/s")
    } else {
        text.to_owned()
    };
    let rate = nmax_plan::units::parse_rate(&text).map_err(|error| error.to_string())?;
    if rate > 0.0 { Ok(rate) } else { Err("the rate must be above 0/s, such as 2000/s".into()) }
}

/// A path in which some segments are `*`.
pub fn path_template(text: &str) -> Result<String, String> {
    let segments = text.strip_prefix('/').unwrap_or_default().split('/');
    let (whole, part): (Vec<&str>, Vec<&str>) =
        segments.filter(|segment| segment.contains('*')).partition(|segment| *segment == "*");
    if whole.is_empty() || !part.is_empty() || text.contains('?') {
        return Err(
            "write a path with `*` in place of whole segments, such as '/products/*' or '/users/*/orders/*'".into()
        );
    }
    Ok(text.to_owned())
}

/// A time zone as an offset from Greenwich, in seconds.
pub fn zone(text: &str) -> Result<i32, String> {
    let what = "write an offset from UTC such as +01:00";
    if text.eq_ignore_ascii_case("utc") || text.eq_ignore_ascii_case("z") {
        return Ok(0);
    }
    let (sign, digits) = match text.split_at_checked(1) {
        Some(("+", digits)) => (1, digits),
        Some(("-", digits)) => (-1, digits),
        _ => return Err(what.into()),
    };
    let digits = digits.replace(':', "");
    let number = |range: std::ops::Range<usize>| digits.get(range).and_then(|text| text.parse::<i32>().ok());
    let (hours, minutes) = match digits.len() {
        1 | 2 => (digits.parse().ok(), Some(0)),
        4 => (number(0..2), number(2..4)),
        _ => (None, None),
    };
    match (hours, minutes) {
        (Some(hours @ 0..=15), Some(minutes @ 0..=59)) => Ok(sign * (hours * 3600 + minutes * 60)),
        _ => Err(what.into()),
    }
}

/// A share from above 0 to below 1, as in `10%` or `0.1`.
pub fn share(text: &str) -> Result<f64, String> {
    let share = match text.parse::<f64>() {
        Ok(share) => Some(share),
        Err(_) => nmax_plan::units::parse_share(text).ok(),
    };
    share
        .filter(|share| *share > 0.0 && *share < 1.0)
        .ok_or_else(|| "write a share between 0% and 100%, such as 10%".into())
}

/// How many times faster time passes, above 0.
pub fn speed(text: &str) -> Result<f64, String> {
    let text = text.strip_suffix(['x', '×']).unwrap_or(text);
    match text.parse::<f64>() {
        Ok(speed) if (1e-6..=1e6).contains(&speed) => Ok(speed),
        _ => Err("write a number such as 2: an hour of the log becomes half an hour".into()),
    }
}
