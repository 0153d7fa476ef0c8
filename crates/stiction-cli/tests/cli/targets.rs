//! What `run` writes: whole files or the old ones, whatever happens, and nothing that is there is lost by accident.

use crate::common::{scene, scratch, shipped, stiction_in};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use stiction::recording::Recording;
use stiction::sim::Snapshot;

const BALL: &str = r#"<mujoco>
  <option timestep="0.001"/>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body pos="0 0 0.5"><freejoint/><geom type="sphere" size="0.1" mass="1"/></body>
  </worldbody>
</mujoco>"#;

/// What a folder holds, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn results_that_would_destroy_the_scene_each_other_or_other_files_are_refused_and_nothing_is_changed() {
    let dir = scratch("targets");
    scene(&dir, "ball.xml", BALL);
    std::fs::write(dir.join("notes.txt"), "precious").unwrap();
    std::fs::create_dir(dir.join("sub")).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::symlink("ball.xml", dir.join("link.state")).unwrap();
    let before = names(&dir);
    let mut refused: Vec<(&[&str], &[&str])> = vec![
        (&["--save-state", "ball.xml"], &["--save-state ball.xml", "the scene", "another name"]),
        (&["--save-state", "./sub/../ball.xml"], &["the scene"]),
        (&["--out", "x.npz", "--save-state", "x.npz"], &["--save-state x.npz", "--out x.npz", "its own"]),
        (&["--out", "x.npz", "--out", "sub/../x.npz"], &["the same file"]),
        (&["--save-state", "notes.txt"], &["not a stored state", "another name"]),
        (&["--save-state", "sub"], &["sub", "cannot be written"]),
        (&["--out", "missing/x.npz"], &["missing/x.npz", "cannot be written"]),
    ];
    if cfg!(unix) {
        refused.push((&["--save-state", "link.state"], &["the scene"]));
    }
    for (args, words) in refused {
        let args = [&["run", "ball.xml", "--duration", "0.01"], args].concat();
        let out = stiction_in(&dir, &args).exits_with(2);
        let lines: Vec<&str> = out.stderr.lines().filter(|line| line.starts_with("error")).collect();
        assert_eq!(lines.len(), 1, "{args:?}: {}", out.stderr);
        assert!(words.iter().all(|word| lines[0].contains(word)), "{args:?}: {}", out.stderr);
    }
    assert_eq!(names(&dir), before);
    assert_eq!(std::fs::read_to_string(dir.join("ball.xml")).unwrap(), BALL);
    assert_eq!(std::fs::read_to_string(dir.join("notes.txt")).unwrap(), "precious");

    // A state may replace a state, also the one that it continues, and an empty file.
    std::fs::write(dir.join("a.state"), "").unwrap();
    let first = ["run", "ball.xml", "--duration", "0.01", "--save-state", "a.state"];
    stiction_in(&dir, &first).exits_with(0);
    let args = [&first[..], &["--load-state", "a.state"]].concat();
    stiction_in(&dir, &args).exits_with(0);
    let snapshot = Snapshot::from_bytes(&std::fs::read(dir.join("a.state")).unwrap()).unwrap();
    assert!((snapshot.state.time - 0.02).abs() < 1e-12);
}

#[test]
fn a_run_that_stops_keeps_a_state_that_has_the_name_and_takes_the_next() {
    let dir = scratch("stopped_names");
    let wheel = r#"<mujoco><option timestep="1"/><worldbody><body name="wheel"><joint name="axle" type="hinge" axis="0 0 1"/>
        <geom type="sphere" size="0.1" mass="1e-300"/></body></worldbody>
        <actuator><motor name="drive" joint="axle"/></actuator>
        <keyframe><key name="start" ctrl="1e5"/></keyframe></mujoco>"#;
    scene(&dir, "wheel.xml", wheel);
    std::fs::write(dir.join("wheel.state"), "precious").unwrap();
    for name in ["wheel-2.state", "wheel-3.state"] {
        let out = stiction_in(&dir, &["run", "wheel.xml", "--duration", "1000"]).exits_with(1);
        assert!(out.stderr.contains(name), "{}", out.stderr);
        assert!(Snapshot::from_bytes(&std::fs::read(dir.join(name)).unwrap()).is_ok());
    }
    assert_eq!(std::fs::read_to_string(dir.join("wheel.state")).unwrap(), "precious");
    assert_eq!(names(&dir), ["wheel-2.state", "wheel-3.state", "wheel.state", "wheel.xml"]);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_and_no_panic() {
    let dir = scratch("full");
    scene(&dir, "ball.xml", BALL);
    let out = stiction_in(&dir, &["run", "ball.xml", "--duration", "0.01", "--save-state", "/dev/full"]);
    assert!(out.stderr.contains("/dev/full") && out.stderr.contains("space"), "{}", out.stderr);
    assert_ne!(out.status, 0);
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let help = Command::new(env!("CARGO_BIN_EXE_stiction")).arg("--help").stdout(full).status().unwrap();
    assert_eq!(help.code(), Some(2));
}

/// A file on a disk with little room: the old content stays and nothing else does.
#[cfg(target_os = "linux")]
#[test]
fn a_disk_that_fills_up_while_writing_leaves_the_old_recording() {
    let dir = scratch("small_disk");
    // Only the superuser makes disks; others have the failing writer of the unit tests.
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=256k", "none"])
        .arg(&dir)
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success());
    if !mounted {
        eprintln!("SKIPPED: no small disk can be made here");
        return;
    }
    let ball = scene(&scratch("small_disk_scene"), "ball.xml", BALL);
    let run = |duration: &str| stiction_in(&dir, &["run", &ball, "--duration", duration, "--out", "a.npz"]);
    let first = run("0.01");
    let old = std::fs::read(dir.join("a.npz"));
    let second = run("2");
    let (left, new) = (names(&dir), std::fs::read(dir.join("a.npz")));
    Command::new("umount").arg(&dir).status().unwrap();
    first.exits_with(0);
    let second = second.exits_with(1);
    assert!(second.stderr.contains("a.npz") && second.stderr.contains("space"), "{}", second.stderr);
    assert_eq!(left, ["a.npz"]);
    assert_eq!(old.unwrap(), new.unwrap());
}

