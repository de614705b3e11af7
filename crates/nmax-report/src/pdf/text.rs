//! Text in the fonts of a PDF: which glyphs it takes, how wide it is, where its lines break.
//!
//! Sizes are in points. The fonts are made by `scripts/fonts.py`, which says how their files are laid out.

use super::style::Color;
use nmax_text::shown;

/// A font.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Face {
    /// Body text.
    Sans,
    /// Bold text.
    Bold,
    /// Commands and code.
    Mono,
}

impl Face {
    pub(super) const ALL: [Self; 3] = [Self::Sans, Self::Bold, Self::Mono];

    fn file(self) -> &'static [u8] {
        match self {
            Self::Sans => include_bytes!("fonts/sans.font"),
            Self::Bold => include_bytes!("fonts/bold.font"),
            Self::Mono => include_bytes!("fonts/mono.font"),
        }
    }

    /// For each character its code, its glyph and its advance in thousandths of the size, in the order of codes.
    pub(super) fn rows(self) -> impl ExactSizeIterator<Item = [u16; 3]> {
        let number = |row: &[u8], at: usize| u16::from_le_bytes([row[at], row[at + 1]]);
        let count = usize::from(number(self.file(), 0));
        let rows = self.file()[6..].chunks_exact(6).take(count);
        rows.map(move |row| [number(row, 0), number(row, 2), number(row, 4)])
    }

    /// The font, compressed by zlib, and its size before that.
    pub(super) fn program(self) -> (&'static [u8], i32) {
        let file = self.file();
        (&file[6 + 6 * self.rows().len()..], i32::from_le_bytes([file[2], file[3], file[4], file[5]]))
    }

    /// Its name, the box that all its glyphs are in, and the weight of its stems, in thousandths.
    pub(super) fn facts(self) -> (&'static str, [f32; 4], f32) {
        match self {
            Self::Sans => ("NMAXAA+DejaVuSansCondensed", [-918.0, -463.0, 1614.0, 1232.0], 80.0),
            Self::Bold => ("NMAXAA+DejaVuSansCondensed-Bold", [-962.0, -415.0, 1778.0, 1175.0], 150.0),
            Self::Mono => ("NMAXAA+DejaVuSansMono", [-559.0, -375.0, 718.0, 1028.0], 80.0),
        }
    }
}

/// Glyphs and advances of all fonts.
pub(super) struct Fonts([Vec<[u16; 3]>; 3]);

impl Fonts {
    pub(super) fn new() -> Self {
        Self(Face::ALL.map(|face| face.rows().collect()))
    }

    /// The glyph of a character and its advance; `None` when the font does not have it.
    pub(super) fn glyph(&self, face: Face, c: char) -> Option<(u16, u16)> {
        let (rows, code) = (&self.0[face as usize], u16::try_from(u32::from(c)).ok()?);
        let at = rows.binary_search_by_key(&code, |row| row[0]).ok()?;
        Some((rows[at][1], rows[at][2]))
    }

    pub(super) fn width(&self, look: Look, text: &str) -> f32 {
        let advances = text.chars().filter_map(|c| self.glyph(look.face, c));
        advances.map(|(_, advance)| f32::from(advance)).sum::<f32>() * look.size / 1000.0
    }

    /// The text as it can be shown: what hides, and what the font does not have, as an escape.
    pub(super) fn showable(&self, face: Face, text: &str) -> String {
        let mut out = String::with_capacity(text.len());
        for c in shown(text).chars() {
            if self.glyph(face, c).is_some() {
                out.push(c);
            } else {
                c.encode_utf16(&mut [0; 2]).iter().for_each(|unit| out += &format!("\\u{unit:04x}"));
            }
        }
        out
    }

    /// Runs of text, broken into lines of at most `width`.
    ///
    /// A word that is wider than a line is broken after any character. There is always a line.
    pub(super) fn lines(&self, runs: &[Run], width: f32) -> Vec<Line> {
        let mut lines = vec![Line::default()];
        for run in runs {
            for (index, word) in run.text.split_whitespace().enumerate() {
                self.word(&mut lines, run.look, word, (run.is_glued && index == 0, width));
            }
        }
        lines
    }

