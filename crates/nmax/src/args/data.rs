//! The flags of `nmax data`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use nmax_data::{Generator, MaskKind, ShardHash};
use nmax_text::nearest;

use super::values::choice;

const DATA_EXAMPLES: &str = "\
Examples:
  nmax data generate person -n 10M --unique email -o people.csv
  nmax data mask customers.csv --key-file mask.key -o masked.csv
  nmax data check people.csv --column last_name --shards 16";

/// Test data.
#[derive(Debug, Args)]
#[command(after_help = DATA_EXAMPLES)]
pub struct DataArgs {
    #[command(subcommand)]
    pub what: DataVerb,
}

#[derive(Debug, Subcommand)]
pub enum DataVerb {
    /// Generate records that look real: people, addresses, accounts, searches
    Generate(GenerateArgs),
    /// Copy a file with its values replaced by others of the same form; equal values stay equal
    Mask(MaskArgs),
    /// Show how often values occur, and how records would be distributed over shards
    Check(SkewArgs),
}

const GENERATE_EXAMPLES: &str = "\
Kinds: person, name, email, phone, address, search_term, account, uuid; their columns are in docs/reference/data.md.

Examples:
  nmax data generate person -n 1000 --columns first_name,last_name,email
  nmax data generate person -n 5M --from 5M -o part2.csv      the second half, on another machine
  nmax data generate account -n 1M --format sql --table accounts | psql shop

Record i depends on the seed and i alone. E-mail addresses and telephone numbers are from reserved ranges. \
The skew of the values is printed on standard error.";

#[derive(Debug, Args)]
#[command(after_help = GENERATE_EXAMPLES)]
pub struct GenerateArgs {
    /// What is made
    #[arg(value_parser = kind)]
    pub kind: String,
    /// How many records, as in 1000, 50k or 10M
    #[arg(short = 'n', long, value_name = "N", default_value = "1000", value_parser = amount)]
    pub number: u64,
    /// Number of the first record
    #[arg(long, value_name = "I", default_value = "0", value_parser = amount)]
    pub from: u64,
    /// Initial value of every random choice; that of a plan gives the records of its feeder
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Language and country [default: en_US]
    #[arg(long, value_name = "LOCALE")]
    pub locale: Option<String>,
    /// Column whose values never repeat
    #[arg(long, value_name = "COLUMN")]
    pub unique: Option<String>,
    /// Only these columns, in this order [default: all]
    #[arg(long, value_name = "COLUMN,..", value_delimiter = ',')]
    pub columns: Vec<String>,
    /// Format
    #[arg(long, value_enum, default_value_t = DataFormat::Csv)]
    pub format: DataFormat,
    /// With --format sql: the table [default: the kind]
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DataFormat {
    /// A header, then a line for each record
    Csv,
    /// A JSON object for each line
    Jsonl,
    /// INSERT statements of standard SQL
    Sql,
}

const MASK_EXAMPLES: &str = "\
Kinds: text, name, email, date, date-dmy, iban, card, uuid, ipv4, keep; see docs/reference/data.md.

Examples:
  nmax data mask customers.csv --new-key mask.key -o masked.csv     the first file; the key is made
  nmax data mask orders.csv --key-file mask.key --columns customer_email=email -o orders-masked.csv
  nmax data mask people.jsonl --key-env MASK_KEY --keep city > masked.jsonl

This is obfuscation, not anonymization: rare values stay rare, and with the key anyone can test a guess. \
What is done to each column is printed on standard error.";

#[derive(Debug, Args)]
#[command(after_help = MASK_EXAMPLES)]
#[command(group(clap::ArgGroup::new("key").required(true).args(["key_file", "key_env", "new_key"])))]
pub struct MaskArgs {
    /// CSV file, or JSON lines
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// File with the secret, at least 16 bytes
    #[arg(long, value_name = "FILE")]
    pub key_file: Option<PathBuf>,
    /// Variable of the environment with the secret
    #[arg(long, value_name = "NAME")]
    pub key_env: Option<String>,
    /// File to write a new secret to; it must not exist
    #[arg(long, value_name = "FILE")]
    pub new_key: Option<PathBuf>,
    /// Kind of a column, where nmax would guess another
    #[arg(long, value_name = "NAME=KIND,..", value_delimiter = ',', value_parser = column_kind)]
    pub columns: Vec<(String, MaskKind)>,
    /// Columns to keep as they are
    #[arg(long, value_name = "COLUMN,..", value_delimiter = ',')]
    pub keep: Vec<String>,
    /// File to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

const CHECK_EXAMPLES: &str = "\
Examples:
  nmax data check people.csv
  nmax data check people.csv --unique email
  nmax data check orders.jsonl --column customer.id --shards 8 --hash crc32

Exit codes: 0 fine, 2 the file or a flag is wrong, 3 a column of --unique has duplicates.";

#[derive(Debug, Args)]
#[command(after_help = CHECK_EXAMPLES)]
pub struct SkewArgs {
    /// CSV file, or JSON lines
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Only this column, may be repeated [default: all]
    #[arg(long, value_name = "COLUMN")]
    pub column: Vec<String>,
    /// A column whose values should never repeat, may be repeated
    #[arg(long, value_name = "COLUMN")]
    pub unique: Vec<String>,
    /// Also show how records spread over this many shards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..=1024))]
    pub shards: Option<u16>,
    /// How shards are chosen
    #[arg(long, value_parser = choice(HASHES), default_value = "murmur3", requires = "shards")]
    pub hash: ShardHash,
    /// Print as JSON
    #[arg(long)]
    pub json: bool,
}

/// How shards are chosen: names, and what each is.
pub const HASHES: [(&str, ShardHash, &str); 3] = [
    ("fnv", ShardHash::Fnv, "FNV-1a, 64 bits"),
    ("murmur3", ShardHash::Murmur3, "MurmurHash3, 32 bits"),
    ("crc32", ShardHash::Crc32, "CRC-32 of zlib"),
];

/// What can be generated.
fn kind(text: &str) -> Result<String, String> {
    one_of(text, &Generator::KINDS).map(str::to_owned)
}

/// `NAME=KIND` of a masked column.
fn column_kind(text: &str) -> Result<(String, MaskKind), String> {
    let (name, kind) = text.split_once('=').ok_or("write NAME=KIND, as in mail=email")?;
    let names = MaskKind::ALL.map(MaskKind::name);
    let kind = one_of(kind, &names)?;
    Ok((name.to_owned(), MaskKind::parse(kind).ok_or("no such kind")?))
}

fn one_of<'a>(text: &str, names: &[&'a str]) -> Result<&'a str, String> {
    names.iter().copied().find(|name| *name == text).ok_or_else(|| {
        let meant = nearest(text, names.iter().copied());
        let meant = meant.map_or(String::new(), |meant| format!("did you mean `{meant}`? "));
        format!("{meant}write one of: {}", names.join(", "))
    })
}

/// A number, with `k` for thousands and `M` for millions.
fn amount(text: &str) -> Result<u64, String> {
    let (digits, factor) = match text.as_bytes().last() {
        Some(b'k' | b'K') => (&text[..text.len() - 1], 1000),
        Some(b'M') => (&text[..text.len() - 1], 1_000_000),
        _ => (text, 1),
    };
    let number = digits.replace('_', "").parse::<u64>().ok();
    number.and_then(|number| number.checked_mul(factor)).ok_or_else(|| "write a number such as 1000, 50k or 10M".into())
}
