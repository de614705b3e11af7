//! `plan` of the document.
