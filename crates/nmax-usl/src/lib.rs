//! The Universal Scalability Law and its neighbours: how throughput grows with concurrency, why it stops growing, and
//! how sure that is.
//!
//! Pure and by itself: it knows no plan, no network, no file and no clock, so other programs can use it. Numbers go
//! in as [`Observation`]s, everything that can be said about them comes out as an [`Analysis`].
//!
//! # Layout
//!
//! - [`observation`]: what was measured.
//! - [`options`]: what to do with it.
//! - [`law`]: the formulas of the law, forward and inverse.
//! - [`model`]: the law's neighbours, as curves.
//! - [`fit`]: methods that find coefficients, and their intervals.
//! - [`analysis`]: everything that is said about a set of observations.
//! - [`ladder`]: which model explains the data.
//! - [`class`]: signs of the coefficients and the class of a system.
//! - [`gate`]: what a peak of the law needs before it is printed.
//! - [`zone`]: where a point lies beside the Amdahl bound.
//! - [`compare`]: versions side by side.
//! - [`what_if`]: the law with assumed coefficients.
//! - [`predict`]: what a curve says where nothing was measured.
//! - [`table`]: observations read from a table.
//! - [`design`]: where to measure, and the campaign that finds a peak by itself.
//! - [`finding`]: what is wrong or remarkable with them.
//! - [`quantile`]: of Student's t and Fisher's F.
//! - [`search`]: searches for one level, that holds an objective or gives the best throughput.
//! - [`random`]: numbers drawn from a seed.
//! - [`linear`]: linear least squares.

pub mod analysis;
pub mod class;
pub mod compare;
pub mod design;
pub mod finding;
pub mod fit;
pub mod gate;
mod headline;
pub mod ladder;
pub mod law;
pub mod linear;
mod meaning;
pub mod model;
pub mod observation;
mod observed;
pub mod options;
pub mod predict;
pub mod quantile;
pub mod random;
pub mod search;
pub mod table;
pub mod what_if;
pub mod zone;

pub use analysis::ceiling::{Ceiling, Reading};
pub use analysis::{Analysis, Headline, ObservedPeak, Point, Zone, analyse};
pub use class::{Class, Sign};
pub use compare::{Change, Comparison, Difference, Quantity, Version, compare};
pub use finding::{Code, Effect, Finding};
pub use fit::{Bounds, Estimate, Fit, FitError, Method, Regression, Scale, fit, fit_model, fit_open, fit_within};
pub use gate::{Hold, LawPeak};
pub use ladder::{Rung, Winner};
pub use law::Usl;
pub use law::inverse::{Crossings, InverseError};
pub use model::{Coefficient, Curve, Model};
pub use observation::{Dimension, Observation};
pub use options::{Demand, Options};
pub use predict::{Basis, Prediction, Question};
pub use what_if::{CurvePoint, Growth, Measured, Outlook, Override, Week, WhatIf, WhatIfError, what_if};
