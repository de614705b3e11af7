//! One view of a run, as terminal tables, HTML, SVG, JSON, JUnit and CSV.
