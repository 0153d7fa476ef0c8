//! Files from strangers: they learn nothing of this machine, their names do not move the terminal, and little text costs
//! little.

use crate::common::{Outcome, scene, scratch, stiction_in};
use std::path::Path;

/// What a stranger would like to read.
const SECRET: &str = "root:x:0:0:hunter2\nsecond line\n";

fn said(out: &Outcome) -> String {
    format!("{}{}", out.stdout, out.stderr)
}

/// Runs `run` and `check`, plain and as JSON.
fn all(directory: &Path, file: &str) -> Vec<String> {
    let ways: [&[&str]; 4] = [
        &["run", "--duration", "0.001"],
        &["check"],
        &["run", "--json", "--duration", "0.001"],
        &["check", "--json"],
    ];
    ways.iter().map(|way| said(&stiction_in(directory, &[way, &[file][..]].concat()))).collect()
}

#[test]
fn files_that_are_no_scenes_are_not_shown_whatever_way_they_are_named() {
    let dir = scratch("secrets");
    std::fs::create_dir(dir.join("robot")).unwrap();
    std::fs::write(dir.join("passwd"), SECRET).unwrap();
    std::fs::write(dir.join("passwd.obj"), SECRET).unwrap();
    std::fs::write(dir.join("settings.xml"), "<settings>\n<password>hunter2</password>\n</settings>")
        .unwrap();
    std::fs::write(dir.join("broken.xml"), "<settings>\n<password>hunter2</pass>\n</settings>").unwrap();
    let absolute = dir.join("passwd").display().to_string();
    let mut names = vec![absolute.as_str(), "../passwd", "../settings.xml", "../broken.xml"];
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink("../passwd", dir.join("robot/link.xml")).unwrap();
        names.push("link.xml");
        assert!(
            all(&dir, "robot/link.xml")
                .iter()
                .all(|said| !said.contains("hunter2") && !said.contains("root:"))
        );
    }
    for name in names {
        scene(
            &dir,
            "robot/main.xml",
            &format!("<mujoco>\n<worldbody><include file=\"{name}\"/></worldbody></mujoco>"),
        );
        for said in all(&dir, "robot/main.xml") {
            assert!(
                said.contains("main.xml") || said.contains("settings") || said.contains("broken"),
                "{said}"
            );
            assert!(!said.contains("hunter2") && !said.contains("root:"), "{name}: {said}");
        }
    }
    for asset in [
        "<mesh name=\"m\" file=\"../passwd.obj\"/>",
        "<hfield name=\"h\" file=\"../passwd\" size=\"1 1 1 1\"/>",
        "<mesh name=\"m\" file=\"../passwd\"/>",
    ] {
        scene(&dir, "robot/main.xml", &format!("<mujoco><asset>\n{asset}</asset></mujoco>"));
        for said in all(&dir, "robot/main.xml") {
            assert!(!said.contains("hunter2") && !said.contains("root:"), "{asset}: {said}");
        }
    }

    // Assets and parts above the scene are as good as any, and what is a scene is shown.
    std::fs::write(dir.join("part.xml"), "<mujocoinclude>\n<geom size=\"-1\"/></mujocoinclude>").unwrap();
    scene(&dir, "robot/main.xml", "<mujoco><worldbody><include file=\"../part.xml\"/></worldbody></mujoco>");
    let out = stiction_in(&dir, &["check", "robot/main.xml"]).exits_with(2);
    assert!(out.stderr.contains("2 | <geom size=\"-1\"/>"), "{}", out.stderr);
}

