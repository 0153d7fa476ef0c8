//! Damaged scenes: whatever a slip of the keyboard makes of a good file, it is read or refused, never a panic or a hang,
//! and what is read holds no number that is not finite and moves on in finite numbers or stops with a typed error.

use std::path::PathBuf;
use std::time::Instant;
use stiction::model::Model;
use stiction::scene::{Scene, mjcf};
use stiction::sim::Simulation;

/// Mutated scenes, shared out among the files.
const MUTATIONS: usize = 5_000;

/// Steps that a scene takes if it is read.
const STEPS: usize = 3;

/// Reading a scene and taking its steps takes milliseconds; this is a hang (s).
const HANG: f64 = 5.0;

/// Steele, Lea and Flood's SplitMix64 (2014): the same damage on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound.max(1) as u64) as usize
    }

    fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }
}

fn files() -> Vec<(String, String)> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = ["scenes", "tests/oracle/mjcf"]
        .iter()
        .flat_map(|folder| std::fs::read_dir(root.join(folder)).unwrap())
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "xml"))
        .collect();
    files.sort();
    files.iter().map(|file| (file.display().to_string(), std::fs::read_to_string(file).unwrap())).collect()
}

/// Byte ranges of the values of attributes, without quotes.
fn values(text: &str) -> Vec<(usize, usize)> {
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    quotes.chunks_exact(2).map(|pair| (pair[0] + 1, pair[1])).collect()
}

/// Byte ranges of the names of attributes.
fn names(text: &str) -> Vec<(usize, usize)> {
    let ends = text.match_indices("=\"").map(|(at, _)| at);
    ends.map(|end| (text[..end].rfind([' ', '\n', '<']).map_or(0, |at| at + 1), end)).collect()
}

/// One random piece of damage. The scenes are ASCII, so every byte is a place to cut.
fn damage(text: &str, random: &mut Random) -> String {
    let mut out = text.to_string();
    // Slips that XML does not survive are the lesser part.
    match random.below(12) {
        0 => {
            let at = random.below(text.len());
            out.replace_range(at..(at + 1 + random.below(5)).min(text.len()), "");
        }
        1 => {
            let at = random.below(text.len());
            let letters = ["0", "-", ".", "e", " ", "\"", "<", ">", "/", "=", "x", "9", "&", "\u{e9}", "\0"];
            out.replace_range(at..at + 1, random.pick(&letters));
        }
        2..=4 => {
            let (from, to) = random.pick(&values(text));
            let worst = [
                "nan",
                "inf",
                "-inf",
                "1e999",
                "-1",
                "0",
                "",
                "0 0 0",
                "0 0 0 0",
                "1e308 1e308 1e308",
                "1e-320",
                "true",
                "99999999999",
                "-0.0",
                "1 2 3 4 5 6 7 8",
                "world",
                "auto",
                "mesh",
                "free",
                "ball",
            ];
            out.replace_range(from..to, random.pick(&worst));
        }
        5 => {
            // One value in place of another.
            let all = values(text);
            let (a, b) = (random.pick(&all), random.pick(&all));
            out.replace_range(a.0..a.1, &text[b.0..b.1]);
        }
        6 => {
            let all = names(text);
            let (a, b) = (random.pick(&all), random.pick(&all));
            out.replace_range(a.0..a.1, &text[b.0..b.1]);
        }
        7 | 8 => {
            // A line twice, or gone.
            let mut lines: Vec<&str> = text.lines().collect();
            let at = random.below(lines.len());
            if random.below(2) == 0 {
                lines.insert(random.below(lines.len()), lines[at]);
            } else {
                lines.remove(at);
            }
            out = lines.join("\n");
        }
        _ => {
            // A digit replaced in some number.
            let digits: Vec<usize> =
                text.bytes().enumerate().filter(|(_, b)| b.is_ascii_digit()).map(|(i, _)| i).collect();
            let at = random.pick(&digits);
            out.replace_range(at..at + 1, random.pick(&["0", "9", "-", "e", "."]));
        }
    }
    out
}

fn assert_finite(model: &Model, scene: &str) {
    let poses = model.geoms.iter().map(|g| &g.pose).chain(model.bodies.iter().map(|b| &b.pose));
    let numbers =
        model.q0.iter().copied().chain(poses.flat_map(|p| p.translation.iter().chain(&p.rotation).copied()));
    let numbers = numbers
        .chain(model.bodies.iter().map(|b| b.mass))
        .chain(model.geoms.iter().flat_map(|g| g.surface_velocity.iter().copied().chain([g.friction])))
        .chain(model.links.iter().flat_map(|l| [l.inertia.rotational.trace(), l.stiffness, l.reference]))
        .chain(model.links.iter().flat_map(|l| l.range.unwrap_or_default()))
        .chain(model.dofs.iter().flat_map(|d| [d.damping, d.armature, d.friction_loss]))
        .chain(model.actuators.iter().flat_map(|a| a.bias.into_iter().chain(a.gear).chain(a.gain)))
        .chain(model.keyframes.iter().flat_map(|k| k.q.iter().chain(&k.v).chain(&k.ctrl).copied()))
        .chain(model.gravity.iter().copied())
        .chain([model.timestep]);
    assert!(numbers.into_iter().all(f64::is_finite), "a number is not finite in\n{scene}");
}

/// Takes some steps; whether all could be taken. Not with time steps so long that the reader warns of them: then all
/// bodies are near each other, and a step is as slow as its one large island.
fn moves(scene: Scene, text: &str) -> bool {
    if scene.report.entries.iter().any(|entry| entry.attribute.as_deref() == Some("timestep")) {
        return true;
    }
    let Ok(mut simulation) = Simulation::from_scene(scene) else { return false };
    for _ in 0..STEPS {
        let Ok(_) = simulation.step() else { return false };
        let state = &simulation.state;
        let numbers = state.q.iter().chain(&state.v).chain([&state.time]);
        assert!(numbers.into_iter().all(|x| x.is_finite()), "the state is not finite in\n{text}");
    }
    true
}

#[test]
fn damaged_scenes_are_read_or_refused_but_never_break_the_reader_or_the_engine() {
    let mut random = Random(1);
    let (mut refused, mut read, mut noted, mut stopped) = (0, 0, 0, 0);
    let mut slowest: f64 = 0.0;
    let files = files();
    for (file, text) in &files {
        for _ in 0..MUTATIONS.div_ceil(files.len()) {
            let mut scene = text.clone();
            for _ in 0..=random.below(3) {
                scene = match scene.is_ascii() {
                    true => damage(&scene, &mut random),
                    false => scene,
                };
            }
            let start = Instant::now();
            match mjcf::parse(&scene, file) {
                Ok(scene_read) => {
                    read += 1;
                    noted += usize::from(!scene_read.report.is_empty());
                    assert_finite(&scene_read.model, &scene);
                    stopped += usize::from(!moves(scene_read, &scene));
                }
                Err(error) => {
                    refused += 1;
                    assert!(error.line().is_some_and(|line| line > 0), "{error}");
                    let message = error.to_string();
                    assert!(message.starts_with(file) && message.len() < 1000, "{message}");
                }
            }
            let took = start.elapsed().as_secs_f64();
            assert!(took < HANG, "{took} s for\n{scene}");
            slowest = slowest.max(took);
        }
    }
    println!(
        "{} damaged scenes: {refused} refused, {read} read, {noted} of them with a report, {stopped} stopped; \
         the slowest took {slowest:.3} s",
        refused + read
    );
    assert!(refused + read >= MUTATIONS && read > 500 && refused > 1000, "the damage must go both ways");
}
