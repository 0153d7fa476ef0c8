//! `stiction completions`: scripts that shells take, and that know the names of solvers, steppers and contact models.

use crate::common::stiction;
use std::process::Command;

/// What bash offers at the end of a line.
fn offered(words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, before) = (quoted.len() - 1, &quoted[quoted.len() - 2]);
    let script = format!(
        "{}\nCOMP_WORDS=({}); COMP_CWORD={last}; COMPREPLY=(); _stiction stiction {} {before}\nprintf '%s\\n' \"${{COMPREPLY[@]}}\"",
        stiction(&["completions", "bash"]).exits_with(0).stdout,
        quoted.join(" "),
        quoted[last],
    );
    let out = Command::new("bash").args(["--norc", "-c", &script]).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().lines().map(String::from).collect()
}

#[test]
fn bash_completes_commands_options_and_the_names_that_they_take() {
    if Command::new("bash").arg("--version").output().is_err() {
        println!("SKIPPED: there is no bash");
        return;
    }
    assert_eq!(offered(&["stiction", "ver"]), ["verify"]);
    assert_eq!(offered(&["stiction", "run", "--step"]), ["--stepper"]);
    for (line, expected) in [
        (&["stiction", "run", "--solver", "ns"][..], "nsgs"),
        (&["stiction", "run", "--stepper", "ev"], "event-driven"),
        (&["stiction", "run", "--contact", "ani"], "anitescu-potra"),
        (&["stiction", "view", "--impact", "ne"], "newton"),
        (&["stiction", "solve", "--solver", "pg"], "pgs-sm"),
        (&["stiction", "solve", "--solver", "al"], "all"),
        (&["stiction", "bench", "convergence", "--contact", "vis"], "viscous-explicit"),
        (&["stiction", "bench", "cones", "--solver", "ad"], "admm"),
    ] {
        assert!(offered(line).iter().any(|name| name == expected), "{line:?}: {:?}", offered(line));
    }
}

#[test]
fn every_shell_has_a_script_with_the_names_and_another_shell_is_refused_by_name() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stiction(&["completions", shell]).exits_with(0).stdout;
        for name in ["completions", "event-driven"] {
            assert!(script.contains(name) || shell == "elvish" || shell == "powershell", "{shell}: {name}");
        }
        assert!(script.contains("stepper"), "{shell}");
    }
    let refused = stiction(&["completions", "csh"]).exits_with(2);
    assert!(refused.stderr.contains("'csh'") && refused.stderr.contains("zsh"), "{}", refused.stderr);
}

/// Names only complete: what is wrong with another is still said by the engine.
#[test]
fn a_name_that_is_unknown_is_refused_with_the_nearest() {
    for (option, name, expected) in [
        ("--stepper", "event-drivn", "event-driven"),
        ("--contact", "con", "cone"),
        ("--impact", "newtn", "newton"),
    ] {
        let scene = crate::common::shipped("belt");
        let refused = stiction(&["run", &scene, option, name]).exits_with(2);
        assert!(
            refused.stderr.contains(name) && refused.stderr.contains("did you mean"),
            "{}",
            refused.stderr
        );
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
}
