//! Mesh files: STL (binary and text) and Wavefront OBJ, through the libraries that read them, with the checks they lack.

use super::triangle_mesh::TriangleMesh;
use nalgebra::Vector3;
use std::io::Cursor;
use std::path::Path;

/// Bytes of a binary STL before its triangles, and of each triangle.
const STL_HEADER: usize = 84;
const STL_TRIANGLE: usize = 50;

/// Reads a mesh by the extension of its file. Errors are what is wrong with the file, without its name.
pub(super) fn read(path: &Path) -> Result<TriangleMesh, String> {
    let extension = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if !["stl", "obj"].contains(&extension.as_str()) {
        return Err(format!("a file ending in {extension:?} is no mesh this reader knows; use .stl or .obj"));
    }
    let bytes = std::fs::read(path).map_err(|error| format!("cannot be read: {error}"))?;
    let mesh = if extension == "stl" { read_stl(&bytes) } else { read_obj(&bytes) }?;
    check(&mesh)?;
    Ok(mesh)
}

/// Coordinates must be finite and indices in range.
pub(super) fn check(mesh: &TriangleMesh) -> Result<(), String> {
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

/// All objects of the file as one mesh; polygons are cut into triangles, materials are left out.
fn read_obj(bytes: &[u8]) -> Result<TriangleMesh, String> {
    let options = tobj::LoadOptions { triangulate: true, ..tobj::LoadOptions::default() };
    let no_materials = |_: &Path| Ok((Vec::new(), Default::default()));
    let (objects, _) = tobj::load_obj_buf(&mut Cursor::new(bytes), &options, no_materials)
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

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TEXT: &str = "solid t\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid t\n";

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
            for original in [TEXT.as_bytes(), object] {
                let mut bytes = original.to_vec();
                if let Some(place) = bytes.get_mut(at) {
                    *place = byte;
                }
                bytes.truncate(length.max(10));
                let _ = read_stl(&bytes).map(|mesh| check(&mesh));
                let _ = read_obj(&bytes).map(|mesh| check(&mesh));
                bytes.splice(0..0, head);
                let _ = read_stl(&bytes);
                let _ = read_obj(&bytes);
            }
        }
    }
}
