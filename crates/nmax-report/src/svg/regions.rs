//! A map of regions: a box for each, in it its figures and a tile for each of its injectors. It is a scheme, not geography.

use super::drawing::Drawing;
use crate::doc::Mark;
use crate::markup::clip;

/// Least width of a column, in the units of the picture.
const COLUMN_MIN: f64 = 210.0;
/// Between boxes, and within them.
const GAP: f64 = 8.0;
/// Height of a line of text, and width of a character, about.
const LINE: f64 = 15.0;
const CHARACTER: f64 = 7.0;
/// Width of the bar that shows how something is.
const BAR: f64 = 4.0;

/// The map.
#[derive(Clone, Debug)]
pub struct RegionMap<'a> {
    /// Unique in the page.
    pub id: &'a str,
    /// What it shows.
    pub title: &'a str,
    /// What there is to see, for people who cannot.
    pub description: &'a str,
    /// From left to right, from top to bottom.
    pub regions: Vec<Region>,
}

/// A region.
#[derive(Clone, Debug)]
pub struct Region {
    /// What stands in its box above the tiles.
    pub head: Tile,
    /// Its injectors.
    pub tiles: Vec<Tile>,
}

/// A few lines of text about something, and how it is.
#[derive(Clone, Debug)]
pub struct Tile {
    /// How it is; its color repeats what the lines say.
    pub mark: Mark,
    /// What it is.
    pub name: String,
    /// Below its name.
    pub lines: Vec<String>,
}

impl Tile {
    fn height(&self) -> f64 {
        (1 + self.lines.len()) as f64 * LINE + GAP
    }

    /// Its words, with its upper left corner in `place`.
    fn write(&self, drawing: &mut Drawing, (x, y): (f64, f64), width: f64) {
        let most = ((width - BAR - 2.0 * GAP) / CHARACTER) as usize;
        let x = x + BAR + GAP;
        drawing.word("strong", (x, y + LINE), &clip(&self.name, most.saturating_sub(1)));
        for (line, text) in self.lines.iter().enumerate() {
            drawing.word("", (x, y + (line + 2) as f64 * LINE), &clip(text, most));
        }
    }

    fn bar(&self, drawing: &mut Drawing, place: (f64, f64), height: f64) {
        drawing.rect(format_args!("health {}", self.mark.class()), place, (BAR, height));
    }
}

impl Region {
    fn columns(&self, most: usize) -> usize {
        self.tiles.len().clamp(1, most)
    }

    fn tile_height(&self) -> f64 {
        self.tiles.iter().map(Tile::height).fold(0.0, f64::max)
    }

    fn height(&self, most: usize) -> f64 {
        let rows = self.tiles.len().div_ceil(self.columns(most)) as f64;
        self.head.height() + rows * (self.tile_height() + GAP)
    }
}

impl RegionMap<'_> {
    /// The picture, `width` units wide.
    pub fn render(&self, width: f64) -> Drawing {
        let most = ((width / (COLUMN_MIN + 2.0 * GAP)) as usize).max(1);
        let column = width / most as f64;
        // Boxes that fit beside each other stand in one row.
        let mut rows: Vec<(Vec<&Region>, usize)> = Vec::new();
        for region in &self.regions {
            let columns = region.columns(most);
            match rows.last_mut() {
                Some((row, used)) if *used + columns <= most => {
                    row.push(region);
                    *used += columns;
                }
                _ => rows.push((vec![region], columns)),
            }
        }
        let height = |row: &[&Region]| row.iter().map(|region| region.height(most)).fold(0.0, f64::max);
        let whole: f64 = rows.iter().map(|(row, _)| height(row) + GAP).sum();
        let mut drawing = Drawing::begin((self.id, ""), (width, whole), (self.title, self.description));
        let mut y = 0.0;
        for (row, _) in &rows {
            let (high, mut left) = (height(row), 0);
            for region in row {
                let columns = region.columns(most);
                let (x, wide) = (left as f64 * column, columns as f64 * column - GAP);
                drawing.rect("region", (x, y), (wide, high));
                if region.tiles.is_empty() {
                    region.head.bar(&mut drawing, (x, y), high);
                }
                region.head.write(&mut drawing, (x, y), wide);
                let each = (wide - GAP) / columns as f64;
                for (number, tile) in region.tiles.iter().enumerate() {
                    let (right, down) = ((number % columns) as f64, (number / columns) as f64);
                    let tile_high = region.tile_height();
                    let place = (x + GAP + right * each, y + region.head.height() + down * (tile_high + GAP));
                    drawing.rect("tile", place, (each - GAP, tile_high));
                    tile.bar(&mut drawing, place, tile_high);
                    tile.write(&mut drawing, place, each - GAP);
                }
                left += columns;
            }
            y += high + GAP;
        }
        drawing
    }
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;

    fn tile(name: String) -> Tile {
        Tile { mark: Mark::Pass, name, lines: vec!["a line".into(); 2] }
    }

    /// Law: however many regions and injectors there are, and however wide the picture is, boxes lie in the picture, tiles in a
    /// box, and neither covers another.
    #[test]
    fn boxes_and_tiles_have_room() {
        for (counts, width) in [
            (vec![1, 1], 1040.0),
            (vec![3, 2, 4, 1], 1040.0),
            (vec![9, 0, 1, 17], 1040.0),
            (vec![2, 5], 380.0),
            (vec![0, 0, 0], 380.0),
            (vec![4], 100.0),
        ] {
            let region = |(at, count): (usize, &usize)| Region {
                head: tile(format!("region {at}")),
                tiles: (0..*count).map(|number| tile(format!("injector {number}"))).collect(),
            };
            let regions = counts.iter().enumerate().map(region).collect();
            let map = RegionMap { id: "map", title: "Map", description: "A map.", regions };
            let drawing = map.render(width);
            let of = |wanted: &str| -> Vec<[f64; 4]> {
                let rects = drawing.shapes.iter().filter_map(|shape| match shape {
                    Shape::Rect(class, (x, y), (wide, high)) if class == wanted => Some([*x, *y, x + wide, y + high]),
                    _ => None,
                });
                rects.collect()
            };
            let (boxes, tiles) = (of("region"), of("tile"));
            assert_eq!((boxes.len(), tiles.len()), (counts.len(), counts.iter().sum()), "{counts:?}");
            let within = |[a, b, c, d]: &[f64; 4], [left, top, right, bottom]: &[f64; 4]| {
                a >= left && b >= top && *c <= right + 1e-9 && *d <= bottom + 1e-9
            };
            let whole = [0.0, 0.0, drawing.size.0, drawing.size.1];
            assert!(boxes.iter().all(|one| within(one, &whole)), "{counts:?}: {boxes:?}");
            assert!(tiles.iter().all(|one| boxes.iter().any(|around| within(one, around))), "{counts:?}: {tiles:?}");
            for set in [&boxes, &tiles] {
                for (at, [a, b, c, d]) in set.iter().enumerate() {
                    let covers = |[left, top, right, bottom]: &[f64; 4]| a < right && left < c && b < bottom && top < d;
                    assert!(!set[at + 1..].iter().any(covers), "{counts:?} {width}: {set:?}");
                }
            }
        }
    }
}
