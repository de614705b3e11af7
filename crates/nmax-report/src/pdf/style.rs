//! Colors, widths and dashes of pictures, from the style sheets of the page, so that a PDF looks as the page does.
//!
//! What is read of them: variables of the first `:root` (the light ones), and rules whose selectors are elements and
//! classes, with descendants; media queries and everything else are passed over.

use std::collections::BTreeMap;

/// Red, green, blue.
pub(super) type Color = [u8; 3];

/// The rules of all sheets.
pub(super) struct Sheet {
    variables: BTreeMap<&'static str, Color>,
    rules: Vec<Rule>,
}

struct Rule {
    /// What the shape is, behind what it is in: elements and classes.
    selector: Vec<Vec<&'static str>>,
    declarations: &'static str,
}

/// How a shape looks.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Style {
    pub(super) fill: Option<Color>,
    pub(super) stroke: Option<Color>,
    /// 0 to 1.
    pub(super) fill_opacity: f32,
    pub(super) stroke_opacity: f32,
    pub(super) width: f32,
    pub(super) dashes: Vec<f32>,
    pub(super) is_round: bool,
    pub(super) font_size: f32,
    pub(super) is_bold: bool,
    /// Which share of its text is left of its place.
    pub(super) anchor: f32,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            fill: None,
            stroke: None,
            fill_opacity: 1.0,
            stroke_opacity: 1.0,
            width: 1.0,
            dashes: Vec::new(),
            is_round: false,
            font_size: 11.5,
            is_bold: false,
            anchor: 0.0,
        }
    }
}

impl Sheet {
    /// The sheets of a page.
    pub(super) fn new() -> Self {
        let mut sheet = Self { variables: BTreeMap::new(), rules: Vec::new() };
        for css in [include_str!("../html/style.css"), crate::svg::PANEL_STYLE] {
            sheet.read(css);
        }
        // The more is asked of a shape, the later its rule applies.
        sheet.rules.sort_by_key(|rule| {
            let parts = || rule.selector.iter().flatten();
            (parts().filter(|part| part.starts_with('.')).count(), parts().count())
        });
        sheet
    }

    fn read(&mut self, css: &'static str) {
        let mut rest = css;
        while let Some((selectors, after)) = rest.split_once('{') {
            let selectors = selectors.trim();
            let body = block(after);
            rest = after.get(body.len() + 1..).unwrap_or("");
            if selectors == ":root" && self.variables.is_empty() {
                let values = declarations(body);
                let color = |(name, value): (&'static str, &str)| Some((name.strip_prefix("--")?, color(value)?));
                self.variables = values.filter_map(color).collect();
            }
            if !selectors.starts_with('@') {
                let selectors = selectors.split(',').filter_map(selector);
                self.rules.extend(selectors.map(|selector| Rule { selector, declarations: body }));
            }
        }
    }

    /// The color of a variable; black when it does not exist.
    pub(super) fn color(&self, name: &str) -> Color {
        self.variables.get(name).copied().unwrap_or_default()
    }

    /// How an element with these classes looks: what it is in comes first, itself last.
    pub(super) fn style(&self, path: &[(&str, &str)], inherited: &Style) -> Style {
        let mut style = inherited.clone();
        for rule in self.rules.iter().filter(|rule| is_match(&rule.selector, path)) {
            for (name, value) in declarations(rule.declarations) {
                self.apply(&mut style, name, value);
            }
        }
        style
    }

    fn apply(&self, style: &mut Style, name: &str, value: &str) {
        let number = || value.trim_end_matches("px").parse().unwrap_or(1.0);
        let paint = || match value.strip_prefix("var(--").and_then(|name| name.strip_suffix(')')) {
            Some(name) => Some(self.color(name)),
            None => color(value),
        };
        match name {
            "fill" => style.fill = paint(),
            "stroke" => style.stroke = paint(),
            "fill-opacity" => style.fill_opacity = number(),
            "stroke-opacity" => style.stroke_opacity = number(),
            "opacity" => (style.fill_opacity, style.stroke_opacity) = (number(), number()),
            "stroke-width" => style.width = number(),
            "stroke-dasharray" => style.dashes = value.split(' ').filter_map(|dash| dash.parse().ok()).collect(),
            "stroke-linecap" => style.is_round = value == "round",
            "font-size" => style.font_size = number(),
            "font-weight" => style.is_bold = number() >= 600.0,
            "text-anchor" => style.anchor = if value == "end" { 1.0 } else { 0.5 },
            _ => {}
        }
    }
}

/// What stands before the brace that closes a block.
fn block(text: &'static str) -> &'static str {
    let mut depth = 1;
    let end = text.find(|c| {
        depth += i32::from(c == '{') - i32::from(c == '}');
        depth == 0
    });
    end.map_or(text, |end| &text[..end])
}

fn declarations(body: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    body.split(';').filter_map(|one| one.split_once(':')).map(|(name, value)| (name.trim(), value.trim()))
}

/// Elements and classes of a selector; `None` when it asks for something else.
fn selector(text: &'static str) -> Option<Vec<Vec<&'static str>>> {
    if text.contains([':', '>', '*', '[', '+', '@']) {
        return None;
    }
    let parts = |compound: &'static str| {
        let mut ends: Vec<usize> = compound.match_indices('.').map(|(at, _)| at).filter(|at| *at > 0).collect();
        ends.push(compound.len());
        let starts = [0].into_iter().chain(ends.clone());
        starts.zip(ends.clone()).map(|(start, end)| &compound[start..end]).collect()
    };
    Some(text.split_whitespace().map(parts).collect())
}

fn color(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#')?;
    let value = u32::from_str_radix(digits, 16).ok()?;
    match digits.len() {
        3 => Some([8, 4, 0].map(|shift| (value >> shift & 15) as u8 * 17)),
        6 => Some([16, 8, 0].map(|shift| (value >> shift) as u8)),
        _ => None,
    }
}

/// Whether the last of `path` is meant, which is in the others.
fn is_match(selector: &[Vec<&str>], path: &[(&str, &str)]) -> bool {
    let has = |compound: &[&str], (element, class): &(&str, &str)| {
        compound.iter().all(|part| match part.strip_prefix('.') {
            Some(part) => class.split(' ').any(|one| one == part),
            None => element == part,
        })
    };
    let (Some((last, outer)), Some((element, around))) = (selector.split_last(), path.split_last()) else {
        return false;
    };
    let mut around = around.iter();
    has(last, element) && outer.iter().all(|compound| around.any(|element| has(compound, element)))
}
