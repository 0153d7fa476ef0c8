//! Columns of numbers made small: rounded to integers, predicted from their predecessors, split into bytes.
//!
//! 1. A number becomes a 32-bit integer: `grid` rounds to multiples of a step (a power of two, so that multiplying
//!    gives exact multiples back); `float` takes the bits of the nearest single-precision number, in an order that
//!    grows with it, without the lowest `shift` bits (rounded).
//! 2. Within a lane (one coordinate of one body, say) it is replaced by its difference of order 0, 1 or 2: what
//!    moves smoothly is nearly a parabola, and its second differences are small. Sums and differences wrap.
//! 3. The sign goes to the lowest bit (0, -1, 1, -2, ... become 0, 1, 2, 3, ...).
//! 4. All lowest bytes of the column come first, then all second ones, and so on; planes of zeros at the end are left
//!    out. Deflate then finds long runs.
//!
//! `viewer/src/columns.ts` is the inverse.

use serde::Serialize;

/// How numbers become integers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[serde(rename_all = "lowercase", tag = "kind")]
pub(crate) enum Rounding {
    /// Multiples of a step.
    Grid {
        /// A power of two.
        step: f64,
    },
    /// Single precision without its lowest bits.
    Float {
        /// How many bits are dropped.
        shift: u32,
    },
}

impl Rounding {
    /// Single precision as it is: 6e-8.
    pub(crate) const SINGLE: Self = Rounding::Float { shift: 0 };

    /// Eleven significant bits, relative error 4.9e-4: enough for numbers that are only looked at.
    pub(crate) const ROUGH: Self = Rounding::Float { shift: 13 };

    /// Multiples of the power of two at or below `step`.
    pub(crate) fn grid(step: f64) -> Self {
        Rounding::Grid { step: libm::exp2(libm::floor(libm::log2(step))) }
    }

    fn integer(self, x: f64) -> i32 {
        match self {
            // The cast saturates.
            Rounding::Grid { step } => libm::rint(x / step) as i32,
            Rounding::Float { shift } => {
                let single = x as f32;
                let half = if shift == 0 { 0 } else { 1 << (shift - 1) };
                // Rounding up may carry into the exponent, which is the next number, but must not reach infinity.
                let largest = f32::MAX.to_bits() >> shift;
                let magnitude = ((single.abs().to_bits() + half) >> shift).min(largest) as i32;
                if single.is_sign_negative() { -magnitude } else { magnitude }
            }
        }
    }
}

/// What the page must know to read a column.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Column {
    name: String,
    #[serde(flatten)]
    rounding: Rounding,
    /// Order of the differences.
    order: u8,
    /// Numbers.
    length: usize,
    /// Bytes kept of each.
    planes: usize,
    /// Where lanes begin.
    lanes: Lanes,
}

/// Where the prediction starts anew.
#[derive(Clone, Copy, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Lanes {
    /// Never.
    One,
    /// At each multiple of the number of frames.
    Frames,
    /// At each track of a contact.
    Tracks,
}

/// Columns one after the other.
#[derive(Debug, Default)]
pub(crate) struct Columns {
    /// Descriptions.
    pub(crate) table: Vec<Column>,
    /// Byte planes.
    pub(crate) bytes: Vec<u8>,
}

