//! NumPy files: `.npy` arrays (format version 1.0) stored, not compressed, in a zip archive, which is what NumPy
//! calls `.npz`.
//!
//! The archive carries no dates, so equal recordings are equal files.
//!
//! # References
//! NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays" (R. Kern, 2007).

use crate::sim::fingerprint::Hash;
use std::io::{Read, Seek, Write};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

/// Magic, version, and length field of a version 1.0 header.
const PREFIX: usize = 10;

/// The header's total length is a multiple of this, so that the data can be mapped into memory.
const ALIGNMENT: usize = 64;

/// Zip entries from this size on need 64-bit length fields; headers and alignment stay well below the margin.
const LARGE: u64 = u32::MAX as u64 - (1 << 20);

/// Numbers that an array may hold, in little-endian bytes.
pub(crate) trait Element: Copy {
    /// NumPy's type code.
    const DESCR: &'static str;
    /// Bytes of one element.
    const SIZE: usize;
    /// Appends the bytes of one element.
    fn push(self, bytes: &mut Vec<u8>);
    /// Takes an element from its [`Element::SIZE`] bytes.
    fn take(bytes: &[u8]) -> Self;
}

macro_rules! element {
    ($t:ty, $descr:literal) => {
        impl Element for $t {
            const DESCR: &'static str = $descr;
            const SIZE: usize = size_of::<$t>();
            fn push(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
            fn take(bytes: &[u8]) -> Self {
                let mut element = [0; size_of::<$t>()];
                element.copy_from_slice(bytes);
                Self::from_le_bytes(element)
            }
        }
    };
}

element!(f64, "<f8");
element!(i64, "<i8");
element!(i32, "<i4");

/// A `.npz` archive that is being written.
pub(crate) struct NpzWriter<W: Write + Seek> {
    zip: ZipWriter<W>,
    /// Bytes of the block that is converted at a time.
    buffer: Vec<u8>,
    /// Of the array that is being written.
    hash: Hash,
    /// Of those before it.
    sum: u64,
}

impl<W: Write + Seek> NpzWriter<W> {
    pub(crate) fn new(file: W) -> Self {
        Self { zip: ZipWriter::new(file), buffer: Vec::new(), hash: Hash::EMPTY, sum: 0 }
    }

    /// Adds an array in C order. `data` has as many elements as `shape` says.
    pub(crate) fn array<T: Element>(
        &mut self,
        name: &str,
        shape: &[usize],
        data: &[T],
    ) -> std::io::Result<()> {
        let expected: usize = shape.iter().product();
        if expected != data.len() {
            let message = format!("array {name} of shape {shape:?} has {} elements", data.len());
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, message));
        }
        self.open(name, T::DESCR, shape, data.len() * T::SIZE)?;
        for block in data.chunks(8192) {
            self.buffer.clear();
            block.iter().for_each(|x| x.push(&mut self.buffer));
            self.write_buffer()?;
        }
        self.sum = self.sum.wrapping_add(self.hash.value());
        Ok(())
    }

    /// Adds a one-dimensional array of strings: fixed-width UTF-32, padded with zeros.
    pub(crate) fn strings<S: AsRef<str>>(&mut self, name: &str, texts: &[S]) -> std::io::Result<()> {
        let width = texts.iter().map(|t| t.as_ref().chars().count()).max().unwrap_or(0).max(1);
        self.open(name, &format!("<U{width}"), &[texts.len()], 4 * width * texts.len())?;
        for text in texts {
            self.buffer.clear();
            for c in text.as_ref().chars() {
                self.buffer.extend_from_slice(&u32::from(c).to_le_bytes());
            }
            self.buffer.resize(4 * width, 0);
            self.write_buffer()?;
        }
        self.sum = self.sum.wrapping_add(self.hash.value());
        Ok(())
    }

    /// Adds an array with the checksum of all before it, whatever their order.
    pub(crate) fn checksum(&mut self, name: &str) -> std::io::Result<()> {
        self.array(name, &[], &[self.sum.cast_signed()])
    }

    fn write_buffer(&mut self) -> std::io::Result<()> {
        self.hash.add(&self.buffer);
        self.zip.write_all(&self.buffer)
    }

    /// Closes the archive and gives the file back.
    pub(crate) fn finish(self) -> std::io::Result<W> {
        self.zip.finish().map_err(std::io::Error::from)
    }

    fn open(&mut self, name: &str, descr: &str, shape: &[usize], bytes: usize) -> std::io::Result<()> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Stored)
            .large_file(bytes as u64 >= LARGE);
        self.hash = begun(name, descr, shape);
        self.zip.start_file(format!("{name}.npy"), options)?;
        self.zip.write_all(&header(descr, shape))
    }
}

