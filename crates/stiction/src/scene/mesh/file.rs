//! Mesh files: STL (binary and text) and Wavefront OBJ, through the libraries that read them, with the checks they
//! lack; and MSH, MuJoCo's own format.

use crate::scene::mesh::triangle_mesh::TriangleMesh;
use nalgebra::Vector3;
#[cfg(feature = "mesh")]
use std::io::Cursor;
use std::path::Path;
use stiction_solvers::io::read_file;

/// What a build without the libraries says of files that need them.
#[cfg(not(feature = "mesh"))]
pub(crate) const WITHOUT_FORMATS: &str = "STL, OBJ and PNG files need a build with the feature `mesh`";

/// Bytes of a binary STL before its triangles, and of each triangle.
#[cfg(feature = "mesh")]
const STL_HEADER: usize = 84;
#[cfg(feature = "mesh")]
const STL_TRIANGLE: usize = 50;

/// Reads a mesh by the extension of its file. Errors are what is wrong with the file, without its name.
pub(crate) fn read(path: &Path) -> Result<TriangleMesh, String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let read: fn(&[u8]) -> Result<TriangleMesh, String> = match extension.as_str() {
        #[cfg(feature = "mesh")]
        "stl" => read_stl,
        #[cfg(feature = "mesh")]
        "obj" => read_obj,
        #[cfg(not(feature = "mesh"))]
        "stl" | "obj" => return Err(WITHOUT_FORMATS.into()),
        "msh" => read_msh,
        _ => {
            return Err(format!(
                "a file ending in {extension:?} is no mesh this reader knows; use .stl, .obj or .msh"
            ));
        }
    };
    let mesh = read(&bytes_of(path)?)?;
    check(&mesh)?;
    Ok(mesh)
}

/// The content of a regular file: a device or a pipe may never end.
pub(crate) fn bytes_of(path: &Path) -> Result<Vec<u8>, String> {
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    read_file(path).map_err(unreadable)
}

/// Coordinates must be finite and indices in range.
pub(crate) fn check(mesh: &TriangleMesh) -> Result<(), String> {
    for (index, vertex) in mesh.vertices.iter().enumerate() {
        if let Some(value) = vertex.iter().find(|x| !x.is_finite()) {
            return Err(format!("vertex {index} has the coordinate {value}; it must be a finite number"));
        }
    }
    let count = mesh.vertices.len();
    for (index, triangle) in mesh.triangles.iter().enumerate() {
        if let Some(vertex) = triangle.iter().find(|i| **i as usize >= count) {
            return Err(format!("face {index} names vertex {vertex}; there are {count}, numbered from 0"));
        }
    }
    Ok(())
}

/// Binary files tell themselves by their length, text files by their first word: some binary ones begin with "solid" too.
#[cfg(feature = "mesh")]
fn read_stl(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let count = bytes.get(80..STL_HEADER).and_then(|b| <[u8; 4]>::try_from(b).ok()).map(u32::from_le_bytes);
    let needed = count.map(|count| STL_HEADER as u64 + count as u64 * STL_TRIANGLE as u64);
    let binary = needed == Some(bytes.len() as u64);
    if !binary && !bytes.starts_with(b"solid") {
        return Err(match (count, needed) {
            (Some(count), Some(needed)) => {
                format!("a binary STL of {count} triangles has {needed} bytes; this one has {}", bytes.len())
            }
            _ => format!("an STL file has at least {STL_HEADER} bytes; this one has {}", bytes.len()),
        });
    }
    let mesh = stl_io::read_stl(&mut Cursor::new(bytes)).map_err(|error| format!("no valid STL: {error}"))?;
    Ok(TriangleMesh {
        vertices: mesh.vertices.iter().map(|v| Vector3::new(v[0], v[1], v[2]).cast()).collect(),
        triangles: mesh.faces.iter().map(|face| face.vertices.map(|i| i as u32)).collect(),
    })
}

/// All objects of the file as one mesh (MuJoCo takes the first only); polygons are cut into triangles, materials are left
/// out.
#[cfg(feature = "mesh")]
fn read_obj(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let options = tobj::LoadOptions { triangulate: true, ..tobj::LoadOptions::default() };
    let no_materials = |_: &Path| Ok((Vec::new(), Default::default()));
    let (objects, _) = tobj::load_obj_buf(&mut Cursor::new(&only_positions(bytes)), &options, no_materials)
        .map_err(|error| format!("no valid OBJ: {error}"))?;
    let mut mesh = TriangleMesh::default();
    for object in objects {
        let first = mesh.vertices.len() as u32;
        mesh.vertices.extend(object.mesh.positions.chunks_exact(3).map(Vector3::from_column_slice));
        mesh.triangles
            .extend(object.mesh.indices.chunks_exact(3).map(|t| [t[0], t[1], t[2]].map(|i| i + first)));
    }
    Ok(mesh)
}

/// An OBJ text without normals and texture coordinates, which nothing here needs and whose numbers the reader does not check.
#[cfg(feature = "mesh")]
fn only_positions(bytes: &[u8]) -> Vec<u8> {
    let mut kept = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"vn" | b"vt") => kept.push(b'\n'),
            Some(first @ (b"f" | b"l" | b"p")) => {
                kept.extend_from_slice(first);
                for word in words {
                    kept.push(b' ');
                    kept.extend(word.iter().take_while(|&&byte| byte != b'/'));
                }
                kept.push(b'\n');
            }
            _ => kept.extend_from_slice(line),
        }
    }
    kept
}

