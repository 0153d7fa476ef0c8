//! The hash SHA-256, by which a policy names the script that may run.
//!
//! # References
//! NIST, *Secure Hash Standard*, FIPS 180-4 (2015), sections 4.1.2, 5 and 6.2.

/// Bytes of a block.
const BLOCK: usize = 64;

/// The hash of a text of any length.
pub(super) fn sha256(text: &[u8]) -> [u8; 32] {
    let (constants, mut state) = constants();
    let blocks = text.chunks_exact(BLOCK);
    // A one bit, zeros, and the length in bits fill the last block, or the last two.
    let mut rest = blocks.remainder().to_vec();
    rest.push(0x80);
    while rest.len() % BLOCK != BLOCK - 8 {
        rest.push(0);
    }
    rest.extend_from_slice(&(8 * text.len() as u64).to_be_bytes());
    blocks.chain(rest.chunks_exact(BLOCK)).for_each(|block| absorb(&mut state, block, &constants));
    let mut hash = [0; 32];
    hash.chunks_exact_mut(4).zip(state).for_each(|(bytes, word)| bytes.copy_from_slice(&word.to_be_bytes()));
    hash
}

/// The first 32 bits after the point of the cube roots of the first 64 primes, and of the square roots of the first 8.
fn constants() -> ([u32; 64], [u32; 8]) {
    let is_prime = |n: &u64| (2..*n).take_while(|d| d * d <= *n).all(|d| !n.is_multiple_of(d));
    let mut primes = (2_u64..).filter(is_prime);
    let primes: [u64; 64] = std::array::from_fn(|_| primes.next().unwrap_or_default());
    let cubes = primes.map(|p| root(u128::from(p) << 96, 3));
    let squares = primes.map(|p| root(u128::from(p) << 64, 2));
    (cubes, std::array::from_fn(|i| squares[i]))
}

/// The lowest 32 bits of the largest number whose power does not exceed `x`.
fn root(x: u128, power: u32) -> u32 {
    // The roots of the first 64 primes are below 2^5.
    let above = |r: u128| r.checked_pow(power).is_none_or(|value| value > x);
    let root = (0..37).rev().fold(0, |r: u128, bit| if above(r | 1 << bit) { r } else { r | 1 << bit });
    root as u32
}

fn absorb(state: &mut [u32; 8], block: &[u8], constants: &[u32; 64]) {
    let mut schedule = [0_u32; 64];
    for (word, bytes) in schedule.iter_mut().zip(block.chunks_exact(4)) {
        *word = bytes.iter().fold(0, |word, &byte| word << 8 | u32::from(byte));
    }
    for t in 16..64 {
        let [x, y] = [schedule[t - 15], schedule[t - 2]];
        let s0 = x.rotate_right(7) ^ x.rotate_right(18) ^ x >> 3;
        let s1 = y.rotate_right(17) ^ y.rotate_right(19) ^ y >> 10;
        schedule[t] = schedule[t - 16].wrapping_add(s0).wrapping_add(schedule[t - 7]).wrapping_add(s1);
    }
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (word, constant) in schedule.into_iter().zip(constants) {
        let s1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
        let choice = e & f ^ !e & g;
        let t1 = h.wrapping_add(s1).wrapping_add(choice).wrapping_add(*constant).wrapping_add(word);
        let s0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
        let majority = a & b ^ a & c ^ b & c;
        (h, g, f, e) = (g, f, e, d.wrapping_add(t1));
        (d, c, b, a) = (c, b, a, t1.wrapping_add(s0).wrapping_add(majority));
    }
    for (word, added) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = word.wrapping_add(added);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hex(text: &[u8]) -> String {
        sha256(text).iter().map(|byte| format!("{byte:02x}")).collect()
    }

    #[test]
    fn the_examples_of_the_standard_have_its_hashes() {
        assert_eq!(hex(b"abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(hex(b""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        assert_eq!(
            hex(b"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        );
        assert_eq!(
            hex(&b"a".repeat(1_000_000)),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        );
    }
}
