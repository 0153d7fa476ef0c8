//! What tells one model from another, and whole bytes from damaged ones: 64 bits of their content.
//!
//! They tell accidents, not enemies: whoever wants to can make two contents of one hash.
//!
//! # References
//! G. Fowler, L. C. Noll, K.-P. Vo and D. Eastlake, *The FNV Non-Cryptographic Hash Algorithm* (RFC 9923, 2026): FNV-1a. Each of
//! its steps is a bijection of the hash for a given byte, and of the byte for a given hash: contents that differ in one byte
//! never have one hash.

use crate::model::Model;
use postcard::ser_flavors::Flavor;

/// The hash of the bytes given so far.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hash(u64);

impl Hash {
    /// Of no bytes.
    pub(crate) const EMPTY: Hash = Hash(0xcbf2_9ce4_8422_2325);

    /// Takes more bytes.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// The hash.
    pub(crate) fn value(self) -> u64 {
        self.0
    }
}

/// The hash of some bytes (FNV-1a, 64 bits), which tells whole ones from damaged ones.
pub fn checksum(bytes: &[u8]) -> u64 {
    let mut hash = Hash::EMPTY;
    hash.add(bytes);
    hash.value()
}

/// Takes what is serialised instead of keeping it.
impl Flavor for Hash {
    type Output = u64;

    fn try_push(&mut self, byte: u8) -> postcard::Result<()> {
        self.add(&[byte]);
        Ok(())
    }

    fn try_extend(&mut self, bytes: &[u8]) -> postcard::Result<()> {
        self.add(bytes);
        Ok(())
    }

    fn finalize(self) -> postcard::Result<u64> {
        Ok(self.0)
    }
}

impl Model {
    /// Tells this model from others: 64 bits of all it consists of, names too. Equal models have equal fingerprints, on every
    /// machine; another version of this crate may give another one.
    pub fn fingerprint(&self) -> u64 {
        // Nothing in a model can fail to be serialised: it has no maps, and its lists know their length.
        postcard::serialize_with_flavor(self, Hash::EMPTY).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_the_published_one() {
        for (text, expected) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(checksum(text.as_bytes()), expected, "{text}");
        }
    }
}