#[test]
fn escape_and_direction_changing_characters_in_names_reach_neither_terminal_nor_page() {
    let dir = scratch("escapes");
    let evil = "a\u{9b}31m\u{202e}b\u{2066}c\u{85}";
    let text = format!(
        "<mujoco model=\"{evil}\"><worldbody><geom name=\"{evil}floor\" type=\"plane\" size=\"1 1 1\" solref=\"0.01 1\"/>\
         <body name=\"{evil}\" pos=\"0 0 0.1\"><freejoint name=\"{evil}\"/><geom name=\"{evil}ball\" size=\"0.1\" mass=\"1\"/></body>\
         <geom name=\"{evil}{evil}\" size=\"1\" material=\"{evil}\"/></worldbody></mujoco>"
    );
    let clean = |text: &str| {
        let raw = text.chars().find(|c| !stiction_solvers::io::is_printable(*c) && !"\n\t".contains(*c));
        assert!(raw.is_none(), "{raw:?} in {text:?}");
    };
    scene(&dir, "bad.xml", &text);
    all(&dir, "bad.xml").iter().for_each(|said| clean(said));
    scene(&dir, "good.xml", &text.replace(&format!(" material=\"{evil}\""), ""));
    all(&dir, "good.xml").iter().for_each(|said| clean(said));
    let out = stiction_in(&dir, &["run", "good.xml", "--duration", "0.01", "--json"]).exits_with(0);
    clean(&out.stdout);
    assert!(
        out.json()["last_step"]["contacts"].to_string().contains(evil),
        "JSON keeps the name: {}",
        out.stdout
    );
    stiction_in(&dir, &["run", "good.xml", "--duration", "0.01", "--out", "a.html"]).exits_with(0);
    let page = std::fs::read_to_string(dir.join("a.html")).unwrap();
    assert!(page.contains("a\\\\u{9b}31m\\\\u{202e}b"), "the page shows the characters by their numbers");
    assert!(!page.contains('\u{202e}') && !page.contains('\u{9b}'));

    let problem =
        r#"{"format": "lcp-1", "problems": [{"name": "a\u001b[2J\u202eb", "M": [[1]], "q": [-1]}]}"#;
    std::fs::write(dir.join("p.json"), problem).unwrap();
    for json in [&[][..], &["--json"]] {
        let out = stiction_in(&dir, &[&["solve", "p.json"], json].concat()).exits_with(0);
        clean(&out.stdout);
        clean(&out.stderr);
    }
}

/// 120 000 rows with an operator of zeros: filled, 115 GB.
#[cfg(target_os = "linux")]
#[test]
fn many_contacts_without_an_operator_need_no_more_memory_than_their_file_suggests() {
    let dir = scratch("empty_operator");
    let n = 40_000;
    let (mu, q) = (vec![0.5; n], [-1.0, 0.0, 0.0].repeat(n));
    let rows = vec![0; n + 1];
    let text = serde_json::json!({"format": "fc-1", "dim": 3, "mu": mu, "q": q, "W": {"rowptr": rows, "col": [], "val": []}});
    std::fs::write(dir.join("large.json"), text.to_string()).unwrap();
    let limited = format!("ulimit -v 1500000; exec {} solve large.json", env!("CARGO_BIN_EXE_stiction"));
    let out = std::process::Command::new("sh").args(["-c", &limited]).current_dir(&dir).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert_eq!(out.status.code(), Some(1), "{said}");
    assert!(said.contains("1 of 1 problems were not solved"), "{said}");
    assert!(said.contains("120000 rows") && said.contains("up to 8192 rows"), "{said}");
}

#[test]
fn a_long_recording_says_first_what_it_will_need() {
    let dir = scratch("long_recording");
    let ball =
        "<mujoco><worldbody><body><freejoint/><geom size=\"1\" mass=\"1\"/></body></worldbody></mujoco>";
    scene(&dir, "ball.xml", ball);
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_stiction"))
        .args(["run", "ball.xml", "--duration", "1e6", "--out", "a.npz"])
        .current_dir(&dir)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let errors = std::io::BufReader::new(run.stderr.take().unwrap());
    let line = std::io::BufRead::lines(errors).map(Result::unwrap).find(|line| line.contains("recording"));
    let line = line.unwrap_or_default();
    run.kill().unwrap();
    run.wait().unwrap();
    assert!(
        line.contains("500000000 steps") && line.contains("GB of memory") && line.contains("--duration"),
        "{line}"
    );
}

#[test]
fn a_name_of_any_length_is_cut_in_tables() {
    let dir = scratch("long_name");
    for length in [65_536, 200_000] {
        let name = "x".repeat(length);
        let problem =
            format!(r#"{{"format": "lcp-1", "problems": [{{"name": "{name}", "M": [[1]], "q": [-1]}}]}}"#);
        std::fs::write(dir.join("p.json"), problem).unwrap();
        let out = stiction_in(&dir, &["solve", "p.json"]).exits_with(0);
        assert!(out.stdout.contains("xxx...") && out.stdout.lines().all(|line| line.len() < 400));
    }
}

/// The file has the sets of FCLIB, `mu` announced with 1e9 numbers, none of which is stored. `h5py` wrote it.
#[test]
fn a_set_that_announces_more_numbers_than_are_read_is_refused() {
    let dir = scratch("announced");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cli/announced.hdf5");
    let out = stiction_in(&dir, &["solve", &file.display().to_string()]).exits_with(2);
    assert!(
        out.stderr.contains("vectors/mu") && out.stderr.contains("announces 1000000000 numbers"),
        "{}",
        out.stderr
    );
    assert!(out.stderr.contains("at most 16777216 are read"), "{}", out.stderr);
}
