use super::*;

/// Values with what would end a name or a line.
struct Hostile;

impl Values for Hostile {
    fn slot(&self, _: usize) -> &str {
        "a\"; name=\"evil\r\nx-evil: 1"
    }
    fn feeder(&self, _: usize, _: usize) -> std::borrow::Cow<'_, str> {
        "".into()
    }
    fn iteration(&self) -> u64 {
        7
    }
    fn shared(&self, _: usize) -> &str {
        ""
    }
    fn call(&self, _: &nmax_plan::template::Call, _: &mut String) {}
    fn vu(&self) -> u32 {
        0
    }
}

fn hole() -> Template {
    Template { parts: vec![nmax_plan::template::Part::Slot(0)] }
}

fn part(name: Template, content: PartContent) -> FormPart {
    FormPart { name, content, file_name: None, content_type: None }
}

/// The example of RFC 7578, section 4, written out by hand.
#[test]
fn parts_are_written_as_rfc_7578_says() {
    let parts = [
        part(Template::text("field1"), PartContent::Text(Template::text("Joe owes £100."))),
        FormPart {
            file_name: Some(Template::text("photo 1.png")),
            content_type: Some("image/png".into()),
            ..part(Template::text("photo"), PartContent::File("some/where.bin".into()))
        },
        part(Template::text("raw"), PartContent::File("some/where.bin".into())),
    ];
    let mut body = BodyBuffer::default();
    write(&parts, "AaB03x", &Hostile, &mut body);
    let want = "--AaB03x\r\nContent-Disposition: form-data; name=\"field1\"\r\n\r\nJoe owes £100.\r\n\
        --AaB03x\r\nContent-Disposition: form-data; name=\"photo\"; filename=\"photo 1.png\"\r\nContent-Type: image/png\r\n\r\n|\r\n\
        --AaB03x\r\nContent-Disposition: form-data; name=\"raw\"; filename=\"where.bin\"\r\n\
        Content-Type: application/octet-stream\r\n\r\n|\r\n--AaB03x--\r\n";
    let marks: Vec<usize> = want.match_indices('|').map(|(at, _)| at).collect();
    assert_eq!(body.marks, [marks[0], marks[1] - 1], "where the files belong");
    assert_eq!(String::from_utf8_lossy(&body.bytes), want.replace('|', ""));
}

/// Data cannot add parameters, headers or parts to the head of its part.
#[test]
fn quotes_and_line_breaks_in_names_are_escaped() {
    let parts = [FormPart { file_name: Some(hole()), ..part(hole(), PartContent::Text(Template::text("x"))) }];
    let mut body = BodyBuffer::default();
    write(&parts, "B", &Hostile, &mut body);
    let text = String::from_utf8_lossy(&body.bytes).into_owned();
    let escaped = "a%22; name=%22evil%0D%0Ax-evil: 1";
    assert!(
        text.starts_with(&format!(
            "--B\r\nContent-Disposition: form-data; name=\"{escaped}\"; filename=\"{escaped}\"\r\n\r\nx\r\n--B--"
        )),
        "{text}"
    );
}
