//! A picture as shapes, from which SVG and PDF are written. Places are in its own units, to a tenth in SVG.

use std::fmt::{Display, Write};

use crate::markup::Escaped;

/// Shapes, one behind the other; what comes later hides what was before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Width and height.
    pub size: (f64, f64),
    /// Classes of the whole.
    pub class: String,
    /// What there is to see, for people who cannot.
    pub about: String,
    /// From below to above.
    pub shapes: Vec<Shape>,
    /// The SVG element that it is in; empty when it is a part of another one.
    pub(super) opening: String,
}

/// A shape; the style knows it by its class, which may be empty.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A line or an area: its class and its path data.
    Path(String, String),
    /// A rectangle: its class, its upper left corner and its size.
    Rect(String, (f64, f64), (f64, f64)),
    /// A circle: its class, its middle, its radius and, unless empty, what it is.
    Circle(String, (f64, f64), f64, String),
    /// Words beside a place, as their class has it.
    Word(String, (f64, f64), String),
    /// Shapes that belong together: their class, what they are, and the shapes.
    Group(String, String, Vec<Shape>),
    /// Shapes in a frame of a place and a size, in units of their own: how many of them the frame is wide and high.
    Frame(String, (f64, f64), (f64, f64), (f64, usize), Vec<Shape>),
}

impl Drawing {
    /// A picture of a page.
    ///
    /// - `id`: unique in the page together with the width
    /// - `class`: what the style knows it by, besides its width
    /// - `title`, `description`: what it shows, and what there is to see, for people who cannot
    pub(super) fn begin((id, class): (&str, &str), size: (f64, f64), (title, description): (&str, &str)) -> Self {
        let (id, (width, height)) = (crate::markup::id(id), size);
        let (about, classes) = (description.to_owned(), class.trim().to_owned());
        let (title, description) = (Escaped(title), Escaped(description));
        let opening = format!(
            "<svg class=\"w{width:.0}{class}\" viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" \
             aria-labelledby=\"{id}-{width:.0}-t {id}-{width:.0}-d\"><title id=\"{id}-{width:.0}-t\">{title}</title>\
             <desc id=\"{id}-{width:.0}-d\">{description}</desc>"
        );
        Self { size, class: classes, about, shapes: Vec::new(), opening }
    }

    /// A picture that is known by a sentence.
    pub(super) fn known_by(size: (f64, f64), about: &str) -> Self {
        let ((width, height), label) = (size, Escaped(about));
        let opening =
            format!("<svg class=\"w{width}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{label}\">");
        Self { size, about: about.to_owned(), opening, ..Self::default() }
    }

    /// Whether the style knows it by this class.
    pub(crate) fn has_class(&self, class: &str) -> bool {
        self.opening.split('"').nth(1).is_some_and(|classes| classes.split(' ').any(|one| one == class))
    }

    /// As SVG.
    pub fn svg(&self) -> String {
        let mut text = self.opening.clone();
        svg(&mut text, &self.shapes).expect("a string takes all text");
        if !self.opening.is_empty() {
            text.push_str("</svg>");
        }
        text
    }

    /// A line or an area.
    pub(super) fn path(&mut self, class: impl Display, path: impl Display) {
        self.shapes.push(Shape::Path(class.to_string(), path.to_string()));
    }

    /// A rectangle: its upper left corner, and its size.
    pub(super) fn rect(&mut self, class: impl Display, corner: (f64, f64), size: (f64, f64)) {
        self.shapes.push(Shape::Rect(class.to_string(), corner, size));
    }

    /// A circle around a place; what it is may be empty.
    pub(super) fn circle(&mut self, class: impl Display, middle: (f64, f64), radius: f64, title: &str) {
        self.shapes.push(Shape::Circle(class.to_string(), middle, radius, title.to_owned()));
    }

    /// Words beside a place, as their class has it.
    pub(super) fn word(&mut self, class: &str, place: (f64, f64), text: &str) {
        self.shapes.push(Shape::Word(class.to_owned(), place, text.to_owned()));
    }

    /// What `draw` adds belongs together, and is `title`.
    pub(super) fn group(&mut self, class: &str, title: &str, draw: impl FnOnce(&mut Self)) {
        let mut inner = Self::default();
        draw(&mut inner);
        self.shapes.push(Shape::Group(class.to_owned(), title.to_owned(), inner.shapes));
    }
}

/// Shapes as elements.
fn svg(text: &mut String, shapes: &[Shape]) -> std::fmt::Result {
    let named = |class: &str| if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let titled =
        |title: &str| if title.is_empty() { String::new() } else { format!("<title>{}</title>", Escaped(title)) };
    for shape in shapes {
        match shape {
            Shape::Path(class, path) => write!(text, "<path class=\"{class}\" d=\"{path}\"/>")?,
            Shape::Rect(class, (x, y), (width, height)) => write!(
                text,
                "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>"
            )?,
            Shape::Circle(class, (x, y), radius, title) => {
                write!(text, "<circle{} cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\"", named(class))?;
                match titled(title) {
                    title if title.is_empty() => text.push_str("/>"),
                    title => write!(text, ">{title}</circle>")?,
                }
            }
            Shape::Word(class, (x, y), words) => {
                write!(text, "<text{} x=\"{x:.1}\" y=\"{y:.1}\">{}</text>", named(class), Escaped(words))?;
            }
            Shape::Group(class, title, shapes) => {
                write!(text, "<g{}>{}", named(class), titled(title))?;
                svg(text, shapes)?;
                text.push_str("</g>");
            }
            Shape::Frame(class, (x, y), (width, height), (wide, high), shapes) => {
                write!(
                    text,
                    "<svg class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width:.1}\" height=\"{height:.1}\" \
                     viewBox=\"0 -.5 {wide:.3} {high}\" preserveAspectRatio=\"none\">"
                )?;
                svg(text, shapes)?;
                text.push_str("</svg>");
            }
        }
    }
    Ok(())
}

/// A path through points.
pub(super) fn through(points: impl IntoIterator<Item = (f64, f64)>) -> String {
    let mut path = String::new();
    for (index, (x, y)) in points.into_iter().enumerate() {
        let letter = if index == 0 { 'M' } else { 'L' };
        write!(path, "{letter}{x:.1} {y:.1}").expect("a string takes all text");
    }
    path
}
