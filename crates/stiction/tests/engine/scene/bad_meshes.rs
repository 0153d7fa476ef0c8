//! Bad meshes and height fields: each is refused in one sentence that names the scene's file and line, the element, the
//! value and what would be right; damaged files of every format are refused or read, and never break anything.

use super::complaints_about_place;
use proptest::prelude::*;
use std::path::{Path, PathBuf};
use stiction::scene::{EntryKind, Scene, SceneError, load};

/// A scene with one bad asset or geom.
struct Bad {
    /// What is wrong with it.
    name: &'static str,
    /// What stands on line 3, in `<asset>`.
    asset: &'static str,
    /// What stands on line 6, in a body.
    geom: &'static str,
    /// Name and content of a file beside the scene.
    file: (&'static str, Vec<u8>),
    /// The line to blame, and what is underlined there.
    line: usize,
    underlined: &'static str,
    /// What the sentence must contain.
    words: &'static [&'static str],
}

/// A geom that needs no asset.
const BALL: &str = "<geom size=\"1\"/>";

/// A bad asset without a file.
fn asset(
    name: &'static str,
    asset: &'static str,
    underlined: &'static str,
    words: &'static [&'static str],
) -> Bad {
    Bad { name, asset, geom: BALL, file: ("unused", Vec::new()), line: 3, underlined, words }
}

/// An asset with a bad file.
fn file(
    name: &'static str,
    asset: &'static str,
    (path, bytes): (&'static str, impl Into<Vec<u8>>),
    words: &'static [&'static str],
) -> Bad {
    Bad { name, asset, geom: BALL, file: (path, bytes.into()), line: 3, underlined: path, words }
}

/// A good asset and a bad geom.
fn geom(
    name: &'static str,
    geom: &'static str,
    underlined: &'static str,
    words: &'static [&'static str],
) -> Bad {
    let asset = "<mesh name=\"wedge\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\"/><hfield name=\"hills\" nrow=\"2\" \
                 ncol=\"2\" elevation=\"0 1 2 3\" size=\"1 1 1 1\"/>";
    Bad { name, asset, geom, file: ("unused", Vec::new()), line: 6, underlined, words }
}

const CORNERS: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
const FACES: [[usize; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];

/// A binary STL of a tetrahedron with these corners.
fn stl(corners: [[f32; 3]; 4]) -> Vec<u8> {
    let mut bytes = vec![b' '; 80];
    bytes.extend(4_u32.to_le_bytes());
    for face in FACES {
        let numbers = [[0.0; 3], corners[face[0]], corners[face[1]], corners[face[2]]];
        bytes.extend(numbers.iter().flatten().flat_map(|number| number.to_le_bytes()));
        bytes.extend([0, 0]);
    }
    bytes
}

/// An MSH file of the tetrahedron whose last face names this vertex.
fn msh(last: i32) -> Vec<u8> {
    let mut bytes: Vec<u8> = [4_i32, 0, 0, 4].iter().flat_map(|count| count.to_le_bytes()).collect();
    bytes.extend(CORNERS.iter().flatten().flat_map(|number| number.to_le_bytes()));
    let mut indices: Vec<i32> = FACES.iter().flatten().map(|index| *index as i32).collect();
    indices[11] = last;
    bytes.extend(indices.iter().flat_map(|index| index.to_le_bytes()));
    bytes
}

/// A binary height field with these counts and as many heights as given.
fn hills(counts: [i32; 2], heights: &[f32]) -> Vec<u8> {
    let mut bytes: Vec<u8> = counts.iter().flat_map(|count| count.to_le_bytes()).collect();
    bytes.extend(heights.iter().flat_map(|height| height.to_le_bytes()));
    bytes
}

/// A grey picture of 2 x 2 points, deflated as one stored block.
fn png() -> Vec<u8> {
    let mut bytes = b"\x89PNG\r\n\x1a\n".to_vec();
    let mut chunk = |kind: &[u8], data: &[u8]| {
        bytes.extend((data.len() as u32).to_be_bytes());
        let body = [kind, data].concat();
        bytes.extend(&body);
        bytes.extend(crc32(&body).to_be_bytes());
    };
    chunk(b"IHDR", &[0, 0, 0, 2, 0, 0, 0, 2, 8, 0, 0, 0, 0]);
    let rows = [0, 10, 20, 0, 30, 40];
    let (a, b) = rows.iter().fold((1_u32, 0_u32), |(a, b), x| (a + x, b + a + x));
    let mut data = vec![0x78, 0x01, 1, 6, 0, 0xf9, 0xff];
    data.extend(rows.map(|x| x as u8));
    data.extend((b << 16 | a).to_be_bytes());
    chunk(b"IDAT", &data);
    chunk(b"IEND", &[]);
    bytes
}

/// The check sum of PNG (its specification, annex D).
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32, _| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    !bytes.iter().fold(u32::MAX, |crc, byte| (0..8).fold(crc ^ u32::from(*byte), step))
}

