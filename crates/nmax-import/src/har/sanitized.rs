//! Files from which the browser has left out what a replay cannot do without.

use crate::recording::{Recording, header};

/// Words in a path or body that show that somebody logged in.
const LOGIN: [&str; 6] = ["login", "log-in", "signin", "sign-in", "session", "password"];

/// What to say when no exchange carries a cookie or an authorization: Chrome's default export leaves them out.
///
/// The recorder leaves nothing out, so its recordings are never suspected.
pub(super) fn warning(recording: &Recording) -> Option<String> {
    let answered = recording.entries.iter().filter(|entry| entry.response.is_some()).count();
    let has_secret = recording.entries.iter().any(|entry| {
        let sent = ["cookie", "authorization"];
        let response = entry.response.as_ref();
        sent.iter().any(|name| header(&entry.request.headers, name).is_some())
            || response.is_some_and(|response| header(&response.headers, "set-cookie").is_some())
    });
    if answered == 0 || has_secret || recording.creator.starts_with("nmax") {
        return None;
    }
    let login = recording.entries.iter().find(|entry| {
        let url = entry.request.url.to_ascii_lowercase();
        let path = crate::parts::split(&url).path.to_owned();
        let fields = entry.request.body.iter().flat_map(|body| &body.fields);
        let is_form = || fields.into_iter().any(|field| LOGIN[5] == field.name.to_ascii_lowercase());
        (entry.request.method == "POST" && LOGIN.iter().any(|word| path.contains(word))) || is_form()
    });
    let doubt = match login {
        Some(entry) => format!(
            "although a user logs in (entry {}: {} {})",
            entry.number,
            entry.request.method,
            crate::parts::split(&entry.request.url).path
        ),
        None => "so the site uses neither, or they were left out".to_owned(),
    };
    let advice = if recording.creator.starts_with("Firefox") || recording.creator.starts_with("WebKit") {
        "Record again with nothing removed, or with `nmax record`."
    } else {
        "Chrome and Edge leave them out unless told otherwise: in the developer tools, Settings > Preferences > Network, \
         tick `Allow to generate HAR with sensitive data`, then hold the download button of the tab Network and choose \
         `Export HAR (with sensitive data)`. Or record with `nmax record`."
    };
    Some(format!(
        "sanitized? None of the {answered} exchanges has a cookie or an authorization header, {doubt}. Without them a \
         replay cannot log in. {advice}"
    ))
}
