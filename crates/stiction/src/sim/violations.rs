//! What the present configuration violates, before a step removes it.

use crate::report::Violation;
use crate::sim::{SimError, Simulation};

impl Simulation {
    /// What the present configuration violates by more than
    /// [`Settings::overlap_tolerance`](crate::sim::Settings::overlap_tolerance): pairs of geoms that overlap, in the order of their names,
    /// then limits that are crossed and equalities that are open. A step begins with the removal of all of it.
    ///
    /// ```
    /// use stiction::{scene::mjcf, sim::Simulation};
    /// let scene = r#"<mujoco><worldbody><geom name="floor" type="plane" size="1 1 1"/>
    ///     <body pos="0 0 0.08"><freejoint/><geom name="ball" type="sphere" size="0.1"/></body></worldbody></mujoco>"#;
    /// let found = Simulation::from_scene(mjcf::parse(scene, "sunk.xml")?)?.violations()?;
    /// assert_eq!((found.len(), found[0].what.as_str()), (1, "geoms 'ball' and 'floor'"));
    /// assert!((found[0].length - 0.02).abs() < 1e-15);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A state that is not of the model's size, or not finite.
    pub fn violations(&mut self) -> Result<Vec<Violation>, SimError> {
        self.check_shape()?;
        self.check_state()?;
        self.closures.loops.recall(&self.state.loop_q);
        let (mut system, ..) = self.parts();
        system.locate();
        let tolerance = system.settings.overlap_tolerance;
        let mut found: Vec<Violation> = Vec::new();
        system.constraints.for_each_violation(&system.present(), tolerance, |what, error| {
            // The contacts of a pair follow each other.
            match found.last_mut().filter(|last| last.what == what) {
                Some(pair) => pair.length = pair.length.max(error.length),
                None => found.push(Violation::new(what, error.length, error.angle)),
            }
        });
        Ok(found)
    }
}
