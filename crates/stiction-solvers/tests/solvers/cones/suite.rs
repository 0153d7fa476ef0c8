//! The public friction problems: what files say, in every form, and that the chain solves them all.

use std::path::{Path, PathBuf};

use stiction_solvers::io;
use stiction_solvers::{
    AnyProblem, Chain, ChainSettings, Cone, ConeNcp, ConeScratch, Problem, Solution, Solver, Start, Status,
};

/// The folder with the data, if there is one; says loudly if not.
fn data(folder: &str) -> Option<PathBuf> {
    let Some(root) = std::env::var_os("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set, so that {folder} is not there");
        return None;
    };
    Some(PathBuf::from(root).join(folder))
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.retain(|path| path.file_name().unwrap() != "index.json");
    files.sort();
    files
}

fn read(path: &Path) -> ConeNcp {
    let mut problems = io::read(path).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(problems.len(), 1);
    match problems.remove(0).problem {
        AnyProblem::ConeNcp(problem) => problem,
        other => panic!("{}: {}", path.display(), other.class()),
    }
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap().to_string_lossy().into_owned()
}

fn natural_map(problem: &ConeNcp, r: &[f64]) -> (f64, f64) {
    let (residual, floor) = problem.assess(r, &mut vec![0.0; r.len()], &mut ConeScratch::default());
    (residual.natural_map, floor)
}

/// The merit function by which FCLIB compares solvers ("MERIT_1"): the natural map in the problem's own units over `1 + sqrt |q|`
/// (V. Acary, M. Bremond, T. Koziara, F. Perignon, *FCLIB: a collection of discrete 3D frictional contact problems*, 2014).
fn fclib_merit(problem: &ConeNcp, x: &Solution) -> f64 {
    let norm = |v: &[f64]| v.iter().map(|v| v * v).sum::<f64>().sqrt();
    let mut square = 0.0;
    let mut row = 0;
    for cone in problem.cones() {
        let Cone::Coulomb { dim, mu } = *cone else { panic!("{cone:?}") };
        let (r, u) = (&x.z[row..row + dim], &x.w[row..row + dim]);
        let mut target: Vec<f64> = r.iter().zip(u).map(|(r, u)| r - u).collect();
        target[0] -= mu * norm(&u[1..]);
        let (normal, tangential) = (target[0], norm(&target[1..]));
        if mu * tangential <= -normal {
            target.fill(0.0); // in the polar cone
        } else if tangential > mu * normal {
            let pressed = (normal + mu * tangential) / (1.0 + mu * mu);
            target[0] = pressed;
            target[1..].iter_mut().for_each(|t| *t *= mu * pressed / tangential);
        }
        square += r.iter().zip(&target).map(|(r, p)| (r - p) * (r - p)).sum::<f64>();
        row += dim;
    }
    square.sqrt() / (1.0 + norm(problem.q()).sqrt())
}

#[test]
fn the_reference_solutions_have_the_residuals_that_the_files_state() {
    let Some(folder) = data("fc") else { return };
    let files = files(&folder);
    assert_eq!(files.len(), 54);
    for path in files {
        let json: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let reference = &json["reference_solution"];
        let r: Vec<f64> = reference["r"].as_array().unwrap().iter().map(|v| v.as_f64().unwrap()).collect();
        let stated = reference["scaled_natural_map_residual"].as_f64().unwrap();
        let (found, floor) = natural_map(&read(&path), &r);
        assert!(
            (found - stated).abs() <= 1e-3 * stated + floor,
            "{}: {found:e}, stated {stated:e}",
            stem(&path)
        );
    }
}

#[test]
fn the_chain_solves_every_public_problem_of_up_to_a_few_hundred_contacts() {
    solve_public_problems(|size| size <= 1000);
}

#[test]
#[ignore = "slow: hundreds of contacts with dense matrices"]
fn the_chain_solves_the_largest_public_problems() {
    solve_public_problems(|size| size > 1000);
}