const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
const TEXT_STL: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\n\
                        endfacet\nendsolid t\n";

#[rustfmt::skip]
fn table() -> Vec<Bad> {
    let cut = |mut bytes: Vec<u8>, off: usize| { bytes.truncate(bytes.len() - off); bytes };
    let nan = |value: f32| { let mut corners = CORNERS; corners[3][2] = value; stl(corners) };
    let flat = || { let mut corners = CORNERS; corners[3] = [1.0, 1.0, 0.0]; stl(corners) };
    vec![
        // Files.
        Bad { underlined: "gone.stl", ..file("no file", "<mesh name=\"part\" file=\"gone.stl\"/>", ("part.stl", stl(CORNERS)), &["mesh \"part\", file", "gone.stl", "cannot be read"]) },
        Bad { underlined: "file=\"\"", ..file("no file name", "<mesh name=\"part\" file=\"\"/>", ("part.stl", ""), &["mesh \"part\", file", "missing", "name of a mesh file is needed"]) },
        file("another format", "<mesh name=\"part\" file=\"part.dae\"/>", ("part.dae", "<COLLADA/>"), &["mesh \"part\", file", "\"dae\"", "use .stl, .obj or .msh"]),
        file("no extension", "<mesh name=\"part\" file=\"part\"/>", ("part", ""), &["mesh \"part\", file", "\"\"", "use .stl, .obj or .msh"]),
        file("empty stl", "<mesh file=\"part.stl\"/>", ("part.stl", ""), &["mesh, file", "part.stl", "at least 84 bytes", "has 0"]),
        file("short stl", "<mesh file=\"part.stl\"/>", ("part.stl", cut(stl(CORNERS), 1)), &["mesh, file", "part.stl", "4 triangles has 284 bytes", "has 283"]),
        file("text stl cut off", "<mesh file=\"part.stl\"/>", ("part.stl", &TEXT_STL[..60]), &["mesh, file", "part.stl", "no valid STL"]),
        file("text stl with a word", "<mesh file=\"part.stl\"/>", ("part.stl", TEXT_STL.replace("1 0 0", "one 0 0")), &["mesh, file", "part.stl", "no valid STL"]),
        file("nan in stl", "<mesh file=\"part.stl\"/>", ("part.stl", nan(f32::NAN)), &["mesh, file", "part.stl", "NaN", "finite number"]),
        file("infinity in stl", "<mesh file=\"part.stl\"/>", ("part.stl", nan(f32::NEG_INFINITY)), &["mesh, file", "part.stl", "-inf", "finite number"]),
        file("flat stl", "<mesh file=\"part.stl\"/>", ("part.stl", flat()), &["mesh, file", "4 vertices span no volume", "at least 4 that are not in one plane"]),
        file("empty obj", "<mesh file=\"part.obj\"/>", ("part.obj", ""), &["mesh, file", "0 vertices span no volume"]),
        file("obj index above", "<mesh file=\"part.obj\"/>", ("part.obj", OBJ.replace("f 2 3 4", "f 2 3 5")), &["mesh, file", "part.obj", "no valid OBJ"]),
        file("obj index zero", "<mesh file=\"part.obj\"/>", ("part.obj", OBJ.replace("f 2 3 4", "f 2 3 0")), &["mesh, file", "part.obj", "no valid OBJ"]),
        file("obj of two numbers", "<mesh file=\"part.obj\"/>", ("part.obj", OBJ.replace("v 0 1 0", "v 0 1")), &["mesh, file", "part.obj", "no valid OBJ"]),
        file("nan in obj", "<mesh file=\"part.obj\"/>", ("part.obj", OBJ.replace("v 0 0 1", "v 0 0 nan")), &["mesh, file", "part.obj", "NaN", "finite number"]),
        file("empty msh", "<mesh file=\"part.msh\"/>", ("part.msh", ""), &["mesh, file", "part.msh", "at least 16 bytes", "has 0"]),
        file("short msh", "<mesh file=\"part.msh\"/>", ("part.msh", cut(msh(3), 2)), &["mesh, file", "4 vertices and 4 triangles has 112 bytes", "has 110"]),
        file("msh of a text", "<mesh file=\"part.msh\"/>", ("part.msh", vec![0xff; 64]), &["mesh, file", "counts -1", "four counts"]),
        file("msh index above", "<mesh file=\"part.msh\"/>", ("part.msh", msh(4)), &["mesh, file", "face 3 names vertex 4", "there are 4"]),
        file("msh index below", "<mesh file=\"part.msh\"/>", ("part.msh", msh(-1)), &["mesh, file", "face 3 names vertex", "there are 4"]),
        // Vertices in the scene.
        asset("no source", "<mesh name=\"part\"/>", "mesh", &["mesh \"part\"", "needs a file", "vertex", "builtin"]),
        asset("two sources", "<mesh name=\"part\" vertex=\"0 0 0\" builtin=\"cone\"/>", "cone", &["mesh \"part\", builtin", "vertex and builtin", "keep one"]),
        asset("no name", "<mesh vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\"/>", "mesh", &["mesh, name", "missing"]),
        asset("two and a half vertices", "<mesh name=\"part\" vertex=\"0 0 0  1 0 0  0 1\"/>", "0 0 0  1 0 0  0 1", &["mesh \"part\", vertex", "8 numbers", "three per vertex"]),
        asset("three vertices", "<mesh name=\"part\" vertex=\"0 0 0  1 0 0  0 1 0\"/>", "0 0 0  1 0 0  0 1 0", &["mesh \"part\", vertex", "3 vertices span no volume"]),
        asset("nan in vertices", "<mesh name=\"part\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 nan\"/>", "0 0 0  1 0 0  0 1 0  0 0 nan", &["mesh \"part\", vertex", "\"nan\"", "finite number"]),
        asset("face above", "<mesh name=\"part\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" face=\"0 1 4\"/>", "0 1 4", &["mesh \"part\", face", "4 is no vertex", "there are 4, numbered from 0"]),
        asset("face below", "<mesh name=\"part\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" face=\"0 1 -1\"/>", "0 1 -1", &["mesh \"part\", face", "-1 is no vertex"]),
        asset("half a vertex", "<mesh name=\"part\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" face=\"0 1 .5\"/>", "0 1 .5", &["mesh \"part\", face", "0.5 is no vertex"]),
        asset("face of two", "<mesh name=\"part\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" face=\"0 1\"/>", "0 1", &["mesh \"part\", face", "2 numbers", "three per triangle"]),
        asset("face without vertices", "<mesh name=\"part\" builtin=\"cone\" params=\"4 0\" face=\"0 1 2\"/>", "0 1 2", &["mesh \"part\", face", "belongs to vertex"]),
        // Solids without mass.
        asset("open and exact", "<mesh name=\"part\" inertia=\"exact\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" face=\"0 2 1  0 1 3  0 3 2\"/>", "0 0 0  1 0 0  0 1 0  0 0 1", &["mesh \"part\", vertex", "open at the edge from (", "closed", "inertia=\"convex\""]),
        asset("inside out and exact", "<mesh name=\"part\" inertia=\"exact\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" face=\"0 1 2  0 3 1  0 2 3  1 3 2\"/>", "0 0 0  1 0 0  0 1 0  0 0 1", &["mesh \"part\", vertex", "inside out", "-0.1666", "turn its triangles around"]),
        asset("one triangle", "<mesh name=\"part\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" face=\"0 2 1\"/>", "0 0 0  1 0 0  0 1 0  0 0 1", &["mesh \"part\", vertex", "no volume", "inertia=\"convex\""]),
        asset("shell of nothing", "<mesh name=\"part\" inertia=\"shell\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" face=\"0 1 1\"/>", "0 0 0  1 0 0  0 1 0  0 0 1", &["mesh \"part\", vertex", "no area"]),
        // Other attributes.
        asset("scale of zero", "<mesh name=\"part\" scale=\"1 0 1\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\"/>", "1 0 1", &["mesh \"part\", scale", "0 makes the mesh flat"]),
        asset("reference without length", "<mesh name=\"part\" refquat=\"0 0 0 0\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\"/>", "0 0 0 0", &["mesh \"part\", refquat", "\"0 0 0 0\"", "unit quaternion"]),
        asset("unknown rule of mass", "<mesh name=\"part\" inertia=\"exakt\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\"/>", "exakt", &["mesh \"part\", inertia", "\"exakt\"", "did you mean \"exact\"?"]),
        asset("unknown built-in", "<mesh name=\"part\" builtin=\"pyramid\" params=\"1\"/>", "pyramid", &["mesh \"part\", builtin", "\"pyramid\"", "cone"]),
        asset("built-in without parameters", "<mesh name=\"part\" builtin=\"cone\"/>", "mesh", &["mesh \"part\", params", "missing", "a cone has 2 of them: vertices, radius of the top"]),
        asset("built-in out of range", "<mesh name=\"part\" builtin=\"cone\" params=\"2 0\"/>", "2 0", &["mesh \"part\", params", "is 2", "whole number from 3"]),
        asset("mesh twice", "<mesh name=\"a\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\"/><mesh name=\"a\" vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\"/>", "a", &["mesh \"a\", name", "exists already", "unique"]),
        // Geoms.
        geom("geom without mesh", "<geom name=\"g\" type=\"mesh\"/>", "geom", &["geom \"g\", mesh", "missing", "<mesh>"]),
        geom("no such mesh", "<geom name=\"g\" type=\"mesh\" mesh=\"wegde\"/>", "wegde", &["geom \"g\", mesh", "\"wegde\"", "did you mean \"wedge\"?"]),
        geom("plane fitted to a mesh", "<geom name=\"g\" type=\"plane\" mesh=\"wedge\"/>", "wedge", &["geom \"g\", mesh", "plane", "sphere, capsule, box, cylinder or ellipsoid"]),
        geom("fitted to nothing", "<geom name=\"g\" type=\"box\" mesh=\"wedge\" fitscale=\"0\"/>", "0", &["geom \"g\", fitscale", "0 is not positive"]),
        geom("no such height field", "<geom name=\"g\" type=\"hfield\" hfield=\"hill\"/>", "hill", &["geom \"g\", hfield", "\"hill\"", "did you mean \"hills\"?"]),
        geom("geom without height field", "<geom name=\"g\" type=\"hfield\"/>", "geom", &["geom \"g\", hfield", "missing", "<hfield>"]),
        geom("signed distance", "<geom name=\"g\" type=\"sdf\" mesh=\"wedge\"/>", "sdf", &["geom \"g\", type", "not supported", "use a mesh"]),
        // Height fields.
        Bad { underlined: "gone.png", ..file("no height file", "<hfield name=\"h\" file=\"gone.png\" size=\"1 1 1 1\"/>", ("hills.png", png()), &["hfield \"h\", file", "gone.png", "cannot be read"]) },
        file("short height file", "<hfield file=\"hills.bin\" size=\"1 1 1 1\"/>", ("hills.bin", hills([2, 3], &[0.0; 5])), &["hfield, file", "2 rows and 3 columns", "32 bytes", "has 28"]),
        file("height file of a row", "<hfield file=\"hills.bin\" size=\"1 1 1 1\"/>", ("hills.bin", hills([1, 3], &[0.0; 3])), &["hfield, file", "1 rows and 3 columns", "2 at least"]),
        file("height file of negative counts", "<hfield file=\"hills.bin\" size=\"1 1 1 1\"/>", ("hills.bin", hills([-2, -2], &[0.0; 4])), &["hfield, file", "-2 rows"]),
        file("height file of huge counts", "<hfield file=\"hills.bin\" size=\"1 1 1 1\"/>", ("hills.bin", hills([i32::MAX, i32::MAX], &[0.0; 4])), &["hfield, file", "has 18446744056529682444 bytes"]),
        file("nan in heights", "<hfield file=\"hills.bin\" size=\"1 1 1 1\"/>", ("hills.bin", hills([2, 2], &[0.0, f32::NAN, 0.0, 0.0])), &["hfield, file", "NaN", "finite"]),
        file("no picture", "<hfield file=\"hills.png\" size=\"1 1 1 1\"/>", ("hills.png", "heights"), &["hfield, file", "hills.png", "no valid PNG"]),
        file("half a picture", "<hfield file=\"hills.png\" size=\"1 1 1 1\"/>", ("hills.png", cut(png(), 30)), &["hfield, file", "hills.png", "no valid PNG"]),
        asset("file and grid", "<hfield file=\"hills.png\" nrow=\"2\" size=\"1 1 1 1\"/>", "2", &["hfield, nrow", "the file gives the grid"]),
        asset("height field without name", "<hfield nrow=\"2\" ncol=\"2\" size=\"1 1 1 1\"/>", "hfield", &["hfield, name", "missing"]),
        asset("height field without size", "<hfield name=\"h\" nrow=\"2\" ncol=\"2\"/>", "hfield", &["hfield \"h\", size", "missing", "half sizes"]),
        asset("height field of no depth", "<hfield name=\"h\" nrow=\"2\" ncol=\"2\" size=\"1 1 1 0\"/>", "1 1 1 0", &["hfield \"h\", size", "0 is not positive"]),
        asset("one column", "<hfield name=\"h\" nrow=\"2\" ncol=\"1\" size=\"1 1 1 1\"/>", "1", &["hfield \"h\", ncol", "1", "at least 2"]),
        asset("too many points", "<hfield name=\"h\" nrow=\"99999\" ncol=\"99999\" size=\"1 1 1 1\"/>", "99999", &["hfield \"h\", nrow", "99999 x 99999"]),
        asset("three heights of four", "<hfield name=\"h\" nrow=\"2\" ncol=\"2\" elevation=\"1 2 3\" size=\"1 1 1 1\"/>", "1 2 3", &["hfield \"h\", elevation", "3 numbers", "4 (rows times columns)"]),
    ]
}

