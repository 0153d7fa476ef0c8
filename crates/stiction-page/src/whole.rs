//! Whether a text is a page, and the whole of one: a download that broke off, or bytes that changed, would show less than
//! was recorded, or nothing.
//!
//! # References
//! RFC 1950: the Adler-32 checksum at the end of the compressed columns.

use crate::base64::from_base64;
use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, TINFL_LZ_DICT_SIZE, decompress, inflate_flags};
use serde::Deserialize;

/// What a page says about itself.
const GENERATOR: &str = "<meta name=\"generator\" content=\"stiction\"";

/// Where header and columns begin, and where either ends.
const HEADER: &str = "<script type=\"application/json\" id=\"recording-header\">";
const DATA: &str = "<script type=\"application/octet-stream\" id=\"recording-data\">";
const END: &str = "</script>";

/// Why a text is not the whole of a page.
#[derive(Debug, thiserror::Error, PartialEq)]
#[non_exhaustive]
pub enum PageFault {
    /// It is something else.
    #[error("not a page that `stiction run SCENE --out FILE.html` wrote")]
    Other,
    /// Something is missing.
    #[error("not the whole of a page: {0} is missing")]
    Cut(&'static str),
    /// Something else stands in its place.
    #[error("a damaged page: {0}")]
    Damaged(String),
}

/// What the columns are to be.
#[derive(Deserialize)]
struct Announced {
    columns: Vec<AnnouncedColumn>,
}

#[derive(Deserialize)]
struct AnnouncedColumn {
    length: u64,
    planes: u64,
}

/// Whether a text says that it is a page that [`page`](crate::page()) made.
pub fn is_page(text: &str) -> bool {
    text.contains(GENERATOR)
}

/// Checks that a text is a page with all of a recording. It takes little memory, whatever the text announces.
///
/// # Errors
/// [`PageFault`].
pub fn check_page(text: &str) -> Result<(), PageFault> {
    if !is_page(text) {
        return Err(PageFault::Other);
    }
    let header = element(text, HEADER).ok_or(PageFault::Cut("the header of the recording"))?;
    let data = element(text, DATA).ok_or(PageFault::Cut("an end of the recording"))?;
    if !text.trim_end().ends_with("</html>") {
        return Err(PageFault::Cut("the end"));
    }
    let damaged = |message: String| PageFault::Damaged(message);
    let announced: Announced = serde_json::from_str(header).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        damaged(format!("the header of the recording is wrong at its line {line}, column {column}"))
    })?;
    let mut sizes = announced.columns.iter().map(|column| column.length.checked_mul(column.planes));
    let expected = sizes.try_fold(0_u64, |sum, size| sum.checked_add(size?));
    let compressed = from_base64(data.as_bytes())
        .ok_or_else(|| damaged("the recording is not written in base 64".to_string()))?;
    match inflated_length(&compressed, expected.unwrap_or(u64::MAX)) {
        Some(length) if Some(length) == expected => Ok(()),
        Some(length) => Err(damaged(format!("the recording has {length} bytes and not those announced"))),
        None => Err(damaged("the recording is not what was written, by its length or checksum".to_string())),
    }
}

/// The content of an element.
fn element<'a>(text: &'a str, start: &str) -> Option<&'a str> {
    Some(text.split_once(start)?.1.split_once(END)?.0)
}

/// How many bytes a zlib stream holds. `None` if it is damaged, or holds more than `most`.
fn inflated_length(bytes: &[u8], most: u64) -> Option<u64> {
    let mut inflater = Box::<DecompressorOxide>::default();
    let flags = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER | inflate_flags::TINFL_FLAG_COMPUTE_ADLER32;
    let mut window = vec![0; TINFL_LZ_DICT_SIZE];
    let (mut read, mut length) = (0, 0);
    loop {
        let at = (length % window.len() as u64) as usize;
        let (status, taken, made) = decompress(&mut inflater, &bytes[read..], &mut window, at, flags);
        read += taken;
        length += made as u64;
        match status {
            TINFLStatus::Done if read == bytes.len() => return Some(length),
            TINFLStatus::HasMoreOutput if length <= most => {}
            _ => return None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base64::base64;
    use miniz_oxide::deflate::compress_to_vec_zlib;

    fn page(columns: &str, data: &[u8]) -> String {
        let data = base64(&compress_to_vec_zlib(data, 6));
        format!("<html>{GENERATOR}>{HEADER}{{\"columns\":[{columns}]}}{END}{DATA}{data}{END}</html>\n")
    }

    #[test]
    fn a_page_is_whole_only_with_all_of_its_text() {
        // More than a window.
        let bytes: Vec<u8> = (0..100_000_u32).map(|i| (i.wrapping_mul(i) >> 9) as u8).collect();
        let columns = "{\"length\":49999,\"planes\":2,\"name\":\"a\"},{\"length\":2,\"planes\":1}";
        let whole = page(columns, &bytes);
        assert_eq!(check_page(&whole), Ok(()));
        for end in (0..whole.len() - 8).step_by(97).chain(whole.len() - 40..whole.len() - 8) {
            assert!(check_page(&whole[..end]).is_err(), "the first {end} bytes pass");
        }
        for (i, c) in whole.char_indices().filter(|(i, _)| *i > whole.find(DATA).unwrap()).step_by(61) {
            let mut other = whole.clone().into_bytes();
            other[i] = if c == 'A' { b'B' } else { b'A' };
            assert!(check_page(std::str::from_utf8(&other).unwrap()).is_err(), "byte {i} is not missed");
        }
    }

    #[test]
    fn columns_that_announce_other_sizes_are_refused_without_being_made() {
        let huge = format!("{{\"length\":{0},\"planes\":{0}}}", u64::MAX);
        for columns in ["", "{\"length\":7,\"planes\":1}", "{\"length\":1e3,\"planes\":1}", &huge] {
            let fault = check_page(&page(columns, b"12345678")).unwrap_err();
            assert!(matches!(fault, PageFault::Damaged(_)), "{columns}: {fault}");
        }
        let bomb = page("{\"length\":1000,\"planes\":1}", &vec![0; 64 << 20]);
        assert!(bomb.len() < 200_000);
        assert!(matches!(check_page(&bomb), Err(PageFault::Damaged(_))));
        assert_eq!(check_page("<p>something else</p>"), Err(PageFault::Other));
    }
}
