//! What a program prints: text in which only nmax's own colors are control sequences.

use std::borrow::Cow;
use std::fmt::{self, Display};
use std::ops::{Add, AddAssign, Deref};

use crate::{is_hidden, shown_lines};

/// Colors of the terminal's own palette.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ink {
    /// As the terminal writes.
    Plain,
    /// Heavier.
    Bold,
    /// Fainter.
    Dim,
    /// Bold green.
    Good,
    /// Bold red.
    Bad,
    /// Bold yellow.
    Warning,
    /// Cyan.
    Accent,
}

impl Ink {
    fn code(self) -> Option<&'static str> {
        Some(match self {
            Self::Plain => return None,
            Self::Bold => "1",
            Self::Dim => "2",
            Self::Good => "1;32",
            Self::Bad => "1;31",
            Self::Warning => "1;33",
            Self::Accent => "36",
        })
    }
}

/// Text to print. All that becomes one is escaped ([`shown_lines`]); colors come from [`Ink`] alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Painted(String);

impl Painted {
    /// A text in a color, or plain where `has_color` is false.
    pub fn inked(text: &str, ink: Ink, has_color: bool) -> Self {
        let text = shown_lines(text);
        match ink.code().filter(|_| has_color && !text.is_empty()) {
            Some(code) => Self(format!("\u{1b}[{code}m{text}\u{1b}[0m")),
            None => Self(text.into_owned()),
        }
    }

    /// Help as clap renders it: its bold, underlined and colored words stay. For texts of the program alone.
    pub fn help(ansi: &str) -> Self {
        const LEAD: &str = "\u{1b}[";
        let mut pieces = ansi.split(LEAD);
        let mut help = Self::from(pieces.next().unwrap_or_default());
        for piece in pieces {
            let digits = piece.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b';').count();
            if piece[digits..].starts_with('m') {
                help.0.push_str(&format!("{LEAD}{}", &piece[..=digits]));
                help += &piece[digits + 1..];
            } else {
                help += format!("{LEAD}{piece}");
            }
        }
        help
    }

    /// Without blanks at the end.
    pub fn trim_end(&mut self) {
        self.0.truncate(self.0.trim_end().len());
    }

    /// Without empty lines at the beginning.
    pub fn trim_start(&mut self) {
        let blank = self.0.len() - self.0.trim_start_matches('\n').len();
        self.0.drain(..blank);
    }

    /// The rows that `fold` breaks it into, which have its characters in their order and no others.
    pub fn folded(&self, fold: impl FnOnce(&str) -> Vec<String>) -> Vec<Self> {
        fold(&self.0).into_iter().map(Self).collect()
    }

    /// With each character replaced. Replacements that are hidden characters do not happen.
    pub fn mapped(&self, of: impl Fn(char) -> char) -> Self {
        let keep = |c: char| Some(of(c)).filter(|new| !is_hidden(*new)).unwrap_or(c);
        Self(self.0.chars().map(keep).collect())
    }
}

/// To read it; text that is made of it is text like any other, so its colors are escaped when it is printed.
impl Deref for Painted {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Display for Painted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<&str> for Painted {
    fn from(text: &str) -> Self {
        Self(shown_lines(text).into_owned())
    }
}

impl From<String> for Painted {
    fn from(text: String) -> Self {
        match shown_lines(&text) {
            Cow::Owned(shown) => Self(shown),
            Cow::Borrowed(_) => Self(text),
        }
    }
}

impl From<&String> for Painted {
    fn from(text: &String) -> Self {
        text.as_str().into()
    }
}

impl From<Cow<'_, str>> for Painted {
    fn from(text: Cow<'_, str>) -> Self {
        text.into_owned().into()
    }
}

impl From<fmt::Arguments<'_>> for Painted {
    fn from(text: fmt::Arguments<'_>) -> Self {
        text.to_string().into()
    }
}

impl From<&Self> for Painted {
    fn from(painted: &Self) -> Self {
        painted.clone()
    }
}

impl<T: Into<Self>> Add<T> for Painted {
    type Output = Self;

    fn add(mut self, more: T) -> Self {
        self += more;
        self
    }
}

impl<T: Into<Self>> AddAssign<T> for Painted {
    fn add_assign(&mut self, more: T) {
        self.0.push_str(&more.into().0);
    }
}