/// The hash of an array without elements.
fn begun(name: &str, descr: &str, shape: &[usize]) -> Hash {
    let mut hash = Hash::EMPTY;
    hash.add(format!("{name} {descr} {shape:?} ").as_bytes());
    hash
}

/// Why an archive or an array in it cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum NpzError {
    /// Not a zip archive, or a damaged one.
    #[error("not a NumPy archive: {0}")]
    Archive(#[from] zip::result::ZipError),
    /// An array is not in the archive.
    #[error("the array '{0}' is missing")]
    Missing(String),
    /// An array is damaged or not what is needed.
    #[error("array '{array}' {problem}")]
    Array {
        /// Its name.
        array: String,
        /// What is wrong with it.
        problem: String,
    },
}

/// A `.npz` archive that is being read. Its arrays must be stored without compression, as [`NpzWriter`] and
/// `numpy.savez` do.
pub(crate) struct NpzReader<R: Read + Seek> {
    zip: ZipArchive<R>,
    /// Hashes of the arrays that have been read, added up.
    sum: u64,
}

impl<R: Read + Seek> NpzReader<R> {
    pub(crate) fn new(file: R) -> Result<Self, NpzError> {
        Ok(Self { zip: ZipArchive::new(file)?, sum: 0 })
    }

    /// A single number.
    pub(crate) fn scalar<T: Element>(&mut self, name: &str) -> Result<T, NpzError> {
        Ok(self.array(name, &[])?[0])
    }

    /// A one-dimensional array of any length.
    pub(crate) fn vector<T: Element>(&mut self, name: &str) -> Result<Vec<T>, NpzError> {
        let raw = self.raw(name)?;
        let length = raw.shape.first().copied().unwrap_or(0);
        raw.elements(name, &[length])
    }

    /// An array of a known shape, in C order.
    pub(crate) fn array<T: Element>(&mut self, name: &str, shape: &[usize]) -> Result<Vec<T>, NpzError> {
        self.raw(name)?.elements(name, shape)
    }

    /// A one-dimensional array of strings.
    pub(crate) fn strings(&mut self, name: &str) -> Result<Vec<String>, NpzError> {
        self.raw(name)?.strings(name)
    }

    /// The only string of an array.
    pub(crate) fn text(&mut self, name: &str) -> Result<String, NpzError> {
        let mut texts = self.strings(name)?;
        match texts.len() {
            1 => Ok(texts.remove(0)),
            n => Err(wrong(name, format!("has {n} texts and not one"))),
        }
    }

    fn raw(&mut self, name: &str) -> Result<RawArray, NpzError> {
        let mut file = match self.zip.by_name(&format!("{name}.npy")) {
            Err(zip::result::ZipError::FileNotFound) => return Err(NpzError::Missing(name.into())),
            other => other.map_err(|error| wrong(name, format!("cannot be read: {error}")))?,
        };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(|error| wrong(name, format!("cannot be read: {error}")))?;
        let array = RawArray::parse(bytes)
            .ok_or_else(|| wrong(name, "has a header that NumPy's version 1.0 does not know".into()))?;
        let mut hash = begun(name, &array.descr, &array.shape);
        hash.add(&array.bytes[array.start..]);
        self.sum = self.sum.wrapping_add(hash.value());
        Ok(array)
    }

