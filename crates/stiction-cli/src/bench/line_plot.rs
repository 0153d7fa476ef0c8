//! Series of numbers over numbers as a picture, both axes linear: a panel a chart, histories say.

use std::fmt::Write;
use std::path::Path;

use super::stacked;
use super::svg::{HEIGHT, MARGIN, WIDTH, stroke};
use crate::error::CliError;

/// A chart.
pub(crate) struct Panel {
    pub(crate) title: String,
    pub(crate) series: Vec<Series>,
    /// The vertical axis is at least so long: differences far below are no news.
    pub(crate) span: f64,
}

/// Points joined by a line in their order, with the name in the legend.
pub(crate) struct Series {
    pub(crate) name: String,
    /// Pairs `[x, y]` of ascending `x`; those that are not finite are left out.
    pub(crate) points: Vec<[f64; 2]>,
}

/// Room for the digits of the vertical axis.
const LEFT: f64 = 80.0;

/// Points closer than this in `x` (pixels) are drawn as their lowest and highest only.
const COLUMN: f64 = 1.0;

/// Numbers that an axis has about.
const TICKS: f64 = 6.0;

/// Writes the picture into a file.
pub(crate) fn write(path: &Path, panels: &[Panel]) -> Result<(), CliError> {
    stacked::write(path, &draw(panels))
}

/// The panels, one below the other.
fn draw(panels: &[Panel]) -> String {
    let [.., right] = MARGIN;
    stacked::stacked(panels.len(), [LEFT, 1.6 * right], |text, k| draw_panel(text, &panels[k]))
}

/// Numbers from low to high.
#[derive(Clone, Copy, Debug)]
struct Axis {
    low: f64,
    high: f64,
}

impl Axis {
    /// From the least value to the greatest, or `span` around their middle if that is longer.
    fn around(values: impl Iterator<Item = f64> + Clone, span: f64) -> Axis {
        let low = values.clone().fold(f64::INFINITY, f64::min);
        let high = values.fold(f64::NEG_INFINITY, f64::max);
        // Ticks below the rounding of the values would be all the same.
        let span = span.max(1e-9 * low.abs().max(high.abs())).max(f64::MIN_POSITIVE);
        let (middle, half) = (0.5 * (low + high), 0.5 * span);
        if high - low > span { Axis { low, high } } else { Axis { low: middle - half, high: middle + half } }
    }

    fn part(self, value: f64) -> f64 {
        (value - self.low) / (self.high - self.low)
    }

    /// Round numbers on the axis, and how many digits they have behind the point.
    fn ticks(self) -> (Vec<f64>, usize) {
        let raw = (self.high - self.low) / TICKS;
        let decade = 10_f64.powf(raw.log10().floor());
        let step = decade * [1.0, 2.0, 5.0].into_iter().find(|m| m * decade >= raw).unwrap_or(10.0);
        let digits = (-step.log10().floor()).max(0.0) as usize;
        let first = (self.low / step).ceil();
        let count = ((self.high / step).floor() - first).max(0.0) as usize;
        ((0..=count).map(|k| (first + k as f64) * step).collect(), digits)
    }
}

fn draw_panel(text: &mut String, panel: &Panel) {
    let _ = writeln!(text, "<text x=\"0\" y=\"-12\" font-weight=\"bold\">{}</text>", panel.title);
    let finite = |p: &&[f64; 2]| p.iter().all(|v| v.is_finite());
    let all: Vec<[f64; 2]> =
        panel.series.iter().flat_map(|s| s.points.iter().filter(finite)).copied().collect();
    if all.is_empty() {
        return;
    }
    let across = Axis::around(all.iter().map(|p| p[0]), 0.0);
    let up = Axis::around(all.iter().map(|p| p[1]), panel.span);
    let (ticks, digits) = across.ticks();
    for tick in ticks {
        let x = WIDTH * across.part(tick);
        let _ = writeln!(
            text,
            "<path d=\"M{x:.1} 0V{HEIGHT}\" stroke=\"#ddd\"/><text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{tick:.digits$}</text>",
            HEIGHT + 18.0
        );
    }
    let (ticks, digits) = up.ticks();
    for tick in ticks {
        let y = HEIGHT * (1.0 - up.part(tick));
        let _ = writeln!(
            text,
            "<path d=\"M0 {y:.1}H{WIDTH}\" stroke=\"#ddd\"/><text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{tick:.digits$}</text>",
            y + 4.0
        );
    }
    for (k, series) in panel.series.iter().enumerate() {
        let places = series.points.iter().filter(finite);
        let places: Vec<[f64; 2]> =
            places.map(|p| [WIDTH * across.part(p[0]), HEIGHT * (1.0 - up.part(p[1]))]).collect();
        let path: Vec<String> = thin(&places).iter().map(|[x, y]| format!("{x:.1} {y:.1}")).collect();
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

/// Of every run of points in one column the first, the lowest, the highest and the last, in their order.
fn thin(points: &[[f64; 2]]) -> Vec<[f64; 2]> {
    let mut thinned = Vec::new();
    for run in points.chunk_by(|a, b| (a[0] / COLUMN).floor() == (b[0] / COLUMN).floor()) {
        let extreme = |sign: f64| {
            let by_height = |a: &&[f64; 2], b: &&[f64; 2]| (sign * a[1]).total_cmp(&(sign * b[1]));
            run.iter().max_by(by_height)
        };
        let chosen = [run.first(), extreme(-1.0), extreme(1.0), run.last()];
        let mut chosen: Vec<[f64; 2]> = chosen.into_iter().flatten().copied().collect();
        chosen.sort_by(|a, b| a[0].total_cmp(&b[0]));
        chosen.dedup();
        thinned.extend(chosen);
    }
    thinned
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_and_greatest_points_lie_on_the_rim() {
        let series =
            vec![Series { name: "s".into(), points: vec![[0.0, -1.0], [0.5, f64::NAN], [2.0, 3.0]] }];
        let text = draw(&[Panel { title: "t".into(), series, span: 0.0 }]);
        assert!(text.contains(&format!("M0.0 {HEIGHT:.1}L{WIDTH:.1} 0.0\"")), "{text}");
    }

    #[test]
    fn ticks_are_round_and_on_the_axis() {
        assert_eq!(Axis { low: 0.0, high: 20.0 }.ticks(), (vec![0.0, 5.0, 10.0, 15.0, 20.0], 0));
        let (ticks, digits) = Axis { low: -0.031, high: 0.052 }.ticks();
        assert_eq!((ticks.len(), digits), (4, 2));
        assert!((ticks[0] + 0.02).abs() < 1e-15 && (ticks[3] - 0.04).abs() < 1e-15, "{ticks:?}");
    }

    #[test]
    fn a_spike_between_two_pixels_is_drawn() {
        let flat = |x: usize| [1e-4 * x as f64, if x == 1234 { 7.0 } else { 1.0 }];
        let points: Vec<[f64; 2]> = (0..10_000).map(flat).collect();
        let thinned = thin(&points);
        assert!(thinned.len() < 20 && thinned.contains(&flat(1234)), "{thinned:?}");
    }

    #[test]
    fn heights_that_hardly_differ_have_an_axis_around_them_and_none_has_a_title_only() {
        let Axis { low, high } = Axis::around([2.0, 2.0].into_iter(), 2.0);
        assert_eq!([low, high], [1.0, 3.0]);
        let text = draw(&[Panel { title: "nothing".into(), series: Vec::new(), span: 1.0 }]);
        assert!(text.contains("nothing") && !text.contains("<path"));
    }
}
