//! Linear least squares, by columns that are made orthogonal.

/// Columns made orthogonal by modified Gram-Schmidt, done twice so that they are orthogonal to rounding: X = Q·R.
///
/// O(rows · columns²) to make, O(rows · columns) for each solution.
#[derive(Clone, Debug, PartialEq)]
pub struct Orthogonal {
    columns: Vec<Vec<f64>>,
    upper: Vec<Vec<f64>>,
}

impl Orthogonal {
    /// Of the columns of X.
    ///
    /// # Errors
    /// The first column that depends on those before it.
    pub fn new(mut columns: Vec<Vec<f64>>) -> Result<Self, usize> {
        let count = columns.len();
        let mut upper = vec![vec![0.0; count]; count];
        for j in 0..count {
            let before = dot(&columns[j], &columns[j]);
            for _ in 0..2 {
                for i in 0..j {
                    let (left, right) = columns.split_at_mut(j);
                    let share = dot(&left[i], &right[0]);
                    upper[i][j] += share;
                    subtract(&mut right[0], share, &left[i]);
                }
            }
            let square = dot(&columns[j], &columns[j]);
            if square.is_nan() || square <= 1e-24 * before {
                return Err(j);
            }
            upper[j][j] = square.sqrt();
            for value in &mut columns[j] {
                *value /= upper[j][j];
            }
        }
        Ok(Self { columns, upper })
    }

    /// The b with the least ‖y − X·b‖.
    pub fn solve(&self, mut y: Vec<f64>) -> Vec<f64> {
        let mut solution = vec![0.0; self.columns.len()];
        for (share, column) in solution.iter_mut().zip(&self.columns) {
            *share = dot(column, &y);
            subtract(&mut y, *share, column);
        }
        for j in (0..solution.len()).rev() {
            let rest: f64 = (j + 1..solution.len()).map(|i| self.upper[j][i] * solution[i]).sum();
            solution[j] = (solution[j] - rest) / self.upper[j][j];
        }
        solution
    }

    /// x'(X'X)⁻¹x: the variance of x·b, in variances of one y.
    pub fn leverage(&self, x: &[f64]) -> f64 {
        let mut inner = vec![0.0; x.len()];
        for j in 0..x.len() {
            let before: f64 = (0..j).map(|i| self.upper[i][j] * inner[i]).sum();
            inner[j] = (x[j] - before) / self.upper[j][j];
        }
        dot(&inner, &inner)
    }
}

/// Sum of the products.
pub fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn subtract(from: &mut [f64], share: f64, what: &[f64]) {
    for (value, part) in from.iter_mut().zip(what) {
        *value -= share * part;
    }
}
