//! The screen that discovery chooses resources for: a desktop window of 1280 x 720 CSS pixels, one device pixel each.
//!
//! Evaluates media queries and the lengths of `sizes`, and picks among the candidates of a `srcset`. What it does not
//! know decides as the standards say: an unknown media feature does not match, an unknown length is the whole width.

/// Width of the window, CSS pixels.
const WIDTH_PX: f64 = 1280.0;
/// Height of the window, CSS pixels.
const HEIGHT_PX: f64 = 720.0;
/// What `em` and `rem` are outside of a document, CSS pixels.
const FONT_PX: f64 = 16.0;
/// Deepest nesting that is looked into.
const DEPTH_MAX: usize = 16;
/// Most candidates of a `srcset` that are looked at.
const CANDIDATES_MAX: usize = 1_000;

/// Whether a list of media queries holds for the screen; an empty one does.
pub(crate) fn matches(queries: &str) -> bool {
    let queries = queries.trim();
    queries.is_empty() || split(queries, ',').any(|query| query_holds(query.trim()))
}

/// One query of a list: `not screen and (min-width: 600px)`.
fn query_holds(query: &str) -> bool {
    let query = query.to_ascii_lowercase();
    if let Some(rest) = query.strip_prefix("not ").filter(|rest| !rest.trim_start().starts_with('(')) {
        return !terms_hold(rest, DEPTH_MAX);
    }
    terms_hold(&query, DEPTH_MAX)
}

/// Terms joined by `and` or `or`.
fn terms_hold(terms: &str, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    words_between(terms, " or ").any(|part| words_between(part, " and ").all(|term| term_holds(term.trim(), depth)))
}

fn term_holds(term: &str, depth: usize) -> bool {
    if depth == 0 {
        return false;
    }
    if let Some(rest) = term.strip_prefix("not ").or_else(|| term.strip_prefix("not(").map(|_| &term[3..])) {
        return !term_holds(rest.trim(), depth - 1);
    }
    let Some(inner) = term.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return matches!(term.strip_prefix("only ").unwrap_or(term).trim(), "all" | "screen");
    };
    let inner = inner.trim();
    if inner.starts_with('(') || inner.starts_with("not ") {
        return terms_hold(inner, depth - 1);
    }
    feature_holds(inner)
}

/// `min-width: 600px`, `600px <= width < 1000px`, `orientation: landscape`, `hover`.
fn feature_holds(feature: &str) -> bool {
    if feature.contains(['<', '>']) || (feature.contains('=') && !feature.contains(':')) {
        return range_holds(feature).unwrap_or(false);
    }
    let (name, value) = match feature.split_once(':') {
        Some((name, value)) => (name.trim(), Some(value.trim())),
        None => (feature, None),
    };
    let compared = |actual: f64, holds: fn(f64, f64) -> bool| {
        value.and_then(number_or_length).is_some_and(|wanted| holds(actual, wanted))
    };
    match name {
        "min-width" | "min-device-width" => compared(WIDTH_PX, |actual, wanted| actual >= wanted),
        "max-width" | "max-device-width" => compared(WIDTH_PX, |actual, wanted| actual <= wanted),
        "min-height" | "min-device-height" => compared(HEIGHT_PX, |actual, wanted| actual >= wanted),
        "max-height" | "max-device-height" => compared(HEIGHT_PX, |actual, wanted| actual <= wanted),
        "min-resolution" | "-webkit-min-device-pixel-ratio" => compared(1.0, |actual, wanted| actual >= wanted),
        "max-resolution" | "-webkit-max-device-pixel-ratio" => compared(1.0, |actual, wanted| actual <= wanted),
        "width" => value.is_none() || compared(WIDTH_PX, |actual, wanted| actual == wanted),
        "height" => value.is_none() || compared(HEIGHT_PX, |actual, wanted| actual == wanted),
        "color" | "any-hover" | "hover" | "any-pointer" | "pointer" => {
            matches!(value, None | Some("hover" | "fine"))
        }
        "orientation" => value == Some("landscape"),
        "prefers-color-scheme" => value == Some("light"),
        "prefers-reduced-motion" => value == Some("no-preference"),
        "display-mode" => value == Some("browser"),
        "scripting" => value == Some("enabled"),
        _ => false,
    }
}

