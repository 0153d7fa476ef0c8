//! A table of columns, declared once: the struct, and how an archive holds it.
//!
//! A table has one entry per contact or row, in the order of the steps; `ptr` says where steps begin. Every column is an array
//! of the archive, named by the table's prefix and the column, with a shape of its own behind the number of entries.

/// Declares a table: its prefix, then its columns as `name: number [shape of an entry]`.
macro_rules! columns {
    (
        $(#[$table_attribute:meta])*
        pub struct $table:ident($prefix:literal) {
            $($(#[$attribute:meta])* pub $column:ident: $number:ty $([$($size:literal),+])?,)+
        }
    ) => {
        $(#[$table_attribute])*
        #[derive(Clone, Debug, Default, PartialEq)]
        pub struct $table {
            /// Entries before each step, and after the last.
            pub ptr: Vec<i64>,
            $($(#[$attribute])* pub $column: Vec<$number>,)+
        }

        impl $table {
            /// The entries of a step.
            pub fn of_step(&self, step: usize) -> std::ops::Range<usize> {
                self.ptr[step] as usize..self.ptr[step + 1] as usize
            }

            /// Appends an entry of another table.
            pub fn push_entry(&mut self, other: &Self, entry: usize) {
                $({
                    let size = 1 $($(* $size)+)?;
                    self.$column.extend_from_slice(&other.$column[entry * size..(entry + 1) * size]);
                })+
            }

            pub(crate) fn write<W: std::io::Write + std::io::Seek>(
                &self,
                npz: &mut $crate::recording::npz::NpzWriter<W>,
            ) -> std::io::Result<()> {
                let entries = [$(self.$column.len() / (1 $($(* $size)+)?)),+][0];
                npz.array(concat!($prefix, "_ptr"), &[self.ptr.len()], &self.ptr)?;
                $(npz.array(concat!($prefix, "_", stringify!($column)), &[entries $($(, $size)+)?], &self.$column)?;)+
                Ok(())
            }

            pub(crate) fn read<R: std::io::Read + std::io::Seek>(
                npz: &mut $crate::recording::npz::NpzReader<R>,
                steps: usize,
            ) -> Result<Self, $crate::recording::error::ReadProblem> {
                let (ptr, entries) =
                    $crate::recording::schema::step_pointers(npz, concat!($prefix, "_ptr"), steps)?;
                Ok(Self {
                    ptr,
                    $($column: npz.array(
                        concat!($prefix, "_", stringify!($column)),
                        &[entries $($(, $size)+)?],
                    )?,)+
                })
            }
        }
    };
}

pub(crate) use columns;