/// Four counts (vertices, normals, texture coordinates, triangles), then single precision coordinates of each and the
/// triangles' vertices, all in words of 32 bits, little-endian (MuJoCo, XML reference, `asset/mesh`).
fn read_msh(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let (words, rest) = bytes.as_chunks::<4>();
    let integer = |word: &[u8; 4]| i32::from_le_bytes(*word);
    let Some((head, body)) = words.split_at_checked(4) else {
        return Err(format!("an MSH file has at least 16 bytes; this one has {}", bytes.len()));
    };
    let counts = [0, 1, 2, 3].map(|i| i64::from(integer(&head[i])));
    if let Some(negative) = counts.iter().find(|count| **count < 0) {
        return Err(format!("the header counts {negative}; an MSH file begins with four counts"));
    }
    let [vertices, normals, textures, triangles] = counts;
    let needed = 3 * vertices + 3 * normals + 2 * textures + 3 * triangles;
    if needed != body.len() as i64 || !rest.is_empty() {
        return Err(format!(
            "an MSH file of {vertices} vertices and {triangles} triangles has {} bytes; this one has {}",
            4 * (4 + needed),
            bytes.len()
        ));
    }
    let (points, rest) = body.split_at(3 * vertices as usize);
    let coordinates: Vec<f64> = points.iter().map(|word| f64::from(f32::from_le_bytes(*word))).collect();
    let indices = &rest[(3 * normals + 2 * textures) as usize..];
    let mut mesh = TriangleMesh {
        vertices: coordinates.chunks_exact(3).map(Vector3::from_column_slice).collect(),
        triangles: Vec::with_capacity(triangles as usize),
    };
    for corners in indices.as_chunks::<3>().0 {
        // A negative number becomes one that is far out of range.
        mesh.triangles.push(corners.map(|word| integer(&word) as u32));
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n";

    #[cfg(feature = "mesh")]
    #[test]
    fn normals_and_textures_of_an_obj_are_not_looked_at() {
        let corners = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";
        let plain = read_obj(format!("{corners}f 1 2 3\n").as_bytes()).unwrap();
        let far = u64::MAX / 2 + 1;
        for faces in ["f 1/1/1 2/1/1 3//1".to_string(), format!("f 1/{far}/{far} 2/{far}/1 3/1/{far}")] {
            let text = format!("{corners}vn 0 0 1\nvt 0 x\n\t{faces}\r\n");
            assert_eq!(read_obj(text.as_bytes()).unwrap().triangles, plain.triangles, "{text}");
        }
        assert!(read_obj(format!("{corners}f {far} 2 3\n").as_bytes()).is_err());
    }

    #[test]
    fn text_and_binary_files_give_the_same_triangle() {
        let mut binary = vec![b's'; 80];
        binary[..5].copy_from_slice(b"solid");
        binary.extend(1_u32.to_le_bytes());
        for number in [0.0_f32, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0] {
            binary.extend(number.to_le_bytes());
        }
        binary.extend([0, 0]);
        let text = read_stl(TEXT.as_bytes()).unwrap();
        assert_eq!(text, read_stl(&binary).unwrap());
        let object = read_obj(b"v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap();
        assert_eq!(text.triangles.len(), 1);
        assert_eq!(object.vertices.len(), 3);
        binary.pop();
        assert!(read_stl(&binary).is_err());
        assert_eq!(read_msh(&msh()).unwrap(), text);
    }

    /// The triangle with a normal and two texture coordinates.
    fn msh() -> Vec<u8> {
        let mut bytes: Vec<u8> = [3_i32, 1, 2, 1].iter().flat_map(|count| count.to_le_bytes()).collect();
        let numbers = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.5, 0.5, 0.1, 0.2];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend([0_i32, 1, 2].iter().flat_map(|index| index.to_le_bytes()));
        bytes
    }

    #[test]
    fn a_quadrilateral_becomes_two_triangles_and_a_wrong_index_an_error() {
        let square = b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n";
        assert_eq!(read_obj(square).unwrap().triangles.len(), 2);
        assert!(read_obj(b"v 0 0 0\nf 1 2 3\n").is_err());
    }

    proptest! {
        #[test]
        fn damaged_files_are_errors_or_meshes_and_never_panics(
            at in 0_usize..200, byte in any::<u8>(), length in 0_usize..200, head in any::<[u8; 12]>(),
        ) {
            let object = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nf 1//1 2//1 3//1\nf -1 -2 -3\n";
            for original in [TEXT.as_bytes(), object, &msh()] {
                let mut bytes = original.to_vec();
                if let Some(place) = bytes.get_mut(at) {
                    *place = byte;
                }
                bytes.truncate(length.max(10));
                let _ = read_stl(&bytes).map(|mesh| check(&mesh));
                let _ = read_obj(&bytes).map(|mesh| check(&mesh));
                let _ = read_msh(&bytes).map(|mesh| check(&mesh));
                bytes.splice(0..0, head);
                let _ = read_stl(&bytes);
                let _ = read_obj(&bytes);
            }
        }
    }
}
