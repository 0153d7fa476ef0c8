//! Problem files: what the shipped collection says of itself, the way to a file and back, and files that are wrong.

use std::path::{Path, PathBuf};

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use stiction_solvers::io;
use stiction_solvers::io::NamedProblem;
use stiction_solvers::select::registry;
use stiction_solvers::{AnyProblem, Bounded, Class, Problem, Solution, Start, Status};

fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../problems");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    files.sort();
    assert!(files.len() >= 7, "{files:?}");
    files
}

fn parse(text: &str) -> Result<Vec<NamedProblem>, String> {
    io::parse(text, "the.file", "the").map_err(|error| error.to_string())
}

/// The error of a text, which must have the file's name and these words.
#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let error = parse(text).expect_err("the text was accepted");
    assert!(error.starts_with("the.file: "), "{error}");
    assert!(!error.trim_end_matches('.').contains(['\n']), "{error}");
    for word in words {
        assert!(error.contains(word), "{word:?} is not in {error:?}");
    }
}

#[test]
fn every_solution_written_in_the_collection_is_one() {
    let mut checked = 0;
    for file in shipped() {
        let value: serde_json::Value =
            serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
        let problems = io::read(&file).unwrap();
        for (entry, named) in value["problems"].as_array().unwrap().iter().zip(&problems) {
            assert!(entry["source"].as_str().unwrap().len() > 20, "{}", named.name);
            for (key, tolerance) in [("solution", 1e-15), ("solution_to_six_digits", 1e-5)] {
                let Some(list) = entry[key].as_array() else { continue };
                let z: Vec<f64> = list.iter().map(|v| v.as_f64().unwrap()).collect();
                let residual = named.problem.residual(&Solution { z, w: vec![] });
                assert!(residual.natural_map <= tolerance, "{}: {residual:?}", named.name);
                checked += 1;
            }
        }
    }
    assert!(checked >= 25, "{checked}");
}

#[test]
fn the_second_solution_of_kojima_and_shindo_is_degenerate() {
    let file = shipped().into_iter().find(|path| path.ends_with("nonlinear.json")).unwrap();
    let problem = &io::read(&file).unwrap()[0].problem;
    let mut x = Solution { z: vec![6f64.sqrt() / 2.0, 0.0, 0.0, 0.5], w: vec![0.0; 4] };
    assert!(problem.residual(&x).natural_map < 1e-15);
    let z = x.z.clone();
    problem.eval(&z, &mut x.w);
    assert!(x.z[2] == 0.0 && x.w[2].abs() < 1e-14, "{x:?}");
}

/// All that distinguishes two problems: dimension, bounds, and values and Jacobian at a few points.
fn fingerprint(problem: &AnyProblem) -> Vec<u64> {
    let n = problem.dim();
    let mut numbers = vec![n as f64];
    let mut w = vec![0.0; n];
    for seed in 0..3 {
        let mut z: Vec<f64> = (0..n).map(|i| ((i * 7 + seed * 3) % 5) as f64 - 1.5).collect();
        problem.eval(&z, &mut w);
        numbers.extend(&w);
        problem.project(&mut z);
        numbers.extend(&z);
    }
    match problem {
        AnyProblem::Lcp(p) => numbers.extend(p.matrix().iter().chain(p.q())),
        AnyProblem::BoxLcp(p) => {
            numbers.extend(p.matrix().iter().chain(p.q()).chain(p.lower()).chain(p.upper()))
        }
        AnyProblem::Mlcp(p) => numbers.extend(p.as_box_lcp().matrix().iter().chain(p.as_box_lcp().lower())),
        AnyProblem::FactoredLcp(p) => numbers.extend(p.half()),
        AnyProblem::Mcp(p) => numbers.extend((0..n).flat_map(|i| p.bounds(i))),
        AnyProblem::ConeNcp(p) => {
            numbers.extend(p.q().iter().chain(p.compliance()).chain(p.delassus().values()))
        }
    }
    numbers.iter().map(|v| v.to_bits()).collect()
}

