//! `day` of the document.
