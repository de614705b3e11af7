use std::os::unix::fs::PermissionsExt;

use nmax_import::emit::File;

use super::*;

/// A folder of its own, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("nmax-files-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn converted() -> Converted {
    Converted {
        plan: "nmax: 1\n".into(),
        evidence: r#"{"recordings": ["x"]}"#.into(),
        files: vec![
            File { name: "visit.words.csv".into(), bytes: b"q\ntea\n".to_vec(), is_secret: false },
            File { name: "visit.body-1.bin".into(), bytes: b"uploaded".to_vec(), is_secret: false },
            File { name: "visit.secrets.csv".into(), bytes: b"key\nabc\n".to_vec(), is_secret: true },
        ],
        ..Converted::default()
    }
}

#[test]
fn everything_is_written_or_nothing() {
    let folder = Folder::new("all");
    let destination = PlanDestination::new(&folder.0.join("plans/visit.yaml"), false).unwrap();
    let (converted, secrets) = (converted(), Secrets::new(&[1; 32]));
    let kept = [RecordingCopy { name: "visit.har".into(), text: Some("{}".into()) }];
    let bundle = Bundle { converted: &converted, secrets: &secrets, recordings: &kept };
    let written = write(&destination, &bundle).unwrap();
    assert_eq!(written[0], destination.plan());
    assert_eq!(written.len(), 6);
    assert!(fs::read_to_string(destination.evidence()).unwrap().contains("visit.har"));
    for (name, want) in [
        ("visit.secrets.csv", 0o600),
        ("visit.body-1.bin", 0o600),
        ("visit.har", 0o600),
        ("visit.yaml", 0o644),
        ("visit.words.csv", 0o644),
        ("visit.evidence.json", 0o644),
    ] {
        assert_eq!(mode(&destination.path(name)), want, "{name}: who holds bodies or secrets is its owner's alone");
    }
    assert_eq!(fs::read_to_string(destination.path(".gitignore")).unwrap(), "/visit.secrets.csv\n");

    // The second time: nothing is touched, and all that is in the way is named.
    fs::write(destination.plan(), "mine").unwrap();
    let Trouble { text, exit } = write(&destination, &bundle).unwrap_err();
    assert_eq!(exit, nmax_run::Exit::Usage);
    assert!(text.contains("visit.yaml") && text.contains("visit.words.csv") && text.contains("--force"), "{text}");
    assert_eq!(fs::read_to_string(destination.plan()).unwrap(), "mine");

    let destination = PlanDestination::new(&folder.0.join("plans/visit"), true).unwrap();
    write(&destination, &bundle).unwrap();
    assert_eq!(fs::read_to_string(destination.plan()).unwrap(), "nmax: 1\n");
    assert_eq!(fs::read_to_string(destination.path(".gitignore")).unwrap(), "/visit.secrets.csv\n");
    let left: Vec<_> = fs::read_dir(folder.0.join("plans")).unwrap().collect();
    assert_eq!(left.len(), 7, "{left:?}");
}

/// Trap: the mode is set after the bytes were written, or an old file keeps its own.
#[test]
fn a_secret_takes_the_place_of_what_all_could_read() {
    let folder = Folder::new("mode");
    let path = folder.0.join("visit.secrets.json");
    fs::write(&path, "old").unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o666)).unwrap();
    replace(&path, b"new", Readers::Owner).unwrap();
    assert_eq!((mode(&path), fs::read_to_string(&path).unwrap().as_str()), (0o600, "new"));
}

#[test]
fn what_others_ignore_stays() {
    let folder = Folder::new("ignore");
    let path = folder.0.join(".gitignore");
    fs::write(&path, "runs/\nvisit.secrets.json").unwrap();
    ignore(&folder.0, &[Path::new("visit.secrets.json"), Path::new("x/visit.secrets.csv")]).unwrap();
    assert_eq!(fs::read_to_string(&path).unwrap(), "runs/\nvisit.secrets.json\n/visit.secrets.csv\n");
}

#[test]
fn a_place_is_a_name_for_files() {
    let folder = Folder::new("place");
    for (output, plan) in
        [("visit", "visit.yaml"), ("visit.yaml", "visit.yaml"), ("visit.har", "visit.yaml"), ("v1.2", "v1.2.yaml")]
    {
        let destination = PlanDestination::new(&folder.0.join(output), false).unwrap();
        assert_eq!(destination.plan(), folder.0.join(plan), "{output}");
    }
    for output in ["", "/", ".."] {
        assert!(PlanDestination::new(Path::new(output), false).is_err(), "{output}");
    }
    assert!(PlanDestination::new(&folder.0, false).is_err());
}
