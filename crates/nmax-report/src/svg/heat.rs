//! The latency heat map: time to the right, logarithm of latency upwards, a stronger color = more exchanges.

use super::drawing::{Drawing, Shape};
use nmax_analysis::series::{Bin, heat_row_low_ns};

/// Shades; the page's style gives their opacity.
const LEVELS: usize = 6;
/// Most columns; neighbours are added up.
const COLUMNS_MAX: usize = 150;

/// Counts on a grid of columns (time) and rows (latency).
#[derive(Clone, Debug, PartialEq)]
pub struct HeatMap {
    /// First row that is shown.
    first_row: usize,
    /// Rows shown.
    rows: usize,
    /// Columns on the whole time axis; not whole when the last one is cut.
    span: f64,
    /// Counts by column, then row.
    columns: Vec<Vec<u64>>,
}

impl HeatMap {
    /// The heat rows of these bins on an axis that ends at `end_s`; `None` when they are empty.
    pub fn new(bins: &[Bin], end_s: f64) -> Option<Self> {
        let filled = |row: &usize| bins.iter().any(|bin| bin.heat.get(*row).is_some_and(|count| *count > 0));
        let all = bins.iter().map(|bin| bin.heat.len()).max()?;
        let first_row = (0..all).find(filled)?.saturating_sub(1);
        let last_row = ((0..all).rev().find(filled)? + 1).min(all - 1);
        let merged = bins.len().div_ceil(COLUMNS_MAX);
        let column = |group: &[Bin]| {
            let sum = |row: usize| group.iter().map(|bin| bin.heat.get(row).copied().unwrap_or(0)).sum();
            (first_row..=last_row).map(sum).collect()
        };
        let width_s = bins.first()?.width_s * merged as f64;
        Some(Self {
            first_row,
            rows: last_row - first_row + 1,
            span: (end_s / width_s).max(f64::MIN_POSITIVE),
            columns: bins.chunks(merged).map(column).collect(),
        })
    }

    /// Latency at the bottom and at the top, ns.
    pub fn range_ns(&self) -> (f64, f64) {
        (heat_row_low_ns(self.first_row), heat_row_low_ns(self.first_row + self.rows))
    }

    /// Largest count of a cell.
    fn max(&self) -> u64 {
        self.columns.iter().flatten().copied().max().unwrap_or(0)
    }

    /// Shade of a count, 1 to [`LEVELS`]; 0 for none. Logarithmic, so that single slow exchanges show.
    fn level(count: u64, max: u64) -> usize {
        if count == 0 {
            return 0;
        }
        let share = (count as f64).ln_1p() / (max.max(1) as f64).ln_1p();
        ((share * LEVELS as f64).ceil() as usize).clamp(1, LEVELS)
    }

    /// One path per shade; a cell is a stroke one row thick, neighbours in time share it.
    pub(super) fn render(&self, drawing: &mut Drawing, place: (f64, f64), size: (f64, f64)) {
        let max = self.max();
        let mut paths = vec![String::new(); LEVELS];
        for row in 0..self.rows {
            let levels: Vec<_> = self.columns.iter().map(|column| Self::level(column[row], max)).collect();
            let mut start = 0;
            for run in levels.chunk_by(|a, b| a == b) {
                if run[0] > 0 {
                    paths[run[0] - 1] += &format!("M{start} {}h{}", self.rows - 1 - row, run.len());
                }
                start += run.len();
            }
        }
        let paths = paths.into_iter().enumerate().filter(|(_, path)| !path.is_empty());
        let shapes = paths.map(|(index, path)| Shape::Path(format!("h{}", index + 1), path)).collect();
        drawing.shapes.push(Shape::Frame("heat".into(), place, size, (self.span, self.rows), shapes));
    }
}