    /// Compares what has been read with the checksum that [`NpzWriter::checksum`] wrote.
    pub(crate) fn check_sum(&mut self, name: &str) -> Result<(), NpzError> {
        let found = self.sum.cast_signed();
        match self.scalar::<i64>(name)? {
            stored if stored == found => Ok(()),
            _ => Err(wrong(
                name,
                "is not that of the other arrays, which are not those that were recorded".into(),
            )),
        }
    }
}

/// Header and bytes of an array.
struct RawArray {
    descr: String,
    shape: Vec<usize>,
    bytes: Vec<u8>,
    /// Where the elements begin.
    start: usize,
}

impl RawArray {
    /// Takes the header apart; `None` if it is not one of version 1.0 in C order.
    fn parse(bytes: Vec<u8>) -> Option<Self> {
        let length = match bytes.get(..PREFIX)? {
            [0x93, b'N', b'U', b'M', b'P', b'Y', 1, 0, low, high] => u16::from_le_bytes([*low, *high]),
            _ => return None,
        };
        let start = PREFIX + usize::from(length);
        let header = std::str::from_utf8(bytes.get(PREFIX..start)?).ok()?;
        let after = |key: &str| header.split_once(key).map(|(_, rest)| rest.trim_start());
        if !after("'fortran_order':")?.starts_with("False") {
            return None;
        }
        let descr = after("'descr':")?.strip_prefix('\'')?.split_once('\'')?.0.to_string();
        let sizes = after("'shape':")?.strip_prefix('(')?.split_once(')')?.0;
        let sizes = sizes.split(',').map(str::trim).filter(|size| !size.is_empty());
        let shape = sizes.map(|size| size.parse().ok()).collect::<Option<Vec<usize>>>()?;
        Some(Self { descr, shape, start, bytes })
    }

    fn elements<T: Element>(&self, name: &str, shape: &[usize]) -> Result<Vec<T>, NpzError> {
        if self.descr != T::DESCR {
            return Err(wrong(name, format!("has elements of type '{}' and not '{}'", self.descr, T::DESCR)));
        }
        if self.shape != shape {
            return Err(wrong(name, format!("has the shape {:?} and not {shape:?}", self.shape)));
        }
        Ok(self.chunks(name, T::SIZE)?.map(T::take).collect())
    }

    fn strings(&self, name: &str) -> Result<Vec<String>, NpzError> {
        let width = self.descr.strip_prefix("<U").and_then(|width| width.parse::<usize>().ok());
        let (Some(width), 1) = (width.filter(|&w| w > 0), self.shape.len()) else {
            return Err(wrong(name, format!("is '{}' {:?} and not a list of texts", self.descr, self.shape)));
        };
        let size = width.checked_mul(4).ok_or_else(|| wrong(name, "is too wide".into()))?;
        let text = |bytes: &[u8]| {
            let codes = bytes.chunks_exact(4).map(|c| i32::take(c) as u32).take_while(|&c| c != 0);
            codes.map(|c| char::from_u32(c).unwrap_or(char::REPLACEMENT_CHARACTER)).collect()
        };
        Ok(self.chunks(name, size)?.map(text).collect())
    }

    /// The elements' bytes, as many as the shape says.
    fn chunks(&self, name: &str, size: usize) -> Result<std::slice::ChunksExact<'_, u8>, NpzError> {
        let data = &self.bytes[self.start..];
        let expected = self.shape.iter().try_fold(size, |product, &n| product.checked_mul(n));
        match expected {
            Some(expected) if expected == data.len() => Ok(data.chunks_exact(size)),
            _ => Err(wrong(name, format!("has {} bytes for the shape {:?}", data.len(), self.shape))),
        }
    }
}

fn wrong(array: &str, problem: String) -> NpzError {
    NpzError::Array { array: array.into(), problem }
}

