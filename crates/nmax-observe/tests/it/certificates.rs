//! An authority, a certificate of it for a server, and another authority, as PEM files.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

/// Files in a folder.
pub(crate) struct Certificates {
    /// Who made the server's certificate.
    pub(crate) issuer: PathBuf,
    /// Who did not.
    pub(crate) other: PathBuf,
    /// The server's certificate, for `localhost` and not for its address.
    pub(crate) server: PathBuf,
    /// Its key, for nobody else to read.
    pub(crate) key: PathBuf,
}

impl Certificates {
    pub(crate) fn write(folder: &Path) -> Self {
        let files = Self {
            issuer: folder.join("ca.pem"),
            other: folder.join("other.pem"),
            server: folder.join("server.pem"),
            key: folder.join("server.key"),
        };
        let issuer = authority("ours");
        fs::write(&files.issuer, issuer.pem()).unwrap();
        fs::write(&files.other, authority("theirs").pem()).unwrap();
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".to_owned()]).unwrap();
        let certificate = params.signed_by(&key, &issuer).unwrap();
        fs::write(&files.server, certificate.pem()).unwrap();
        fs::write(&files.key, key.serialize_pem()).unwrap();
        fs::set_permissions(&files.key, fs::Permissions::from_mode(0o600)).unwrap();
        files
    }
}

fn authority(name: &str) -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, name);
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().unwrap()).unwrap()
}
