//! The readers of every format, as the product uses them.

use std::io::Cursor;
use std::path::{Path, PathBuf};
use stiction::recording::Recording;
use stiction::scene;
use stiction::sim::{Simulation, Snapshot};
use stiction_solvers::io;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Format {
    Scene,
    Mesh,
    HeightField,
    Json,
    Siconos,
    Hdf5,
    Archive,
    Page,
    Snapshot,
}

impl Format {
    pub fn name(self) -> &'static str {
        match self {
            Self::Scene => "scene",
            Self::Mesh => "mesh",
            Self::HeightField => "height-field",
            Self::Json => "json",
            Self::Siconos => "siconos",
            Self::Hdf5 => "hdf5",
            Self::Archive => "archive",
            Self::Page => "page",
            Self::Snapshot => "snapshot",
        }
    }
}

/// All of them.
pub const FORMATS: [Format; 9] = [
    Format::Scene,
    Format::Mesh,
    Format::HeightField,
    Format::Json,
    Format::Siconos,
    Format::Hdf5,
    Format::Archive,
    Format::Page,
    Format::Snapshot,
];

/// Characters of a refusal, without the folder of the file.
const SENTENCE: usize = 300;

/// What is wrong with a refusal as it is shown, if something is.
pub fn complaint(refusal: &str) -> Option<&'static str> {
    let refusal = io::printable_lines(refusal);
    match () {
        () if refusal.is_empty() => Some("says nothing"),
        () if refusal.contains('\n') => Some("has several lines"),
        () if refusal.chars().count() > SENTENCE => Some("is too long"),
        () => None,
    }
}

/// Reads files of a format.
pub struct Reader {
    format: Format,
    folder: PathBuf,
    simulation: Option<Simulation>,
}

/// What a sentence says, without the folder of the file.
type Refusal = String;

/// The scene whose snapshots are read.
pub fn simulation() -> Simulation {
    let path = Path::new(crate::ROOT).join("scenes/incline.xml");
    Simulation::from_scene(scene::load(&path).unwrap()).unwrap()
}

impl Reader {
    pub fn new(format: Format, folder: &Path) -> Self {
        let simulation = (format == Format::Snapshot).then(simulation);
        Self { format, folder: folder.to_path_buf(), simulation }
    }

    /// Reads a file of this name and content.
    pub fn read(&mut self, name: &str, bytes: &[u8]) -> Result<(), Refusal> {
        match self.format {
            Format::Scene => self.scene(name, bytes),
            Format::Mesh => {
                let asset = format!("<mesh name=\"m\" file=\"{name}\"/>");
                self.asset(name, bytes, &asset, "<body><geom type=\"mesh\" mesh=\"m\"/></body>")
            }
            Format::HeightField => {
                let asset = format!("<hfield name=\"h\" file=\"{name}\" size=\"1 1 1 1\"/>");
                self.asset(name, bytes, &asset, "<geom type=\"hfield\" hfield=\"h\"/>")
            }
            Format::Json | Format::Siconos | Format::Hdf5 => {
                let path = self.write(name, bytes);
                io::read(&path).map(drop).map_err(|error| self.without_folder(&error))
            }
            Format::Archive => {
                let recording = Recording::read(Cursor::new(bytes)).map_err(|error| error.to_string())?;
                stiction_page::page(&recording).map(drop).map_err(|error| error.to_string())
            }
            Format::Page => {
                let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
                stiction_page::check_page(text).map_err(|error| error.to_string())
            }
            Format::Snapshot => self.snapshot(bytes),
        }
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    fn without_folder(&self, error: &impl std::fmt::Display) -> Refusal {
        error.to_string().replace(&format!("{}/", self.folder.display()), "")
    }

    fn scene(&self, name: &str, bytes: &[u8]) -> Result<(), Refusal> {
        let path = self.write(name, bytes);
        let scene = scene::load(&path).map_err(|error| self.without_folder(&error))?;
        Simulation::from_scene(scene).map(drop).map_err(|error| self.without_folder(&error))
    }

    fn asset(&self, name: &str, bytes: &[u8], asset: &str, geom: &str) -> Result<(), Refusal> {
        self.write(name, bytes);
        let scene = format!("<mujoco><asset>{asset}</asset><worldbody>{geom}</worldbody></mujoco>");
        self.scene("scene.xml", scene.as_bytes())
    }

    fn snapshot(&mut self, bytes: &[u8]) -> Result<(), Refusal> {
        let snapshot = Snapshot::from_bytes(bytes).map_err(|error| error.to_string())?;
        let Some(simulation) = &mut self.simulation else { return Ok(()) };
        simulation.restore(&snapshot).map_err(|error| error.to_string())?;
        // What was restored is a state to go on from, or none.
        simulation.step().map(drop).map_err(|error| error.to_string())
    }
}