/// A comparison in the form of a range; `None` when it is none.
fn range_holds(feature: &str) -> Option<bool> {
    let mut rest = feature;
    let mut left = None;
    let mut holds = true;
    loop {
        let at = rest.find(['<', '>', '='])?;
        let (side, after) = rest.split_at(at);
        let is_inclusive = after[1..].starts_with('=') || after.starts_with('=');
        let operator = after.as_bytes()[0];
        let after = &after[if operator != b'=' && is_inclusive { 2 } else { 1 }..];
        let end = after.find(['<', '>', '=']);
        let right = &after[..end.unwrap_or(after.len())];
        let (a, b) = (left.take().or_else(|| side_px(side))?, side_px(right)?);
        holds &= match operator {
            b'<' => a < b || (is_inclusive && a == b),
            b'>' => a > b || (is_inclusive && a == b),
            _ => a == b,
        };
        if end.is_none() {
            return Some(holds);
        }
        left = Some(b);
        rest = after;
    }
}

fn side_px(side: &str) -> Option<f64> {
    match side.trim() {
        "width" | "device-width" => Some(WIDTH_PX),
        "height" | "device-height" => Some(HEIGHT_PX),
        "resolution" => Some(1.0),
        other => number_or_length(other),
    }
}

/// A length in CSS pixels, or a number, with or without a unit of resolution.
fn number_or_length(text: &str) -> Option<f64> {
    let resolution = text.strip_suffix("dppx").or_else(|| text.strip_suffix('x'));
    resolution
        .and_then(|number| number.trim().parse().ok())
        .or_else(|| Some(text.strip_suffix("dpi")?.trim().parse::<f64>().ok()? / 96.0))
        .or_else(|| length_px(text))
        .or_else(|| text.parse().ok())
}

/// A length in CSS pixels. Knows `calc` of sums and products.
fn length_px(text: &str) -> Option<f64> {
    sum_px(text.trim(), DEPTH_MAX)
}

fn sum_px(text: &str, depth: usize) -> Option<f64> {
    let text = text.trim();
    if depth == 0 {
        return None;
    }
    let calculated = text.strip_prefix("calc").unwrap_or(text);
    if let Some(inner) = enclosed(calculated) {
        return sum_px(inner, depth - 1);
    }
    // The last sum first, so that `a - b + c` is `(a - b) + c`.
    for (operator, sign) in [(" + ", 1.0), (" - ", -1.0)] {
        if let Some(at) = last_outside(text, operator)
            && last_outside(text, if sign > 0.0 { " - " } else { " + " }).is_none_or(|other| other < at)
        {
            return Some(sum_px(&text[..at], depth - 1)? + sign * sum_px(&text[at + 3..], depth - 1)?);
        }
    }
    if let Some(at) = last_outside(text, "*") {
        let (a, b) = (&text[..at], &text[at + 1..]);
        let factor = |text: &str| text.trim().parse::<f64>().ok();
        return match (factor(a), factor(b)) {
            (Some(factor), _) => Some(factor * sum_px(b, depth - 1)?),
            (None, Some(factor)) => Some(factor * sum_px(a, depth - 1)?),
            (None, None) => None,
        };
    }
    if let Some(at) = last_outside(text, "/") {
        let divisor: f64 = text[at + 1..].trim().parse().ok()?;
        return Some(sum_px(&text[..at], depth - 1)? / divisor);
    }
    simple_px(text)
}

/// A number with a unit.
fn simple_px(text: &str) -> Option<f64> {
    let digits = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, '.' | '+' | '-'))).unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].to_ascii_lowercase().as_str() {
        "px" => 1.0,
        "em" | "rem" => FONT_PX,
        "vw" | "dvw" | "svw" | "lvw" => WIDTH_PX / 100.0,
        "vh" | "dvh" | "svh" | "lvh" => HEIGHT_PX / 100.0,
        "vmin" => HEIGHT_PX / 100.0,
        "vmax" => WIDTH_PX / 100.0,
        "pt" => 96.0 / 72.0,
        "in" => 96.0,
        "cm" => 96.0 / 2.54,
        "mm" => 96.0 / 25.4,
        "" if number == 0.0 => 0.0,
        _ => return None,
    };
    Some(number * unit)
}

/// What is between parentheses that enclose all of the text.
fn enclosed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('(')?.strip_suffix(')')?;
    let mut depth = 0_i32;
    for byte in inner.bytes() {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if depth < 0 {
            return None;
        }
    }
    Some(inner)
}

