//! Whether a program runs without anything of the machine: ELF, 64 bits, little-endian.

/// A segment that names the program's loader, and so shared libraries.
const PT_INTERP: u32 = 3;
/// A section with the names of functions.
const SHT_SYMTAB: u32 = 2;

/// Says what is wrong with a program that users shall get.
pub(super) fn check(bytes: &[u8], is_stripped: bool) -> Result<(), String> {
    let header = Header::read(bytes).ok_or("is no ELF program of 64 bits, little-endian")?;
    let kinds = |table: &Table, at: usize| -> Option<Vec<u32>> {
        (0..table.count)
            .map(|index| number(bytes, table.offset + index * table.size + at, 4).map(|kind| kind as u32))
            .collect()
    };
    let segments = kinds(&header.segments, 0).ok_or("its program headers are damaged")?;
    if segments.contains(&PT_INTERP) {
        return Err("is not static: it names a loader. Install the static C library (libc6-dev) and build again".into());
    }
    let sections = kinds(&header.sections, 4).ok_or("its section headers are damaged")?;
    if is_stripped && sections.contains(&SHT_SYMTAB) {
        return Err("is not stripped; set `strip = true` in [profile.dist]".into());
    }
    Ok(())
}

struct Table {
    offset: usize,
    size: usize,
    count: usize,
}

struct Header {
    segments: Table,
    sections: Table,
}

impl Header {
    fn read(bytes: &[u8]) -> Option<Self> {
        // Class 2 is 64 bits, data 1 is little-endian.
        bytes.starts_with(&[0x7f, b'E', b'L', b'F', 2, 1]).then_some(())?;
        let table = |offset, size, count| {
            Some(Table {
                offset: number(bytes, offset, 8)?,
                size: number(bytes, size, 2)?,
                count: number(bytes, count, 2)?,
            })
        };
        Some(Self { segments: table(32, 54, 56)?, sections: table(40, 58, 60)? })
    }
}

/// A number of `width` bytes, the lowest first.
fn number(bytes: &[u8], at: usize, width: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(width)?)?;
    Some(bytes.iter().rev().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program with one segment and one section of these kinds.
    fn program(segment: u32, section: u32) -> Vec<u8> {
        let mut bytes = vec![0; 256];
        bytes[..6].copy_from_slice(&[0x7f, b'E', b'L', b'F', 2, 1]);
        for (at, value) in [(32, 64), (40, 128), (54, 56), (56, 1), (58, 64), (60, 1)] {
            bytes[at] = value;
        }
        bytes[64..68].copy_from_slice(&segment.to_le_bytes());
        bytes[132..136].copy_from_slice(&section.to_le_bytes());
        bytes
    }

    #[test]
    fn programs_must_be_static_and_stripped() {
        assert_eq!(check(&program(1, 1), true), Ok(()));
        assert_eq!(check(&program(1, SHT_SYMTAB), false), Ok(()));
        let said = |bytes: &[u8]| check(bytes, true).unwrap_err();
        assert!(said(&program(PT_INTERP, 1)).starts_with("is not static"));
        assert!(said(&program(1, SHT_SYMTAB)).starts_with("is not stripped"));
        assert!(said(b"#!/bin/sh").starts_with("is no ELF"));
        assert!(said(&program(1, 1)[..66]).contains("damaged"));
    }

    /// Tests are built as usual, so they name a loader.
    #[test]
    fn this_test_is_not_static() {
        let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert!(check(&own, false).unwrap_err().starts_with("is not static"));
    }
}
