//! `demand` of the document.
