//! Statistics of measurements: means and spreads, slopes of power laws.

use serde::Serialize;

/// Mean, standard deviation and least of some numbers.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Spread {
    /// Arithmetic mean.
    pub mean: f64,
    /// Of the sample: over one less than the count.
    pub sigma: f64,
    /// The smallest.
    pub least: f64,
}

/// The spread of at least one number; the deviation of a single one is zero.
pub fn spread(values: &[f64]) -> Spread {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares: f64 = values.iter().map(|v| (v - mean) * (v - mean)).sum();
    let sigma = (squares / values.len().saturating_sub(1).max(1) as f64).sqrt();
    Spread { mean, sigma, least: values.iter().copied().fold(f64::INFINITY, f64::min) }
}

/// The middle one of some numbers, which are put in order.
pub fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}

/// The exponent `p` of `y = c x^p` by least squares on the logarithms of positive pairs; none for fewer than two `x`.
pub fn exponent(pairs: &[[f64; 2]]) -> Option<f64> {
    let logs: Vec<[f64; 2]> = pairs.iter().map(|pair| pair.map(f64::ln)).collect();
    let mean = |k: usize| logs.iter().map(|p| p[k]).sum::<f64>() / logs.len() as f64;
    let centre = [mean(0), mean(1)];
    let product =
        |a: usize, b: usize| logs.iter().map(|p| (p[a] - centre[a]) * (p[b] - centre[b])).sum::<f64>();
    let slope = product(0, 1) / product(0, 0);
    slope.is_finite().then_some(slope)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_spread_of_three_numbers() {
        let Spread { mean, sigma, least } = spread(&[1.0, 2.0, 6.0]);
        assert_eq!((mean, sigma, least), (3.0, 7.0_f64.sqrt(), 1.0));
        assert_eq!(spread(&[4.0]).sigma, 0.0);
    }

    #[test]
    fn the_exponent_of_a_power_law_is_found_and_that_of_one_point_is_not() {
        let pairs: Vec<[f64; 2]> = [1.0, 2.0, 5.0].map(|x: f64| [x, 3.0 * x.powf(1.5)]).to_vec();
        assert!(exponent(&pairs).is_some_and(|p| (p - 1.5).abs() < 1e-12));
        assert_eq!(exponent(&pairs[..1]), None);
    }
}
