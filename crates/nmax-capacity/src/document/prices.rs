//! `prices` of the document.
