//! The plan as a document, its data files, and the evidence for its correlations.
