//! What a style sheet makes a browser fetch.
//!
//! Of its tokens, as `cssparser` reads them, only blocks, their preludes, URLs and strings count. The rules that
//! decide:
//! - every `@import`, whatever its media: browsers fetch those too
//! - of each `@font-face` the first source in a format that browsers read (`local()` is taken for absent), unless its
//!   `unicode-range` leaves out Latin letters: such faces are for other scripts
//! - every other `url(...)` as an image, once, except in blocks for other media and in rules that wait for a pointer or
//!   focus (`:hover`, `:active`, `:focus` in each of their selectors)
//! - of an `image-set(...)` the first image
//!
//! Whether a rule is used by the document is not known. So an image of an unused rule is fetched, which no browser does;
//! `resources` may list what is right in place of discovery.

use cssparser::{ParseError, Parser, Token};

use crate::resources::{Kind, SEEN_MAX, is_fetched};
use crate::screen;

/// A reference in a style sheet.
pub(crate) type Reference = (String, Kind);

/// Deepest nesting of blocks and parentheses that is looked into.
const DEPTH_MAX: usize = 64;

/// What a block holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    /// Declarations and rules that take effect.
    Used,
    /// What does not take effect on our screen, or not yet.
    Unused,
    /// The descriptors of a font.
    Font,
}

/// A `@font-face` so far.
#[derive(Default)]
struct Face {
    source: Option<String>,
    is_foreign: bool,
}

/// A URL within the statement under way.
struct Link {
    url: String,
    /// Where it ends: what follows may name its format.
    end: usize,
}

/// The references of a style sheet, or of the declarations of a `style` attribute, in order. O(length).
pub(crate) fn references(css: &str) -> Vec<Reference> {
    let mut sheet = Sheet { css, depth: 0, face: Face::default(), found: Vec::new() };
    sheet.statements(&mut Parser::new(css), Block::Used);
    sheet.found
}

struct Sheet<'a> {
    css: &'a str,
    /// Blocks and parentheses around the place under way.
    depth: usize,
    face: Face,
    found: Vec<Reference>,
}

impl<'a> Sheet<'a> {
    /// What a block holds, or the sheet: declarations, rules, and statements such as `@import`.
    fn statements(&mut self, css: &mut Parser<'a>, block: Block) {
        while self.found.len() < SEEN_MAX && self.statement(css, block) {}
    }

    /// One statement; whether more may follow.
    fn statement(&mut self, css: &mut Parser<'a>, block: Block) -> bool {
        css.skip_whitespace();
        let start = css.position();
        let mut urls = Vec::new();
        loop {
            let end = css.position();
            match css.next().cloned() {
                Ok(Token::CurlyBracketBlock) => {
                    let inner = block_of(css.slice(start..end).trim_end(), block);
                    self.within(css, |sheet, css| sheet.statements(css, inner));
                    if inner == Block::Font {
                        self.end_font();
                    }
                    return true;
                }
                Ok(Token::Semicolon | Token::CloseCurlyBracket) => {
                    self.end_statement(block, css.slice(start..end), urls);
                    return true;
                }
                Err(_) => {
                    self.end_statement(block, css.slice(start..end), urls);
                    return false;
                }
                // In an import a string is a URL.
                Ok(Token::QuotedString(url)) if urls.is_empty() && is_import(css.slice_from(start)) => {
                    urls.push(Link { url: url.to_string(), end: css.position().byte_index() });
                }
                Ok(token) => self.links(css, token, &mut urls),
            }
        }
    }

