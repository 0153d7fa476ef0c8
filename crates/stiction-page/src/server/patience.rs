//! Reading and writing that end by a given time, however the other side behaves.
//!
//! A limit on each read alone would let a client that sends a byte now and then hold its thread for ever.

use std::io::{Error, ErrorKind, Read, Result, Write};
use std::net::{Shutdown, TcpStream};
use std::time::{Duration, Instant};

/// Bytes that are read at a time.
const BLOCK: usize = 4096;

/// Bytes of a request after its head that are read before its connection is closed.
const REMAINDER: usize = 1 << 20;

/// Why there is no head of a request.
#[derive(Debug)]
pub(super) enum HeadError {
    /// It was not there by its time.
    TooSlow {
        /// Whether a part of it was.
        begun: bool,
    },
    /// It has more bytes than it may have.
    TooLong,
    /// The other side is.
    Gone,
}

/// A request line and headers, to the empty line after them.
pub(super) fn read_head(
    mut stream: &TcpStream,
    by: Instant,
    longest: usize,
) -> std::result::Result<Vec<u8>, HeadError> {
    let mut head = Vec::new();
    let mut block = [0; BLOCK];
    loop {
        let begun = !head.is_empty();
        let left = remaining(by).ok_or(HeadError::TooSlow { begun })?;
        stream.set_read_timeout(Some(left)).map_err(|_| HeadError::Gone)?;
        match stream.read(&mut block) {
            Ok(0) => return Err(HeadError::Gone),
            Ok(n) => {
                // The end may have begun in what was read before.
                let before = head.len().saturating_sub(3);
                head.extend_from_slice(&block[..n]);
                if let Some(end) = end_of_head(&head[before..]) {
                    head.truncate(before + end);
                    return if head.len() > longest { Err(HeadError::TooLong) } else { Ok(head) };
                }
                if head.len() > longest {
                    return Err(HeadError::TooLong);
                }
            }
            Err(error) if waits(&error) => {}
            Err(_) => return Err(HeadError::Gone),
        }
    }
}

/// Where the first empty line begins. A line may end without a carriage return (RFC 9112, 2.2).
fn end_of_head(bytes: &[u8]) -> Option<usize> {
    let newlines = (0..bytes.len()).filter(|&i| bytes[i] == b'\n');
    let empty = |rest: &[u8]| rest.starts_with(b"\n") || rest.starts_with(b"\r\n");
    newlines.map(|i| i + 1).find(|&i| empty(&bytes[i..]))
}

/// Writes all of it, each part within `stall`.
///
/// # Errors
/// The other side is gone, or takes too long.
pub(super) fn write(mut stream: &TcpStream, mut bytes: &[u8], by: Instant, stall: Duration) -> Result<()> {
    while !bytes.is_empty() {
        let left = remaining(by).ok_or(ErrorKind::TimedOut)?;
        stream.set_write_timeout(Some(left.min(stall)))?;
        match stream.write(bytes) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(n) => bytes = &bytes[n..],
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// Closes a connection so that what was written arrives: to close it with bytes unread would take the answer back (RFC 9112,
/// 9.6).
pub(super) fn close(mut stream: &TcpStream, by: Instant) -> Result<()> {
    stream.shutdown(Shutdown::Write)?;
    let (mut block, mut read) = ([0; BLOCK], 0);
    while let (Some(left), true) = (remaining(by), read < REMAINDER) {
        stream.set_read_timeout(Some(left))?;
        match stream.read(&mut block) {
            Ok(0) => break,
            Ok(n) => read += n,
            Err(error) if waits(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// The time until then, if there is any.
fn remaining(by: Instant) -> Option<Duration> {
    by.checked_duration_since(Instant::now()).filter(|left| !left.is_zero())
}

/// Whether an error says only that there is nothing yet.
fn waits(error: &Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_at_its_first_empty_line_however_lines_end() {
        for (bytes, end) in [
            ("a\r\n\r\nb", Some(3)),
            ("a\n\nb\r\n\r\n", Some(2)),
            ("a\n\r\n", Some(2)),
            ("a\r\nb\r\n", None),
            ("\n", None),
            ("a\r\r\n", None),
            ("", None),
        ] {
            assert_eq!(end_of_head(bytes.as_bytes()), end, "{bytes:?}");
        }
    }
}
