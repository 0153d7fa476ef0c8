//! Files that are whole or not there: what is written becomes a file's content all at once, or not at all.
//!
//! A file is written under a passing name in the folder it will stand in, brought to the disk, and then given its name, which
//! every common file system does in one act. Whoever reads the name finds the old content or the new, never a part; a
//! full disk, a failing writer or a process that is killed leaves the old content, and of two writers the later wins. Only
//! a killed process leaves its passing file, called `.stiction-*.part`, which the next writer in the folder takes away.
//!
//! A passing file is locked as long as it is being written, and the system ends the lock with the process: what is not locked is
//! nobody's any more. Numbers of processes would not tell, as they are given again, and others run on the machines that
//! share a folder. Where the file system knows no locks, passing files stay.
//!
//! # References
//! POSIX.1-2024, `rename`: the new name refers to either file throughout. Linux manual, flock(2): a lock belongs to the open
//! file and ends with it.

use std::fs::{File, OpenOptions};
use std::io::{BufWriter, Error, ErrorKind, Result, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// How passing names begin and end.
const PASSING: &str = ".stiction-";
const PASSING_END: &str = ".part";

/// Passing names that are tried before giving up: those of killed processes with the same number are in the way.
const NAMES: usize = 10_000;

/// Replaces a file by what `write` writes, or makes it; afterwards it is on the disk. A link stays, and the file it leads to
/// is replaced; what is no file (a device, a pipe) is written to as it is.
///
/// # Errors
/// Those of `write` and of the file system, also if the file, being there, may not be written. The file is as it was.
pub fn replace_file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = std::fs::metadata(&place).ok();
    if old.as_ref().is_some_and(|old| !old.is_file() && !old.is_dir()) {
        return fill(OpenOptions::new().write(true).open(&place)?, write).map(drop);
    }
    if old.is_some() {
        // What may not be written is not replaced either, though its folder would allow that.
        OpenOptions::new().write(true).open(&place)?;
    }
    let (passing, file) = Passing::beside(&place)?;
    remove_stale(folder_of(&place));
    let file = fill(file, write)?;
    if let Some(old) = old {
        file.set_permissions(old.permissions())?;
    }
    file.sync_all()?;
    passing.become_file(&place)
}

/// Writes a file that is not there yet.
///
/// # Errors
/// As of [`replace_file`], and [`ErrorKind::AlreadyExists`] if something of that name is there. Nothing is left.
pub fn new_file(path: &Path, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<()> {
    // Takes the name, so that nobody else does.
    OpenOptions::new().write(true).create_new(true).open(path)?;
    replace_file(path, write).inspect_err(|_| drop(std::fs::remove_file(path)))
}

/// Finds out whether [`replace_file`] could make or replace a file, and changes nothing.
///
/// # Errors
/// Why it could not.
pub fn check_writable(path: &Path) -> Result<()> {
    let place = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match std::fs::metadata(&place) {
        Ok(old) if !old.is_file() => OpenOptions::new().write(true).open(&place).map(drop),
        Ok(_) => {
            OpenOptions::new().write(true).open(&place)?;
            Passing::beside(&place).map(drop)
        }
        Err(_) => Passing::beside(&place).map(drop),
    }
}

fn fill(file: File, write: impl FnOnce(&mut BufWriter<File>) -> Result<()>) -> Result<File> {
    let mut buffer = BufWriter::new(file);
    write(&mut buffer)?;
    buffer.flush()?;
    buffer.into_inner().map_err(|error| error.into_error())
}

fn folder_of(place: &Path) -> &Path {
    place.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Takes away the passing files of processes that are no more. What cannot be taken away is in nobody's way.
fn remove_stale(folder: &Path) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let passing =
            name.to_str().is_some_and(|name| name.starts_with(PASSING) && name.ends_with(PASSING_END));
        // Not where a link leads, and nothing that waits to be opened.
        if passing && entry.file_type().is_ok_and(|kind| kind.is_file()) {
            remove_unless_locked(&entry.path());
        }
    }
}

fn remove_unless_locked(path: &Path) {
    if let Ok(file) = File::open(path)
        && file.try_lock().is_ok()
    {
        // Still locked, so that its writer, if it has just been born, finds it gone.
        let _ = std::fs::remove_file(path);
    }
}

/// A file under its passing name, which goes away unless it becomes another.
struct Passing {
    path: PathBuf,
}

