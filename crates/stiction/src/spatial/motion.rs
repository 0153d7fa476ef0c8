//! Spatial motions and forces, angular part first (Featherstone, *Rigid Body Dynamics Algorithms*, 2008, ch. 2).
//!
//! Components are in world axes, taken at a point that moves with a link (its origin). Between links only the
//! point changes, so a change of frame costs one cross product and never loses digits far from the world's origin.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};
use std::ops::{Add, AddAssign, Mul, Sub};

/// A velocity or an acceleration: angular (rad/s) and linear (m/s) of the body-fixed point it refers to.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Motion {
    /// Angular part.
    pub angular: Vector3<f64>,
    /// Linear part, of the reference point.
    pub linear: Vector3<f64>,
}

/// A force or an impulse: moment about the reference point (N m) and force (N).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Force {
    /// Moment about the reference point.
    pub angular: Vector3<f64>,
    /// Force.
    pub linear: Vector3<f64>,
}

impl Motion {
    /// No motion.
    #[inline]
    pub fn zero() -> Self {
        Self { angular: Vector3::zeros(), linear: Vector3::zeros() }
    }

    /// From its parts.
    #[inline]
    pub fn new(angular: Vector3<f64>, linear: Vector3<f64>) -> Self {
        Self { angular, linear }
    }

    /// The same motion seen at the point `offset` away (m).
    ///
    /// ```
    /// use nalgebra::Vector3;
    /// use stiction::spatial::Motion;
    ///
    /// let spin = Motion::new(Vector3::z(), Vector3::zeros());
    /// assert_eq!(spin.at(&Vector3::x()).linear, Vector3::y());
    /// ```
    #[inline]
    pub fn at(&self, offset: &Vector3<f64>) -> Self {
        Self { angular: self.angular, linear: self.linear + self.angular.cross(offset) }
    }

    /// Power of a force with the same reference point (W).
    #[inline]
    pub fn dot(&self, force: &Force) -> f64 {
        self.angular.dot(&force.angular) + self.linear.dot(&force.linear)
    }
}

impl Force {
    /// No force.
    #[inline]
    pub fn zero() -> Self {
        Self { angular: Vector3::zeros(), linear: Vector3::zeros() }
    }

    /// From its parts.
    #[inline]
    pub fn new(angular: Vector3<f64>, linear: Vector3<f64>) -> Self {
        Self { angular, linear }
    }

    /// The same force with its moment about a new reference point, from which the old one is `offset` away (m).
    #[inline]
    pub fn about(&self, offset: &Vector3<f64>) -> Self {
        Self { angular: self.angular + offset.cross(&self.linear), linear: self.linear }
    }
}

macro_rules! vector_space {
    ($t:ident) => {
        impl Add for $t {
            type Output = $t;
            #[inline]
            fn add(self, o: $t) -> $t {
                $t { angular: self.angular + o.angular, linear: self.linear + o.linear }
            }
        }
        impl AddAssign for $t {
            #[inline]
            fn add_assign(&mut self, o: $t) {
                self.angular += o.angular;
                self.linear += o.linear;
            }
        }
        impl Sub for $t {
            type Output = $t;
            #[inline]
            fn sub(self, o: $t) -> $t {
                $t { angular: self.angular - o.angular, linear: self.linear - o.linear }
            }
        }
        impl Mul<f64> for $t {
            type Output = $t;
            #[inline]
            fn mul(self, s: f64) -> $t {
                $t { angular: self.angular * s, linear: self.linear * s }
            }
        }
    };
}
vector_space!(Motion);
vector_space!(Force);