fn scratch(name: &str) -> PathBuf {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("bad_meshes").join(name);
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    directory
}

/// Writes a scene with an asset and a geom, and a file beside it, and loads it.
fn load_with(
    directory: &Path,
    asset: &str,
    geom: &str,
    (name, bytes): (&str, &[u8]),
) -> Result<Scene, SceneError> {
    std::fs::write(directory.join(name), bytes).unwrap();
    let text = format!(
        "<mujoco>\n<asset>\n{asset}\n</asset>\n<worldbody><body name=\"arm\"><freejoint/>\n{geom}\n</body></worldbody>\n\
         </mujoco>\n"
    );
    let path = directory.join("scene.xml");
    std::fs::write(&path, text).unwrap();
    load(&path)
}

/// What is wrong with how a scene is refused.
fn complaints(bad: &Bad) -> Vec<String> {
    let directory = scratch(&bad.name.replace(' ', "_"));
    let error = match load_with(&directory, bad.asset, bad.geom, (bad.file.0, &bad.file.1)) {
        Ok(_) => return vec!["it is accepted".into()],
        Err(error) => error,
    };
    let sentence = error.to_string();
    let Some(place) = error.place() else { return vec![format!("no place: {sentence}")] };
    let mut complaints = Vec::new();
    if place.line != bad.line || !sentence.starts_with(&format!("{place}:")) || sentence.contains('\n') {
        complaints.push(format!("line {}, or not one sentence", place.line));
    }
    let blamed = directory.join("scene.xml");
    complaints.extend(complaints_about_place(bad.underlined, bad.words, &sentence, place, &blamed));
    if !complaints.is_empty() {
        complaints.push(sentence);
    }
    complaints
}

