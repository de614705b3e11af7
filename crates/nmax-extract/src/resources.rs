//! What a browser fetches along with a document: found in the tree that the extractors read too.
//!
//! The browser is a desktop one with scripts switched on: [`crate::screen`] is its window. Scripts do not run, so what
//! they would fetch is not found; a plan lists it. The choices, where browsers differ or decide by what they draw:
//! - `loading=lazy` is fetched: what is below the fold is not known. It comes last
//! - style sheets for other media and alternate ones are fetched, last, as browsers do; disabled ones are not
//! - `prefetch`, `preconnect` and the like are for later pages, and no part of this one
//! - of `picture`, `srcset` and the sources of a video one is taken; `preload=none` takes only the poster
//! - what `noscript`, `template` and comments hold does not exist; neither does `/favicon.ico` that nobody names
//! - a frame is a document: whoever fetches it asks again, with its text. A `srcdoc` is not looked into

use std::borrow::Cow;
use std::collections::HashSet;

use crate::html::Node;
use crate::{GaveUp, ReplyContent, css, screen};

#[cfg(test)]
mod tests;

/// Most references of one document or style sheet.
pub const FOUND_MAX: usize = 1_000;
/// Most references that are looked at, each as often as it is named.
pub(crate) const SEEN_MAX: usize = 20 * FOUND_MAX;

nmax_text::named! {
    /// What a resource is for.
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
    pub enum Kind {
        /// A picture, also one that a style sheet draws.
        Image = "image",
        /// A script or a module.
        Script = "script",
        /// A style sheet.
        Style = "style",
        /// A font.
        Font = "font",
        /// A document within the document.
        Frame = "frame",
        /// Sound or video.
        Media = "media",
        /// Objects, manifests, subtitles.
        Other = "other",
    }
    /// As it is called in results.
    name
}

/// When a resource is asked for, next to the others of its page.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Priority {
    /// Styles and scripts of the head, and what they need.
    First,
    /// In the order of the document.
    Normal,
    /// What nothing waits for.
    Last,
}

/// A resource that a document or style sheet names.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ResourceReference {
    /// As written, without the blanks around it; relative to the base.
    pub reference: String,
    /// What it is for.
    pub kind: Kind,
    /// When it is asked for.
    pub priority: Priority,
}

/// What a document names.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Resources {
    /// What references are relative to, as written, where it is not the document itself.
    pub base: Option<String>,
    /// In the order of the document, each reference once, at most [`FOUND_MAX`].
    pub found: Vec<ResourceReference>,
}

/// The resources of an HTML document.
///
/// # Errors
/// The reason for which reading was given up.
pub fn resources(html: &str) -> Result<Resources, GaveUp> {
    ReplyContent::new(&[], html.as_bytes()).resources()
}

/// The resources of a style sheet, each once: fonts and imports first of their kind, as they hold up the page.
pub fn of_style_sheet(css: &str) -> Vec<ResourceReference> {
    let found = css::references(css).into_iter();
    distinct(found.map(|(url, kind)| (url.into(), kind, priority_in_style(kind))))
}

/// Whether a reference leads to something that is fetched.
pub(crate) fn is_fetched(reference: &str) -> bool {
    let reference = reference.trim();
    if reference.is_empty() || reference.starts_with('#') {
        return false;
    }
    let end = reference.find([':', '/', '?', '#']).unwrap_or(reference.len());
    if !reference[end..].starts_with(':') {
        return true;
    }
    let scheme = &reference[..end];
    scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https")
}

fn priority_in_style(kind: Kind) -> Priority {
    match kind {
        Kind::Style | Kind::Font => Priority::First,
        _ => Priority::Normal,
    }
}

/// What was found, and where.
type Seen<'a> = (Cow<'a, str>, Kind, Priority);

pub(crate) fn of_tree(document: Node<'_>) -> Resources {
    let mut walk = Walk::default();
    walk.document(document);
    Resources { base: walk.base.map(str::to_owned), found: distinct(walk.seen.into_iter()) }
}

/// Each reference once, as it came first.
fn distinct<'a>(seen: impl Iterator<Item = Seen<'a>>) -> Vec<ResourceReference> {
    let mut known: HashSet<Cow<'a, str>> = HashSet::new();
    let mut found = Vec::new();
    for (reference, kind, priority) in seen {
        let trimmed = trimmed(reference);
        if !is_fetched(&trimmed) || known.contains(&trimmed) {
            continue;
        }
        found.push(ResourceReference { reference: trimmed.clone().into_owned(), kind, priority });
        if found.len() >= FOUND_MAX {
            break;
        }
        known.insert(trimmed);
    }
    found
}

