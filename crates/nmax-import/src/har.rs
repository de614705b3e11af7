//! HAR 1.2: what browsers, proxies and tools write is read as far as it goes; recordings are written so that browsers read them.
