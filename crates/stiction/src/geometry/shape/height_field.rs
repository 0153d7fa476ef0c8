//! Height fields: ground given by its height on a regular grid.

use nalgebra::Vector3;
use serde::{Deserialize, Serialize};

/// Ground over the rectangle `|x| <= half_x`, `|y| <= half_y`, from `-base` up to the surface whose height is given on
/// a regular grid of points that includes the rim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeightField {
    half: [f64; 2],
    base: f64,
    rows: usize,
    columns: usize,
    heights: Vec<f64>,
}

/// Why a height field is refused.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum HeightFieldError {
    /// Fewer than two rows or columns.
    #[error("the grid has {rows} rows and {columns} columns; at least 2 of each are needed")]
    Grid {
        /// Rows.
        rows: usize,
        /// Columns.
        columns: usize,
    },
    /// The number of heights is not rows times columns.
    #[error("{given} heights are given; {needed} (rows times columns) are needed")]
    Count {
        /// Heights given.
        given: usize,
        /// Heights needed.
        needed: usize,
    },
    /// A half size or the base is not a finite number, or too small.
    #[error("the {what} is {value} m; it must be a finite number greater than 0")]
    Size {
        /// Which.
        what: &'static str,
        /// The value (m).
        value: f64,
    },
    /// A height is not a finite number or lies under the base.
    #[error(
        "the height in row {row}, column {column} is {value} m; it must be a finite number above -{base} m"
    )]
    Height {
        /// Row, from 0.
        row: usize,
        /// Column, from 0.
        column: usize,
        /// The height (m).
        value: f64,
        /// Depth of the base (m).
        base: f64,
    },
}

impl HeightField {
    /// A height field of half sizes `half` along x and y (m), a solid base that reaches `base` below z = 0 (m), and
    /// heights (m) row by row: rows from `y = -half[1]` to `+half[1]`, in each row columns from `x = -half[0]` to
    /// `+half[0]`.
    ///
    /// # Errors
    /// [`HeightFieldError`] naming the first number that is out of range.
    pub fn new(
        half: [f64; 2],
        base: f64,
        [rows, columns]: [usize; 2],
        heights: Vec<f64>,
    ) -> Result<Self, HeightFieldError> {
        if rows < 2 || columns < 2 {
            return Err(HeightFieldError::Grid { rows, columns });
        }
        let needed = rows.saturating_mul(columns);
        if heights.len() != needed {
            return Err(HeightFieldError::Count { given: heights.len(), needed });
        }
        for (what, value) in [("half size along x", half[0]), ("half size along y", half[1]), ("base", base)]
        {
            if !(value.is_finite() && value > 0.0) {
                return Err(HeightFieldError::Size { what, value });
            }
        }
        if let Some(i) = heights.iter().position(|z| !(z.is_finite() && *z > -base)) {
            let (row, column) = (i / columns, i % columns);
            return Err(HeightFieldError::Height { row, column, value: heights[i], base });
        }
        Ok(Self { half, base, rows, columns, heights })
    }

    /// Number of rows and columns of the grid.
    pub fn grid(&self) -> [usize; 2] {
        [self.rows, self.columns]
    }

    /// Half sizes along x and y (m).
    pub fn half_size(&self) -> [f64; 2] {
        self.half
    }

    /// Depth of the base (m).
    pub fn base(&self) -> f64 {
        self.base
    }

    /// Heights (m), row by row.
    pub fn heights(&self) -> &[f64] {
        &self.heights
    }

    /// Lowest and highest corner of the bounding box (m).
    pub fn bounds(&self) -> [Vector3<f64>; 2] {
        let top = self.heights.iter().fold(f64::NEG_INFINITY, |top, &z| top.max(z));
        let [x, y] = self.half;
        [Vector3::new(-x, -y, -self.base), Vector3::new(x, y, top)]
    }
}
