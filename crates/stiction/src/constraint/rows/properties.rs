//! What is said of the block that was pushed last, besides its Jacobian.

use super::Rows;

impl Rows {
    /// Gives the last block, a contact, a coefficient of restitution.
    pub(crate) fn rebound(&mut self, restitution: f64) {
        if let Some(block) = self.blocks.last_mut() {
            block.restitution = restitution;
        }
    }

    /// Says whether the last block's rows are rates of angles; else they are speeds.
    pub(crate) fn set_angular(&mut self, angular: bool) {
        self.set_each_angular(std::iter::repeat_n(angular, 6));
    }

    /// Says so of each row.
    pub(crate) fn set_each_angular(&mut self, angular: impl Iterator<Item = bool>) {
        if let Some(block) = self.blocks.last_mut() {
            block.angular = angular.enumerate().fold(0, |bits, (r, angular)| bits | u8::from(angular) << r);
        }
    }

    /// Says that the last block's three rows hold a point and nothing else.
    pub(crate) fn hold_point(&mut self) {
        if let Some(block) = self.blocks.last_mut() {
            block.at_point = true;
        }
    }

    /// Lets the last block's bilateral rows give way (Tikhonov regularisation): where rows contradict each other the
    /// answer is near that of least squares.
    pub(crate) fn soften(&mut self, softness: f64) {
        if let Some(block) = self.blocks.last_mut() {
            block.softness = softness;
        }
    }

    /// Gives the last block's rows a compliance: `J v + target + compliance lambda` is what is zero, or has a sign at a bound. Such rows
    /// stand for springs, dampers, drives and rotors; their works come from the forces themselves ([`super::passage`]).
    pub(crate) fn comply(&mut self, compliance: f64) {
        if let Some(block) = self.blocks.last_mut() {
            block.compliance = compliance;
        }
    }

    /// Says around which impulse the bounds of the last block, one of friction, lie.
    pub(crate) fn center(&mut self, center: f64) {
        if let Some(block) = self.blocks.last_mut() {
            block.center = center;
        }
    }
}
