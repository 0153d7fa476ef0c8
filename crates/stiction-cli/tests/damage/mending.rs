//! Checksums that fit the damage: a file that somebody made, not one that decayed.
//!
//! # References
//! PKWARE, *APPNOTE.TXT: .ZIP File Format Specification*, 4.3.7 and 4.3.12; W3C, *Portable Network Graphics*, annex D (CRC-32);
//! G. Fowler, L. C. Noll, K.-P. Vo, *FNV hash*: FNV-1a of 64 bits.

use crate::readers::Format;

/// Gives a damaged file the checksums it would have as it is, as far as its parts are still found.
pub fn mend(format: Format, bytes: &mut [u8]) {
    match format {
        Format::Snapshot => mend_snapshot(bytes),
        Format::Archive => drop(mend_archive(bytes)),
        Format::HeightField if bytes.starts_with(b"\x89PNG") => drop(mend_png(bytes)),
        _ => {}
    }
}

/// FNV-1a over what is not the hash, which stands at 20.
fn mend_snapshot(bytes: &mut [u8]) {
    if bytes.len() >= 28 {
        let hash = fnv([&bytes[..20], &bytes[28..]]);
        bytes[20..28].copy_from_slice(&hash.to_le_bytes());
    }
}

fn fnv<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    parts.into_iter().flatten().fold(0xcbf2_9ce4_8422_2325, step)
}

fn crc32(bytes: &[u8]) -> u32 {
    let bit = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(!0, |crc, &byte| (0..8).fold(crc ^ u32::from(byte), |crc, _| bit(crc)))
}

/// A number of up to four bytes, little-endian.
fn number(bytes: &[u8], at: usize, size: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(size)?)?;
    Some(bytes.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

/// Cyclic redundancy checks of the entries, and the sum of the arrays' hashes. `None` where the archive has lost its shape.
fn mend_archive(bytes: &mut [u8]) -> Option<()> {
    let entries = entries(bytes);
    let sum = entries.iter().filter(|entry| entry.name != "checksum.npy");
    let sum = sum.fold(0_u64, |sum, entry| sum.wrapping_add(array_hash(bytes, entry).unwrap_or(0)));
    for entry in entries {
        if entry.name == "checksum.npy" {
            bytes
                .get_mut(entry.data.end.checked_sub(8)?..entry.data.end)?
                .copy_from_slice(&sum.to_le_bytes());
        }
        let crc = crc32(bytes.get(entry.data)?).to_le_bytes();
        for at in [entry.local + 14, entry.central + 16] {
            bytes.get_mut(at..at + 4)?.copy_from_slice(&crc);
        }
    }
    Some(())
}

struct Entry {
    name: String,
    data: std::ops::Range<usize>,
    /// Where its headers begin.
    local: usize,
    central: usize,
}

/// What the central directory names, as far as it goes.
fn entries(bytes: &[u8]) -> Vec<Entry> {
    let mut entries = Vec::new();
    let mut at = bytes.windows(4).position(|window| window == b"PK\x01\x02").unwrap_or(bytes.len());
    while let Some((entry, next)) = entry(bytes, at) {
        entries.push(entry);
        at = next;
    }
    entries
}

fn entry(bytes: &[u8], central: usize) -> Option<(Entry, usize)> {
    let of_central = |at, size| number(bytes, central + at, size);
    let (size, local) = (of_central(24, 4)?, of_central(42, 4)?);
    let lengths = [of_central(28, 2)?, of_central(30, 2)?, of_central(32, 2)?];
    let name = String::from_utf8_lossy(bytes.get(central + 46..central + 46 + lengths[0])?).into_owned();
    let start = local + 30 + number(bytes, local + 26, 2)? + number(bytes, local + 28, 2)?;
    bytes.get(start..start.checked_add(size)?)?;
    let next = central + 46 + lengths.iter().sum::<usize>();
    Some((Entry { name, data: start..start + size, local, central }, next))
}

/// The hash of an array, from its NumPy header.
fn array_hash(bytes: &[u8], entry: &Entry) -> Option<u64> {
    let array = &bytes[entry.data.clone()];
    let start = 10 + number(array, 8, 2)?;
    let header = std::str::from_utf8(array.get(10..start)?).ok()?;
    let descr = header.split_once("'descr': '")?.1.split_once('\'')?.0;
    let shape = header.split_once("'shape': (")?.1.split_once(')')?.0.trim_end_matches(',');
    let name = entry.name.strip_suffix(".npy")?;
    let begin = format!("{name} {descr} [{shape}] ");
    Some(fnv([begin.as_bytes(), array.get(start..)?]))
}

/// Cyclic redundancy checks of the chunks.
fn mend_png(bytes: &mut [u8]) -> Option<()> {
    let mut at = 8;
    loop {
        let length = u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?) as usize;
        let end = at.checked_add(8)?.checked_add(length)?;
        let crc = crc32(bytes.get(at + 4..end)?).to_be_bytes();
        bytes.get_mut(end..end + 4)?.copy_from_slice(&crc);
        at = end + 4;
    }
}

#[test]
fn a_good_file_keeps_its_checksums_and_a_changed_one_is_read_again() {
    use crate::readers::Reader;
    let folder = crate::watch::folder("mending");
    for format in [Format::Snapshot, Format::Archive, Format::HeightField] {
        for sample in crate::samples::of(format) {
            let mut mended = sample.bytes.clone();
            mend(format, &mut mended);
            assert!(mended == sample.bytes, "{}", sample.name);
        }
    }
    let mut archive = crate::samples::of(Format::Archive).remove(0);
    let energy = entries(&archive.bytes).into_iter().find(|entry| entry.name == "energy.npy").unwrap();
    archive.bytes[energy.data.end - 3] ^= 1;
    let mut reader = Reader::new(Format::Archive, &folder);
    assert!(reader.read(&archive.name, &archive.bytes).is_err());
    mend(Format::Archive, &mut archive.bytes);
    assert_eq!(reader.read(&archive.name, &archive.bytes), Ok(()));
}
