//! A panel: a chart of named lines.

use std::fmt::Write;

use super::axis::{Axis, Scale};
use super::frame::{HEIGHT, WIDTH, stroke};

/// A chart.
#[derive(Clone, Debug)]
pub struct Panel {
    /// What is drawn, over what, with units.
    pub title: String,
    /// Horizontal axis.
    pub x: Scale,
    /// Vertical axis.
    pub y: Scale,
    /// The lines, in the order of the legend.
    pub series: Vec<Series>,
}

/// Points joined by a line in their order.
#[derive(Clone, Debug)]
pub struct Series {
    /// Name in the legend.
    pub name: String,
    /// Pairs `[x, y]`; those that are not on the axes are left out.
    pub points: Vec<[f64; 2]>,
    /// Number of its stroke: that of the same solver or run in all panels.
    pub style: usize,
}

/// Points closer than this in `x` (pixels) are drawn as their lowest and highest only.
const COLUMN: f64 = 1.0;

pub(super) fn draw(text: &mut String, panel: &Panel) {
    let _ = writeln!(text, "<text x=\"0\" y=\"-12\" font-weight=\"bold\">{}</text>", panel.title);
    let measured: Vec<Vec<[f64; 2]>> = panel.series.iter().map(|series| measure(panel, series)).collect();
    let all = measured.iter().flatten();
    if all.clone().next().is_none() {
        return;
    }
    let across = Axis::around(panel.x, all.clone().map(|p| p[0]));
    let up = Axis::around(panel.y, all.map(|p| p[1]));
    grid(text, across, up);
    for ((place, series), measures) in panel.series.iter().enumerate().zip(&measured) {
        let points = measures.iter().map(|p| [WIDTH * across.share(p[0]), HEIGHT * (1.0 - up.share(p[1]))]);
        line(text, series, &points.collect::<Vec<_>>(), place);
    }
}

/// The points that are on the axes, in the measures of these.
fn measure(panel: &Panel, series: &Series) -> Vec<[f64; 2]> {
    let on_axes = |p: &[f64; 2]| Some([panel.x.measure(p[0])?, panel.y.measure(p[1])?]);
    series.points.iter().filter_map(on_axes).collect()
}

fn grid(text: &mut String, across: Axis, up: Axis) {
    for (tick, name) in across.ticks() {
        let x = WIDTH * across.share(tick);
        let below = HEIGHT + 18.0;
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} 0V{HEIGHT}\" stroke=\"#ddd\"/><text x=\"{x:.1}\" y=\"{below}\" text-anchor=\"middle\">{name}</text>"
        );
    }
    for (tick, name) in up.ticks() {
        let y = HEIGHT * (1.0 - up.share(tick));
        let _ = writeln!(
            text,
            "<path d=\"M0 {y:.1}H{WIDTH}\" stroke=\"#ddd\"/><text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
            y + 4.0
        );
    }
}

/// A line, and its name in the legend at a place.
fn line(text: &mut String, series: &Series, points: &[[f64; 2]], place: usize) {
    let path: Vec<String> = thin(points).iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
    let (style, y) = (stroke(series.style), 16.0 * place as f64 + 6.0);
    if !path.is_empty() {
        let _ = writeln!(text, "<path d=\"M{}\" {style}/>", path.join("L"));
    }
    let _ = writeln!(
        text,
        "<path d=\"M{} {y}h22\" {style}/><text x=\"{}\" y=\"{}\">{}</text>",
        WIDTH + 10.0,
        WIDTH + 38.0,
        y + 4.0,
        series.name
    );
}

/// Of every run of points in one column the first, the lowest, the highest and the last, in their order.
fn thin(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut thinned = Vec::new();
    for run in points.chunk_by(|a, b| (a[0] / COLUMN).floor() == (b[0] / COLUMN).floor()) {
        let extreme = |sign: f64| {
            let by_height = |a: &usize, b: &usize| (sign * run[*a][1]).total_cmp(&(sign * run[*b][1]));
            (0..run.len()).max_by(by_height).unwrap_or(0)
        };
        let mut chosen = [0, extreme(-1.0), extreme(1.0), run.len() - 1];
        chosen.sort_unstable();
        thinned.extend(chosen.map(|k| run[k]));
        thinned.dedup();
    }
    thinned
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(x: Scale, y: Scale, points: Vec<[f64; 2]>) -> String {
        let mut text = String::new();
        draw(
            &mut text,
            &Panel { title: "t".into(), x, y, series: vec![Series { name: "s".into(), points, style: 0 }] },
        );
        text
    }

    #[test]
    fn the_least_and_greatest_points_lie_on_the_rim() {
        let text = drawn(Scale::LINEAR, Scale::LINEAR, vec![[0.0, -1.0], [0.5, f64::NAN], [2.0, 3.0]]);
        assert!(text.contains(&format!("M0.0 {HEIGHT:.1}L{WIDTH:.1} 0.0\"")), "{text}");
    }

    #[test]
    fn a_point_lies_where_its_logarithms_are_and_a_zero_is_left_out() {
        let text = drawn(Scale::LOG, Scale::LOG, vec![[1.0, 0.1], [10.0, 1.0], [5.0, 0.0]]);
        assert!(text.contains(&format!("M0.0 {HEIGHT:.1}L{WIDTH:.1} 0.0\"")), "{text}");
    }

    #[test]
    fn a_spike_between_two_pixels_is_drawn() {
        let flat = |x: usize| [1e-4 * x as f64, if x == 1234 { 7.0 } else { 1.0 }];
        let points: Vec<[f64; 2]> = (0..10_000).map(flat).collect();
        let thinned = thin(&points);
        assert!(thinned.len() < 20 && thinned.contains(&flat(1234)), "{thinned:?}");
    }

    #[test]
    fn a_step_keeps_both_its_ends() {
        let step = [[0.0, 1.0], [5.0, 1.0], [5.0, 2.0], [9.0, 2.0]];
        assert_eq!(thin(&step), step);
    }

    #[test]
    fn a_panel_without_points_has_its_title_only() {
        let text = drawn(Scale::LOG, Scale::LINEAR, vec![[0.0, 1.0]]);
        assert!(text.contains('t') && !text.contains("<path"), "{text}");
    }
}
