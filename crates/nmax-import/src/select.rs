//! What is a part of the user's behaviour, and what is not: third parties, analytics, the browser's own noise.
