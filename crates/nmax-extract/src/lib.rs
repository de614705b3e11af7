//! Extractors: regular expressions, CSS selectors, JSONPath and headers, compiled once, applied to replies.