    /// Reads what is in the block or parentheses that just opened; what is nested too deep is passed over.
    fn within(&mut self, css: &mut Parser<'a>, read: impl FnOnce(&mut Self, &mut Parser<'a>)) {
        if self.depth == DEPTH_MAX {
            return;
        }
        self.depth += 1;
        let _ = css.parse_nested_block(|css| -> Result<(), ParseError<()>> {
            read(self, css);
            Ok(())
        });
        self.depth -= 1;
    }

    /// Keeps the URLs of a token; of those within an `image-set`, whose strings are URLs too, only the first.
    fn links(&mut self, css: &mut Parser<'a>, token: Token<'a>, urls: &mut Vec<Link>) {
        let name = match &token {
            Token::UnquotedUrl(url) if urls.len() < SEEN_MAX => {
                urls.push(Link { url: url.to_string(), end: css.position().byte_index() });
                return;
            }
            Token::Function(name) => name.to_ascii_lowercase(),
            Token::ParenthesisBlock | Token::SquareBracketBlock => String::new(),
            _ => return,
        };
        let (is_url, is_set, known) = (name == "url", name.ends_with("image-set"), urls.len());
        self.within(css, |sheet, css| {
            while urls.len() < SEEN_MAX
                && let Ok(token) = css.next().cloned()
            {
                match token {
                    Token::QuotedString(url) if is_url || is_set => urls.push(Link { url: url.to_string(), end: 0 }),
                    token => sheet.links(css, token, urls),
                }
            }
        });
        if is_set {
            urls.truncate(known + 1);
        }
        if let Some(link) = urls.last_mut().filter(|_| is_url) {
            link.end = css.position().byte_index();
        }
    }

    /// A declaration, or a statement such as `@import`, is complete.
    fn end_statement(&mut self, block: Block, statement: &str, urls: Vec<Link>) {
        let is_fetched = |link: &Link| is_fetched(&link.url);
        match block {
            Block::Used if is_import(statement) => {
                let first = urls.into_iter().next().filter(is_fetched);
                self.found.extend(first.map(|link| (link.url, Kind::Style)));
            }
            _ if statement.starts_with('@') => {}
            Block::Used => self.found.extend(urls.into_iter().filter(is_fetched).map(|link| (link.url, Kind::Image))),
            Block::Font => self.descriptor(statement, urls),
            Block::Unused => {}
        }
    }

    /// A descriptor of a font.
    fn descriptor(&mut self, statement: &str, urls: Vec<Link>) {
        let Some((name, value)) = statement.split_once(':') else {
            return;
        };
        if name.trim().eq_ignore_ascii_case("unicode-range") {
            self.face.is_foreign = !has_letter_a(value);
        } else if name.trim().eq_ignore_ascii_case("src") {
            // A later `src` replaces an earlier one.
            let readable = urls.into_iter().find(|link| is_readable_font(&link.url, &self.css[link.end..]));
            self.face.source = readable.map(|link| link.url).or(self.face.source.take());
        }
    }

    fn end_font(&mut self) {
        let face = std::mem::take(&mut self.face);
        let source = face.source.filter(|url| !face.is_foreign && is_fetched(url));
        self.found.extend(source.map(|url| (url, Kind::Font)));
    }
}

/// What the block holds that stands behind `prelude`, within another one.
fn block_of(prelude: &str, outer: Block) -> Block {
    if outer == Block::Unused {
        return Block::Unused;
    }
    let Some(rule) = prelude.strip_prefix('@') else {
        return if waits(prelude) { Block::Unused } else { Block::Used };
    };
    let end = rule.find(|c: char| !(c.is_ascii_alphanumeric() || c == '-')).unwrap_or(rule.len());
    let (name, condition) = rule.split_at(end);
    match name.to_ascii_lowercase().as_str() {
        "font-face" => Block::Font,
        "media" if !screen::matches(condition) => Block::Unused,
        "page" => Block::Unused,
        _ => Block::Used,
    }
}

fn is_import(statement: &str) -> bool {
    statement.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("@import"))
}

/// Whether each selector of a rule waits for a pointer or for focus.
fn waits(selectors: &str) -> bool {
    selectors.contains(':')
        && selectors
            .split(',')
            .all(|selector| [":hover", ":active", ":focus"].iter().any(|state| selector.contains(state)))
}

/// Whether browsers read a font, by its `format()` or else by the end of its name; `after` is what follows its URL.
fn is_readable_font(url: &str, after: &str) -> bool {
    const READ: [&str; 8] = ["woff2", "woff", "truetype", "opentype", "ttf", "otf", "collection", "variations"];
    let after = after.trim_start();
    if after.get(..7).is_some_and(|word| word.eq_ignore_ascii_case("format(")) {
        let format = after[7..].split(')').next().unwrap_or_default();
        let format = format.trim().trim_matches(['"', '\'']).to_ascii_lowercase();
        return READ
            .iter()
            .any(|read| format.strip_prefix(read).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')));
    }
    let path = url.split(['?', '#']).next().unwrap_or_default().to_ascii_lowercase();
    !path.ends_with(".eot") && !path.ends_with(".svg")
}

/// Whether ranges such as `U+0000-00FF, U+4??` hold the letter a.
fn has_letter_a(ranges: &str) -> bool {
    ranges.split(',').any(|range| {
        let range = range.trim();
        let Some(range) = range.strip_prefix("U+").or_else(|| range.strip_prefix("u+")) else {
            return true;
        };
        let (low, high) = match range.split_once('-') {
            Some((low, high)) => (low.to_owned(), high.to_owned()),
            None => (range.replace('?', "0"), range.replace('?', "F")),
        };
        let number = |text: &str| u32::from_str_radix(text.trim(), 16);
        match (number(&low), number(&high)) {
            (Ok(low), Ok(high)) => (low..=high).contains(&u32::from('a')),
            _ => true,
        }
    })
}

#[cfg(test)]
mod tests;