    /// Adds a word to the last line, or to more lines.
    fn word(&self, lines: &mut Vec<Line>, look: Look, word: &str, (is_glued, width): (bool, f32)) {
        let mut rest = self.showable(look.face, word);
        while !rest.is_empty() {
            let line = lines.last_mut().expect("there is always a line");
            let gap =
                line.runs.last().map_or(0.0, |(_, last)| self.width(look.sized(last.look.size.max(look.size)), " "));
            let space = if is_glued { 0.0 } else { gap };
            let (room, whole) = (width - line.width - space, self.width(look, &rest));
            if whole <= room {
                return line.push(look, &rest, space, whole);
            }
            if !line.runs.is_empty() && (whole <= width || room < 0.25 * width) {
                lines.push(Line::default());
                continue;
            }
            let first = rest.chars().next().map_or(0, char::len_utf8);
            let tail = rest.split_off(self.fitting(look, &rest, room).max(first));
            line.push(look, &rest, space, self.width(look, &rest));
            lines.push(Line::default());
            rest = tail;
        }
    }

    /// How many bytes of the text fit into the width.
    fn fitting(&self, look: Look, text: &str, width: f32) -> usize {
        let mut used = 0.0;
        let fits = |(_, c): &(usize, char)| {
            used += self.width(look, c.encode_utf8(&mut [0; 4]));
            used <= width
        };
        text.char_indices().take_while(fits).last().map_or(0, |(at, c)| at + c.len_utf8())
    }

    /// At most `most` lines; what is left out ends in an ellipsis.
    pub(super) fn some_lines(&self, runs: &[Run], width: f32, most: usize) -> Vec<Line> {
        let mut lines = self.lines(runs, width);
        if lines.len() > most.max(1) {
            lines.truncate(most.max(1));
            let line = lines.last_mut().expect("there is always a line");
            if let Some((_, Run { look, text, .. })) = line.runs.last_mut() {
                let ellipsis = self.width(*look, "…");
                let used = line.width - self.width(*look, text);
                text.truncate(self.fitting(*look, text, width - used - ellipsis));
                line.width = used + self.width(*look, text) + ellipsis;
                text.push('…');
            }
        }
        lines
    }
}

/// How text looks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Look {
    pub(super) face: Face,
    /// Points.
    pub(super) size: f32,
    pub(super) color: Color,
}

impl Look {
    pub(super) fn run(self, text: impl Into<String>) -> Run {
        Run { look: self, text: text.into(), is_glued: false }
    }

    pub(super) fn bold(self) -> Self {
        Self { face: Face::Bold, ..self }
    }

    pub(super) fn sized(self, size: f32) -> Self {
        Self { size, ..self }
    }

    pub(super) fn colored(self, color: Color) -> Self {
        Self { color, ..self }
    }
}

/// Text of one look.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Run {
    pub(super) look: Look,
    pub(super) text: String,
    /// Whether it follows the run before it without a space.
    pub(super) is_glued: bool,
}

/// Runs side by side: how far from the left each begins.
#[derive(Clone, Debug, Default)]
pub(super) struct Line {
    pub(super) runs: Vec<(f32, Run)>,
    pub(super) width: f32,
}

impl Line {
    fn push(&mut self, look: Look, text: &str, space: f32, width: f32) {
        match self.runs.last_mut() {
            Some((_, last)) if last.look == look => {
                last.text.push_str(if space > 0.0 { " " } else { "" });
                last.text.push_str(text);
            }
            _ => self.runs.push((self.width + space, look.run(text))),
        }
        self.width += space + width;
    }

    /// The size of its largest text.
    pub(super) fn size(&self) -> f32 {
        self.runs.iter().map(|(_, run)| run.look.size).fold(0.0, f32::max)
    }
}
