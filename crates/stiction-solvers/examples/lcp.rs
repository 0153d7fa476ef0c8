//! Solves a linear complementarity problem, whatever its matrix, and prints what the problem says of the answer.

use stiction_solvers::{Lcp, Robust, RobustSettings, Solution, Solver, Start};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // 0 <= z  perp  [2 1; 1 2] z + (-5, -6) >= 0
    let problem = Lcp::new(vec![2.0, 1.0, 1.0, 2.0], vec![-5.0, -6.0])?;
    let mut solver = Robust::new(RobustSettings::default())?;
    let mut x = Solution::default();
    let report = solver.solve(&problem, Start::Cold, &mut x);
    println!(
        "{:?}, residual {:.1e}: z = {:?}, w = {:?}",
        report.status, report.residual.natural_map, x.z, x.w
    );
    Ok(())
}
