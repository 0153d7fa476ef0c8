//! `<hfield>`: ground from a grey picture, a binary file, or numbers in the scene.
//!
//! Heights are normalised to 0 .. 1 over the file's range and multiplied by the third size, as in MuJoCo. The first row
//! of a picture and of a list is the one at +y, that of a binary file the one at -y.

use crate::geometry::HeightField;
use crate::scene::error::SceneError;
use crate::scene::load_report::EntryKind;
use crate::scene::mesh::file;
use crate::scene::mjcf::Reader;
use crate::scene::mjcf::document::attributes::{Attributes, check};
use crate::scene::mjcf::document::element::{Element, quoted};
#[cfg(feature = "mesh")]
use std::io::Cursor;
use std::sync::Arc;

const HFIELD: Attributes = Attributes {
    read: &["name", "file", "nrow", "ncol", "elevation", "size", "content_type"],
    inert: &[],
    unmodelled: &[],
};

/// Most points of all grids of a scene.
const LARGEST: usize = 10_000_000;

/// A grid of elevations, row by row from -y to +y.
struct Grid {
    rows: usize,
    columns: usize,
    values: Vec<f64>,
}

impl<'d> Reader<'d> {
    /// Reads an `<hfield>`.
    pub(crate) fn hfield(&mut self, element: Element<'d>) -> Result<(), SceneError> {
        check(element, &HFIELD, &mut self.notes);
        let file = element.attribute("file").filter(|file| !file.is_empty());
        let name = match (element.name(), file) {
            ("", Some(file)) => crate::scene::mjcf::asset::mesh::stem(file),
            ("", None) => {
                let message = "missing; a height field without a file needs a name";
                return Err(element.invalid(Some("name"), message));
            }
            (name, _) => name,
        };
        let Some([x, y, top, base]) = element.numbers::<4>("size")? else {
            let message = "missing; half sizes along x and y, height and depth of the base (m) are needed";
            return Err(element.invalid(Some("size"), message));
        };
        if let Some(bad) = [x, y, top, base].into_iter().find(|v| *v <= 0.0) {
            let message = format!("{bad} is not positive; all four sizes (m) must be");
            return Err(element.invalid(Some("size"), message));
        }
        // Before anything of that size is made.
        let room =
            LARGEST - self.hfields.values().map(|field| field.heights().len()).sum::<usize>().min(LARGEST);
        let grid = match file {
            Some(file) => {
                if let Some(given) = ["nrow", "ncol", "elevation"].into_iter().find(|name| element.has(name))
                {
                    return Err(element.invalid(Some(given), "the file gives the grid; keep one"));
                }
                let path = self.compiler.mesh_path(element, file);
                let wrong =
                    |message: String| element.invalid(Some("file"), format!("{}: {message}", path.display()));
                let bytes = file::bytes_of(&path).map_err(wrong)?;
                let picture = path.extension().is_some_and(|e| e.eq_ignore_ascii_case("png"));
                let (grid, grey) = match picture {
                    true => from_png(&bytes, room).map_err(wrong)?,
                    false => (from_binary(&bytes, room).map_err(wrong)?, true),
                };
                if !grey {
                    let message = "the picture is coloured; its red is taken for the height, as in MuJoCo";
                    element.note(&mut self.notes, EntryKind::Warning, Some("file"), message);
                }
                grid
            }
            None => from_scene(element, room)?,
        };
        let heights = normalised(&grid.values).into_iter().map(|z| z * top).collect();
        let source = if file.is_some() { "file" } else { "elevation" };
        let field = HeightField::new([x, y], base, [grid.rows, grid.columns], heights)
            .map_err(|error| element.invalid(Some(source), error.to_string()))?;
        if self.hfields.insert(name, Arc::new(field)).is_some() {
            let message = format!("the height field {name:?} exists already; names must be unique");
            return Err(element.invalid(Some(if element.has("name") { "name" } else { "file" }), message));
        }
        Ok(())
    }
}

/// The values between 0 and 1; all zero if they are all the same.
fn normalised(values: &[f64]) -> Vec<f64> {
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), v| (l.min(*v), h.max(*v)));
    let range = high - low;
    values.iter().map(|v| if range > 0.0 { (v - low) / range } else { 0.0 }).collect()
}

