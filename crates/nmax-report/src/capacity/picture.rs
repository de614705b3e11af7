//! Curves over each other, in characters and as a picture.

use crate::doc::{Body, Media, Plot};
use crate::report::scalability::{WIDE, figure};
use crate::scalability::{Overlay, Series};
use crate::svg::of_overlay;

/// A curve; dashed where it is not what is expected.
pub(super) fn curve(name: &str, is_dashed: bool, curve: Vec<(f64, f64)>) -> Series {
    Series { name: name.into(), assumed: is_dashed, points: Vec::new(), curve }
}

/// Curves, and the band around one of them with its name.
pub(super) struct Curves<'a> {
    pub(super) series: Vec<Series>,
    pub(super) band: Vec<(f64, f64, f64)>,
    pub(super) band_name: &'a str,
}

impl Curves<'_> {
    /// Draws them; the axes are called as they are given.
    pub(super) fn draw(self, body: &mut Body, (id, title): (&str, &str), (n_label, x_label): (&str, &str)) {
        let overlay = Overlay::of_curves(self.series, self.band, self.band_name);
        body.on(Media::PICTURES).figure(figure(&of_overlay(id, title, &overlay, (n_label, x_label)), &WIDE));
        body.on(Media::TERMINAL).plot(Plot::Laws(overlay, n_label.into(), x_label.into())).everywhere();
    }
}
