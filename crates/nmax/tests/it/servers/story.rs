//! The example with Apache and ab, in its short form: who waits, who does not, and who says why.

