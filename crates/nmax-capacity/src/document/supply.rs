//! `supply` of the document.
