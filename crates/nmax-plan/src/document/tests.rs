mod errors;
mod flow;
mod http;
mod run;
mod whole;

use super::*;

/// Files beside every plan of the tests.
pub(crate) fn read(file: &str) -> Result<String, String> {
    match file {
        "terms.csv" => Ok("q,hits\ntea,3\n\"a, b\",0\n".into()),
        "ragged.csv" => Ok("a,b\n1\n2,3\n4,5,6\n".into()),
        "people.csv" => Ok("email;name\na@b.test;A\n".into()),
        _ => Err("no such file".into()),
    }
}

/// Files that plans of the tests send.
pub(crate) fn exists(file: &str) -> Result<u64, String> {
    match file.rsplit_once('.') {
        Some((_, "pem" | "png" | "bin" | "json")) => Ok(5),
        _ => Err("no such file".into()),
    }
}

pub(crate) fn env(name: &str) -> Option<String> {
    match name {
        "TOKEN" => Some("secret \"1\"".into()),
        "TOKEN_BARE" => Some("s3cret".into()),
        "KEYS" => Some("keys".into()),
        "RATE" => Some("7/s".into()),
        "BASE" => Some("https://shop.test".into()),
        _ => None,
    }
}

/// Refuses sources with `!!`.
pub(crate) fn check_source(source: &ReplyPart) -> Result<(), String> {
    let text = format!("{source:?}");
    if text.contains("!!") { Err("unexpected `!!`".into()) } else { Ok(()) }
}

pub(crate) fn options() -> Options<'static> {
    Options { read: &read, exists: &exists, env: &env, check_source: &check_source, ..Options::standalone("plan.yaml") }
}

/// Errors as printed, or nothing.
pub(crate) fn rendered(text: &str, options: &Options) -> String {
    let errors = parse(text, options).err().unwrap_or_default();
    errors.iter().map(|error| format!("{error}\n")).collect()
}
