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
        if has_a_path(reference) {
            // Dot segments are gone at once, so that joining again changes nothing.
            assert!(!has_dot_segment(&joined.target), "{base} and {reference:?} give {joined}");
            assert_eq!(base.join(&joined.to_string()).as_ref(), Ok(&joined), "{base} and {reference:?}");
        } else {
            let path = |url: &Url| url.target.split('?').next().map(str::to_owned);
            assert_eq!((&joined.origin, path(&joined)), (&base.origin, path(&base)), "{reference:?}");
        }
    }
}

fn is_sound(url: &Url) {
    assert_eq!(Url::parse(&url.to_string()).as_ref(), Ok(url), "read, written and read again");
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

/// Without one, a reference keeps the path of the base as it stands.
fn has_a_path(reference: &str) -> bool {
    !matches!(reference.trim().chars().next(), None | Some('?' | '#'))
}
