//! What nmax writes as JSON, declared once: [`records!`] makes typed structs that know their schema and are made of inner
//! types, which stay without serde.
//!
//! A record is a table of its keys:
//!
//! ```ignore
//! records! {
//!     struct Row(row: &breakdown::Row) {
//!         value: String;                                        // `&row.value`, under the same name
//!         rate_per_s: Option<Micro>;                            // the type says how it is rounded
//!         dimension: Word = row.dimension.name(), in NAMES;     // one of these words
//!         connect_ms: Option<Micro> = row.connect, "Null where no connection was opened.";
//!     }
//! }
//! ```
//!
//! Every key is there, and unknown is null. `struct` has its schema inlined where it is used, `shared` has it once in `$defs`,
//! and `read` is made of JSON that is read; the fields of a `pub read` are public.

use std::marker::PhantomData;

use schemars::generate::SchemaSettings;
use schemars::transform::RecursiveTransform;
use schemars::{JsonSchema, Schema, json_schema};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

pub use {schemars, serde};

/// Declares records: see the [crate].
#[macro_export]
macro_rules! records {
    () => {};
    ($(#[$meta:meta])* $vis:vis struct $name:ident($from:ident: $source:ty) { $($fields:tt)* } $($rest:tt)*) => {
        $crate::records! { @record [$(#[$meta])* #[schemars(inline)]] $vis $name($from: $source) { $($fields)* } }
        $crate::records! { $($rest)* }
    };
    ($(#[$meta:meta])* shared $name:ident($from:ident: $source:ty) { $($fields:tt)* } $($rest:tt)*) => {
        $crate::records! { @record [$(#[$meta])*] pub(crate) $name($from: $source) { $($fields)* } }
        $crate::records! { $($rest)* }
    };
    ($(#[$meta:meta])* pub read $name:ident { $($fields:tt)* } $($more:tt)*) => {
        $crate::records! {
            @struct [$(#[$meta])* #[derive($crate::serde::Deserialize)] #[schemars(inline)]] [pub,] pub $name { $($fields)* }
        }
        $crate::records! { $($more)* }
    };
    ($(#[$meta:meta])* $vis:vis read $name:ident { $($fields:tt)* } $($more:tt)*) => {
        $crate::records! {
            @struct [$(#[$meta])* #[derive($crate::serde::Deserialize)] #[schemars(inline)]] [pub(crate),]
            $vis $name { $($fields)* }
        }
        $crate::records! { $($more)* }
    };
    (@record [$($meta:tt)*] $vis:vis $name:ident($from:ident: $source:ty) { $(
        $(#[$of_field:meta])* $field:ident: $kind:ty $(= $value:expr)? $(, in $words:expr)? $(, $about:literal)?;
    )* }) => {
        $crate::records! {
            @struct [$($meta)*] [,] $vis $name { $($(#[$of_field])* $field: $kind $(, in $words)? $(, $about)?;)* }
        }
        impl $crate::JsonFrom<$source> for $name {
            fn json_from($from: $source) -> Self {
                Self { $($field: $crate::records!(@value $from $field $($value)?)),* }
            }
        }
    };
    (@struct [$($meta:tt)*] [$of_fields:vis,] $vis:vis $name:ident { $(
        $(#[$of_field:meta])* $field:ident: $kind:ty $(, in $words:expr)? $(, $about:literal)?;
    )* }) => {
        #[derive($crate::serde::Serialize, $crate::schemars::JsonSchema)]
        #[serde(crate = "nmax_json::serde")]
        #[schemars(crate = "nmax_json::schemars")]
        $($meta)*
        $vis struct $name { $(
            $(#[doc = $about])? $(#[schemars(extend("enum" = $words))])? $(#[$of_field])*
            $of_fields $field: $kind,
        )* }

        impl $crate::JsonFrom<Self> for $name {
            fn json_from(from: Self) -> Self {
                from
            }
        }
    };
    (@value $from:ident $field:ident) => { $crate::JsonFrom::json_from(&$from.$field) };
    (@value $from:ident $field:ident $value:expr) => { $crate::JsonFrom::json_from($value) };
}

/// What is written, made of what is known. As `From`, but for lists, maps and what may be unknown as well.
pub trait JsonFrom<S> {
    /// Makes it.
    fn json_from(from: S) -> Self;
}

macro_rules! same {
    ($($kind:ty: $($from:ty)*;)*) => { $($(
        impl JsonFrom<$from> for $kind {
            fn json_from(from: $from) -> Self { from as Self }
        }
        impl JsonFrom<&$from> for $kind {
            fn json_from(from: &$from) -> Self { *from as Self }
        }
    )*)* };
}
same! { u64: u64 u32 u16 usize; f64: f64; bool: bool; Word: Word; Version: Version; }

impl<S: AsRef<str> + ?Sized> JsonFrom<&S> for String {
    fn json_from(from: &S) -> Self {
        from.as_ref().to_owned()
    }
}

impl JsonFrom<String> for String {
    fn json_from(from: String) -> Self {
        from
    }
}

impl<S, T: JsonFrom<S>> JsonFrom<Option<S>> for Option<T> {
    fn json_from(from: Option<S>) -> Self {
        from.map(T::json_from)
    }
}

impl<'a, S, T: JsonFrom<&'a S>> JsonFrom<&'a Option<S>> for Option<T> {
    fn json_from(from: &'a Option<S>) -> Self {
        from.as_ref().map(T::json_from)
    }
}

impl<S, T: JsonFrom<S>> JsonFrom<Vec<S>> for Vec<T> {
    fn json_from(from: Vec<S>) -> Self {
        from.into_iter().map(T::json_from).collect()
    }
}

impl<'a, S, T: JsonFrom<&'a S>> JsonFrom<&'a Vec<S>> for Vec<T> {
    fn json_from(from: &'a Vec<S>) -> Self {
        from.iter().map(T::json_from).collect()
    }
}

impl<'a, S, T: JsonFrom<&'a S>> JsonFrom<&'a [S]> for Vec<T> {
    fn json_from(from: &'a [S]) -> Self {
        from.iter().map(T::json_from).collect()
    }
}

impl<S, T: JsonFrom<S>> JsonFrom<(S, S)> for [T; 2] {
    fn json_from((a, b): (S, S)) -> Self {
        [T::json_from(a), T::json_from(b)]
    }
}

/// One of a few words.
pub type Word = &'static str;

/// Version 1 of a document.
#[derive(Clone, Copy, Debug)]
pub struct Version;

/// A number in another unit: `FROM` of what is known are one, rounded to a multiple of 1 / `DIGITS`. Not finite is null.
#[derive(Clone, Copy, Debug)]
pub struct Scaled<const FROM: u64, const DIGITS: u64>(f64);

/// With six digits after the point.
pub type Micro = Scaled<1, 1_000_000>;
/// With nine.
pub type Nano = Scaled<1, 1_000_000_000>;
/// With twelve.
pub type Pico = Scaled<1, 1_000_000_000_000>;
/// Milliseconds with three digits after the point, of nanoseconds.
pub type Ms = Scaled<1_000_000, 1_000>;
/// Seconds with six digits after the point, of nanoseconds.
pub type Seconds = Scaled<1_000_000_000, 1_000_000>;

impl<const FROM: u64, const DIGITS: u64> JsonFrom<f64> for Scaled<FROM, DIGITS> {
    fn json_from(from: f64) -> Self {
        Self(rounded_to(from / FROM as f64, DIGITS as f64))
    }
}

impl<const FROM: u64, const DIGITS: u64> JsonFrom<&f64> for Scaled<FROM, DIGITS> {
    fn json_from(from: &f64) -> Self {
        Self::json_from(*from)
    }
}

impl<const FROM: u64, const DIGITS: u64> JsonFrom<u64> for Scaled<FROM, DIGITS> {
    fn json_from(from: u64) -> Self {
        Self::json_from(from as f64)
    }
}

impl<const FROM: u64, const DIGITS: u64> JsonFrom<&u64> for Scaled<FROM, DIGITS> {
    fn json_from(from: &u64) -> Self {
        Self::json_from(*from as f64)
    }
}

/// The nearest multiple of 1 / `per_unit`, halves away from zero. Too large to round is kept as it is.
pub fn rounded_to(value: f64, per_unit: f64) -> f64 {
    let scaled = (value * per_unit).round();
    if scaled.abs() < 9e15 { scaled / per_unit } else { value }
}

/// Values by name, in their order.
#[derive(Clone, Debug)]
pub struct Map<V>(Vec<(String, V)>);

impl<V> Map<V> {
    /// Rows by a name that each has.
    pub fn by<'a, S, N: AsRef<str> + ?Sized + 'a>(rows: &'a [S], name: impl Fn(&'a S) -> &'a N) -> Self
    where
        V: JsonFrom<&'a S>,
    {
        Self(rows.iter().map(|row| (name(row).as_ref().to_owned(), V::json_from(row))).collect())
    }
}

impl<N: ToString, V> FromIterator<(N, V)> for Map<V> {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(values: I) -> Self {
        Self(values.into_iter().map(|(name, value)| (name.to_string(), value)).collect())
    }
}

impl<V> JsonFrom<Self> for Map<V> {
    fn json_from(from: Self) -> Self {
        from
    }
}

impl<'a, N: ToString, S, V: JsonFrom<&'a S>> JsonFrom<&'a Vec<(N, S)>> for Map<V> {
    fn json_from(from: &'a Vec<(N, S)>) -> Self {
        from.iter().map(|(name, value)| (name.to_string(), V::json_from(value))).collect()
    }
}

impl Serialize for Version {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_u32(1)
    }
}

impl<const FROM: u64, const DIGITS: u64> Serialize for Scaled<FROM, DIGITS> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_f64(self.0)
    }
}

impl<V: Serialize> Serialize for Map<V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// An object that something else describes.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(transparent)]
pub struct Object(pub Value);

impl JsonFrom<Self> for Value {
    fn json_from(from: Self) -> Self {
        from
    }
}

impl JsonFrom<Self> for Object {
    fn json_from(from: Self) -> Self {
        from
    }
}

/// A number, or a text where there is none.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum NumberOrText {
    /// A whole number.
    Number(u64),
    /// Another word.
    Text(String),
}

impl JsonFrom<Self> for NumberOrText {
    fn json_from(from: Self) -> Self {
        from
    }
}

/// Implements `JsonSchema` by a schema that is inlined.
#[macro_export]
macro_rules! inline_schema {
    ([$($of:tt)*] $kind:ty, $generator:ident => $schema:expr) => {
        impl<$($of)*> $crate::schemars::JsonSchema for $kind {
            fn inline_schema() -> bool {
                true
            }
            fn schema_name() -> std::borrow::Cow<'static, str> {
                stringify!($kind).into()
            }
            fn json_schema($generator: &mut $crate::schemars::SchemaGenerator) -> $crate::schemars::Schema {
                $schema
            }
        }
    };
}
inline_schema!([] Version, _generator => json_schema!({ "const": 1 }));
inline_schema!([] NumberOrText, _generator => json_schema!({ "type": ["integer", "string"] }));
inline_schema!([] Object, _generator => json_schema!({ "type": "object" }));
inline_schema!([const FROM: u64, const DIGITS: u64] Scaled<FROM, DIGITS>, generator => f64::json_schema(generator));
inline_schema!([V: JsonSchema] Map<V>, generator => {
    json_schema!({ "type": "object", "additionalProperties": generator.subschema_for::<V>() })
});

/// Declares a text that is one of these words, as an item of a list.
#[macro_export]
macro_rules! words {
    ($vis:vis $name:ident: $words:expr) => {
        /// One of a few words.
        #[derive($crate::serde::Serialize)]
        #[serde(crate = "nmax_json::serde", transparent)]
        $vis struct $name($crate::Word);

        impl $crate::JsonFrom<$crate::Word> for $name {
            fn json_from(word: $crate::Word) -> Self {
                Self(word)
            }
        }
        $crate::inline_schema!([] $name, _generator => {
            $crate::schemars::json_schema!({ "type": "string", "enum": $words })
        });
    };
}

/// Names of keys that a table elsewhere gives.
pub trait Keys {
    /// Whether each is there.
    const REQUIRED: bool = true;

    /// Names, and what each says.
    fn keys() -> Vec<(&'static str, &'static str)>;
}

/// Values of one kind under the keys of a table.
#[derive(Clone, Debug)]
pub struct Keyed<K, V>(Map<V>, PhantomData<K>);

impl<K, N: ToString, V> FromIterator<(N, V)> for Keyed<K, V> {
    fn from_iter<I: IntoIterator<Item = (N, V)>>(values: I) -> Self {
        Self(values.into_iter().collect(), PhantomData)
    }
}

impl<K, V> JsonFrom<Self> for Keyed<K, V> {
    fn json_from(from: Self) -> Self {
        from
    }
}

impl<K, V: Serialize> Serialize for Keyed<K, V> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.serialize(serializer)
    }
}

inline_schema!([K: Keys, V: JsonSchema] Keyed<K, V>, generator => {
    let property = |(name, about): &(&str, &str)| {
        let mut schema = generator.subschema_for::<V>();
        if !about.is_empty() {
            schema.insert("description".into(), (*about).into());
        }
        ((*name).to_owned(), Value::from(schema))
    };
    let keys = K::keys();
    let properties: serde_json::Map<String, Value> = keys.iter().map(property).collect();
    let mut schema = json_schema!({ "type": "object", "properties": properties });
    if K::REQUIRED {
        schema.insert("required".into(), keys.iter().map(|(name, _)| *name).collect());
    }
    schema
});

/// The word that something is written as; empty for what is none.
pub fn word(of: &impl Serialize) -> String {
    serde_json::to_value(of).ok().and_then(|word| Some(word.as_str()?.to_owned())).unwrap_or_default()
}

/// What is known as the JSON of a record.
pub fn value<T: JsonFrom<S> + Serialize, S>(from: S) -> Value {
    serde_json::to_value(T::json_from(from)).expect("keys are texts, and nothing else can fail")
}

/// The JSON Schema (2020-12) of a record.
pub fn schema<T: JsonSchema>(title: &str, about: &str) -> Value {
    let settings = SchemaSettings::draft2020_12().for_serialize().with_transform(RecursiveTransform(plain));
    let mut schema = settings.into_generator().into_root_schema_for::<T>();
    schema.insert("title".into(), title.into());
    if !about.is_empty() {
        schema.insert("description".into(), about.into());
    }
    schema.into()
}

/// Says nothing of how numbers are kept, and null among the words that may be unknown.
fn plain(schema: &mut Schema) {
    if schema.get("type").is_some_and(|kind| kind != "string") {
        schema.remove("format");
    }
    let may_be_null = schema.get("type").and_then(Value::as_array).is_some_and(|kinds| kinds.contains(&"null".into()));
    if let Some(words) = schema.get_mut("enum").and_then(Value::as_array_mut) {
        words.extend((may_be_null && !words.contains(&Value::Null)).then_some(Value::Null));
    }
}