#[test]
fn bad_meshes_and_height_fields_are_refused_in_one_sentence_with_line_name_value_and_what_would_be_right() {
    let table = table();
    let failed: Vec<String> = table
        .iter()
        .map(|bad| (bad.name, complaints(bad)))
        .filter(|(_, complaints)| !complaints.is_empty())
        .map(|(name, complaints)| format!("{name}: {}", complaints.join("; ")))
        .collect();
    println!("{} bad assets", table.len());
    assert!(failed.is_empty(), "{} of {}:\n{}", failed.len(), table.len(), failed.join("\n"));
}

#[test]
fn a_folder_is_no_mesh() {
    let directory = scratch("folder");
    std::fs::create_dir(directory.join("part.stl")).unwrap();
    let sentence =
        load_with(&directory, "<mesh file=\"part.stl\"/>", BALL, ("unused", &[])).unwrap_err().to_string();
    assert!(sentence.contains("part.stl: cannot be read: it is not a file"), "{sentence}");
}

/// What the load report says of the kind, joined.
fn notes(scene: &Scene, kind: EntryKind) -> String {
    let notes = scene.report.entries.iter().filter(|e| e.kind == kind).map(ToString::to_string);
    notes.collect::<Vec<_>>().join("\n")
}

#[test]
fn open_and_inside_out_surfaces_are_taken_with_a_note_where_only_mujocos_sum_is_needed() {
    let directory = scratch("notes");
    let geom = "<geom type=\"mesh\" mesh=\"part\"/>";
    let load = |faces: &str, rule: &str| {
        let asset =
            format!("<mesh name=\"part\" {rule} vertex=\"0 0 0  1 0 0  0 1 0  0 0 1\" face=\"{faces}\"/>");
        load_with(&directory, &asset, geom, ("unused", &[])).unwrap()
    };
    let outward = "0 2 1  0 1 3  0 3 2  1 2 3";
    let plain = load(outward, "");
    assert_eq!((notes(&plain, EntryKind::Warning), notes(&plain, EntryKind::Repaired)), Default::default());
    let inside_out = load("0 1 2  0 3 1  0 2 3  1 3 2", "");
    assert!(
        notes(&inside_out, EntryKind::Repaired).contains("mesh \"part\", vertex: the surface is inside out")
    );
    let open = load("0 2 1  0 1 3  0 3 2", "");
    assert!(notes(&open, EntryKind::Warning).contains("mesh \"part\", vertex: the surface is open"));
    // The hull needs no faces.
    let hull = load("0 2 1", "inertia=\"convex\"");
    for scene in [&plain, &inside_out, &hull] {
        assert!((scene.model.total_mass() - 1000.0 / 6.0).abs() < 1e-10, "{}", scene.model.total_mass());
    }
}

