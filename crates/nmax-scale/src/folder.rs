//! The directory of a campaign: what was fitted and every level as it ends, readable after a kill.

use std::fs::{self, File, TryLockError};
use std::io::Write;
use std::path::{Path, PathBuf};

use nmax_report::scalability::Level;
use serde_json::{Value, json};

use crate::head::{HEAD, Head};

/// One line per level, written as it ends.
pub(crate) const LEVELS: &str = "levels.jsonl";
/// What was fitted.
pub(crate) const POINTS: &str = "points.csv";
/// The result as JSON; its presence marks a campaign that came to its end.
pub(crate) const RESULT: &str = "scale.json";
/// The result as a page.
pub const REPORT: &str = "report.html";
/// Directories of the runs.
pub(crate) const RUNS: &str = "levels";
/// First line of the points.
const HEADER: &str = "n,x,r_ms,level,run,count\n";

/// A directory under way.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    levels: File,
    points: File,
    /// Points of each value of a second knob, in a file of its own.
    others: Vec<(String, File)>,
    /// Its id, also the end of its name.
    pub(crate) id: String,
    /// Its beginning, RFC 3339 UTC.
    pub(crate) started_at: String,
}

/// Whether some process still writes a campaign.
pub(crate) fn is_running(directory: &Path) -> bool {
    let attempt = File::open(directory.join(LEVELS)).map(|file| file.try_lock_shared());
    matches!(attempt, Ok(Err(TryLockError::WouldBlock)))
}

/// File with the points of a value of the second knob.
pub(crate) fn points_of(version: &str) -> String {
    format!("points-{}.csv", nmax_store::manifest::safe_name(version))
}

/// What is known of a level beside what the report shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Facts {
    /// Of its choices.
    pub(crate) seed: u64,
    /// Completions that were ok in the steady part.
    pub(crate) completions: Option<u64>,
    /// Beginning and end of the steady part, seconds since the run's origin.
    pub(crate) steady_s: Option<(f64, f64)>,
    /// Relative change of the throughput in it, when it does not stand still.
    pub(crate) moves: Option<f64>,
    /// Mean number of iterations in flight.
    pub(crate) in_flight: Option<f64>,
    /// Processor time of observed processes, in cores.
    pub(crate) cores_used: Option<f64>,
    /// Mean pause for each completion, seconds.
    pub(crate) pause_s: Option<f64>,
    /// R as Little's law means it, seconds, where it is held against the law.
    pub(crate) lawful_r_s: Option<f64>,
    /// Value of the objective, in the unit of its limit.
    pub(crate) objective: Option<f64>,
}

fn trouble(path: &Path, error: &std::io::Error) -> String {
    format!("{}: cannot write: {error}\n  help: choose a writable --runs-dir with room", path.display())
}

