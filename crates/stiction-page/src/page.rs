//! From a recording to the text of a page, small enough to be mailed.

use crate::base64::base64;
use crate::content;
use crate::header::Header;
use miniz_oxide::deflate::compress_to_vec_zlib;
use std::io::Write;
use std::path::Path;
use stiction::recording::{RecordError, Recording};
use stiction_solvers::io::replace_file;

/// A page is at most this large (bytes) if leaving out steps can make it so.
pub const PAGE_LIMIT: usize = 3_000_000;

/// The page's program, with a mark where the recording belongs.
const BUNDLE: &str = include_str!("page.html");

/// The mark.
const MARK: &str = "<!--recording-->";

/// Effort of deflate, of 10.
const EFFORT: u8 = 7;

/// Why there is no page.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// Nothing to show.
    #[error("a page shows steps, and the recording has none")]
    NoSteps,
    /// The file cannot be written.
    #[error(transparent)]
    Write(#[from] RecordError),
}

/// Writes a recording as a page; an existing file is replaced.
///
/// # Errors
/// The recording has no step, or the file cannot be written.
pub fn write_page(recording: &Recording, path: &Path) -> Result<(), PageError> {
    let text = page(recording)?;
    replace_file(path, |file| file.write_all(text.as_bytes()))
        .map_err(|source| RecordError { path: path.to_path_buf(), source }.into())
}

/// The text of a page that plays a recording: every step of it, or every second, third, ... so that the page stays
/// within [`PAGE_LIMIT`].
///
/// Forces and margins come to within 1e-6 of their size, positions of bodies to within 1e-5 and contact points to within
/// 1e-6 of the smallest moving geom's.
///
/// # Errors
/// The recording has no step.
pub fn page(recording: &Recording) -> Result<String, PageError> {
    page_within(recording, PAGE_LIMIT)
}

fn page_within(recording: &Recording, limit: usize) -> Result<String, PageError> {
    if recording.steps() == 0 {
        return Err(PageError::NoSteps);
    }
    let mut stride = 1;
    loop {
        let text = with_stride(recording, stride);
        // Some excess is the program's and the scene's, and steps that are further apart cost more each: as many
        // times the stride as the page is too large is not too much.
        let excess = text.len().saturating_sub(BUNDLE.len()) / limit.saturating_sub(BUNDLE.len()).max(1);
        if text.len() <= limit || stride >= recording.steps() {
            return Ok(text);
        }
        stride = (stride * excess).max(stride + 1).min(recording.steps());
    }
}

