//! URLs: what is read can be written and read again, and never breaks a request line.

use nmax_http::Url;

/// Input: a URL, then references, one per line.
pub fn holds(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else {
        return;
    };
    let mut lines = text.split('\n');
    let Ok(base) = Url::parse(lines.next().unwrap_or("")) else {
        return;
    };
    is_sound(&base);
    for reference in lines {
        let Ok(joined) = base.join(reference) else {
            continue;
        };
        is_sound(&joined);
        // An absolute URL does not depend on what it is joined to, and dot segments are gone at once.
        assert_eq!(
            base.join(&joined.to_string()).as_ref(),
            Ok(&joined),
            "{base} and {reference:?}"
        );
        assert!(
            !has_dot_segment(&joined.target) || reference_is_same_document(reference),
            "{joined}"
        );
    }
}

fn is_sound(url: &Url) {
    assert_eq!(
        Url::parse(&url.to_string()).as_ref(),
        Ok(url),
        "read, written and read again"
    );
    assert!(url.target.starts_with('/'), "{url}");
    assert!(
        url.target.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'#'),
        "{:?} would break a request line",
        url.target
    );
    let authority = url.origin.authority();
    assert!(
        !authority.is_empty() && authority.bytes().all(|byte| byte.is_ascii_graphic()),
        "{authority:?} would break a header"
    );
    assert_ne!(url.origin.port, 0);
}

fn has_dot_segment(target: &str) -> bool {
    let path = target.split('?').next().unwrap_or("/");
    path.split('/').any(|segment| matches!(segment, "." | ".."))
}

/// Without a path of its own, a reference keeps that of the base as it stands.
fn reference_is_same_document(reference: &str) -> bool {
    matches!(reference.trim().chars().next(), None | Some('?' | '#'))
}
