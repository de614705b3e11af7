//! The flags of `nmax capacity`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::values::pair;

const CAPACITY_EXAMPLES: &str = "\
A document states what the system does, what is asked of it and what things cost; each value is measured, assumed, or a \
vendor's, and the answer says which. examples/capacity has four to start from.

Examples:
  nmax capacity plan shop.yaml                          what to buy, when, with what headroom
  nmax capacity day shop.yaml                           a bad day, under each strategy
  nmax capacity plan shop.yaml --set plan.margin=30% -o plan.html -o plan.pdf";

/// What to buy, when, with what headroom, and what a bad day does.
#[derive(Debug, Args)]
#[command(after_help = CAPACITY_EXAMPLES)]
pub struct CapacityArgs {
    #[command(subcommand)]
    pub what: CapacityVerb,
}

#[derive(Debug, Subcommand)]
pub enum CapacityVerb {
    /// Forecast demand, hold it against supply: the date, the nodes, the headroom, the cost
    Plan(QuestionArgs),
    /// Simulate a day second by second, under each strategy, over many seeds
    Day(QuestionArgs),
}

const QUESTION_EXAMPLES: &str = "\
Examples:
  nmax capacity plan shop.yaml -o plan.html
  nmax capacity plan shop.yaml --set demand.growth='3% per week' --set plan.margin=30%
  nmax capacity day shop.yaml --json

Keys: docs/reference/capacity.md. Formulas: docs/methods/capacity.md.

Exit codes: 0 answered, 2 usage, a document with errors, or a file that cannot be written, 4 these data do not support an \
answer.";

/// A question, and where its answer goes.
#[derive(Debug, Args)]
#[command(after_help = QUESTION_EXAMPLES)]
pub struct QuestionArgs {
    /// The document, YAML
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub file: PathBuf,
    /// Replace a value of the document, as in plan.margin=30%
    #[arg(long, value_name = "PATH=VALUE", value_parser = pair)]
    pub set: Vec<(String, String)>,
    /// File to write besides: .html, .pdf, .md, .json or .txt; may be repeated
    #[arg(short, long, value_name = "FILE")]
    pub output: Vec<PathBuf>,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
    /// Show all columns and details
    #[arg(long)]
    pub wide: bool,
    /// Exit with 0 even when the data do not support an answer (4)
    #[arg(long)]
    pub exit_zero: bool,
}
