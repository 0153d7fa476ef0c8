//! What the prototype reached (allocating code, one core, dense algebra): solved at 1e-6/1e-9/1e-12, factorizations, times.
//! Its generated problems are of the same kinds as those here, not the same ones.

use stiction_solvers::samples::{Motion, StepClass};

/// The 54 public problems.
pub(super) fn public(solver: &str) -> &'static str {
    match solver {
        "robust" | "chain" => "53/53/53 of 54",
        "ppn" => "53/53/52",
        "cone-interior-point" => "46/12/10",
        "newton" => "46/45/43",
        "nsgs" => "49/45/43",
        "admm" => "31/26/25",
        _ => "",
    }
}

/// The 936 generated ones.
pub(super) fn islands(solver: &str) -> &'static str {
    match solver {
        "robust" | "chain" => "936/936/932; factorizations 17, p90 52, p99 487",
        "ppn" => "930/925; factorizations 20, p90 103",
        "newton" => "755/740/646",
        "nsgs" => "726/708/692; about 100 sweeps",
        "admm" => "814/804/801; 100 to 58000 iterations",
        _ => "",
    }
}

/// A tower or pile, by the beginning of its name.
pub(super) fn large(name: &str, solver: &str) -> &'static str {
    let column = match solver {
        "robust" | "chain" => 0,
        "ppn" => 1,
        "admm" => 2,
        "nsgs" => 3,
        _ => return "",
    };
    let row = match name.split(',').next() {
        Some("tower 12") => ["23-48, 6-12 ms", "55-111, 3-7 ms", "10-14 ms", "80-110 ms"],
        Some("tower 25") => ["41-44, 35-40 ms", "75-107, 25-38 ms", "0.1-0.6 s", "1-5 s"],
        Some("tower 50") => ["51-121, 0.3-0.6 s", "286-402, 0.5-0.7 s", "2-3 s", ""],
        Some("tower 100") => ["42-80, 3-5.5 s", "384-634, 17-21 s", "none in 6 s", ""],
        Some("pile 50") => ["25-50, 24-40 ms", "40-99, 4-10 ms", "40-55 ms", ""],
        Some("pile 100") => ["26-71, 0.2-0.4 s", "40-108, 14-37 ms", "0.15-0.25 s", ""],
        Some("pile 150") => ["20-33, 1.4-1.8 s", "45-78, 48-68 ms", "0.5-0.6 s", ""],
        _ => [""; 4],
    };
    row[column]
}

/// Factorizations median / p95 / max, and times in microseconds median / p95, of the chain in a sequence.
pub(super) fn sequence(motion: Motion, class: StepClass, solver: &str) -> &'static str {
    if !matches!(solver, "robust" | "chain") {
        return "";
    }
    let row = match motion {
        Motion::Tumble => ["0/1/6, 1/3 us", "1/2/16, 2/5 us", "16/36/36, 36/62 us", "0/1/1, 1/4 us"],
        Motion::Shake => ["1/20/24, 22/332 us", "20/30/53, 348/584 us", "22/47/52, 403/833 us", "6, 239 us"],
        Motion::ShakeUnequal => {
            ["1/56/131, 25/929 us", "86/131/278, 1500/2300 us", "134/236/842, 2300/4300 us", "15, 320 us"]
        }
        Motion::Grip => ["1/1/21, 5/6 us", "2/2/2, 9/9 us", "4, 15 us", "6, 74 us"],
        Motion::TumbleSix => {
            ["0/1/1, 1/3 us", "2/17/45, 19/100 us", "16/30/131, 62/327 us", "3/34/74, 27/220 us"]
        }
    };
    row[class as usize]
}
