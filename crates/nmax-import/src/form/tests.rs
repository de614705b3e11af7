use proptest::prelude::*;

use super::*;

fn field(name: &str, value: &str) -> Field {
    Field { name: name.to_owned(), value: value.to_owned(), ..Field::default() }
}

#[test]
fn forms_are_read_as_browsers_write_them() {
    let mime = "application/x-www-form-urlencoded; charset=UTF-8";
    let want = vec![field("a b", "c&d"), field("x", ""), field("y", ""), field("bad", "100%")];
    assert_eq!(fields(mime, b"a+b=c%26d&&x=&y&bad=100%"), Some(want));
    let body = b"--B\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n1\r\n2\r\n--B\r\n\
        Content-Disposition: form-data; name=\"f\"; filename=\"x.txt\"\r\nContent-Type: text/plain\r\n\r\n\r\n--B--\r\n";
    let file =
        Field { file_name: Some("x.txt".to_owned()), content_type: Some("text/plain".to_owned()), ..field("f", "") };
    let want = Some(vec![field("a", "1\r\n2"), file]);
    assert_eq!(fields("multipart/form-data; boundary=B", body), want);
    assert_eq!(fields("application/json", b"a=1"), None);
}

fn any_field() -> impl Strategy<Value = Field> {
    let file = proptest::option::of(("[a-z\"]{1,8}\\.txt", "text/[a-z]{1,8}"));
    ("[a-zäö\" ]{1,6}", "\\PC{0,12}", file).prop_map(|(name, value, file)| Field {
        name,
        value,
        file_name: file.as_ref().map(|(name, _)| name.clone()),
        content_type: file.map(|(_, kind)| kind),
    })
}

proptest! {
    #[test]
    fn encoded_fields_are_read_back(given in prop::collection::vec(any_field(), 1..5), is_multipart: bool) {
        let mime = if is_multipart { "multipart/form-data" } else { "application/x-www-form-urlencoded" };
        let (mime, bytes) = encode(mime, &given).unwrap();
        let mut want = given;
        for field in want.iter_mut().filter(|_| !is_multipart) {
            (field.file_name, field.content_type) = (None, None);
        }
        prop_assert_eq!(fields(&mime, &bytes), Some(want));
    }

    #[test]
    fn any_bytes_are_read_without_panic(bytes: Vec<u8>, text in "(--B|\r\n|a=b&|%|name=\"|:|Content-Disposition|;| ){0,20}") {
        for mime in ["multipart/form-data; boundary=B", "application/x-www-form-urlencoded"] {
            let _ = fields(mime, &bytes);
            let _ = fields(mime, text.as_bytes());
        }
    }
}