/// Without blanks around it and line breaks within (URL standard, 4.1).
fn trimmed(reference: Cow<'_, str>) -> Cow<'_, str> {
    let is_clean = !reference.contains(['\n', '\r', '\t']) && reference.trim().len() == reference.len();
    if is_clean {
        return reference;
    }
    let text: String = reference.trim().chars().filter(|c| !matches!(c, '\n' | '\r' | '\t')).collect();
    Cow::Owned(text)
}

fn has(element: Node<'_>, name: &str) -> bool {
    element.attr(name).is_some()
}

fn is(element: Node<'_>, name: &str, value: &str) -> bool {
    element.attr(name).is_some_and(|found| found.trim().eq_ignore_ascii_case(value))
}

/// A reference, which SVG may give in the namespace of XLink.
fn href(element: Node<'_>) -> Option<&str> {
    element.attrs().find(|(name, _)| *name == "href").map(|(_, value)| value)
}

#[derive(Default)]
struct Walk<'a> {
    base: Option<&'a str>,
    seen: Vec<Seen<'a>>,
    is_in_body: bool,
}

impl<'a> Walk<'a> {
    /// Every element in the order of the document, without those below an element that hides them.
    fn document(&mut self, document: Node<'a>) {
        let mut next = document.first_child();
        while let Some(node) = next.filter(|_| self.seen.len() < SEEN_MAX) {
            let inner = if self.element(node) { node.first_child() } else { None };
            next = inner.or_else(|| node.behind(document));
        }
    }

    /// Looks at an element; whether its children are looked at too.
    fn element(&mut self, element: Node<'a>) -> bool {
        for (name, value) in element.attrs() {
            match name {
                "style" if value.contains("url(") || value.contains("image-set(") => self.style(value),
                "background" => self.background(element.name(), value),
                _ => {}
            }
        }
        match element.name() {
            "body" => self.is_in_body = true,
            "base" if self.base.is_none() => self.base = element.attr("href").filter(|href| !href.trim().is_empty()),
            "link" => self.link(element),
            "script" => self.script(element),
            "style" => {
                if element.attr("media").is_none_or(screen::matches) {
                    self.style(element.own_text());
                }
                return false;
            }
            "img" => self.image(element),
            "image" | "use" | "feImage" => self.add(href(element), Kind::Image, Priority::Normal),
            "input" if is(element, "type", "image") => self.add(element.attr("src"), Kind::Image, Priority::Normal),
            "video" | "audio" => self.media(element),
            "track" if has(element, "default") => self.add(element.attr("src"), Kind::Other, Priority::Last),
            "iframe" | "frame" if !has(element, "srcdoc") => {
                self.add(element.attr("src"), Kind::Frame, lazy(element, Priority::Normal));
            }
            "embed" => self.add(element.attr("src"), Kind::Other, Priority::Normal),
            "object" => self.add(element.attr("data"), Kind::Other, Priority::Normal),
            "template" | "noscript" => return false,
            _ => {}
        }
        true
    }

    fn add(&mut self, reference: Option<&'a str>, kind: Kind, priority: Priority) {
        if let Some(reference) = reference.filter(|reference| is_fetched(reference)) {
            self.seen.push((Cow::Borrowed(reference), kind, priority));
        }
    }

    fn style(&mut self, css: &'a str) {
        let found = css::references(css).into_iter();
        self.seen.extend(found.map(|(url, kind)| (url.into(), kind, priority_in_style(kind))));
    }

    fn background(&mut self, element: &str, value: &'a str) {
        if matches!(element, "body" | "table" | "thead" | "tbody" | "tfoot" | "tr" | "td" | "th") {
            self.add(Some(value), Kind::Image, Priority::Normal);
        }
    }

    fn script(&mut self, element: Node<'a>) {
        let kind = element.attr("type").unwrap_or_default().trim().to_ascii_lowercase();
        let kind = kind.split(';').next().unwrap_or_default().trim_end();
        let runs = matches!(kind, "" | "module")
            || kind.ends_with("javascript")
            || kind.ends_with("ecmascript")
            || kind.ends_with("jscript");
        if !runs || (has(element, "nomodule") && kind != "module") {
            return;
        }
        let priority = match self.is_in_body || has(element, "async") || has(element, "defer") {
            true => Priority::Normal,
            false => Priority::First,
        };
        self.add(element.attr("src"), Kind::Script, priority);
    }

