//! How large a recording is, before it is written.

use crate::recording::tables::Recording;
use std::io::{Result, Seek, SeekFrom, Write};

impl Recording {
    /// Bytes of the archive of what is recorded so far, which take about as much memory now.
    pub fn size(&self) -> u64 {
        // Counting does not fail.
        self.write(Counter::default()).map_or(0, |counter| counter.end)
    }
}

/// A file of which only the length is kept.
#[derive(Debug, Default)]
struct Counter {
    at: u64,
    end: u64,
}

impl Write for Counter {
    fn write(&mut self, bytes: &[u8]) -> Result<usize> {
        self.at += bytes.len() as u64;
        self.end = self.end.max(self.at);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> Result<()> {
        Ok(())
    }
}

impl Seek for Counter {
    fn seek(&mut self, to: SeekFrom) -> Result<u64> {
        self.at = match to {
            SeekFrom::Start(at) => at,
            SeekFrom::End(by) => self.end.saturating_add_signed(by),
            SeekFrom::Current(by) => self.at.saturating_add_signed(by),
        };
        Ok(self.at)
    }
}
