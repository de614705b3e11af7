//! `nmax data generate`: records as a file.

use nmax_data::{Counter, Format, Generator, GeneratorError, RecordWriter, Spec};
use nmax_report::number;
use nmax_run::Exit;

use super::output::{Output, note};
use super::{Ended, Trouble, no_column};
use crate::args::{DataFormat, GenerateArgs};

/// Records between two looks at the output.
const PIECE: u64 = 1000;
/// Records of which the skew is told.
const LOOKED_AT: u64 = 100_000;
/// Records from which on a skew says something.
const TELLING: u64 = 1000;
/// Columns whose values are as common as in reality.
const WEIGHTED: [&str; 7] = ["first_name", "last_name", "full_name", "street", "city", "region", "q"];

/// Writes records, and says how skewed they are.
pub(super) fn generate(args: &GenerateArgs) -> Ended {
    let generator =
        Generator::new(Spec { kind: args.kind.clone(), locale: args.locale.clone(), unique: args.unique.clone() })
            .map_err(|GeneratorError { message, remedy, .. }| Trouble::usage(message, remedy))?;
    let columns = columns(&generator, args)?;
    let end = args
        .from
        .checked_add(args.number)
        .ok_or_else(|| Trouble::usage("--from and -n together are beyond the last record", "give smaller numbers"))?;
    let format = match (args.format, &args.table) {
        (DataFormat::Csv, None) => Format::Csv,
        (DataFormat::Jsonl, None) => Format::JsonLines,
        (DataFormat::Sql, table) => Format::Sql { table: table.clone().unwrap_or_else(|| args.kind.clone()) },
        (_, Some(_)) => {
            return Err(Trouble::usage("--table is for SQL", "add --format sql, or leave it out"));
        }
    };
    let mut output = Output::open(args.output.as_deref(), None)?;
    let mut writer = RecordWriter::new(&generator, args.seed, args.from..end, &columns, &format);
    output.text().extend_from_slice(writer.header().as_bytes());
    let mut written = 0;
    loop {
        let records = writer.write(PIECE, output.text());
        if records == 0 || !output.flush_if_full()? {
            break;
        }
        written += records;
        if written % 200_000 == 0 {
            let (done, all) = (number::count(written), number::count(args.number));
            output.progress(&format!("{done} of {all} records"));
        }
    }
    output.finish()?;
    if written == args.number {
        tell_skew(&generator, args, &columns);
    }
    Ok(Exit::Pass)
}

/// Indices of the columns that are asked for.
fn columns(generator: &Generator, args: &GenerateArgs) -> Result<Vec<usize>, Trouble> {
    let names = generator.columns();
    if args.columns.is_empty() {
        return Ok((0..names.len()).collect());
    }
    let mut columns = Vec::new();
    for name in &args.columns {
        let column = names.iter().position(|own| own == name);
        let column = column.ok_or_else(|| no_column(name, names, format_args!("`{}`", args.kind)))?;
        if columns.contains(&column) {
            return Err(Trouble::usage(format_args!("column `{name}` is named twice"), "name it once"));
        }
        columns.push(column);
    }
    Ok(columns)
}

/// Says how common the common values are. The records are derived again, evenly over all that were written.
fn tell_skew(generator: &Generator, args: &GenerateArgs, columns: &[usize]) {
    let looked_at = args.number.min(LOOKED_AT);
    let which = if looked_at == args.number { String::new() } else { format!(", of {}", number::count(looked_at)) };
    note(format_args!("{} records", number::count(args.number)));
    for column in columns {
        let name = generator.columns()[*column];
        if !WEIGHTED.contains(&name) || looked_at < TELLING {
            continue;
        }
        let (mut counter, mut cell) = (Counter::with_limit(usize::MAX), String::new());
        for at in 0..looked_at {
            let record = args.from + (u128::from(at) * u128::from(args.number) / u128::from(looked_at)) as u64;
            cell.clear();
            generator.cell(args.seed, record, *column, &mut cell);
            counter.add(&cell);
        }
        let skew = counter.skew(10);
        note(format_args!(
            "  {name:<12} {} different{which}; the 10 commonest are {}; Gini {:.2}",
            number::count(skew.distinct as u64),
            number::share(skew.top_share(10)),
            skew.gini.unwrap_or(0.0),
        ));
    }
}