    fn link(&mut self, element: Node<'a>) {
        let rel = element.attr("rel").unwrap_or_default().to_ascii_lowercase();
        let says = |word: &str| rel.split_ascii_whitespace().any(|found| found == word);
        let fits = element.attr("media").is_none_or(screen::matches);
        let href = element.attr("href");
        if says("stylesheet") {
            let is_css = element
                .attr("type")
                .is_none_or(|kind| kind.is_empty() || kind.to_ascii_lowercase().starts_with("text/css"));
            if is_css && !has(element, "disabled") {
                let waits = fits && !says("alternate");
                self.add(href, Kind::Style, if waits { Priority::First } else { Priority::Last });
            }
        } else if says("preload") && fits {
            self.preload(element, href);
        } else if says("modulepreload") {
            self.add(href, Kind::Script, Priority::First);
        } else if says("icon") && fits {
            self.add(href, Kind::Image, Priority::Last);
        } else if says("manifest") {
            self.add(href, Kind::Other, Priority::Last);
        }
    }

    fn preload(&mut self, element: Node<'a>, href: Option<&'a str>) {
        let kind = match element.attr("as").unwrap_or_default().trim().to_ascii_lowercase().as_str() {
            "image" => Kind::Image,
            "script" => Kind::Script,
            "style" => Kind::Style,
            "font" => Kind::Font,
            "fetch" | "track" => Kind::Other,
            // Browsers fetch nothing for any other word.
            _ => return,
        };
        let sizes = element.attr("imagesizes").unwrap_or_default();
        let picked = match element.attr("imagesrcset") {
            Some(set) if kind == Kind::Image => screen::pick(set, sizes, href),
            _ => href,
        };
        let priority = if kind == Kind::Image { Priority::Normal } else { Priority::First };
        if is_read(element.attr("type")) {
            self.add(picked, kind, priority);
        }
    }

    /// An image, or the `source` of its picture that comes first and fits.
    fn image(&mut self, element: Node<'a>) {
        let priority = lazy(element, Priority::Normal);
        if let Some(picture) = element.parent().filter(|parent| parent.name() == "picture") {
            for source in picture.children().take_while(|sibling| *sibling != element) {
                let sizes = source.attr("sizes").unwrap_or_default();
                let set = source.attr("srcset").filter(|_| is_source(source));
                if let Some(picked) = set.and_then(|set| screen::pick(set, sizes, None)) {
                    return self.add(Some(picked), Kind::Image, priority);
                }
            }
        }
        let src = element.attr("src").filter(|src| !src.trim().is_empty());
        let sizes = element.attr("sizes").unwrap_or_default();
        let picked = element.attr("srcset").map_or(src, |set| screen::pick(set, sizes, src));
        self.add(picked, Kind::Image, priority);
    }

    /// A video or sound: its poster, and its own source or the first one that can be played.
    fn media(&mut self, element: Node<'a>) {
        if element.name() == "video" {
            self.add(element.attr("poster"), Kind::Image, Priority::Normal);
        }
        if is(element, "preload", "none") && !has(element, "autoplay") {
            return;
        }
        let source = element.attr("src").or_else(|| {
            let mut playable = element.children().filter(|source| is_source(*source));
            playable.find_map(|source| source.attr("src"))
        });
        self.add(source, Kind::Media, Priority::Last);
    }
}

fn lazy(element: Node<'_>, otherwise: Priority) -> Priority {
    if is(element, "loading", "lazy") || is(element, "fetchpriority", "low") {
        return Priority::Last;
    }
    otherwise
}

/// Whether an element is a source of a picture, video or sound that is read and fits the screen.
fn is_source(element: Node<'_>) -> bool {
    let fits = element.attr("media").is_none_or(screen::matches);
    element.name() == "source" && is_read(element.attr("type")) && fits
}

/// Whether browsers read a media type; none given counts as read.
fn is_read(media_type: Option<&str>) -> bool {
    let Some(media_type) = media_type else {
        return true;
    };
    let media_type = media_type.to_ascii_lowercase();
    let name = media_type.split(';').next().unwrap_or_default().trim();
    if name.is_empty() {
        return true;
    }
    match name.split_once('/') {
        Some(("image", kind)) => {
            matches!(kind, "avif" | "webp" | "svg+xml" | "png" | "apng" | "jpeg" | "jpg" | "gif" | "bmp")
                || kind.ends_with("icon")
        }
        Some(("video", kind)) => matches!(kind, "mp4" | "webm" | "ogg"),
        Some(("audio", kind)) => {
            matches!(
                kind,
                "mpeg" | "mp3" | "mp4" | "aac" | "ogg" | "opus" | "webm" | "wav" | "flac" | "x-wav" | "x-m4a"
            )
        }
        Some(("font", kind)) => matches!(kind, "woff2" | "woff" | "ttf" | "otf" | "collection"),
        _ => true,
    }
}