fn from_scene(element: Element<'_>, room: usize) -> Result<Grid, SceneError> {
    let mut sizes = [0; 2];
    for (size, name) in sizes.iter_mut().zip(["nrow", "ncol"]) {
        let given = element.integer(name)?.unwrap_or_default();
        if given < 2 {
            let message = format!("{given}; a grid without a file needs at least 2 rows and columns");
            return Err(element.invalid(Some(name), message));
        }
        *size = given as usize;
    }
    let [rows, columns] = sizes;
    let count = fitting(rows, columns, room).map_err(|message| element.invalid(Some("nrow"), message))?;
    let mut values = element.list("elevation", 0, LARGEST)?.unwrap_or_else(|| vec![0.0; count]);
    if values.len() != count {
        let message = format!("{} numbers are given; {count} (rows times columns) are needed", values.len());
        return Err(element.invalid(Some("elevation"), message));
    }
    flip(&mut values, columns);
    Ok(Grid { rows, columns, values })
}

/// The number of points of a grid, if the scene has room for it.
fn fitting(rows: usize, columns: usize, room: usize) -> Result<usize, String> {
    rows.checked_mul(columns).filter(|count| *count <= room).ok_or_else(|| {
        let taken = LARGEST - room;
        format!("{rows} x {columns} points, with {taken} of other height fields, are more than {LARGEST} in a scene")
    })
}

/// Puts the last row first.
fn flip(values: &mut Vec<f64>, columns: usize) {
    *values = values.rchunks_exact(columns).flatten().copied().collect();
}

/// The red of a picture, and whether the picture is grey.
#[cfg(feature = "mesh")]
fn from_png(bytes: &[u8], room: usize) -> Result<(Grid, bool), String> {
    let wrong = |error: png::DecodingError| format!("no valid PNG: {error}");
    let mut decoder = png::Decoder::new(Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::EXPAND | png::Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(wrong)?;
    fitting(reader.info().height as usize, reader.info().width as usize, room)?;
    let size = reader.output_buffer_size().filter(|size| *size <= 8 * LARGEST);
    let size = size.ok_or_else(|| format!("the picture has more than {LARGEST} points"))?;
    let mut pixels = vec![0; size];
    let info = reader.next_frame(&mut pixels).map_err(wrong)?;
    let (rows, columns) = (info.height as usize, info.width as usize);
    let samples = info.color_type.samples();
    let mut values = Vec::with_capacity(rows * columns);
    let mut grey = true;
    for line in pixels.chunks_exact(info.line_size).take(rows) {
        for pixel in line.chunks_exact(samples).take(columns) {
            grey &= samples < 3 || (pixel[0] == pixel[1] && pixel[1] == pixel[2]);
            values.push(f64::from(pixel[0]));
        }
    }
    flip(&mut values, columns);
    Ok((Grid { rows, columns, values }, grey))
}

#[cfg(not(feature = "mesh"))]
fn from_png(_: &[u8], _: usize) -> Result<(Grid, bool), String> {
    Err(file::WITHOUT_FORMATS.into())
}

/// MuJoCo's own format: rows and columns (32 bit integers), then single precision numbers, little-endian.
fn from_binary(bytes: &[u8], room: usize) -> Result<Grid, String> {
    let (words, rest) = bytes.as_chunks::<4>();
    let integer = |i: usize| words.get(i).map(|word| i32::from_le_bytes(*word));
    let (Some(rows), Some(columns)) = (integer(0), integer(1)) else {
        return Err(format!("a height field file has at least 8 bytes; this one has {}", bytes.len()));
    };
    let count = i64::from(rows) * i64::from(columns);
    if rows < 2 || columns < 2 || count != words.len() as i64 - 2 || !rest.is_empty() {
        let size = 8 + 4 * i128::from(count);
        return Err(format!(
            "a height field of {rows} rows and {columns} columns (2 at least) has {size} bytes; this file has {}",
            bytes.len()
        ));
    }
    fitting(rows as usize, columns as usize, room)?;
    let values = words[2..].iter().map(|word| f64::from(f32::from_le_bytes(*word))).collect::<Vec<_>>();
    if let Some(bad) = values.iter().find(|v| !v.is_finite()) {
        return Err(format!("a height is {bad}; heights must be finite numbers"));
    }
    Ok(Grid { rows: rows as usize, columns: columns as usize, values })
}

impl<'d> Reader<'d> {
    /// The height field that a geom names.
    pub(crate) fn hfield_of(
        &self,
        element: Element<'d>,
        name: Option<&str>,
    ) -> Result<Arc<HeightField>, SceneError> {
        let Some(name) = name else {
            return Err(
                element.invalid(Some("hfield"), "missing; a geom of this type names an <hfield> asset")
            );
        };
        self.hfields.get(name).cloned().ok_or_else(|| {
            let hint = crate::suggestion::did_you_mean(name, self.hfields.keys().copied());
            element.invalid(Some("hfield"), format!("there is no height field {}{hint}", quoted(name)))
        })
    }
}
