//! Numbers with a derivative, so that a test writes a function once and has its Jacobian exactly.

use std::ops::{Add, Div, Mul, Neg, Sub};
use stiction_solvers::{Differences, Smooth};

/// `value + slope e` with `e^2 = 0`.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Dual {
    pub(super) value: f64,
    pub(super) slope: f64,
}

impl Dual {
    pub(super) fn powf(self, power: f64) -> Dual {
        let slope = if power == 0.0 { 0.0 } else { power * self.value.powf(power - 1.0) * self.slope };
        Dual { value: self.value.powf(power), slope: if self.slope == 0.0 { 0.0 } else { slope } }
    }
}

impl From<f64> for Dual {
    fn from(value: f64) -> Dual {
        Dual { value, slope: 0.0 }
    }
}

impl<T: Into<Dual>> Add<T> for Dual {
    type Output = Dual;

    fn add(self, other: T) -> Dual {
        let other = other.into();
        Dual { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl<T: Into<Dual>> Sub<T> for Dual {
    type Output = Dual;

    fn sub(self, other: T) -> Dual {
        self + -other.into()
    }
}

impl Neg for Dual {
    type Output = Dual;

    fn neg(self) -> Dual {
        Dual { value: -self.value, slope: -self.slope }
    }
}

impl<T: Into<Dual>> Mul<T> for Dual {
    type Output = Dual;

    fn mul(self, other: T) -> Dual {
        let other = other.into();
        let slope = self.slope * other.value + self.value * other.slope;
        Dual { value: self.value * other.value, slope }
    }
}

impl<T: Into<Dual>> Div<T> for Dual {
    type Output = Dual;

    fn div(self, other: T) -> Dual {
        let other = other.into();
        let value = self.value / other.value;
        Dual { value, slope: (self.slope - value * other.slope) / other.value }
    }
}

/// The sum of numbers.
pub(super) fn sum(numbers: impl Iterator<Item = Dual>) -> Dual {
    numbers.fold(Dual::default(), |sum, number| sum + number)
}

/// Values of numbers.
type Values = dyn Fn(&[Dual]) -> Vec<Dual>;

/// A function of `n` numbers with `n` values.
pub(super) struct Function {
    pub(super) n: usize,
    pub(super) values: Box<Values>,
    /// Bounds, for a function that is known by its values only.
    pub(super) differences: Option<[Vec<f64>; 2]>,
}

impl Function {
    fn at(&self, z: &[f64], direction: Option<usize>) -> Vec<Dual> {
        let slope = |i| f64::from(u8::from(direction == Some(i)));
        let z: Vec<Dual> = z.iter().enumerate().map(|(i, &value)| Dual { value, slope: slope(i) }).collect();
        (self.values)(&z)
    }
}

impl Smooth for Function {
    fn dim(&self) -> usize {
        self.n
    }

    fn value(&self, z: &[f64], f: &mut [f64]) {
        f.iter_mut().zip(self.at(z, None)).for_each(|(f, dual)| *f = dual.value);
    }

    fn jacobian(&self, z: &[f64], jacobian: &mut [f64]) {
        if let Some([lower, upper]) = &self.differences {
            let value = |z: &[f64], f: &mut [f64]| self.value(z, f);
            return Differences::new(lower.clone(), upper.clone(), value).jacobian(z, jacobian);
        }
        for j in 0..self.n {
            for (i, dual) in self.at(z, Some(j)).into_iter().enumerate() {
                jacobian[i * self.n + j] = dual.slope;
            }
        }
    }
}

/// The same function without its Jacobian.
pub(super) fn by_differences(function: Function, lower: &[f64], upper: &[f64]) -> Function {
    Function { differences: Some([lower.to_vec(), upper.to_vec()]), ..function }
}