impl Passing {
    /// A new file in the folder of another.
    fn beside(place: &Path) -> Result<(Passing, File)> {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        if place.file_name().is_none() {
            return Err(Error::new(ErrorKind::InvalidInput, "this is the name of a folder, not of a file"));
        }
        let mut tried = 0;
        loop {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            let path = place.with_file_name(format!("{PASSING}{}-{number}{PASSING_END}", std::process::id()));
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Ok(file) => {
                    // Who looked for what is nobody's in this very moment may have held the lock and taken the file away.
                    let locked = file.lock();
                    if locked.is_err() || path.exists() {
                        return Ok((Passing { path }, file));
                    }
                }
                Err(error) if error.kind() == ErrorKind::AlreadyExists && tried < NAMES => tried += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn become_file(self, place: &Path) -> Result<()> {
        std::fs::rename(&self.path, place)?;
        // The name has gone over to the other file: there is nothing to take away.
        std::mem::forget(self);
        // The folder holds the name. Not every system can bring a folder to the disk; the file is whole in any case.
        if let Ok(folder) = File::open(folder_of(place)) {
            let _ = folder.sync_all();
        }
        Ok(())
    }
}

impl Drop for Passing {
    fn drop(&mut self) {
        // If it cannot be taken away there is nobody to tell, and the error that led here is told.
        let _ = std::fs::remove_file(&self.path);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder, which goes away.
    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path = std::env::temp_dir().join(format!("stiction-whole-{}-{name}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            std::fs::create_dir_all(&path).unwrap();
            Self(path)
        }

        fn names(&self) -> Vec<String> {
            let entries = std::fs::read_dir(&self.0).unwrap();
            let mut names: Vec<String> =
                entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn write(path: &Path, text: &str) -> Result<()> {
        replace_file(path, |file| file.write_all(text.as_bytes()))
    }

    #[test]
    fn a_file_has_the_new_content_afterwards_and_no_other_is_left() {
        let folder = Folder::new("new");
        let path = folder.0.join("a.txt");
        write(&path, "one").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "one");
        write(&path, "two, longer").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "two, longer");
        check_writable(&path).unwrap();
        check_writable(&folder.0.join("b.txt")).unwrap();
        assert_eq!(folder.names(), ["a.txt"]);
    }

    #[test]
    fn a_writer_that_fails_or_panics_halfway_leaves_the_old_content_and_no_other_file() {
        let folder = Folder::new("fails");
        let path = folder.0.join("a.txt");
        write(&path, "old").unwrap();
        let half = "x".repeat(100_000);
        let error = replace_file(&path, |file| {
            file.write_all(half.as_bytes())?;
            Err(ErrorKind::StorageFull.into())
        });
        assert_eq!(error.unwrap_err().kind(), ErrorKind::StorageFull);
        let panicked = std::panic::catch_unwind(|| {
            replace_file(&path, |file| {
                file.write_all(half.as_bytes())?;
                panic!("a writer's own")
            })
        });
        assert!(panicked.is_err());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        let new = folder.0.join("b.txt");
        new_file(&new, |_| Err(ErrorKind::StorageFull.into())).unwrap_err();
        assert_eq!(folder.names(), ["a.txt"]);
    }

    #[test]
    fn a_name_that_is_taken_is_not_a_new_file() {
        let folder = Folder::new("taken");
        let path = folder.0.join("a.txt");
        new_file(&path, |file| file.write_all(b"first")).unwrap();
        let error = new_file(&path, |file| file.write_all(b"second")).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::AlreadyExists);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "first");
    }

    #[test]
    fn files_of_killed_processes_under_the_same_passing_names_are_not_in_the_way() {
        let folder = Folder::new("stale");
        for number in 0..50 {
            let name = format!(".stiction-{}-{number}.part", std::process::id());
            std::fs::write(folder.0.join(name), "half").unwrap();
        }
        let path = folder.0.join("a.txt");
        write(&path, "whole").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
        assert_eq!(folder.names(), ["a.txt"], "they were nobody's any more");
    }

    #[test]
    fn only_what_is_nobodys_and_has_such_a_name_is_taken_away() {
        let folder = Folder::new("living");
        let (living, part) = Passing::beside(&folder.0.join("other.txt")).unwrap();
        let kept = ["a.part", ".stiction-notes", "stiction-1-0.part"];
        kept.iter().for_each(|name| std::fs::write(folder.0.join(name), "mine").unwrap());
        std::fs::create_dir(folder.0.join(".stiction-folder.part")).unwrap();
        std::fs::write(folder.0.join(".stiction-1-0.part"), "half").unwrap();
        write(&folder.0.join("a.txt"), "whole").unwrap();
        let own = living.path.file_name().unwrap().to_str().unwrap().to_string();
        let mut expected = vec!["a.txt".to_string(), ".stiction-folder.part".to_string(), own];
        expected.extend(kept.map(String::from));
        expected.sort();
        assert_eq!(folder.names(), expected);
        // It becomes a file all the same.
        fill(part, |file| file.write_all(b"late")).unwrap();
        living.become_file(&folder.0.join("other.txt")).unwrap();
        assert_eq!(std::fs::read_to_string(folder.0.join("other.txt")).unwrap(), "late");
    }

    #[test]
    fn folders_and_places_without_a_folder_are_refused() {
        let folder = Folder::new("refused");
        for path in [folder.0.clone(), folder.0.join("no/such/a.txt"), folder.0.join("..")] {
            assert!(check_writable(&path).is_err(), "{}", path.display());
            assert!(write(&path, "x").is_err(), "{}", path.display());
        }
        assert!(folder.names().is_empty());
    }

    #[test]
    fn writers_on_one_file_leave_the_whole_of_one_of_them() {
        let folder = Folder::new("race");
        let path = folder.0.join("a.txt");
        write(&path, &"z".repeat(100_000)).unwrap();
        let writers: Vec<_> = ["a", "b", "c"]
            .map(|letter| {
                let path = path.clone();
                std::thread::spawn(move || (0..20).try_for_each(|_| write(&path, &letter.repeat(100_000))))
            })
            .into_iter()
            .collect();
        while writers.iter().any(|writer| !writer.is_finished()) {
            let text = std::fs::read(&path).unwrap();
            assert!(text.len() == 100_000 && text.iter().all(|byte| *byte == text[0]));
        }
        writers.into_iter().for_each(|writer| writer.join().unwrap().unwrap());
        assert_eq!(folder.names(), ["a.txt"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_stay_permissions_stay_and_devices_are_written_to() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = Folder::new("links");
        let (file, link) = (folder.0.join("a.txt"), folder.0.join("link"));
        write(&file, "old").unwrap();
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o640)).unwrap();
        symlink(&file, &link).unwrap();
        write(&link, "new").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
        write(Path::new("/dev/null"), "nothing").unwrap();
        check_writable(Path::new("/dev/null")).unwrap();
        if Path::new("/dev/full").exists() {
            assert_eq!(write(Path::new("/dev/full"), "x").unwrap_err().kind(), ErrorKind::StorageFull);
        }
    }
}
