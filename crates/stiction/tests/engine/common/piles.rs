//! Random bodies thrown on a heap.

/// A small deterministic generator (xorshift): the scenes are the same everywhere.
struct Random(u64);

impl Random {
    fn uniform(&mut self, low: f64, high: f64) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        low + (high - low) * (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Boxes, capsules and spheres of 0.1 to 100 kg with friction 0 to 1.2, falling one after the other, turned anyhow.
pub fn pile(seed: u64, bodies: usize) -> String {
    let mut r = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    for _ in 0..20 {
        r.uniform(0.0, 1.0); // the first numbers still resemble the seed
    }
    let bodies: String = (0..bodies)
        .map(|i| {
            let size: [f64; 3] = std::array::from_fn(|_| r.uniform(0.05, 0.2));
            let geom = match (r.uniform(0.0, 3.0)) as usize {
                0 => format!(r#"type="box" size="{} {} {}""#, size[0], size[1], size[2]),
                1 => format!(r#"type="capsule" size="{} {}""#, 0.6 * size[0], size[1]),
                _ => format!(r#"type="sphere" size="{}""#, size[0]),
            };
            let [x, y] = std::array::from_fn(|_| r.uniform(-0.2, 0.2));
            let [a, b, c] = std::array::from_fn(|_| r.uniform(-180.0, 180.0));
            let (mass, mu) = (libm::pow(10.0, r.uniform(-1.0, 2.0)), r.uniform(0.0, 1.2));
            let z = 0.4 + 0.4 * i as f64;
            format!(
                r#"<body name="b{i}" pos="{x} {y} {z}" euler="{a} {b} {c}"><freejoint/>
                <geom {geom} mass="{mass}" friction="{mu}"/></body>"#
            )
        })
        .collect();
    format!(
        r#"<mujoco><option timestep="0.002"/><worldbody><geom type="plane" size="5 5 1" friction="0.5"/>{bodies}
        </worldbody></mujoco>"#
    )
}