/// A run that writes a recording of some megabytes, a page and a state.
fn begin(dir: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_stiction"))
        .current_dir(dir)
        .args(["run", &shipped("sphere_slide"), "--duration", "2", "--quiet", "--allow-unsolved"])
        .args(["--out", "a.npz", "--save-state", "a.state", "--out", "a.html"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Files that are being written.
fn passing(dir: &Path) -> Vec<PathBuf> {
    let parts = names(dir).into_iter().filter(|name| name.ends_with(".part"));
    parts.map(|name| dir.join(name)).collect()
}

/// Kills runs that write over whole files, at times that sweep over all of the writing; counts those in which a file
/// was being written.
fn kill_while_writing(test: &str, kills: u32) -> u32 {
    let dir = scratch(test);
    // The first passing files are the probes before the run; the recording is larger than those.
    let writing = || passing(&dir).iter().any(|part| part.metadata().is_ok_and(|file| file.len() > 0));
    let until_it_writes = |run: &mut Child| {
        let started = Instant::now();
        while !writing() && run.try_wait().unwrap().is_none() && started.elapsed() < Duration::from_secs(60) {
        }
    };
    let mut whole = begin(&dir);
    until_it_writes(&mut whole);
    let writes = Instant::now();
    assert!(whole.wait().unwrap().success());
    let span = (writes.elapsed().as_micros() as u32).max(1000);
    let mut torn = 0;
    for kill in 0..kills {
        let mut run = begin(&dir);
        until_it_writes(&mut run);
        std::thread::sleep(Duration::from_micros(u64::from(kill * 7919 % span)));
        run.kill().unwrap();
        run.wait().unwrap();
        torn += u32::from(!passing(&dir).is_empty());
        passing(&dir).iter().for_each(|part| std::fs::remove_file(part).unwrap());
        assert_eq!(names(&dir), ["a.html", "a.npz", "a.state"], "kill {kill}");
        let recording = Recording::read_npz(&dir.join("a.npz"));
        assert!(recording.is_ok_and(|recording| recording.steps() == 2000), "kill {kill}");
        let state = Snapshot::from_bytes(&std::fs::read(dir.join("a.state")).unwrap());
        assert!(state.is_ok(), "kill {kill}");
        let mut page = String::new();
        std::fs::File::open(dir.join("a.html")).unwrap().read_to_string(&mut page).unwrap();
        assert!(page.trim_end().ends_with("</html>"), "kill {kill}");
    }
    torn
}

#[test]
fn a_run_killed_while_it_writes_leaves_whole_files() {
    let torn = kill_while_writing("kills", 15);
    assert!(torn >= 3, "{torn} of 15 kills met a file that was being written");
}

#[test]
#[ignore = "slow: 500 runs"]
fn five_hundred_runs_killed_while_they_write_leave_whole_files() {
    let torn = kill_while_writing("many_kills", 500);
    eprintln!("{torn} of 500 kills met a file that was being written");
    assert!(torn >= 100, "{torn} of 500 kills met a file that was being written");
}

#[test]
fn what_a_killed_run_leaves_the_next_takes_away_but_not_what_another_is_writing() {
    let dir = scratch("left_over");
    while passing(&dir).iter().all(|part| part.metadata().is_ok_and(|file| file.len() == 0)) {
        let mut run = begin(&dir);
        let writing = || passing(&dir).iter().any(|part| part.metadata().is_ok_and(|file| file.len() > 0));
        while !writing() && run.try_wait().unwrap().is_none() {}
        run.kill().unwrap();
        run.wait().unwrap();
    }
    // Of another process, which is this one.
    let other = dir.join(".stiction-1-0.part");
    let written = std::fs::File::create(&other).unwrap();
    written.lock().unwrap();
    assert!(begin(&dir).wait().unwrap().success());
    assert_eq!(names(&dir), [".stiction-1-0.part", "a.html", "a.npz", "a.state"]);
    drop(written);
    assert!(begin(&dir).wait().unwrap().success());
    assert_eq!(names(&dir), ["a.html", "a.npz", "a.state"]);
}

#[test]
fn two_runs_that_write_one_file_leave_the_whole_of_one() {
    let dir = scratch("two_writers");
    for _ in 0..3 {
        let mut runs = [begin(&dir), begin(&dir)];
        for run in &mut runs {
            assert!(run.wait().unwrap().success());
        }
        assert_eq!(names(&dir), ["a.html", "a.npz", "a.state"]);
        assert!(Recording::read_npz(&dir.join("a.npz")).is_ok());
    }
}
