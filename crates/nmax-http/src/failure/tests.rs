use super::*;

/// What runs out on this host is never the server's fault.
#[test]
fn exhaustion_is_the_injectors() {
    for errno in [Errno::MFILE, Errno::NFILE, Errno::ADDRNOTAVAIL, Errno::NOBUFS, Errno::NOMEM] {
        for kind in [ErrorKind::Dns, ErrorKind::Connect, ErrorKind::Tls] {
            let failure = Failure::of_io(kind, "x", &errno.into());
            assert_eq!(failure.kind, ErrorKind::Injector, "{}", failure.text);
        }
        assert_eq!(Failure::of_stream(&errno.into()).kind, ErrorKind::Injector);
    }
}

#[test]
fn other_errors_keep_their_kind_and_name_the_place() {
    let refused = Failure::of_io(ErrorKind::Connect, "127.0.0.1:9", &Errno::CONNREFUSED.into());
    assert_eq!(refused.kind, ErrorKind::Connect);
    assert!(refused.text.starts_with("127.0.0.1:9: "), "{}", refused.text);
    assert_eq!(Failure::of_stream(&Errno::CONNRESET.into()).kind, ErrorKind::Reset);
}

#[test]
fn reasons_of_tls_in_words() {
    let cases = [
        (CertificateError::UnknownIssuer, "unknown issuer"),
        (CertificateError::NotValidForName, "another host name"),
        (CertificateError::Expired, "expired"),
        (CertificateError::NotValidYet, "not valid yet"),
    ];
    for (reason, want) in cases {
        let error = io::Error::new(io::ErrorKind::InvalidData, rustls::Error::InvalidCertificate(reason));
        let failure = Failure::of_handshake("h.test", &error);
        assert_eq!(failure.kind, ErrorKind::Tls);
        assert!(failure.text.starts_with("h.test: ") && failure.text.contains(want), "{}", failure.text);
        assert_eq!(Failure::of_stream(&error).kind, ErrorKind::Tls, "also after the handshake");
    }
}