fn solve_public_problems(includes: impl Fn(usize) -> bool) {
    let Some(folder) = data("fc") else { return };
    let settings = ChainSettings { tolerance: 1e-12, target: 1e-13, ..Default::default() };
    let mut chain = Chain::new(settings).unwrap();
    for path in files(&folder) {
        let problem = read(&path);
        if !includes(problem.dim()) {
            continue;
        }
        let mut x = Solution::default();
        let report = chain.solve(&problem, Start::Cold, &mut x);
        let (found, floor) = natural_map(&problem, &x.z);
        assert_eq!(report.status, Status::Solved, "{}: {report:?}", stem(&path));
        assert!(found <= 1e-12_f64.max(floor), "{}: {found:e}", stem(&path));
        let merit = fclib_merit(&problem, &x);
        // One (LMGC_100_PR_PerioBox, 1.1e-9) is at its rounding floor.
        assert!(merit <= 1e-9 || found <= floor, "{}: {merit:e} in FCLIB's units", stem(&path));
        println!(
            "{}: {found:.1e} ({merit:.1e} of FCLIB) after {} factorizations",
            stem(&path),
            report.pivots
        );
    }
}

/// One problem in several forms: the solution of each solves all.
#[test]
fn the_same_problem_in_another_form_has_the_same_solutions() {
    let Some(folder) = data("fc") else { return };
    let mut pairs = 0;
    for (other, ending) in [("fc_global", "json"), ("fc_siconos_dat", "dat"), ("fclib_hdf5", "hdf5")] {
        let Some(other_folder) = data(other) else { return };
        for path in files(&other_folder) {
            if !cfg!(feature = "fclib") && ending == "hdf5" {
                continue;
            }
            let name = stem(&path);
            let local = [folder.join(format!("{name}.json")), folder.join(format!("{name}.hdf5.json"))];
            let Some(local) = local.into_iter().find(|path| path.exists()) else {
                let known = ["Chute-ndof-768-nc-4-3", "FC3D_Example1_SBM"];
                assert!(known.contains(&name.as_str()) || name.starts_with("GFC3D"), "{name}");
                continue;
            };
            let (first, second) = (read(&local), read(&path));
            // Numbers of six digits in one of the forms.
            let sparse = ["fc2d_granularflowonwall_00667_00000", "NESpheres_10_1"];
            let rough = if ending == "dat" && sparse.contains(&name.as_str()) { 1e-5 } else { 1e-8 };
            for (solved, checked, way) in [(&first, &second, "there"), (&second, &first, "back")] {
                let mut x = Solution::default();
                let settings = ChainSettings { tolerance: 1e-10, target: 1e-12, ..Default::default() };
                let report = Chain::new(settings).unwrap().solve(solved, Start::Cold, &mut x);
                assert_eq!(report.status, Status::Solved, "{other}/{name}: {report:?}");
                let (found, _) = natural_map(checked, &x.z);
                println!("{other}/{name}, {way}: {found:.1e}");
                assert!(found <= rough, "{other}/{name}, {way}: {found:e}");
            }
            pairs += 1;
        }
    }
    println!("{pairs} pairs");
    let all = if cfg!(feature = "fclib") { 28 } else { 18 };
    assert_eq!(pairs, all);
}

#[test]
fn a_friction_file_comes_back_as_it_was() {
    let Some(folder) = data("fc_global") else { return };
    let mut paths = files(&folder);
    paths.extend(files(&data("fc").unwrap()).into_iter().filter(|path| !stem(path).contains("RockPile")));
    for path in paths {
        let problem = read(&path);
        let text = io::to_json(&stem(&path), &problem.clone().into());
        let again = io::parse(&text, "again", "again").unwrap().remove(0).problem;
        let AnyProblem::ConeNcp(again) = again else { panic!() };
        assert_eq!(problem, again, "{}", stem(&path));
    }
}
