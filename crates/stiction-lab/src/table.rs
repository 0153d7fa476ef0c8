//! Plain text tables.

use std::borrow::Cow;

/// Longer cells are cut: a name may be of any length, and every row would be as wide.
const LONGEST: usize = 200;

/// A cell of at most 200 characters and three dots.
pub fn cell(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}...", &text[..end]).into(),
        None => text.into(),
    }
}

/// Sets rows under a header with columns as wide as their widest cell; `right` says which columns are flush right.
pub fn columns(header: &[&str], right: &[bool], rows: &[Vec<String>]) -> String {
    let width = |c: usize| {
        let cells = rows.iter().filter_map(|row| row.get(c)).map(|text| cell(text).chars().count());
        cells.chain([header[c].chars().count()]).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..header.len()).map(width).collect();
    let line = |cells: Vec<&str>| {
        let padded = cells.iter().zip(&widths).zip(right).map(|((cell, &width), &right)| {
            if right { format!("{cell:>width$}") } else { format!("{cell:<width$}") }
        });
        padded.collect::<Vec<_>>().join("  ").trim_end().to_string() + "\n"
    };
    let mut text = line(header.to_vec());
    text +=
        &line(widths.iter().map(|&w| "-".repeat(w)).collect::<Vec<_>>().iter().map(String::as_str).collect());
    for row in rows {
        let cells: Vec<_> = row.iter().map(|text| cell(text)).collect();
        text += &line(cells.iter().map(Cow::as_ref).collect());
    }
    text
}

/// Sets pairs of a name and a value, one a line, the values under each other.
pub fn pairs(rows: &[(&str, String)]) -> String {
    let width = rows.iter().map(|(name, _)| cell(name).chars().count()).max().unwrap_or(0);
    rows.iter().map(|(name, value)| format!("{:<width$}  {value}\n", cell(name))).collect()
}

/// `1 entry`, `2 entries`.
pub fn count(n: usize, one: &str, many: &str) -> String {
    format!("{n} {}", if n == 1 { one } else { many })
}

/// A residual, or what there is instead of one.
pub fn residual(value: f64) -> String {
    if value.is_finite() { format!("{value:.1e}") } else { "none".into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_their_widest_cell() {
        let rows = vec![vec!["a".into(), "1".into()], vec!["long".into(), "22222".into()]];
        let text = columns(&["name", "n"], &[false, true], &rows);
        assert_eq!(text, "name      n\n----  -----\na         1\nlong  22222\n");
    }

    #[test]
    fn values_of_pairs_stand_under_each_other() {
        assert_eq!(pairs(&[("a", "1".into()), ("bcd", "2".into())]), "a    1\nbcd  2\n");
    }
}