#[test]
fn a_coloured_picture_is_taken_by_its_red_with_a_warning_and_falling_through_is_announced() {
    let directory = scratch("picture");
    let asset = "<hfield name=\"h\" file=\"hills.png\" size=\"1 1 2 1\"/>";
    let scene = load_with(
        &directory,
        asset,
        "<geom size=\"1\"/><geom name=\"ground\" type=\"hfield\" hfield=\"h\"/>",
        ("hills.png", &png()),
    )
    .unwrap();
    let warnings = notes(&scene, EntryKind::Warning);
    assert!(!warnings.contains("coloured") && warnings.contains("geom \"ground\""), "{warnings}");
    let shape = &scene.model.geoms.iter().find(|g| g.name == "ground").unwrap().shape;
    let stiction::geometry::Shape::HeightField(field) = shape else { panic!("{shape:?}") };
    // The picture's last row is the one at -y.
    let expected = [20.0, 30.0, 0.0, 10.0].map(|grey| grey / 30.0 * 2.0);
    assert!(
        field.heights().iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-15),
        "{:?}",
        field.heights()
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]
    #[test]
    fn damaged_files_are_refused_in_one_sentence_or_give_finite_models(
        format in 0_usize..6, changes in prop::collection::vec((0_usize..400, any::<u8>()), 1..4), cut in 0_usize..400,
    ) {
        let (name, mut bytes, hfield): (&str, Vec<u8>, bool) = match format {
            0 => ("part.stl", stl(CORNERS), false),
            1 => ("part.stl", TEXT_STL.into(), false),
            2 => ("part.obj", OBJ.into(), false),
            3 => ("part.msh", msh(3), false),
            4 => ("part.bin", hills([2, 3], &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]), true),
            _ => ("part.png", png(), true),
        };
        let count = bytes.len();
        for (at, byte) in changes {
            bytes[at % count] = byte;
        }
        // Mostly whole, so that the values themselves are reached.
        if cut < count / 4 {
            bytes.truncate(cut);
        }
        let (asset, geom) = match hfield {
            true => (format!("<hfield name=\"part\" file=\"{name}\" size=\"1 1 1 1\"/>"), "<geom size=\"1\"/><geom type=\"hfield\" hfield=\"part\"/>"),
            false => (format!("<mesh name=\"part\" file=\"{name}\"/>"), "<geom type=\"mesh\" mesh=\"part\"/>"),
        };
        match load_with(&scratch("damaged"), &asset, geom, (name, &bytes)) {
            Ok(scene) => prop_assert!(scene.model.total_mass().is_finite() && scene.model.total_mass() > 0.0),
            Err(error) => prop_assert!(!error.to_string().contains('\n'), "{error}"),
        }
    }
}