impl Columns {
    /// Adds a column. `lanes` are its parts, each predicted for itself.
    pub(crate) fn add<L: IntoIterator<Item = f64>>(
        &mut self,
        name: &str,
        rounding: Rounding,
        order: u8,
        kind: Lanes,
        lanes: impl IntoIterator<Item = L>,
    ) {
        let mut codes: Vec<u32> = Vec::new();
        for lane in lanes {
            let mut memory = [0_i32; 2];
            codes.extend(lane.into_iter().map(|x| {
                let mut value = rounding.integer(x);
                for previous in &mut memory[..usize::from(order)] {
                    let difference = value.wrapping_sub(*previous);
                    *previous = value;
                    value = difference;
                }
                (value.wrapping_shl(1) ^ (value >> 31)) as u32
            }));
        }
        let all = codes.iter().fold(0, |all, code| all | code);
        let planes = (u32::BITS - all.leading_zeros()).div_ceil(8) as usize;
        for plane in 0..planes {
            self.bytes.extend(codes.iter().map(|code| code.to_le_bytes()[plane]));
        }
        let name = name.to_string();
        self.table.push(Column { name, rounding, order, length: codes.len(), planes, lanes: kind });
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The inverse, written from the description: the numbers of each column, by name.
    pub(crate) fn decode(
        table: &[serde_json::Value],
        bytes: &[u8],
        lengths: impl Fn(&str) -> Vec<usize>,
    ) -> Vec<(String, Vec<f64>)> {
        let mut at = 0;
        let mut columns = Vec::new();
        for column in table {
            let get = |key: &str| column[key].as_u64().unwrap() as usize;
            let (n, planes, order) = (get("length"), get("planes"), get("order"));
            let code =
                |i: usize| (0..planes).map(|p| u32::from(bytes[at + p * n + i]) << (8 * p)).sum::<u32>();
            let lanes = match column["lanes"].as_str().unwrap() {
                "one" => vec![n],
                kind => lengths(kind)
                    .into_iter()
                    .cycle()
                    .scan(0, |sum, l| {
                        (*sum < n).then(|| {
                            *sum += l;
                            l
                        })
                    })
                    .collect(),
            };
            let mut integers: Vec<i32> =
                (0..n).map(|i| (code(i) >> 1) as i32 ^ -((code(i) & 1) as i32)).collect();
            let mut start = 0;
            for length in lanes {
                for _ in 0..order {
                    for i in start + 1..start + length {
                        integers[i] = integers[i].wrapping_add(integers[i - 1]);
                    }
                }
                start += length;
            }
            assert_eq!(start, n, "{column}");
            let number = |&i: &i32| match column["kind"].as_str().unwrap() {
                "grid" => f64::from(i) * column["step"].as_f64().unwrap(),
                _ => f64::from(f32::from_bits(i.unsigned_abs() << get("shift"))) * f64::from(i.signum()),
            };
            columns
                .push((column["name"].as_str().unwrap().to_string(), integers.iter().map(number).collect()));
            at += n * planes;
        }
        assert_eq!(at, bytes.len());
        columns
    }

    fn round_trip(rounding: Rounding, order: u8, lanes: &[Vec<f64>]) -> Vec<f64> {
        let mut columns = Columns::default();
        columns.add("x", rounding, order, Lanes::Tracks, lanes.iter().map(|lane| lane.iter().copied()));
        let table = serde_json::to_value(&columns.table).unwrap();
        let lengths: Vec<usize> = lanes.iter().map(Vec::len).collect();
        decode(table.as_array().unwrap(), &columns.bytes, |_| lengths.clone()).remove(0).1
    }

    #[test]
    fn numbers_come_back_to_within_their_rounding() {
        let lanes: Vec<Vec<f64>> = [1, 5, 40]
            .map(|n| (0..n).map(|i| libm::sin(f64::from(i) * 0.7) * libm::exp(f64::from(i - 20))).collect())
            .into();
        let numbers: Vec<f64> = lanes.concat();
        for order in 0..3 {
            for (x, y) in numbers.iter().zip(round_trip(Rounding::SINGLE, order, &lanes)) {
                assert_eq!(f64::from(*x as f32), y);
            }
            for (x, y) in numbers.iter().zip(round_trip(Rounding::ROUGH, order, &lanes)) {
                assert!((x - y).abs() <= x.abs() * 4.9e-4, "{x} {y}");
            }
            for (x, y) in numbers.iter().zip(round_trip(Rounding::grid(0.3), order, &lanes)) {
                let nearest = (x * 4.0).round_ties_even() / 4.0;
                assert!(y == nearest || x.abs() > 5e8, "{x} {y}");
            }
        }
    }

    #[test]
    fn extremes_survive_and_a_parabola_costs_one_byte_a_number() {
        let extremes =
            vec![0.0, f64::MAX, -f64::MAX, 1e-300, -0.0, f64::from(f32::MAX), f64::from(-f32::MAX)];
        for order in 0..3 {
            let found = round_trip(Rounding::SINGLE, order, std::slice::from_ref(&extremes));
            assert_eq!(found[0], 0.0);
            assert_eq!(found[5..], extremes[5..]);
            let rough = round_trip(Rounding::ROUGH, order, std::slice::from_ref(&extremes));
            assert!(rough.iter().all(|x| x.is_finite()), "{rough:?}");
            let far = round_trip(Rounding::grid(1.0), order, &[vec![2e9, -2e9, 2e9, 1e300]]);
            assert_eq!(far, [2e9, -2e9, 2e9, 2147483647.0]);
        }
        let mut columns = Columns::default();
        let parabola = (0..1000).map(|i| 50.0 - 0.005 * f64::from(i * i));
        columns.add("z", Rounding::grid(1e-3), 2, Lanes::One, [parabola.skip(2)]);
        // The first two numbers are not small.
        assert!(columns.bytes.iter().skip(1000).filter(|&&b| b != 0).count() <= 4);
    }
}
