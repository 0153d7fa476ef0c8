//! Solves a linear complementarity problem with Lemke's method and prints what the problem says of the answer.
//!
//! The problem is a textbook one (two unknowns, positive definite): both unknowns are positive, so `z = -M^-1 q`.

use stiction_solvers::{Lcp, Lemke, LemkeSettings, Solution, Solver, Start};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 0 <= z  perp  [2 1; 1 2] z + (-5, -6) >= 0
    let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
    let mut lemke = Lemke::new(LemkeSettings::default())?;
    let mut x = Solution::default();
    let report = lemke.solve(&problem, Start::Cold, &mut x);
    println!("{:?} after {} pivots: z = {:?}, w = {:?}", report.status, report.pivots, x.z, x.w);
    println!("residual on the original data {:.1e}", report.residual.natural_map);
    Ok(())
}
