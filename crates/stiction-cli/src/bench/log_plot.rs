//! Series of positive numbers over positive numbers as a picture, both axes logarithmic: a panel a chart.

use std::fmt::Write;
use std::path::Path;

use super::stacked;
use super::svg::{HEIGHT, MARGIN, WIDTH, stroke};
use crate::error::CliError;

/// A chart.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) series: Vec<Series>,
}

/// Points joined by a line, with the name in the legend.
pub(crate) struct Series {
    pub(crate) name: String,
    /// Pairs `[x, y]`; those that are not positive and finite are left out.
    pub(crate) points: Vec<[f64; 2]>,
}

/// Writes the picture into a file.
pub(crate) fn write(path: &Path, panels: &[Panel]) -> Result<(), CliError> {
    stacked::write(path, &draw(panels))
}

/// The panels, one below the other.
fn draw(panels: &[Panel]) -> String {
    let [left, .., right] = MARGIN;
    // Names here are longer than those of solvers.
    stacked::stacked(panels.len(), [left, 1.6 * right], |text, k| draw_panel(text, &panels[k]))
}

fn draw_panel(text: &mut String, panel: &Panel) {
    let _ = writeln!(text, "<text x=\"0\" y=\"-12\" font-weight=\"bold\">{}</text>", panel.title);
    let logs = |series: &Series| -> Vec<[f64; 2]> {
        let fit = |p: &&[f64; 2]| p.iter().all(|v| v.is_finite() && *v > 0.0);
        series.points.iter().filter(fit).map(|p| p.map(f64::log10)).collect()
    };
    let all: Vec<[f64; 2]> = panel.series.iter().flat_map(logs).collect();
    if all.is_empty() {
        return;
    }
    // Whole decades around all points.
    let range = |k: usize| {
        let low = all.iter().map(|p| p[k]).fold(f64::INFINITY, f64::min).floor();
        let high = all.iter().map(|p| p[k]).fold(f64::NEG_INFINITY, f64::max).ceil();
        [low, high.max(low + 1.0)]
    };
    let ranges = [range(0), range(1)];
    let part = |k: usize, value: f64| (value - ranges[k][0]) / (ranges[k][1] - ranges[k][0]);
    let across = |value: f64| WIDTH * part(0, value);
    let up = |value: f64| HEIGHT * (1.0 - part(1, value));
    for decade in decades(ranges[0]) {
        let x = across(f64::from(decade));
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} 0V{HEIGHT}\" stroke=\"#ddd\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">1e{decade}</text>",
            HEIGHT + 18.0
        );
    }
    for decade in decades(ranges[1]) {
        let y = up(f64::from(decade));
        let _ = writeln!(
            text,
            "<path d=\"M0 {y:.1}H{WIDTH}\" stroke=\"#ddd\"/><text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">1e{decade}</text>",
            y + 4.0
        );
    }
    for (k, series) in panel.series.iter().enumerate() {
        let points = logs(series);
        let path: Vec<String> =
            points.iter().map(|p| format!("{:.1} {:.1}", across(p[0]), up(p[1]))).collect();
        let (style, y) = (stroke(k), 16.0 * k as f64 + 6.0);
        let _ = writeln!(
            text,
            "<path d=\"M{}\" {style}/><path d=\"M{} {y}h22\" {style}/><text x=\"{}\" y=\"{}\">{}</text>",
            path.join("L"),
            WIDTH + 10.0,
            WIDTH + 38.0,
            y + 4.0,
            series.name
        );
    }
}

/// The powers of ten of a range, every other or fewer where there are many.
fn decades([low, high]: [f64; 2]) -> impl Iterator<Item = i32> {
    let (low, high) = (low as i32, high as i32);
    let stride = ((high - low) / 6 + 1).max(1);
    (low..=high).step_by(stride as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_lies_where_its_logarithms_are_and_a_zero_is_left_out() {
        let series = vec![Series { name: "s".into(), points: vec![[1.0, 0.1], [10.0, 1.0], [5.0, 0.0]] }];
        let text = draw(&[Panel { title: "t".into(), series }]);
        assert!(text.contains(&format!("M0.0 {HEIGHT:.1}L{WIDTH:.1} 0.0\"")), "{text}");
    }

    #[test]
    fn a_panel_without_points_has_its_title_only() {
        let text = draw(&[Panel { title: "nothing".into(), series: Vec::new() }]);
        assert!(text.contains("nothing") && !text.contains("<path"));
    }
}
