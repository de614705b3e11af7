//! A proxy that records what a browser or any other client sends through it.
//!
//! It speaks HTTP/1.1 towards the client and HTTP/1.1 or HTTP/2 towards servers, decrypts the hosts that it was told to
//! record with a certificate authority made for one recording, and passes everything else through untouched.
