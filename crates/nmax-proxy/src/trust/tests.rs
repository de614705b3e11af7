use super::*;

#[test]
fn names_in_a_certificate_are_found() {
    let mut params = rcgen::CertificateParams::new(vec!["shop.test".to_owned()]).unwrap();
    params.distinguished_name.push(rcgen::DnType::CommonName, "the shop");
    let key = rcgen::KeyPair::generate().unwrap();
    let certificate = params.self_signed(&key).unwrap();
    assert_eq!(common_names(certificate.der()), ["the shop", "the shop"]);
    assert_eq!(common_names(b"\x06\x03\x55\x04\x03\x0c\xff"), Vec::<String>::new());
    assert_eq!(common_names(b"\x06\x03\x55\x04\x03"), Vec::<String>::new());
}
