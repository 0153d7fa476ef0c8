//! Rigid multibody dynamics with contact and dry friction.