#[test]
fn a_problem_of_every_class_comes_back_from_a_file_with_the_same_bits() {
    let mut classes = Vec::new();
    for named in shipped().iter().flat_map(|file| io::read(file).unwrap()) {
        let text = io::to_json(&named.name, &named.problem);
        let again = parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        assert_eq!(again.len(), 1);
        assert_eq!((&again[0].name, again[0].problem.class()), (&named.name, named.problem.class()));
        assert_eq!(fingerprint(&again[0].problem), fingerprint(&named.problem), "{}", named.name);
        classes.push(named.problem.class());
    }
    assert!(Class::ALL.iter().all(|class| classes.contains(class)), "{classes:?}");
}

#[test]
fn box_problems_in_the_convention_of_physics_engines_change_the_sign_of_b() {
    let text = r#"{"format": "blcp-1", "A": [[2]], "b": [6], "lo": [null], "hi": [2.5]}"#;
    let named = &parse(text).unwrap()[0];
    assert_eq!(named.name, "the");
    // 2 x = 6 + w with x <= 2.5: w = -1.
    let mut w = [0.0];
    named.problem.eval(&[2.5], &mut w);
    assert_eq!(w, [-1.0]);
    assert_eq!(named.problem.residual(&Solution { z: vec![2.5], w: vec![] }).natural_map, 0.0);
}

#[test]
fn contacts_are_assembled_to_the_stewart_trinkle_problem() {
    // One contact, W = I, sliding along t1 at 1 m/s, falling at 1 m/s, mu = 1/2: it slides on at 1/2.
    let text = r#"{"format": "stewart-trinkle-lcp-1", "problems": [{"name": "slider", "mu": [0.5], "k": 4,
        "W": [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "q_contact": [-1, 1, 0]}]}"#;
    let named = &parse(text).unwrap()[0];
    assert_eq!((named.name.as_str(), named.problem.dim()), ("slider", 6));
    // Normal impulse 1, friction 1/2 along -t1 (the third direction), multiplier the sliding speed 1/2.
    let z = vec![1.0, 0.0, 0.0, 0.5, 0.0, 0.5];
    assert!(named.problem.residual(&Solution { z, w: vec![] }).natural_map < 1e-15);
}

/// `[2 1; 0 3]` and `q = (-1, -2)`.
fn check_two_by_two(text: &str) {
    let named = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    let AnyProblem::Lcp(lcp) = &named[0].problem else { panic!("{text}") };
    assert_eq!((lcp.matrix(), lcp.q()), (&[2.0, 1.0, 0.0, 3.0][..], &[-1.0, -2.0][..]), "{text}");
}

#[test]
fn siconos_text_is_read_in_every_storage_and_origin() {
    check_two_by_two("2\n0\n2\n2\n2 2\n2 0\n1 3\n-1 -2\n\na comment 17");
    // One block, then four with the zero one left out.
    check_two_by_two("2 1 2 2  1 1 1  2 2  2 1  0 1  0  0  2 0 1 3  -1 -2");
    check_two_by_two("2 1 2 2  3 2 2  1 2  1 2  3 3  0 2 3  0 1 1  0 2  1 1  2 3  -1 -2");
    let sparse = |origin: u8, entries: &str| {
        let head = format!("2\n2 2 2\n{origin}\nCSparse Version 3.1.9\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\n");
        format!("{head}{entries}\n-1 -2\n")
    };
    check_two_by_two(&sparse(2, "col 0 : locations 0 to 0\n0 : 2\ncol 1 : locations 1 to 2\n0 : 1\n1 : 3"));
    check_two_by_two(&sparse(3, "col 0 : locations 0 to 1\n0 : 2\n1 : 1\ncol 1 : locations 2 to 2\n1 : 3"));
    check_two_by_two(&sparse(1, "0 0 : 2\n0 1 : 1\n1 1 : 3"));
}

