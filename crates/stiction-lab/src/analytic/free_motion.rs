//! Motion without contact: free fall, a pendulum, a spinning body.

use super::rig::{CaseError, Rig};
use super::{Case, Check, elliptic};
use nalgebra::Vector3;
use stiction::dynamics;
use stiction::dynamics::Data;
use stiction::model::TreeId;

pub(super) const CASES: &[Case] = &[
    Case { name: "free_fall", about: "a turning body thrown into the air: a parabola", run: free_fall },
    Case {
        name: "pendulum_period",
        about: "a pendulum with an amplitude of 60 degrees: period by an elliptic integral",
        run: pendulum_period,
    },
    Case {
        name: "spinning_body",
        about: "free spin about the middle axis for 60 s: times of its reversals, energy, angular momentum",
        run: spinning_body,
    },
];

const GRAVITY: f64 = 9.81;

fn free_fall() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new(
        "free_fall",
        r#"<mujoco>
             <option timestep="0.001"/>
             <worldbody>
               <body name="stone" pos="0 0 100">
                 <freejoint/>
                 <geom type="box" size="0.1 0.2 0.3" mass="3"/>
               </body>
             </worldbody>
             <keyframe><key name="start" qpos="0 0 100 1 0 0 0" qvel="3 0 4 1 2 3"/></keyframe>
           </mujoco>"#,
    )?;
    let stone = rig.free_body()?;
    let duration = 2.0;
    rig.run(duration, |_, _| ())?;
    let (position, velocity) = (rig.position(stone), rig.velocity(stone));
    let height = 100.0 + 4.0 * duration - 0.5 * GRAVITY * duration * duration;
    Ok(vec![
        Check::relative("height after 2 s (m)", height, position.z, 1e-12),
        Check::relative("distance after 2 s (m)", 3.0 * duration, position.x, 1e-12),
        Check::relative("vertical velocity after 2 s (m/s)", 4.0 - GRAVITY * duration, velocity.z, 1e-12),
    ])
}

/// Mass (kg), distance of the centre from the hinge (m) and central moment of inertia (kg m^2) of the pendulum.
const PENDULUM: (f64, f64, f64) = (1.5, 0.7, 0.02);

fn pendulum_period() -> Result<Vec<Check>, CaseError> {
    let (mass, length, inertia) = PENDULUM;
    let text = format!(
        r#"<mujoco>
             <compiler angle="radian"/>
             <option timestep="0.001"/>
             <worldbody>
               <body name="pendulum">
                 <joint name="pivot" type="hinge" axis="0 1 0"/>
                 <inertial pos="0 0 {}" mass="{mass}" diaginertia="{inertia} {inertia} {inertia}"/>
               </body>
             </worldbody>
           </mujoco>"#,
        -length
    );
    let mut rig = Rig::new("pendulum_period", &text)?;
    let amplitude = std::f64::consts::FRAC_PI_3;
    rig.sim.state.q[0] = amplitude;
    let (h, swings) = (rig.sim.timestep(), 5);
    // Crossings of the lowest point: two in a period.
    let mut crossings = Vec::new();
    let mut before = (amplitude, 0.0);
    rig.run(12.0, |rig, report| {
        let now = (rig.sim.state.q[0], rig.sim.state.v[0]);
        if before.0 * now.0 <= 0.0 && before.0 != 0.0 && crossings.len() <= 2 * swings {
            crossings.push(report.time - h + h * root_of_cubic(before.0, h * before.1, now.0, h * now.1));
        }
        before = now;
    })?;
    if crossings.len() <= 2 * swings {
        return Err(CaseError::Never(format!("only {} swings in 12 s", crossings.len())));
    }
    let total_inertia = mass * length * length + inertia;
    let small = 2.0 * std::f64::consts::PI * (total_inertia / (mass * GRAVITY * length)).sqrt();
    let exact = small * elliptic::complete((0.5 * amplitude).sin()) / std::f64::consts::FRAC_PI_2;
    let obtained = (crossings[2 * swings] - crossings[0]) / swings as f64;
    Ok(vec![
        Check::relative("period at 60 degrees (s)", exact, obtained, 1e-9),
        Check::relative("time to the first crossing (s)", 0.25 * exact, crossings[0], 1e-9),
    ])
}