/// The header of a version 1.0 array in C order.
fn header(descr: &str, shape: &[usize]) -> Vec<u8> {
    // A tuple of one needs its comma.
    let sizes: Vec<String> = shape.iter().map(usize::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", sizes.join(", "));
    let dictionary = format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': {shape}, }}");
    let total = (PREFIX + dictionary.len() + 1).next_multiple_of(ALIGNMENT);
    let length = (total - PREFIX) as u16;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&length.to_le_bytes());
    bytes.extend_from_slice(dictionary.as_bytes());
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    bytes
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use std::io::{Cursor, Read};

    /// Descriptor, shape text and data of one array of an archive, parsed by the rules of the format.
    pub(crate) fn read_array(archive: &[u8], name: &str) -> (String, String, Vec<u8>) {
        let mut zip = zip::ZipArchive::new(Cursor::new(archive)).unwrap();
        let mut file = zip.by_name(&format!("{name}.npy")).unwrap();
        assert_eq!(file.compression(), CompressionMethod::Stored);
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        assert_eq!(&bytes[..8], b"\x93NUMPY\x01\x00");
        let length = usize::from(u16::from_le_bytes([bytes[8], bytes[9]]));
        assert_eq!((PREFIX + length) % ALIGNMENT, 0);
        let header = std::str::from_utf8(&bytes[PREFIX..PREFIX + length]).unwrap();
        assert!(header.ends_with('\n'));
        let field = |start: &str, end: &str| {
            let from = header.find(start).unwrap() + start.len();
            header[from..from + header[from..].find(end).unwrap()].to_string()
        };
        (field("'descr': '", "'"), field("'shape': (", ")"), bytes[PREFIX + length..].to_vec())
    }

    pub(crate) fn doubles(bytes: &[u8]) -> Vec<f64> {
        bytes.chunks(8).map(|b| f64::from_le_bytes(b.try_into().unwrap())).collect()
    }

    #[test]
    fn arrays_of_numbers_and_texts_are_read_back_as_they_were_written() {
        let mut npz = NpzWriter::new(Cursor::new(Vec::new()));
        npz.array("matrix", &[2, 3], &[1.0, -0.0, f64::NAN, 1e300, 5e-324, 6.0]).unwrap();
        npz.array("scalar", &[], &[7_i64]).unwrap();
        npz.array::<i32>("empty", &[0, 3], &[]).unwrap();
        npz.strings("names", &["a", "größe", ""]).unwrap();
        npz.strings::<&str>("none", &[]).unwrap();
        let archive = npz.finish().unwrap().into_inner();

        let (descr, shape, data) = read_array(&archive, "matrix");
        assert_eq!((descr.as_str(), shape.as_str()), ("<f8", "2, 3"));
        let numbers = doubles(&data);
        assert_eq!(numbers[0], 1.0);
        assert!(numbers[1] == 0.0 && numbers[1].is_sign_negative() && numbers[2].is_nan());
        assert_eq!(numbers[3..], [1e300, 5e-324, 6.0]);
        assert_eq!(
            read_array(&archive, "scalar"),
            ("<i8".into(), String::new(), 7_i64.to_le_bytes().to_vec())
        );
        assert_eq!(read_array(&archive, "empty"), ("<i4".into(), "0, 3".into(), vec![]));
        let (descr, shape, data) = read_array(&archive, "names");
        assert_eq!((descr.as_str(), shape.as_str(), data.len()), ("<U5", "3,", 60));
        let second: String = data[20..40]
            .chunks(4)
            .map(|c| char::from_u32(u32::from_le_bytes(c.try_into().unwrap())).unwrap())
            .collect();
        assert_eq!(second, "größe");
        assert_eq!(read_array(&archive, "none"), ("<U1".into(), "0,".into(), vec![]));
    }

    #[test]
    fn a_shape_that_does_not_fit_its_data_is_refused() {
        let mut npz = NpzWriter::new(Cursor::new(Vec::new()));
        let error = npz.array("x", &[2, 2], &[1.0]).unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    }

    #[test]
    fn equal_contents_make_equal_files() {
        let write = || {
            let mut npz = NpzWriter::new(Cursor::new(Vec::new()));
            npz.array("x", &[3], &[1.0, 2.0, 3.0]).unwrap();
            npz.finish().unwrap().into_inner()
        };
        assert_eq!(write(), write());
    }
}
