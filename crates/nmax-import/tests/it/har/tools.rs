//! Files of real tools, and the same files damaged.
