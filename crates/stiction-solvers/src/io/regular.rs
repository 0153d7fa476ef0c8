//! The content of a file, whole or not at all: of a regular file, which ends, as it is at one time.

use std::fs::{File, Metadata};
use std::io::{Error, ErrorKind, Read, Result};
use std::path::Path;

/// The content of a file.
///
/// # Errors
/// Those of the file system; that it is a device, a pipe or a folder, which may never end; that it was written to while it
/// was read, so that what was read is neither the old content nor the new.
pub fn read_file(path: &Path) -> Result<Vec<u8>> {
    let mut file = open_file(path)?;
    let before = file.metadata()?;
    let mut bytes = Vec::new();
    // One byte more than there should be: what grows all the time must not be followed.
    (&mut file).take(before.len().saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != before.len() || changed(&before, &file.metadata()?) {
        return Err(Error::other("it was written to while it was read"));
    }
    Ok(bytes)
}

/// The same for a text.
///
/// # Errors
/// As of [`read_file`], and that it is not UTF-8.
pub fn read_text_file(path: &Path) -> Result<String> {
    let not_text = |error: std::string::FromUtf8Error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count() + 1;
        Error::new(ErrorKind::InvalidData, format!("line {line} is not UTF-8"))
    };
    String::from_utf8(read_file(path)?).map_err(not_text)
}

/// A regular file, to be read.
///
/// # Errors
/// As of [`read_file`], without the last.
pub fn open_file(path: &Path) -> Result<File> {
    // To open a pipe would wait for its writer.
    if !std::fs::metadata(path)?.is_file() {
        return Err(Error::other("it is not a file"));
    }
    File::open(path)
}

fn changed(before: &Metadata, after: &Metadata) -> bool {
    // Not every system knows when.
    let when = |data: &Metadata| data.modified().ok();
    before.len() != after.len() || when(before) != when(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    #[test]
    fn the_content_of_a_file_is_what_was_written_to_it() {
        let path = std::env::temp_dir().join(format!("stiction-regular-{}", std::process::id()));
        for text in ["", "a", &"line\n".repeat(100_000)] {
            std::fs::write(&path, text).unwrap();
            assert_eq!(read_text_file(&path).unwrap(), text);
        }
        std::fs::write(&path, b"a\nb\xff").unwrap();
        assert!(read_text_file(&path).unwrap_err().to_string().contains("line 2"));
        std::fs::remove_file(&path).unwrap();
        assert_eq!(read_file(&path).unwrap_err().kind(), ErrorKind::NotFound);
    }

    #[cfg(unix)]
    #[test]
    fn devices_and_folders_are_not_read() {
        for path in ["/dev/zero", "/dev/null", "/", "/proc/self"] {
            assert!(read_file(Path::new(path)).is_err(), "{path}");
            assert!(open_file(Path::new(path)).is_err(), "{path}");
        }
    }

    #[test]
    fn a_file_that_grows_while_it_is_read_is_refused_and_read_to_an_end() {
        let path = std::env::temp_dir().join(format!("stiction-growing-{}", std::process::id()));
        std::fs::write(&path, "x".repeat(8 << 20)).unwrap();
        let (stop, stopped) = std::sync::mpsc::channel::<()>();
        let (begun, first) = std::sync::mpsc::channel();
        let growing = path.clone();
        let writer = std::thread::spawn(move || {
            let mut file = std::fs::OpenOptions::new().append(true).open(growing).unwrap();
            while stopped.try_recv().is_err() {
                file.write_all(b"yyyyyyyy").unwrap();
                let _ = begun.send(());
            }
        });
        first.recv().unwrap();
        // Mostly refused; where the writer rested meanwhile, all of it is one time's.
        let refused = (0..20).filter(|_| match read_file(&path) {
            Ok(bytes) => {
                assert!(bytes.len() >= 8 << 20);
                false
            }
            Err(error) => {
                assert_eq!(error.to_string(), "it was written to while it was read");
                true
            }
        });
        let refused = refused.count();
        stop.send(()).unwrap();
        writer.join().unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(refused > 0);
    }
}