#[test]
fn siconos_mixed_problems_are_read_by_blocks_and_by_parts() {
    // u free: 2 u - v + 1 = 0; v >= 0: u + 3 v - 4 >= 0.
    let by_blocks = "1 0 1 1  0 1 2  0 1  0 2 2 2 2  2 1  -1 3  1 -4";
    let by_parts = "0 1 1 1  2  3  -1  1  1  -4";
    for text in [by_blocks, by_parts] {
        let named = parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"));
        let AnyProblem::Mlcp(mixed) = &named[0].problem else { panic!("{text}") };
        assert_eq!(mixed.as_box_lcp().matrix(), [2.0, -1.0, 1.0, 3.0], "{text}");
        assert_eq!(mixed.as_box_lcp().q(), [1.0, -4.0], "{text}");
    }
    // Complementarity first: a box problem with the rows as they are.
    let named = parse("1 0 1 1  0 1 2  1 0  0 2 2 2 2  3 -1  1 2  -4 1").unwrap();
    let AnyProblem::BoxLcp(problem) = &named[0].problem else { panic!("{named:?}") };
    assert_eq!(problem.lower(), [0.0, f64::NEG_INFINITY]);
}

#[test]
fn what_is_wrong_in_a_file_is_said_with_place_value_and_remedy() {
    refused("{\n\"format\": \"lcp-1\",\n\"M\": [[1,]]}", &["line 3", "not JSON"]);
    refused(r#"{"format": "lpc-1"}"#, &["lpc-1", "lcp-1", "polynomial-mcp-1"]);
    refused(r#"{"M": [[1]], "q": [1]}"#, &["format", "missing"]);
    refused(r#"[1, 2]"#, &["format", "missing"]);
    refused(r#"{"format": "lcp-1", "M": [[1]]}"#, &["q: is missing"]);
    refused(r#"{"format": "lcp-1", "M": [[1, 2]], "q": [1]}"#, &["M[0]: has 2 entries", "1 are needed"]);
    refused(r#"{"format": "lcp-1", "M": [[1]], "q": [1, 2]}"#, &["M: has 1 rows", "2 are needed"]);
    refused(r#"{"format": "lcp-1", "M": [["x"]], "q": [1]}"#, &["M[0][0]: is \"x\"", "finite number"]);
    refused(r#"{"format": "lcp-1", "M": [[null]], "q": [1]}"#, &["M[0][0]: is null", "finite number"]);
    refused(
        r#"{"format": "lcp-suite-1", "problems": [{"M": [], "q": []}, {"M": 3, "q": []}]}"#,
        &["problems[1].M: is 3", "list"],
    );
    refused(r#"{"format": "lcp-1", "problems": 7}"#, &["problems: is 7"]);
    refused(r#"{"format": "lcp-1", "problems": [7]}"#, &["problems[0]: is 7", "object"]);
    refused(
        r#"{"format": "box-lcp-1", "M": [[1]], "q": [1], "lower": [2], "upper": [1]}"#,
        &["index 0", "2", "1"],
    );
    refused(r#"{"format": "box-lcp-1", "M": [[1]], "q": [1], "lower": [], "upper": [1]}"#, &["lower: has 0"]);
    refused(
        r#"{"format": "polynomial-mcp-1", "F": [[[1, [2, 0]]]], "lower": [0], "upper": [1]}"#,
        &["F[0][0]", "2 exponents"],
    );
    refused(
        r#"{"format": "polynomial-mcp-1", "F": [[[1, [-1]]]], "lower": [0], "upper": [1]}"#,
        &["F[0][0]", "-1", "whole"],
    );
    refused(
        r#"{"format": "stewart-trinkle-lcp-1", "mu": [1], "k": 1, "W": [[1,0,0],[0,1,0],[0,0,1]], "q_contact": [0,0,0]}"#,
        &["k: is 1", "from 2"],
    );
    refused("2\n0\n2\n2\n2 2\n2 0\n1 x\n-1 -2\n", &["line 7", "\"x\"", "an entry of the matrix", "number"]);
    refused("2\n0\n2\n2\n2 2\n2 0\n1 3\n-1\n", &["the file ends where an entry of q is needed"]);
    refused("2\n0\n2\n2\n3 2\n2 0\n1 3\n-1 -2\n", &["line 5", "rows is 3: 2 is needed"]);
    refused("2\n7\n2\n2\n", &["storage is 7"]);
    refused("5\n1\n0 3 3\n", &["isStorage1 is 5"]);
    refused("3\n1\n0 3 3\n", &["line 3", "the file ends where the number of rows is needed"]);
    refused("3 1 0 3 4\n", &["the file ends", "rows"]);
    // Friction problems.
    let fc = |body: &str| format!("{{\"format\": \"fc-1\", {body}}}");
    let w = r#""W": {"rowptr": [0, 1], "col": [0], "val": [1, 0, 0, 1]}"#;
    let good = format!(r#""dim": 2, "mu": [0.5], "q": [-1, 0.5], {w}"#);
    assert!(parse(&fc(&good)).is_ok());
    for (from, to, words) in [
        ("\"dim\": 2", "\"dim\": 4", &["dim", "is 4", "2 or 3"][..]),
        ("\"dim\": 2", "\"dim\": \"two\"", &["dim", "\"two\"", "whole number"]),
        ("[0.5]", "[-0.5]", &["mu", "-0.5"]),
        ("[-1, 0.5]", "[-1]", &["q", "1 entries", "2 are needed"]),
        ("[0, 1]", "[0, 2]", &["W.rowptr[1]", "is 2", "below 2"]),
        ("[0, 1]", "[1, 1]", &["W.rowptr", "increase from 0"]),
        ("\"col\": [0]", "\"col\": [3]", &["W.col[0]", "is 3", "below 1"]),
        ("[1, 0, 0, 1]", "[1, 0, 0]", &["W.val", "3 entries", "4 are needed"]),
        ("[1, 0, 0, 1]", "[1, 0, null, 1]", &["W.val[2]", "null"]),
        (w, "\"W\": 3", &["W", "is 3", "an object is needed"]),
    ] {
        refused(&fc(&good.replace(from, to)), words);
    }
    let global = r#"{"format": "fc-global-1", "dim": 2, "mu": [0.5], "f": [-1], "w": [0, 0],
        "M": {"rows": 1, "cols": 1, "i": [0], "j": [0], "v": [2]},
        "H": {"rows": 1, "cols": 2, "i": [0], "j": [0], "v": [1]}}"#;
    assert!(parse(global).is_ok());
    refused(&global.replace("\"v\": [2]", "\"v\": [0]"), &["M", "velocity 0", "singular"]);
    refused(&global.replace("\"rows\": 1, \"cols\": 2", "\"rows\": 2, \"cols\": 2"), &["H.rows", "is 2"]);
    refused(
        &global.replace("\"i\": [0], \"j\": [0], \"v\": [1]", "\"i\": [0], \"j\": [7], \"v\": [1]"),
        &["H.j[0]", "is 7"],
    );
    let cones = r#"{"format": "cone-ncp-1", "cones": [{"interval": {"lower": 0, "upper": "inf"}}],
        "delassus": {"dense": [1]}, "q": [-1]}"#;
    assert!(parse(cones).is_ok());
    refused(&cones.replace("\"inf\"", "\"large\""), &["large", "\"inf\" or \"-inf\""]);
    refused(&cones.replace("\"lower\": 0", "\"lower\": \"inf\""), &["bounds"]);
    refused(&cones.replace("[1]}", "[1, 2]}"), &["2 entries"]);
    refused(&cones.replace("interval", "intervall"), &["intervall"]);
    refused("0 0 1 1", &["both 0"]);
    refused("2 1 2 2  1 1 1  2 2  2 1  0 1  5  0  2 0 1 3  -1 -2", &["block column is 5: there are 1"]);
    refused("", &["the file ends"]);
    let missing = io::read(Path::new("no/such.file")).unwrap_err().to_string();
    assert!(missing.contains("no/such.file"), "{missing}");
}

#[test]
fn long_and_deep_texts_are_refused() {
    let many = format!(
        r#"{{"format": "polynomial-mcp-1", "F": [{}], "lower": [], "upper": []}}"#,
        vec!["[]"; 100_000].join(",")
    );
    refused(&many, &["100000 values", "at most"]);
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(parse(&deep).is_err());
}

/// Changes a text at a few places: bytes replaced, taken out, doubled; stretches cut; numbers made large.
fn damaged(text: &str, random: &mut Pcg64) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..random.random_range(1..4) {
        if bytes.is_empty() {
            break;
        }
        let at = random.random_range(0..bytes.len());
        match random.random_range(0..6) {
            0 => bytes[at] = random.random_range(32..127),
            1 => drop(bytes.remove(at)),
            2 => bytes.insert(at, b"0123456789-.eE[]{},:\" \n"[random.random_range(0..23)]),
            3 => bytes.truncate(at),
            4 => {
                let end = (at + random.random_range(1..40)).min(bytes.len());
                bytes.drain(at..end);
            }
            _ => {
                let word: &[u8] =
                    [&b"1000000000"[..], b"-7", b"null", b"1e308", b"nan", b"18446744073709551616"]
                        [random.random_range(0..6)];
                bytes.splice(at..at, word.iter().copied());
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[test]
fn damaged_files_are_read_and_solved_or_refused_in_one_sentence() {
    let mut random = Pcg64::seed_from_u64(44);
    let mut texts: Vec<String> =
        shipped().iter().map(|file| std::fs::read_to_string(file).unwrap()).collect();
    texts.push("2 1 2 2  3 2 2  1 2  1 2  3 3  0 2 3  0 1 1  0 2  1 1  2 3  -1 -2".into());
    texts.push("1 0 1 1  0 1 2  0 1  0 2 2 2 2  2 1  -1 3  1 -4".into());
    texts.push(
        "2\n2 2 2\n2\nCSparse Version 3\n2-by-2, nzmax: 3 nnz: 3, 1-norm: 4\n\
         col 0 : locations 0 to 0\n0 : 2\ncol 1 : locations 1 to 2\n0 : 1\n1 : 3\n-1 -2\n"
            .into(),
    );
    let mut solver = registry::find("robust").unwrap().make(1e-10).unwrap();
    let mut x = Solution::default();
    let (mut read, mut refused) = (0, 0);
    for _ in 0..2000 {
        let text = damaged(&texts[random.random_range(0..texts.len())], &mut random);
        match parse(&text) {
            Ok(problems) => {
                read += 1;
                for named in problems.iter().filter(|named| named.problem.dim() <= 10) {
                    let report = solver.solve(&named.problem, Start::Cold, &mut x).unwrap();
                    assert_eq!(x.z.len(), named.problem.dim(), "{text}");
                    assert!(x.z.iter().chain(&x.w).all(|v| v.is_finite()), "{report:?}\n{text}");
                    if report.status == Status::Solved {
                        let floor = named.problem.residual_floor(&x);
                        assert!(named.problem.residual(&x).certifies(1e-10, floor), "{report:?}\n{text}");
                    }
                }
            }
            Err(error) => {
                refused += 1;
                assert!(error.starts_with("the.file: ") && !error.contains('\n'), "{error}\n{text}");
            }
        }
    }
    assert!(read > 100 && refused > 1000, "{read} {refused}");
}

#[test]
fn the_text_files_of_the_public_suites_agree_with_their_json() {
    let Ok(folder) = std::env::var("STICTION_DATA") else {
        eprintln!("SKIPPED: STICTION_DATA is not set");
        return;
    };
    let folder = Path::new(&folder);
    let mut compared = 0;
    for (suite, texts, prefix) in
        [("lcp/lcp_suite.json", "lcp/siconos_dat", ""), ("mlcp/mlcp_suite.json", "mlcp/siconos_dat", "_mlcp")]
    {
        for named in io::read(&folder.join(suite)).unwrap() {
            let Some(stem) = named.name.strip_prefix("siconos_") else { continue };
            let path = folder.join(texts).join(format!("{stem}{prefix}.dat"));
            if path.exists() {
                let text = &io::read(&path).unwrap()[0].problem;
                assert_eq!(fingerprint(text), fingerprint(&named.problem), "{}", named.name);
                compared += 1;
            }
        }
    }
    assert!(compared >= 30, "{compared}");
}
