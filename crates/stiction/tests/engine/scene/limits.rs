//! Small scenes that would cost much: refused by a sentence before anything large is made.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};
use stiction::scene::{load, mjcf};

#[track_caller]
fn refused(text: &str, words: &[&str]) {
    let started = Instant::now();
    let Err(error) = mjcf::parse(text, "large.xml") else { panic!("must be refused") };
    let said = error.to_string();
    assert!(words.iter().all(|word| said.contains(word)), "{said}");
    assert!(said.len() <= 300 && !said.contains('\n'), "{said}");
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}: {said}", started.elapsed());
}

#[test]
fn the_height_fields_of_a_scene_have_a_limited_number_of_points_together() {
    let fields = |count: usize, side: usize| {
        let assets: String = (0..count).fold(String::new(), |mut text, i| {
            let _ =
                writeln!(text, "<hfield name=\"f{i}\" size=\"1 1 1 1\" nrow=\"{side}\" ncol=\"{side}\"/>");
            text
        });
        format!("<mujoco><asset>\n{assets}</asset></mujoco>")
    };
    // 4 x 9 million points would be 288 MB, and as many again for each copy.
    refused(
        &fields(40, 3000),
        &["large.xml:3", "hfield", "3000 x 3000 points", "9000000 of other", "10000000 in a scene"],
    );
    refused(&fields(1, 2_000_000_000), &["large.xml:2", "2000000000 x 2000000000 points"]);
    assert!(mjcf::parse(&fields(40, 300), "small.xml").is_ok());
}

#[test]
fn an_element_has_a_limited_number_of_attributes() {
    let attributes = |count: usize| (0..count).map(|i| format!(" a{i}=\"1\"")).collect::<String>();
    let scene = |tag: &str| format!("<mujoco>\n<!-- <a{} -->\n{tag}</mujoco>", attributes(5000));
    refused(
        &scene(&format!("<option{}/>", attributes(100_000))),
        &["large.xml:3", "option", "more than 1000 attributes"],
    );
    // Within the limit it is the vocabulary that refuses; what stands in comments, values and data does not count.
    refused(&scene(&format!("<option{}/>", attributes(900))), &["option", "a0", "unknown attribute"]);
    let many = "=".repeat(5000);
    let text = format!(
        "<custom><text name='x' data=\"{many}>{many}\"/></custom><![CDATA[<a{}>]]>",
        attributes(2000)
    );
    mjcf::parse(&scene(&text), "x.xml").unwrap();
}

#[test]
fn a_scene_of_thousands_of_files_is_read_in_seconds_and_one_of_more_is_refused() {
    let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("many_includes");
    let _ = std::fs::remove_dir_all(&directory);
    std::fs::create_dir_all(&directory).unwrap();
    for i in 0..4200 {
        std::fs::write(directory.join(format!("{i}.xml")), "<mujoco/>").unwrap();
    }
    let read = |count: usize| {
        let includes: String = (0..count).map(|i| format!("<include file=\"{i}.xml\"/>\n")).collect();
        let main = directory.join("main.xml");
        std::fs::write(&main, format!("<mujoco>\n{includes}</mujoco>")).unwrap();
        let started = Instant::now();
        let outcome = load(&main);
        assert!(started.elapsed() < Duration::from_secs(5), "{count}: {:?}", started.elapsed());
        outcome
    };
    assert!(read(3000).is_ok());
    let error = read(4200).unwrap_err().to_string();
    assert!(error.contains("main.xml:4097") && error.contains("at most 4096 files"), "{error}");
    std::fs::remove_dir_all(&directory).unwrap();
}