fn with_stride(recording: &Recording, stride: usize) -> String {
    let steps: Vec<usize> = (0..recording.steps()).skip(stride - 1).step_by(stride).collect();
    let columns = content::columns(recording, &steps, stride);
    let data = base64(&compress_to_vec_zlib(&columns.bytes, EFFORT));
    let header = Header::of(recording, &steps, stride, &columns.table);
    // `<` could end the element that the text stands in. Plain numbers and texts always become JSON.
    let json = serde_json::to_string(&header).unwrap_or_default().replace('<', "\\u003c");
    let (before, after) = BUNDLE.split_once(MARK).unwrap_or((BUNDLE, ""));
    [
        before,
        "<script type=\"application/json\" id=\"recording-header\">",
        &json,
        "</script>\n<script type=\"application/octet-stream\" id=\"recording-data\">",
        &data,
        "</script>",
        after,
    ]
    .concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::columns::tests::decode;
    use crate::{check_page, is_page};
    use std::collections::HashMap;
    use stiction::recording::Recorder;
    use stiction::scene::mjcf;
    use stiction::sim::Simulation;

    /// A floor, a slope that is part of a fixed body, and a ball, a box and a capsule that fall on them and on each
    /// other under different laws, so that contacts come and go.
    const SCENE: &str = r#"<mujoco model="a &lt;/script&gt; b">
      <option timestep="0.002"/>
      <asset><material name="stone"/><material name="rubber"/><material name="wax"/><material name="ice"/></asset>
      <custom>
        <text name="stiction:law:rubber:stone" data="no-slip"/>
        <text name="stiction:law:wax:stone" data="coulomb 0.1 viscous 0.5"/>
        <text name="stiction:law:ice:stone" data="frictionless"/>
      </custom>
      <worldbody>
        <geom name="floor" type="plane" size="9 9 1" material="stone"/>
        <body name="ramp" pos="0.3 0 0.1" euler="0 25 0">
          <geom name="ramp" type="box" size="0.3 0.3 0.02" material="stone"/>
        </body>
        <body name="a" pos="0.25 0 0.6"><freejoint/><geom name="a" type="sphere" size="0.1" mass="1" material="rubber"/></body>
        <body name="b" pos="0.2 0.05 0.9"><freejoint/><geom name="b" type="box" size="0.1 0.07 0.05" mass="2"/></body>
        <body name="c" pos="0.9 0 0.1"><freejoint/>
          <geom name="c" type="capsule" size="0.05 0.1" mass="1" material="wax"/>
        </body>
        <body name="d" pos="-1 0 0.2"><freejoint/><geom name="d" size="0.1" mass="1" material="ice"/></body>
      </worldbody>
    </mujoco>"#;

    fn recorded(steps: usize) -> Recording {
        let mut simulation = Simulation::from_scene(mjcf::parse(SCENE, "page.xml").unwrap()).unwrap();
        let mut recorder = Recorder::new(&simulation, steps);
        for _ in 0..steps {
            let report = simulation.step().unwrap();
            recorder.record(&simulation, &report);
        }
        recorder.recording().clone()
    }

    /// Header and columns of a page.
    fn read(page: &str) -> (serde_json::Value, HashMap<String, Vec<f64>>) {
        let element = |id: &str| {
            let start = page.find(&format!("id=\"{id}\">")).unwrap() + id.len() + 6;
            &page[start..start + page[start..].find("</script>").unwrap()]
        };
        let header: serde_json::Value = serde_json::from_str(element("recording-header")).unwrap();
        let data =
            miniz_oxide::inflate::decompress_to_vec_zlib(&from_base64(element("recording-data"))).unwrap();
        let table = header["columns"].as_array().unwrap();
        let frames = header["frames"].as_u64().unwrap() as usize;
        // Lengths of tracks are a column that stands before those that need them.
        let until = table.iter().position(|c| c["name"] == "track_start").unwrap();
        let before: u64 = table[..until]
            .iter()
            .map(|c| c["length"].as_u64().unwrap() * c["planes"].as_u64().unwrap())
            .sum();
        let tracks = decode(&table[..until], &data[..before as usize], |_| vec![frames]).pop().unwrap().1;
        let lanes = |kind: &str| match kind {
            "frames" => vec![frames],
            _ => tracks.iter().map(|&n| n as usize).collect(),
        };
        let columns = decode(table, &data, lanes).into_iter().collect();
        (header, columns)
    }

    fn from_base64(text: &str) -> Vec<u8> {
        let digit = |c: u8| match c {
            b'A'..=b'Z' => c - b'A',
            b'a'..=b'z' => c - b'a' + 26,
            b'0'..=b'9' => c - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            _ => panic!("{c}"),
        };
        let mut bytes = Vec::new();
        for four in text.as_bytes().chunks(4) {
            let digits: Vec<u32> =
                four.iter().filter(|&&c| c != b'=').map(|&c| u32::from(digit(c))).collect();
            let bits = digits.iter().fold(0, |bits, d| bits << 6 | d) << (6 * (4 - digits.len()));
            bytes.extend_from_slice(&bits.to_be_bytes()[1..digits.len()]);
        }
        bytes
    }

    /// Every number of the page against the recording, for the steps that are its frames.
    fn compare(recording: &Recording, page: &str) -> usize {
        let (header, columns) = read(page);
        let frames = header["frames"].as_u64().unwrap() as usize;
        let stride = header["stride"].as_u64().unwrap() as usize;
        let step = |frame: usize| (frame + 1) * stride - 1;
        let bodies = recording.run.bodies.names.len();
        for frame in 0..frames {
            assert!((columns["time"][frame] - recording.time[step(frame)]).abs() < 2e-6);
            for body in 0..bodies {
                let at = bodies * step(frame) + body;
                for k in 0..3 {
                    let found = columns["position"][(3 * body + k) * frames + frame];
                    assert!((found - recording.poses.position[3 * at + k]).abs() < 1e-6, "{frame} {body}");
                }
                let same: f64 = (0..4)
                    .map(|k| {
                        columns["orientation"][(4 * body + k) * frames + frame]
                            * recording.poses.orientation[4 * at + k]
                    })
                    .sum();
                assert!((same.abs() - 1.0).abs() < 5e-5, "{frame} {body} {same}");
            }
            let energy = columns["energy"][frame] + header["energy"].as_f64().unwrap();
            assert!((energy - recording.energy[step(frame)]).abs() < 2e-5 * recording.energy[0].abs());
        }
        compare_contacts(recording, &columns, frames, step)
    }

    /// Contacts in the recording's order: each track puts its contacts at the end of its frames' lists.
    fn compare_contacts(
        recording: &Recording,
        columns: &HashMap<String, Vec<f64>>,
        frames: usize,
        step: impl Fn(usize) -> usize,
    ) -> usize {
        let mut lists: Vec<Vec<(usize, usize)>> = vec![Vec::new(); frames];
        let mut at = 0;
        for (track, &length) in columns["track_length"].iter().enumerate() {
            for i in 0..length as usize {
                lists[columns["track_start"][track] as usize + i].push((at, track));
                at += 1;
            }
        }
        let contacts = &recording.contacts.sums();
        for (frame, list) in lists.iter().enumerate() {
            let expected = contacts.of_step(step(frame));
            assert_eq!(list.len(), expected.len());
            for (&(found, track), c) in list.iter().zip(expected) {
                assert_eq!(columns["track_geom1"][track], f64::from(contacts.geom1[c]));
                assert_eq!(columns["track_geom2"][track], f64::from(contacts.geom2[c]));
                assert_eq!(columns["contact_mode"][found], f64::from(contacts.mode[c]));
                assert_eq!(columns["contact_law"][found], f64::from(contacts.law[c]));
                let mu = (contacts.mu[c] as f32).min(f32::MAX);
                assert_eq!(columns["contact_mu"][found], f64::from(mu));
                let (margin, exact) = (columns["contact_margin"][found], contacts.margin[c]);
                assert!((margin - exact).abs() <= 5.4e-7 * exact.abs() + 1e-37, "{margin} {exact}");
                let vector =
                    |name: &str| ["x", "y", "z"].map(|k| columns[&format!("contact_{name}_{k}")][found]);
                let (point, normal, force) = (vector("point"), vector("normal"), vector("force"));
                let exact = contacts.force(c, recording.run.timestep);
                let size = exact.iter().map(|x| x * x).sum::<f64>().sqrt();
                for k in 0..3 {
                    assert!((point[k] - contacts.point[3 * c + k]).abs() < 3e-8);
                    assert!((normal[k] - contacts.frame[9 * c + k]).abs() < 1e-7);
                    // Single precision ends at 1e-38.
                    assert!((force[k] - exact[k]).abs() <= 1.5e-7 * size + 1e-37, "{force:?} {exact:?}");
                }
            }
        }
        at
    }

    #[test]
    fn a_page_holds_every_step_and_every_contact_of_the_recording() {
        let recording = recorded(700);
        let page = page(&recording).unwrap();
        assert_eq!(check_page(&page), Ok(()));
        let (header, columns) = read(&page);
        assert_eq!((header["stride"].as_u64(), header["frames"].as_u64()), (Some(1), Some(700)));
        assert_eq!(header["scene"], "a </script> b");
        assert!(columns["track_length"].len() > 8, "contacts come and go");
        for law in [1.0, 2.0, 4.0] {
            assert!(columns["contact_law"].contains(&law), "no contact has law {law}");
        }
        assert!(columns["contact_margin"].iter().any(|&margin| margin < 0.0), "every contact has a margin");
        let contacts = compare(&recording, &page);
        assert_eq!(contacts, recording.contacts.sums().gap.len());
        assert!(contacts > 1000, "{contacts}");
    }

    #[test]
    fn a_page_that_would_be_too_large_shows_every_kth_step_exactly() {
        let recording = recorded(300);
        let limit = with_stride(&recording, 1).len() * 3 / 4 + BUNDLE.len() / 4;
        let page = page_within(&recording, limit).unwrap();
        let stride = read(&page).0["stride"].as_u64().unwrap() as usize;
        assert!(page.len() <= limit && stride > 1);
        assert!(with_stride(&recording, stride - 1).len() > limit, "{stride} is not the smallest");
        compare(&recording, &page);
        // What cannot be made small enough still shows its last step.
        let page = page_within(&recording, 1).unwrap();
        assert_eq!(read(&page).0["frames"], 1);
        compare(&recording, &page);
    }

    #[test]
    fn unsolved_steps_are_marked_whatever_the_stride() {
        let mut recording = recorded(10);
        recording.unsolved[4] = 2;
        recording.unsolved[5] = 1;
        assert_eq!(read(&with_stride(&recording, 1)).1["unsolved"], [0., 0., 0., 0., 1., 1., 0., 0., 0., 0.]);
        let (header, columns) = read(&with_stride(&recording, 3));
        assert_eq!(columns["unsolved"], [0.0, 2.0, 0.0]);
        assert_eq!(header["unsolved_steps"], 2);
    }

    #[test]
    fn a_recording_without_a_step_has_no_page() {
        assert!(matches!(page(&recorded(0)), Err(PageError::NoSteps)));
    }

    #[test]
    fn the_bundle_has_the_mark_and_says_what_it_is() {
        assert_eq!(BUNDLE.matches(MARK).count(), 1);
        assert!(is_page(BUNDLE));
    }
}