impl Folder {
    /// Makes it below `root`.
    pub(crate) fn create(root: &Path, name: &str) -> Result<Self, String> {
        let (id, started_at) = nmax_run::new_id();
        let time = started_at.strftime("%Y%m%dT%H%M%SZ");
        let safe = nmax_store::manifest::safe_name(name);
        let path = root.join(format!("{time}-scale-{safe}-{id}"));
        let make = || -> std::io::Result<(File, File)> {
            fs::create_dir_all(root)?;
            fs::create_dir(&path)?;
            fs::create_dir(path.join(RUNS))?;
            let mut points = File::create(path.join(POINTS))?;
            points.write_all(HEADER.as_bytes())?;
            let levels = File::create(path.join(LEVELS))?;
            // As long as it is locked, the campaign goes on. A file system without locks only hides that.
            let _ = levels.try_lock();
            Ok((levels, points))
        };
        let (levels, points) = make().map_err(|error| trouble(&path, &error))?;
        Ok(Self { path, levels, points, others: Vec::new(), id, started_at: started_at.to_string() })
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Where its runs are.
    pub(crate) fn runs(&self) -> PathBuf {
        self.path.join(RUNS)
    }

    /// Adds a level, as one write.
    pub(crate) fn level(&mut self, level: &Level, facts: &Facts) -> Result<(), String> {
        let mut line = line(level, facts).to_string();
        line.push('\n');
        self.levels.write_all(line.as_bytes()).map_err(|error| trouble(&self.path.join(LEVELS), &error))
    }

    /// Makes the file for the points of a value of the second axis, where there is none.
    pub(crate) fn version(&mut self, version: &str) -> Result<(), String> {
        if !self.others.iter().any(|(known, _)| known == version) {
            let file = self.path.join(points_of(version));
            let mut made = File::create(&file).map_err(|error| trouble(&file, &error))?;
            made.write_all(HEADER.as_bytes()).map_err(|error| trouble(&file, &error))?;
            self.others.push((version.to_owned(), made));
        }
        Ok(())
    }

    /// Adds what is fitted, as one write.
    ///
    /// - `version`: value of a second knob, whose points have a file of their own
    /// - `n`: what the law is fitted over
    pub(crate) fn point(&mut self, version: Option<&str>, n: f64, level: &Level, facts: &Facts) -> Result<(), String> {
        let Some(x) = level.x else { return Ok(()) };
        version.map_or(Ok(()), |version| self.version(version))?;
        // A reader of the table knows no pauses: with them, N is not X·R.
        let r_s = facts.lawful_r_s.filter(|_| facts.pause_s == Some(0.0));
        let r_ms = r_s.map_or_else(String::new, |r_s| (r_s * 1e3).to_string());
        let count = facts.completions.map_or_else(String::new, |count| count.to_string());
        let line = format!("{n},{x},{r_ms},{},{},{count}\n", level.level, level.run);
        let path = &self.path;
        let written =
            |file: &mut File| file.write_all(line.as_bytes()).map_err(|error| trouble(&path.join(POINTS), &error));
        let Some(version) = version else {
            return written(&mut self.points);
        };
        // The first one is also what a reader of the directory finds.
        for (place, (known, file)) in self.others.iter_mut().enumerate() {
            if known == version {
                written(file)?;
                if place == 0 {
                    written(&mut self.points)?;
                }
            }
        }
        Ok(())
    }

    /// Writes what is known before the first level.
    pub(crate) fn begin(&self, head: &Head) -> Result<(), String> {
        let file = self.path.join(HEAD);
        fs::write(&file, format!("{:#}\n", head.json())).map_err(|error| trouble(&file, &error))
    }

    /// Writes report and result; the result comes last.
    pub(crate) fn finish(&self, result: &Value, page: &str) -> Result<(), String> {
        for (name, text) in [(REPORT, page), (RESULT, &format!("{result:#}\n"))] {
            let file = self.path.join(name);
            fs::write(&file, text).map_err(|error| trouble(&file, &error))?;
        }
        Ok(())
    }
}

/// A line of the levels.
fn line(level: &Level, facts: &Facts) -> Value {
    let mut line = nmax_report::json::level(level);
    let more = json!({
        "schema_version": 1,
        "seed": facts.seed,
        "completions": facts.completions,
        "steady_from_s": facts.steady_s.map(|(from, _)| from),
        "steady_to_s": facts.steady_s.map(|(_, to)| to),
        "moves": facts.moves,
        "in_flight": facts.in_flight,
        "cores_used": facts.cores_used,
        "pause_s": facts.pause_s,
        "lawful_r_s": facts.lawful_r_s,
        "objective": facts.objective,
    });
    if let (Value::Object(line), Value::Object(more)) = (&mut line, more) {
        line.extend(more);
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn level(n: f64, x: f64) -> Level {
        Level {
            number: 1,
            purpose: "ramp".into(),
            level: n,
            n: Some(n),
            x: Some(x),
            used: true,
            run: "levels/r".into(),
            ..Level::default()
        }
    }

    #[test]
    fn what_was_written_is_there_at_once() {
        let root = std::env::temp_dir().join(format!("nmax-scale-{}", std::process::id()));
        let mut folder = Folder::create(&root, "shop: peak/1").unwrap();
        assert!(folder.path().to_string_lossy().contains("-scale-shop-peak-1-"));
        folder.level(&level(1.0, 90.5), &Facts::default()).unwrap();
        let timed = Facts { lawful_r_s: Some(0.011), pause_s: Some(0.0), completions: Some(181), ..Facts::default() };
        folder.point(None, 1.0, &level(1.0, 90.5), &timed).unwrap();
        folder.point(None, 2.0, &Level { x: None, ..level(2.0, 1.0) }, &timed).unwrap();
        let read = |name: &str| fs::read_to_string(folder.path().join(name)).unwrap();
        assert_eq!(read(POINTS), "n,x,r_ms,level,run,count\n1,90.5,11,1,levels/r,181\n", "no throughput, no point");
        assert_eq!(read(LEVELS).lines().count(), 1);
        folder.point(Some("small"), 2.0, &level(2.0, 10.0), &Facts::default()).unwrap();
        folder.point(Some("a/b"), 2.0, &level(2.0, 20.0), &Facts::default()).unwrap();
        assert_eq!(fs::read_to_string(folder.path().join("points-a-b.csv")).unwrap().lines().count(), 2);
        fs::remove_dir_all(&root).unwrap();
    }
}