/// Where in 0..1 the cubic with end values `a`, `b` of opposite sign and end slopes `da`, `db` is zero, by bisection.
fn root_of_cubic(a: f64, da: f64, b: f64, db: f64) -> f64 {
    let value = |s: f64| {
        let r = 1.0 - s;
        r * r * ((1.0 + 2.0 * s) * a + s * da) + s * s * ((3.0 - 2.0 * s) * b - r * db)
    };
    let (mut low, mut high) = (0.0, 1.0);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        if value(middle) * a > 0.0 { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

fn spinning_body() -> Result<Vec<Check>, CaseError> {
    let mut rig = Rig::new(
        "spinning_body",
        r#"<mujoco>
             <option timestep="0.001" gravity="0 0 0"/>
             <worldbody>
               <body name="brick">
                 <freejoint/>
                 <geom type="box" size="0.05 0.2 0.45" mass="10"/>
               </body>
             </worldbody>
             <keyframe><key name="start" qpos="0 0 0 1 0 0 0" qvel="0 0 0 0.05 5 0.05"/></keyframe>
           </mujoco>"#,
    )?;
    let brick = rig.free_body()?;
    let start = spin_state(&rig);
    let exact = middle_axis_reversals(&rig.spin(brick), 60.0);
    let mut before = rig.spin(brick).y;
    let (h, mut reversals) = (rig.sim.timestep(), Vec::new());
    let (mut energy, mut momentum) = (0.0_f64, 0.0_f64);
    rig.run(60.0, |rig, report| {
        let now = rig.spin(brick).y;
        if before * now <= 0.0 {
            reversals.push(report.time - h * now / (now - before));
        }
        before = now;
        let (e, l) = spin_state(rig);
        energy = energy.max((e - start.0).abs() / start.0);
        momentum = momentum.max((l - start.1).norm() / start.1.norm());
    })?;
    if reversals.len() != exact.len() {
        let (n, m) = (reversals.len(), exact.len());
        return Err(CaseError::Never(format!("{n} reversals in 60 s instead of {m}")));
    }
    let error = |i: usize| (reversals[i] / exact[i] - 1.0).abs();
    let worst = (0..exact.len()).max_by(|&a, &b| error(a).total_cmp(&error(b))).unwrap_or(0);
    Ok(vec![
        Check::relative("time of the first reversal (s)", exact[0], reversals[0], 1e-3),
        Check::relative(
            format!("time of reversal {} of {}, the worst (s)", worst + 1, exact.len()),
            exact[worst],
            reversals[worst],
            1e-3,
        ),
        Check::zero("largest change of the energy in 60 s, relative", energy, 1e-6),
        Check::zero("largest change of the angular momentum vector in 60 s, relative", momentum, 1e-9),
    ])
}

/// Kinetic energy and angular momentum of the only tree.
fn spin_state(rig: &Rig) -> (f64, Vector3<f64>) {
    let (model, state) = (rig.model(), &rig.sim.state);
    let mut data = Data::new(model);
    dynamics::forward_kinematics_all(model, &mut data, &state.q, &state.v);
    let tree = TreeId::new(0);
    (dynamics::kinetic_energy(model, &data, tree, &state.v), dynamics::angular_momentum(model, &data, tree))
}

/// Times until `end` at which the spin of the brick about its middle axis y changes sign (Euler's equations solved
/// by Jacobi's elliptic functions; Landau and Lifshitz, *Mechanics*, section 37). The start must have x and z spin
/// of one sign and positive y spin, which then decreases.
fn middle_axis_reversals(spin: &Vector3<f64>, end: f64) -> Vec<f64> {
    // A box 0.1 x 0.4 x 0.9 m of 10 kg.
    let (x2, y2, z2) = (0.1 * 0.1, 0.4 * 0.4, 0.9 * 0.9);
    let moment = |a: f64, b: f64| 10.0 / 12.0 * (a + b);
    let (large, middle, small) = (moment(y2, z2), moment(x2, z2), moment(x2, y2));
    let twice_energy = large * spin.x * spin.x + middle * spin.y * spin.y + small * spin.z * spin.z;
    let momentum2 = (large * spin.x).powi(2) + (middle * spin.y).powi(2) + (small * spin.z).powi(2);
    // The axis the motion stays near takes the part of Landau's third, the other one that of the first.
    let (third, first) = if momentum2 > twice_energy * middle { (large, small) } else { (small, large) };
    let near = twice_energy * third - momentum2;
    let far = momentum2 - twice_energy * first;
    let rate = ((third - middle) * far / (first * middle * third)).sqrt();
    let k = ((middle - first) * near / ((third - middle) * far)).sqrt();
    let amplitude = (near / (middle * (third - middle))).sqrt();
    let first_time = elliptic::incomplete((spin.y / amplitude).min(1.0), k) / rate;
    let between = 2.0 * elliptic::complete(k) / rate;
    (0..).map(|i| first_time + f64::from(i) * between).take_while(|&t| t < end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_through_the_sine_is_zero_where_the_sine_is() {
        let (t0, h) = (-0.01_f64, 0.03);
        let root = root_of_cubic(t0.sin(), h * t0.cos(), (t0 + h).sin(), h * (t0 + h).cos());
        assert!((t0 + h * root).abs() < 1e-9);
    }

    #[test]
    fn reversals_of_the_middle_axis_spin_are_where_a_fine_integration_of_eulers_equations_has_them() {
        let exact = middle_axis_reversals(&Vector3::new(0.05, 5.0, 0.05), 6.0);
        let inertia = Vector3::new(9.7 / 12.0, 8.2 / 12.0, 1.7 / 12.0);
        let slope = |w: &Vector3<f64>| -w.cross(&w.component_mul(&inertia)).component_div(&inertia);
        let (mut w, h) = (Vector3::new(0.05, 5.0, 0.05), 1e-4);
        let mut found = Vec::new();
        for i in 0..60_000 {
            let k1 = slope(&w);
            let k2 = slope(&(w + k1 * (h / 2.0)));
            let k3 = slope(&(w + k2 * (h / 2.0)));
            let k4 = slope(&(w + k3 * h));
            let next = w + (k1 + k2 * 2.0 + k3 * 2.0 + k4) * (h / 6.0);
            if w.y * next.y <= 0.0 {
                found.push(h * (f64::from(i) + w.y / (w.y - next.y)));
            }
            w = next;
        }
        assert_eq!(found.len(), exact.len());
        for (a, b) in found.iter().zip(&exact) {
            assert!((a - b).abs() < 1e-6, "{a} {b}");
        }
    }
}
