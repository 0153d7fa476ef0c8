//! Constraints that are not contacts.

mod cable;
mod closure;
mod coupling;
mod equality;
mod fixed_range;
mod limited_drive;
mod tendon_oracle;

/// A uniform rod along x or down z.
fn rod(mass: f64, length: f64, along: &str) -> String {
    let moment = mass * length * length / 12.0;
    let (center, inertia) = match along {
        "x" => (format!("{} 0 0", 0.5 * length), format!("1e-6 {moment} {moment}")),
        _ => (format!("0 0 {}", -0.5 * length), format!("{moment} {moment} 1e-6")),
    };
    format!(r#"<inertial pos="{center}" mass="{mass}" diaginertia="{inertia}"/>"#)
}
