//! Bytes become records on one thread while another uses them. What is between them is bounded.

use std::io::{ErrorKind, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use nmax_log::counts::Counts;
use nmax_log::format::Reader;
use nmax_log::format::lines::{Cut, Lines};
use nmax_log::record::{Line, Record};

use super::Listener;
use super::batch::Batch;
use super::input::Input;

/// Bytes that are read at once.
const BLOCK_BYTES: usize = 1 << 18;
/// Batches under way.
const BATCHES_MAX: usize = 4;

/// Gives each request of a log to `each`, and adds to the counts.
pub(super) fn read(
    input: &mut Input,
    counts: &mut Counts,
    listener: &mut dyn Listener,
    each: &mut dyn FnMut(&Record<'_>),
) {
    let (sender, batches) = sync_channel::<Batch>(BATCHES_MAX);
    let (recycle, recycled) = sync_channel::<Batch>(BATCHES_MAX + 2);
    let name = input.name.clone();
    let found = thread::scope(|scope| {
        let parser = thread::Builder::new()
            .name("log parser".into())
            .spawn_scoped(scope, move || parse(input, &sender, &recycled))
            .map_err(|error| format!("{name}: no thread to read it: {error}"))?;
        for mut batch in batches {
            batch.iter().for_each(|record| each(&record));
            listener.read(batch.bytes, batch.lines);
            batch.clear();
            // The parser may have ended.
            let _ = recycle.try_send(batch);
        }
        parser.join().map_err(|_| format!("{name}: reading it broke, which is a defect of nmax"))
    });
    match found {
        Ok(found) => counts.add(found),
        Err(error) => counts.broken.push(error),
    }
}

/// Reads a log to its end, or to where it breaks.
fn parse(input: &mut Input, sender: &SyncSender<Batch>, recycled: &Receiver<Batch>) -> Counts {
    let mut counts = Counts::default();
    let name = input.name.clone();
    let broken = |counts: &Counts, error: &dyn std::fmt::Display| {
        format!("{name}: cannot be read beyond line {}: {error}; what came before is used", counts.lines)
    };
    let mut text = match input.text() {
        Ok(text) => text,
        Err(error) => {
            counts.broken.push(broken(&counts, &error));
            return counts;
        }
    };
    let mut lines = Lines::new();
    let mut block = vec![0; BLOCK_BYTES];
    loop {
        let length = match text.read(&mut block) {
            Ok(0) => break,
            Ok(length) => length,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => {
                counts.broken.push(broken(&counts, &error));
                break;
            }
        };
        let mut batch = recycled.try_recv().unwrap_or_default();
        let before = counts.lines;
        lines.feed(&block[..length], |cut| take(cut, &mut input.reader, &mut batch, &mut counts, &name));
        (batch.bytes, batch.lines) = (length as u64, counts.lines - before);
        counts.bytes += length as u64;
        if sender.send(batch).is_err() {
            return counts;
        }
    }
    let mut batch = Batch::default();
    lines.finish(|cut| take(cut, &mut input.reader, &mut batch, &mut counts, &name));
    // Nobody is left to take it only when the program ends.
    let _ = sender.send(batch);
    if lines.hole_bytes() > 0 {
        let hole = lines.hole_bytes();
        counts.broken.push(format!(
            "{name}: {hole} bytes of value 0 were passed over, as where a log was cut while a server wrote it"
        ));
    }
    counts
}

/// Counts a line, and keeps it when it is a request.
fn take(cut: Cut<'_>, reader: &mut Reader, batch: &mut Batch, counts: &mut Counts, name: &str) {
    counts.lines += 1;
    let number = counts.lines;
    let place = || format!("{name}:{number}");
    let line = match cut {
        Cut::Line(line) => line,
        Cut::TooLong { start, bytes } => {
            let mega = bytes >> 20;
            return counts.reject(format!("a line of {mega} MiB or more, longer than any request"), place, start);
        }
    };
    match reader.line(line) {
        Line::Record(record) => {
            counts.parsed += 1;
            counts.arrived(record.arrival_us, place);
            batch.push(&record);
        }
        Line::Comment => counts.comments += 1,
        Line::Blank => counts.blank += 1,
        Line::Rejected(rejection) => counts.reject(rejection.reason, place, line),
    }
}
