//! Documents and JSON texts of servers, and what plans look for in them: each is read or given up for a reason, with
//! work and memory that its length bounds.

use nmax_extract::budget::{BYTES_MIN, BYTES_PER_BYTE, STEPS_MIN, STEPS_PER_BYTE};
use nmax_extract::resources::of_style_sheet;
use nmax_extract::values::{Wanted, harvest};
use nmax_extract::{Extractor, GaveUp, MATCHES_MAX, ReplyContent};
use nmax_plan::plan::ReplyPart;

/// Steps of the token or node during which the limit is passed.
const STEPS_BEYOND: u64 = 1_000_000;

/// Input: a CSS selector, then a document.
pub fn html_holds(input: &[u8]) {
    let (selector, body) = split(input);
    let extractor = Extractor::new(&ReplyPart::Css { selector: selector.into_owned(), attribute: None });
    let page = ReplyContent::new(&[("content-type", b"text/html")], body);
    if let Ok(extractor) = extractor {
        finds(&extractor, &page);
    }
    if let Ok(resources) = page.resources() {
        assert!(resources.found.iter().all(|found| !found.reference.trim().is_empty()));
    }
    let outline = page.outline();
    assert_eq!(outline, page.outline(), "the second look differs");
    let (found, _) = harvest(&page, &Everything);
    assert!(found.iter().all(|found| !found.sources.is_empty()), "a value without a source");
    is_within(&page, body);
    of_style_sheet(&String::from_utf8_lossy(body));
}

/// Input: a JSONPath, then a JSON text.
pub fn jsonpath_holds(input: &[u8]) {
    let (path, body) = split(input);
    let Ok(extractor) = Extractor::new(&ReplyPart::JsonPath(path.into_owned())) else {
        return;
    };
    let page = ReplyContent::new(&[], body);
    finds(&extractor, &page);
    is_within(&page, body);
}

fn split(input: &[u8]) -> (std::borrow::Cow<'_, str>, &[u8]) {
    let end = input.iter().position(|byte| *byte == b'\n').unwrap_or(input.len());
    (String::from_utf8_lossy(&input[..end]), input.get(end + 1..).unwrap_or_default())
}

/// The ways to look for matches agree, as long as the budget lasts.
fn finds(extractor: &Extractor, page: &ReplyContent<'_>) {
    let Ok(count) = extractor.count(page) else {
        return;
    };
    assert!(count <= MATCHES_MAX);
    if let Ok(occurs) = extractor.occurs(page) {
        assert_eq!(occurs, Some(count > 0));
    }
    if let Ok(all) = extractor.matches(page) {
        assert_eq!(all.len(), count);
        if let (Ok(first), Ok(last)) = (extractor.nth(page, 0), extractor.last(page)) {
            assert_eq!((first.as_ref(), last.as_ref()), (all.first(), all.last()));
        }
    }
}

fn is_within(page: &ReplyContent<'_>, body: &[u8]) {
    let (steps, bytes) = (page.budget().steps(), page.budget().bytes());
    let steps_max = (STEPS_PER_BYTE * body.len() as u64).max(STEPS_MIN) + STEPS_BEYOND;
    assert!(steps <= steps_max, "{steps} steps for {} bytes", body.len());
    assert!(bytes <= (BYTES_PER_BYTE * body.len()).max(BYTES_MIN), "{bytes} bytes for {}", body.len());
    // A time limit that has passed ends the reading of any body that has something to read.
    let late = ReplyContent::new(&[], body).until(&|| true);
    if let Err(why) = late.outline() {
        assert!(!why.to_string().is_empty() && why != GaveUp::Steps, "{why}");
    }
}

/// Looks for all values.
struct Everything;

impl Wanted for Everything {
    fn value(&self, _text: &str) -> bool {
        true
    }

    fn link(&self, reference: &str, _base: Option<&str>) -> Option<String> {
        Some(reference.to_owned())
    }

    fn header(&self, _name: &str) -> bool {
        true
    }
}
