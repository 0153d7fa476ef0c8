//! What can happen to a file.

use crate::random::Random;
use crate::samples::Sample;
use std::ops::Range;

/// A file does not grow beyond this (bytes), unless it was longer.
const LONGEST: usize = 1 << 20;

/// What stands where a number should, in a text.
const NUMBERS: [&str; 16] = [
    "1e308",
    "-1e308",
    "1e-320",
    "nan",
    "inf",
    "-1",
    "0",
    "-0.0",
    "1e999",
    "4294967296",
    "2147483647",
    "18446744073709551616",
    "-9223372036854775808",
    "9007199254740993",
    "0x10",
    "1e9",
];

/// What opens something, as often as one likes.
const OPENINGS: [&str; 7] = ["[", "{\"a\":", "<body>", "<!--", "((", "<a b=\"", "&lt;"];

/// A copy of a sample with one to four pieces of damage; `other` is one that pieces may be taken from.
pub fn damaged(sample: &Sample, other: &Sample, random: &mut Random) -> Vec<u8> {
    let mut bytes = sample.bytes.clone();
    for _ in 0..=random.below(4) {
        let at = place(&bytes, random);
        match random.below(11) {
            0 => flip(&mut bytes, random),
            1 => bytes.truncate(at.start),
            2 => overwrite(&mut bytes, at, random),
            3 => splice(&mut bytes, at, &other.bytes, random),
            4 => repeat(&mut bytes, at, random),
            5 | 6 => replace_number(&mut bytes, random),
            7 => replace_word(&mut bytes, at.start, random),
            8 => drop(bytes.drain(at)),
            9 => nest(&mut bytes, at.start, random),
            _ => swap_lines(&mut bytes, random),
        }
    }
    bytes
}

/// A piece, mostly a short one.
fn place(bytes: &[u8], random: &mut Random) -> Range<usize> {
    let start = random.below(bytes.len() + 1);
    let longest = if random.below(4) == 0 { bytes.len() } else { 32 };
    start..(start + random.below(longest + 1)).min(bytes.len())
}

fn flip(bytes: &mut [u8], random: &mut Random) {
    if !bytes.is_empty() {
        let at = random.below(bytes.len());
        bytes[at] ^= 1 << random.below(8);
    }
}

fn overwrite(bytes: &mut [u8], at: Range<usize>, random: &mut Random) {
    let with = *random.pick(&[None, Some(0), Some(0xff), Some(b' '), Some(b'9')]);
    bytes[at].iter_mut().for_each(|byte| *byte = with.unwrap_or(random.next() as u8));
}

fn splice(bytes: &mut Vec<u8>, at: Range<usize>, other: &[u8], random: &mut Random) {
    let from = place(other, random);
    if bytes.len() + from.len() <= LONGEST {
        bytes.splice(at, other[from].iter().copied());
    }
}

fn repeat(bytes: &mut Vec<u8>, at: Range<usize>, random: &mut Random) {
    let times = *random.pick(&[1, 2, 10, 1000, 30_000]);
    if bytes.len() + times * at.len() <= LONGEST {
        let piece = bytes[at.clone()].repeat(times);
        bytes.splice(at.start..at.start, piece);
    }
}

/// A number of the text becomes an extreme one.
fn replace_number(bytes: &mut Vec<u8>, random: &mut Random) {
    let part = |byte: &u8| byte.is_ascii_digit() || b"+-.eE".contains(byte);
    let from = random.below(bytes.len());
    let Some(next) = bytes[from..].iter().position(u8::is_ascii_digit) else { return };
    let start = from + next;
    let end = start + bytes[start..].iter().take_while(|byte| part(byte)).count();
    bytes.splice(start..end, random.pick(&NUMBERS).bytes());
}

/// One, two, four or eight bytes become an extreme number of that size, in either order of bytes.
fn replace_word(bytes: &mut [u8], at: usize, random: &mut Random) {
    let size = *random.pick(&[1, 2, 4, 8]);
    let floats = [f64::NAN, f64::INFINITY, 1e308, -1.0, f64::MIN_POSITIVE / 4.0];
    let word: Vec<u8> = match random.below(8) {
        0 => vec![0xff; size],
        1 => vec![0; size],
        2 => [&vec![0xff; size - 1][..], &[0x7f]].concat(),
        3 => [&vec![0; size - 1][..], &[0x80]].concat(),
        4 => [&[1][..], &vec![0; size - 1]].concat(),
        5 => random.pick(&floats).to_le_bytes().to_vec(),
        6 => (*random.pick(&floats) as f32).to_le_bytes().to_vec(),
        _ => random.pick(&[1_u32 << 20, 1 << 24, 1 << 28]).to_le_bytes().to_vec(),
    };
    let turned = random.below(4) == 0;
    let word: Vec<u8> = if turned { word.into_iter().rev().collect() } else { word };
    bytes[at..].iter_mut().zip(word).for_each(|(byte, new)| *byte = new);
}

/// Things within things.
fn nest(bytes: &mut Vec<u8>, at: usize, random: &mut Random) {
    let opening = random.pick(&OPENINGS);
    let times = *random.pick(&[1, 40, 200, 1000, 100_000]);
    bytes.splice(at..at, opening.repeat(times).into_bytes());
}

fn swap_lines(bytes: &mut Vec<u8>, random: &mut Random) {
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|&byte| byte == b'\n').collect();
    if !lines.is_empty() {
        let (i, j) = (random.below(lines.len()), random.below(lines.len()));
        lines.swap(i, j);
        *bytes = lines.concat();
    }
}