/// Where a text occurs last outside of parentheses, not at the beginning.
fn last_outside(text: &str, wanted: &str) -> Option<usize> {
    let mut depth = 0_i32;
    let mut last = None;
    for (at, byte) in text.bytes().enumerate() {
        depth += i32::from(byte == b'(') - i32::from(byte == b')');
        if depth == 0 && at > 0 && text.as_bytes()[at..].starts_with(wanted.as_bytes()) {
            last = Some(at);
        }
    }
    last
}

/// The parts of a text between commas or the like, outside of parentheses.
fn split(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut depth = 0_i32;
    text.split(move |c: char| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        c == separator && depth <= 0
    })
}

/// The parts of a text between words such as ` and `, outside of parentheses.
fn words_between<'a>(text: &'a str, word: &'static str) -> impl Iterator<Item = &'a str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut depth = 0_i32;
        for (at, byte) in text.bytes().enumerate() {
            depth += i32::from(byte == b'(') - i32::from(byte == b')');
            if depth == 0 && text.as_bytes()[at..].starts_with(word.as_bytes()) {
                rest = Some(&text[at + word.len()..]);
                return Some(&text[..at]);
            }
        }
        rest = None;
        Some(text)
    })
}

/// The width that an image takes by its `sizes`, CSS pixels.
fn source_size_px(sizes: &str) -> f64 {
    for size in split(sizes, ',') {
        let size = size.trim();
        // The length is the last component; what comes before it is a media condition.
        let at = if size.ends_with(')') {
            opening(size).map(|open| after_blank(&size[..open]).unwrap_or(0))
        } else {
            after_blank(size)
        };
        let (condition, length) = size.split_at(at.unwrap_or(0));
        if let Some(px) = length_px(length).filter(|px| *px > 0.0)
            && matches(condition)
        {
            return px;
        }
    }
    WIDTH_PX
}

/// Where the last word begins, when there is more than one.
fn after_blank(text: &str) -> Option<usize> {
    text.rfind(|c: char| c.is_ascii_whitespace()).map(|blank| blank + 1)
}

/// Where the parenthesis opens that the last character closes.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, byte) in text.bytes().enumerate().rev() {
        depth += i32::from(byte == b')') - i32::from(byte == b'(');
        if depth == 0 {
            return Some(at);
        }
    }
    None
}

/// The image that is fetched: the candidate of the least density that is enough, or else the densest one.
///
/// `src` is a candidate of density 1 unless the set has one or goes by widths. With equal densities the first one wins.
pub(crate) fn pick<'a>(srcset: &'a str, sizes: &str, src: Option<&'a str>) -> Option<&'a str> {
    let mut width_px = None;
    let mut all: Vec<(f64, &str)> = Vec::new();
    let mut by_width = false;
    for (url, descriptor) in candidates(srcset).take(CANDIDATES_MAX) {
        let number = |suffix: char| descriptor.split_whitespace().find_map(|part| part.strip_suffix(suffix));
        let density = if let Some(width) = number('w') {
            by_width = true;
            let size = *width_px.get_or_insert_with(|| source_size_px(sizes));
            width.parse::<f64>().ok().map(|width| width / size)
        } else if let Some(density) = number('x') {
            density.parse().ok()
        } else {
            descriptor.is_empty().then_some(1.0)
        };
        all.extend(density.filter(|density: &f64| density.is_finite() && *density > 0.0).map(|density| (density, url)));
    }
    if let Some(src) = src
        && !by_width
        && all.iter().all(|(density, _)| *density != 1.0)
    {
        all.push((1.0, src));
    }
    let enough = all.iter().filter(|(density, _)| *density >= 1.0);
    let least = enough.fold(None, |best: Option<&(f64, &str)>, next| match best {
        Some(best) if best.0 <= next.0 => Some(best),
        _ => Some(next),
    });
    let densest = all.iter().fold(None, |best: Option<&(f64, &str)>, next| match best {
        Some(best) if best.0 >= next.0 => Some(best),
        _ => Some(next),
    });
    least.or(densest).map(|(_, url)| *url).or(src)
}

/// The candidates of a `srcset`, each with its descriptors (HTML, 4.8.4.2.1). URLs may have commas in them.
fn candidates(srcset: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (url, after) = rest.split_at(end);
        let bare = url.trim_end_matches(',');
        if bare.len() < url.len() {
            rest = after;
            return Some((bare, ""));
        }
        let descriptors = split(after, ',').next().unwrap_or_default();
        rest = &after[descriptors.len()..];
        Some((url, descriptors.trim()))
    })
}

#[cfg(test)]
mod tests;
