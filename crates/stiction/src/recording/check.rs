//! Whether the numbers of a recording agree with each other: indices and pointers stay in range, contacts are sorted, and
//! what is drawn is finite.

use crate::recording::error::ReadProblem;
use crate::recording::row_table::{ROW_LAW_NAMES, SOURCE_KIND_NAMES};
use crate::recording::run::{HEIGHT_FIELD, LAW_NAMES, MESH, MODE_NAMES, SHAPE_NAMES};
use crate::recording::tables::{NO_MARGIN, Recording};

impl Recording {
    /// Refuses a recording that contradicts itself.
    pub(crate) fn check(&self) -> Result<(), ReadProblem> {
        let (bodies, geoms) = (self.run.bodies.names.len(), self.run.geoms.names.len());
        let contacts = &self.contacts;
        indices("geom_body", &self.run.geoms.body, bodies)?;
        indices("geom_type", &self.run.geoms.kind, SHAPE_NAMES.len())?;
        indices("moved_body", &self.moved.body, bodies)?;
        indices("contact_geom1", &contacts.geom1, geoms)?;
        indices("contact_geom2", &contacts.geom2, geoms)?;
        indices("contact_law", &contacts.law, LAW_NAMES.len())?;
        indices("contact_mode", &contacts.mode, MODE_NAMES.len())?;
        self.check_geom_data()?;
        self.check_rows()?;
        self.check_acts()?;
        let ranks = self.run.geoms.ranks();
        let pair = |c: usize| [contacts.geom1[c], contacts.geom2[c]].map(|geom| ranks[geom as usize]);
        if (0..self.steps()).any(|step| !contacts.of_step(step).is_sorted_by_key(pair)) {
            let problem = "is not in the order of the geoms' names".into();
            return Err(ReadProblem::Content { array: "contact_geom1", problem });
        }
        if !(self.run.timestep.is_finite() && self.run.timestep > 0.0) {
            let problem = format!("is {}: a step lasts a positive number of seconds", self.run.timestep);
            return Err(ReadProblem::Content { array: "timestep", problem });
        }
        for (array, numbers) in [
            ("time", &self.time),
            ("body_pos", &self.poses.position),
            ("body_quat", &self.poses.orientation),
            ("moved_pos", &self.moved.pos),
            ("moved_quat", &self.moved.quat),
            ("geom_size", &self.run.geoms.size),
            ("geom_pos", &self.run.geoms.poses.position),
            ("geom_quat", &self.run.geoms.poses.orientation),
            ("mesh_vertex", &self.run.meshes.vertex),
            ("hfield_height", &self.run.height_fields.height),
            ("contact_point", &contacts.point),
            ("contact_frame", &contacts.frame),
            ("contact_gap", &contacts.gap),
            ("contact_impulse", &contacts.impulse),
            ("contact_work", &contacts.work),
            ("contact_normal_work", &contacts.normal_work),
            ("contact_friction_work", &contacts.friction_work),
            ("contact_slip", &contacts.slip),
            ("contact_shift", &contacts.shift),
            ("joint_point", &self.joints.point),
            ("joint_force", &self.joints.force),
            ("joint_moment", &self.joints.moment),
            ("actuator_force", &self.actuator_force),
            ("tendon_tension", &self.tendon_tension),
            ("energy", &self.energy),
            ("kinetic_energy", &self.kinetic_energy),
        ] {
            refuse(array, numbers, f64::is_finite)?;
        }
        // No slip is friction without bound.
        refuse("contact_mu", &contacts.mu, |x| x >= 0.0)?;
        refuse("contact_viscosity", &contacts.viscosity, |x| x >= 0.0 && x.is_finite())?;
        refuse("contact_duration", &contacts.duration, |x| x > 0.0 && x.is_finite())?;
        refuse("contact_margin", &contacts.margin, |x| x == NO_MARGIN || (x >= 0.0 && x.is_finite()))
    }

    /// The acts of a contact are numbered from 0 within a step.
    fn check_acts(&self) -> Result<(), ReadProblem> {
        let act = &self.contacts.act;
        for entries in (0..self.steps()).map(|step| self.contacts.of_step(step)) {
            let first = entries.start;
            let follows = |entry: usize| act[entry] == 0 || entry > first && act[entry] == act[entry - 1] + 1;
            if let Some(entry) = entries.into_iter().find(|&entry| !follows(entry)) {
                let problem =
                    format!("has the number {} at place {entry}, which does not follow", act[entry]);
                return Err(ReadProblem::Content { array: "contact_act", problem });
            }
        }
        Ok(())
    }

    /// Rows name what there is, are numbers, and may have bounds.
    fn check_rows(&self) -> Result<(), ReadProblem> {
        let (sources, rows) = (&self.run.sources, &self.rows);
        indices("source_kind", &sources.kind, SOURCE_KIND_NAMES.len())?;
        indices("row_law", &rows.law, ROW_LAW_NAMES.len())?;
        indices("row_source", &rows.source, sources.names.len())?;
        indices("joint_source", &self.joints.source, sources.names.len())?;
        for (array, numbers) in [
            ("row_impulse", &rows.impulse),
            ("row_velocity", &rows.velocity),
            ("row_before", &rows.before),
            ("row_start", &rows.start),
            ("row_after", &rows.after),
            ("row_drift", &rows.drift),
            ("row_bias", &rows.bias),
            ("row_compliance", &rows.compliance),
        ] {
            refuse(array, numbers, f64::is_finite)?;
        }
        refuse("row_duration", &rows.duration, |x| x > 0.0 && x.is_finite())?;
        refuse("row_lower", &rows.lower, |x| x <= 0.0)?;
        refuse("row_upper", &rows.upper, |x| x >= 0.0)
    }

    /// Every mesh and height field that a geom names is there, and every facet has its vertices.
    fn check_geom_data(&self) -> Result<(), ReadProblem> {
        let (meshes, fields) = (self.run.meshes.vertex_ptr.len() - 1, self.run.height_fields.ptr.len() - 1);
        for (&kind, &data) in self.run.geoms.kind.iter().zip(&self.run.geoms.data) {
            match kind {
                MESH => indices("geom_data", &[data], meshes)?,
                HEIGHT_FIELD => indices("geom_data", &[data], fields)?,
                _ => {}
            }
        }
        let (vertices, triangles) = (&self.run.meshes.vertex_ptr, &self.run.meshes.triangle_ptr);
        for mesh in 0..meshes {
            let count = (vertices[mesh + 1] - vertices[mesh]) as usize;
            let facets = 3 * triangles[mesh] as usize..3 * triangles[mesh + 1] as usize;
            indices("mesh_triangle", &self.run.meshes.triangle[facets], count)?;
        }
        for field in 0..fields {
            let [rows, columns] =
                [self.run.height_fields.grid[2 * field], self.run.height_fields.grid[2 * field + 1]];
            let heights = self.run.height_fields.ptr[field + 1] - self.run.height_fields.ptr[field];
            if rows < 2 || columns < 2 || rows.checked_mul(columns) != Some(heights) {
                let problem = format!("is {rows} by {columns} for a field of {heights} heights");
                return Err(ReadProblem::Content { array: "hfield_grid", problem });
            }
        }
        Ok(())
    }
}

/// Refuses an array with a number that is not as it should be.
fn refuse(array: &'static str, numbers: &[f64], right: impl Fn(f64) -> bool) -> Result<(), ReadProblem> {
    match numbers.iter().position(|&x| !right(x)) {
        None => Ok(()),
        Some(i) => {
            let problem = format!("has the number {} at place {i}", numbers[i]);
            Err(ReadProblem::Content { array, problem })
        }
    }
}

/// Whether all are at least 0 and below `limit`.
fn indices(array: &'static str, indices: &[i32], limit: usize) -> Result<(), ReadProblem> {
    match indices.iter().find(|&&i| i < 0 || i as usize >= limit) {
        None => Ok(()),
        Some(i) => {
            let problem = format!("has the index {i}, and there are {limit} to choose from");
            Err(ReadProblem::Content { array, problem })
        }
    }
}
