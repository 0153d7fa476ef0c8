//! Equilibrium problems of the literature: their functions, bounds, starts and what is known of their answers.

use super::dual::{Dual, Function, sum};

const INF: f64 = f64::INFINITY;

/// What is known of the answer.
pub(super) enum Known {
    /// The published one is the only one: with the digits printed, each to a unit of the last.
    Only(Vec<f64>, f64),
    /// One of these, likewise.
    OneOf(Vec<Vec<f64>>, f64),
    /// A multiple of this beyond the first so many entries: only relative prices count.
    UpToPrices(Vec<f64>, usize),
    /// Only one, from whatever start, that is not published.
    Same,
    /// Nothing but that there is one.
    Nothing,
}

pub(super) struct Case {
    pub(super) name: String,
    pub(super) function: Function,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    pub(super) starts: Vec<Vec<f64>>,
    pub(super) known: Known,
}

fn case(
    name: impl Into<String>,
    lower: Vec<f64>,
    starts: Vec<Vec<f64>>,
    known: Known,
    values: impl Fn(&[Dual]) -> Vec<Dual> + 'static,
) -> Case {
    let n = lower.len();
    let function = Function { n, values: Box::new(values), differences: None };
    Case { name: name.into(), function, lower, upper: vec![INF; n], starts, known }
}

/// Nash-Cournot equilibrium: the marginal cost of firm `i` less its marginal revenue, with inverse demand
/// `p(Q) = (5000 / Q)^(1 / gamma)`.
fn cournot(q: &[Dual], gamma: f64, marginal_cost: impl Fn(usize, Dual) -> Dual) -> Vec<Dual> {
    let total = sum(q.iter().copied());
    let price = (Dual::from(5000.0) / total).powf(1.0 / gamma);
    let slope = -price / total / gamma;
    q.iter().enumerate().map(|(i, &q)| marginal_cost(i, q) - price - q * slope).collect()
}

/// Five firms; F. H. Murphy, H. D. Sherali, A. L. Soyster, *A mathematical programming approach for determining
/// oligopolistic market equilibrium*, Mathematical Programming 24 (1982) 92-106.
pub(super) fn five_firms(lower: f64) -> Case {
    let answer = vec![36.93, 41.81, 43.70, 42.65, 39.17];
    let starts = vec![vec![10.0; 5], vec![1.0; 5], vec![100.0; 5], vec![1e-3; 5], vec![lower; 5]];
    case(format!("five firms, at least {lower:e}"), vec![lower; 5], starts, Known::Only(answer, 0.02), |q| {
        let (c, beta) = ([10.0, 8.0, 6.0, 4.0, 2.0], [1.2, 1.1, 1.0, 0.9, 0.8]);
        cournot(q, 1.1, |i, q| (q / 5.0).powf(1.0 / beta[i]) + c[i])
    })
}

/// The same with the price as an unknown of its own, in front.
pub(super) fn five_firms_and_a_price(lower: f64) -> Case {
    let price = (5000.0_f64 / 204.26).powf(1.0 / 1.1);
    let answer = vec![price, 36.93, 41.81, 43.70, 42.65, 39.17];
    let starts = [10.0, 1.0, 50.0].map(|q| {
        let price = (1000.0_f64 / q).powf(1.0 / 1.1);
        vec![price, q, q, q, q, q]
    });
    case(
        format!("five firms and a price, at least {lower:e}"),
        vec![lower; 6],
        starts.to_vec(),
        Known::Only(answer, 0.02),
        |z| {
            let (c, beta) = ([10.0, 8.0, 6.0, 4.0, 2.0], [1.2, 1.1, 1.0, 0.9, 0.8]);
            let (price, q) = (z[0], &z[1..]);
            let market = sum(q.iter().copied()) - price.powf(-1.1) * 5000.0;
            let firms = q
                .iter()
                .enumerate()
                .map(|(i, &q)| (q / 5.0).powf(1.0 / beta[i]) + c[i] - price + q * price.powf(2.1) / 5500.0);
            std::iter::once(market).chain(firms).collect()
        },
    )
}

/// Ten firms with the four starts in use; P. T. Harker, *Accelerating the convergence of the diagonalization and
/// projection algorithms for finite-dimensional variational inequalities*, Mathematical Programming 41 (1988) 29-59.
pub(super) fn ten_firms(lower: f64) -> Case {
    let answer = vec![7.4415, 4.0978, 2.5906, 0.9354, 17.9488, 4.0978, 1.3047, 5.5901, 3.2222, 1.6771];
    let starts = vec![
        vec![1.0; 10],
        vec![10.0; 10],
        vec![7.0, 4.0, 3.0, 1.0, 18.0, 4.0, 1.0, 6.0, 3.0, 2.0],
        vec![1.0, 1.2, 1.4, 1.6, 1.8, 2.1, 2.3, 2.5, 2.7, 2.9],
        vec![lower; 10],
    ];
    case(format!("ten firms, at least {lower:e}"), vec![lower; 10], starts, Known::Only(answer, 3e-4), |q| {
        let c = [5.0, 3.0, 8.0, 5.0, 1.0, 3.0, 7.0, 4.0, 6.0, 3.0];
        let beta = [1.2, 1.0, 0.9, 0.6, 1.5, 1.0, 0.7, 1.1, 0.95, 0.75];
        cournot(q, 1.2, |i, q| (q * 10.0).powf(1.0 / beta[i]) + c[i])
    })
}

/// One consumer who spends the share `alpha` on the first good, one sector that makes it of the two others; L. Mathiesen, *An algorithm based on a
/// sequence of linear complementarity problems applied to a Walrasian equilibrium model: an example*, Mathematical
/// Programming 37 (1987) 1-18. Unknowns: the sector's output and three prices, of which only ratios count.
pub(super) fn mathiesen(alpha: f64, [b2, b3]: [f64; 2], lower: f64) -> Case {
    // The sector runs until a factor is used up; what it pays follows from the consumer's shares.
    let answer = if (1.0 - alpha) * (b2 + b3) <= b2 - b3.min(b2) && b3 < b2 {
        let y = b3;
        // p1 = p2 + p3, y p1 = alpha I, (b2 - y) p2 = (1 - alpha) I, with I = b2 p2 + b3 p3 = 1.
        let (p1, p2) = (alpha / y, (1.0 - alpha) / (b2 - y));
        Known::UpToPrices(vec![y, p1, p2, p1 - p2], 1)
    } else {
        // The second factor is free: p3 = 0, p1 = p2, y = alpha b2.
        Known::UpToPrices(vec![alpha * b2, 1.0, 1.0, 0.0], 1)
    };
    let starts = vec![
        vec![1.0; 4],
        vec![0.5, 1.0, 2.0, 0.5],
        vec![10.0; 4],
        vec![0.0, 0.1, 0.1, 0.1],
        vec![0.0, lower, lower, 0.0],
    ];
    case(
        format!("Mathiesen {alpha} {b2} {b3:.2}, prices at least {lower:e}"),
        vec![0.0, lower, lower, 0.0],
        starts,
        answer,
        move |z| {
            let [y, p1, p2, p3] = [z[0], z[1], z[2], z[3]];
            let income = p2 * b2 + p3 * b3;
            vec![p2 + p3 - p1, y - income / p1 * alpha, -y + b2 - income / p2 * (1.0 - alpha), -y + b3]
        },
    )
}

/// Five consumers with constant elasticities, six goods, eight activities; H. Scarf, T. Hansen, *The computation of
/// economic equilibria*, Yale University Press, 1973. Unknowns: prices, activities, incomes, the first of which is the
/// unit of account.
pub(super) fn scarf(lower: f64) -> Case {
    // Capital at the end, nondurables, durables, capital at the beginning, skilled and unskilled labour.
    const ENDOWMENTS: [[f64; 5]; 6] = [
        [0.0; 5],
        [0.0; 5],
        [1.0, 2.0, 1.5, 1.0, 2.0],
        [3.0, 0.1, 2.0, 1.0, 6.0],
        [5.0, 0.1, 6.0, 0.1, 0.1],
        [0.1, 7.0, 0.1, 8.0, 0.5],
    ];
    const DEMANDS: [[f64; 5]; 6] = [
        [4.0, 0.4, 2.0, 5.0, 3.0],
        [2.0, 4.0, 2.0, 5.0, 4.0],
        [3.2, 1.0, 1.5, 4.5, 2.0],
        [0.0; 5],
        [0.2, 0.0, 0.5, 0.0, 0.0],
        [0.0, 0.6, 0.0, 0.2, 0.2],
    ];
    const ELASTICITIES: [f64; 5] = [1.2, 1.6, 0.8, 0.5, 0.6];
    const ACTIVITIES: [[f64; 8]; 6] = [
        [4.0, 4.0, 1.6, 1.6, 1.6, 0.9, 7.0, 8.0],
        [0.0, 0.0, 6.0, 8.0, 7.0, 0.0, 0.0, 0.0],
        [4.0, 3.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [-5.3, -5.0, -2.0, -2.0, -2.0, -1.0, -4.0, -5.0],
        [-2.0, -1.0, -2.0, -4.0, -1.0, 0.0, -3.0, -2.0],
        [-1.0, -6.0, -3.0, -1.0, -8.0, 0.0, -1.0, -8.0],
    ];
    let share = |c: usize, h: usize| DEMANDS[c][h] / DEMANDS.iter().map(|row| row[h]).sum::<f64>();
    let demanded = |c: usize| DEMANDS[c].iter().any(|d| *d > 0.0);
    let incomes: Vec<f64> = (0..5).map(|h| ENDOWMENTS.iter().map(|row| row[h]).sum()).collect();
    let mut bounds: Vec<f64> = (0..6).map(|c| if demanded(c) { lower } else { 0.0 }).collect();
    bounds.extend([0.0; 13]);
    bounds[14] = incomes[0];
    let start = |price: f64, activity: f64| {
        let incomes = incomes.iter().map(|income| price * income);
        let mut start: Vec<f64> = [price; 6].into_iter().chain([activity; 8]).chain(incomes).collect();
        start[14] = bounds[14];
        start
    };
    let starts = vec![start(1.0, 1.0), start(1.0, 0.0), start(3.0, 2.0), start(0.1, 0.1), start(lower, 0.0)];
    let mut made = case(format!("Scarf, prices at least {lower:e}"), bounds, starts, Known::Same, move |z| {
        let (p, y, income) = (&z[..6], &z[6..14], &z[14..]);
        let markets = (0..6).map(|c| {
            let made = sum((0..8).map(|s| y[s] * ACTIVITIES[c][s]));
            let demand = sum((0..5).filter(|&h| DEMANDS[c][h] > 0.0).map(|h| {
                let index = sum((0..6)
                    .filter(|&c| DEMANDS[c][h] > 0.0)
                    .map(|c| p[c].powf(1.0 - ELASTICITIES[h]) * share(c, h)));
                income[h] / index * share(c, h) / p[c].powf(ELASTICITIES[h])
            }));
            made + ENDOWMENTS[c].iter().sum::<f64>() - demand
        });
        let profits = (0..8).map(|s| -sum((0..6).map(|c| p[c] * ACTIVITIES[c][s])));
        let incomes = (0..5).map(|h| income[h] - sum((0..6).map(|c| p[c] * ENDOWMENTS[c][h])));
        markets.chain(profits).chain(incomes).collect()
    });
    made.upper[14] = made.lower[14];
    made
}

/// Four consumers, four goods, two activities, three equilibria; T. J. Kehoe, *Multiplicity of equilibria and comparative
/// statics*, Quarterly Journal of Economics 100 (1985) 119-147. Unknowns: prices, of which only ratios count, and activities.
pub(super) fn kehoe(lower: f64) -> Case {
    const SHARES: [[f64; 4]; 4] = [
        [0.52, 0.86, 0.5, 0.06],
        [0.4, 0.1, 0.2, 0.25],
        [0.04, 0.02, 0.2975, 0.0025],
        [0.04, 0.02, 0.0025, 0.6875],
    ];
    const OWNED: [f64; 4] = [50.0, 50.0, 400.0, 400.0];
    const ACTIVITIES: [[f64; 2]; 4] = [[6.0, -1.0], [-1.0, 3.0], [-4.0, -1.0], [-1.0, -1.0]];
    let starts = vec![
        vec![1.0, 1.0, 1.0, 1.0, 0.0, 0.0],
        vec![1.0, 1.0, 1.0, 1.0, 50.0, 50.0],
        vec![0.5, 1.0, 1.0, 1.0, 50.0, 50.0],
        vec![0.1, 1.0, 2.0, 0.3, 1.0, 1.0],
        vec![lower, lower, lower, lower, 0.0, 0.0],
    ];
    let bounds = vec![lower, lower, lower, lower, 0.0, 0.0];
    case(format!("Kehoe, prices at least {lower:e}"), bounds, starts, Known::Nothing, |z| {
        let (p, y) = (&z[..4], &z[4..]);
        let markets = (0..4).map(|c| {
            let made = y[0] * ACTIVITIES[c][0] + y[1] * ACTIVITIES[c][1];
            let demand = sum((0..4).map(|h| p[h] * OWNED[h] / p[c] * SHARES[c][h]));
            made + OWNED[c] - demand
        });
        let profits = (0..2).map(|s| -sum((0..4).map(|c| p[c] * ACTIVITIES[c][s])));
        markets.chain(profits).collect()
    })
}

/// An exchange economy: `n` consumers of constant elasticity, who own one good each, the last good's price is one.
pub(super) fn exchange(n: usize, elasticity: f64, lower: f64) -> Case {
    let share = move |c: usize, h: usize| {
        let weight = |c: usize| 1.0 + ((3 * c + 5 * h) % 7) as f64;
        weight(c) / (0..n).map(weight).sum::<f64>()
    };
    let starts = vec![vec![1.0; n - 1], vec![lower; n - 1], vec![30.0; n - 1]];
    // Gross substitutes have one equilibrium.
    let known = if elasticity >= 1.0 { Known::Same } else { Known::Nothing };
    let name = format!("{n} traders of elasticity {elasticity}, prices at least {lower:e}");
    case(name, vec![lower; n - 1], starts, known, move |z| {
        let price = |c: usize| if c + 1 < n { z[c] } else { Dual::from(1.0) };
        let owned = |h: usize| 1.0 + (h % 3) as f64;
        let indices: Vec<Dual> =
            (0..n).map(|h| sum((0..n).map(|c| price(c).powf(1.0 - elasticity) * share(c, h)))).collect();
        let excess = |c: usize| {
            let demand = sum((0..n).map(|h| price(h) * owned(h) / indices[h] * share(c, h)));
            -demand / price(c).powf(elasticity) + owned(c)
        };
        (0..n - 1).map(excess).collect()
    })
}

/// Two plants, three markets, demand `b p^-e`; G. B. Dantzig, *Linear programming and extensions*, Princeton University
/// Press, 1963, section 3.3. Unknowns: the value of capacity, prices, shipments.
pub(super) fn transport(lower: f64) -> Case {
    const COSTS: [[f64; 3]; 2] = [[0.225, 0.153, 0.162], [0.225, 0.162, 0.126]];
    let start = |price: f64, shipped: f64| {
        let mut start = vec![0.0, 0.0, price, price, price];
        start.extend([shipped; 6]);
        start
    };
    let mut bounds = vec![0.0; 11];
    bounds[2..5].fill(lower);
    let starts =
        vec![start(1.0, 0.0), start(1.0, 150.0), start(0.2, 10.0), start(20.0, 1.0), start(lower, 0.0)];
    case(format!("transport, prices at least {lower:e}"), bounds, starts, Known::Nothing, |z| {
        let (w, p, x) = (&z[..2], &z[2..5], &z[5..]);
        let (capacity, demand, elasticity) = ([350.0, 600.0], [325.0, 300.0, 275.0], [1.5, 1.2, 2.0]);
        let plants = (0..2).map(|i| -sum((0..3).map(|j| x[3 * i + j])) + capacity[i]);
        let markets = (0..3).map(|j| x[j] + x[3 + j] - p[j].powf(-elasticity[j]) * demand[j]);
        let routes = (0..6).map(|k| w[k / 3] + COSTS[k / 3][k % 3] - p[k % 3]);
        plants.chain(markets).chain(routes).collect()
    })
}

/// M. Kojima, S. Shindo, *Extensions of Newton and quasi-Newton methods to systems of PC1 equations*, Journal of the
/// Operations Research Society of Japan 29 (1986) 352-374 (`degenerate`), and N. H. Josephy, *Newton's method for generalized
/// equations*, Wisconsin technical report 1965, 1979.
pub(super) fn quadratic(degenerate: bool) -> Case {
    let first = vec![1.5f64.sqrt(), 0.0, 0.0, 0.5];
    let (name, answers) = if degenerate {
        ("Kojima and Shindo", vec![first, vec![1.0, 0.0, 3.0, 0.0]])
    } else {
        ("Josephy", vec![first])
    };
    let starts = vec![
        vec![0.0; 4],
        vec![1.0; 4],
        vec![100.0; 4],
        vec![1.25, 0.0, 0.0, 0.5],
        vec![1.0, 0.0, 1.0, 0.0],
        vec![0.0, 0.0, 0.0, 1.0],
        vec![0.5; 4],
    ];
    case(name, vec![0.0; 4], starts, Known::OneOf(answers, 1e-5), move |z| {
        let [a, b, c, d] = [z[0], z[1], z[2], z[3]];
        let (c2, d3, q3) = if degenerate { (10.0, 9.0, 9.0) } else { (3.0, 3.0, 1.0) };
        vec![
            a * a * 3.0 + a * b * 2.0 + b * b * 2.0 + c + d * 3.0 - 6.0,
            a * a * 2.0 + a + b * b + c * c2 + d * 2.0 - 2.0,
            a * a * 3.0 + a * b + b * b * 2.0 + c * 2.0 + d * d3 - q3,
            a * a + b * b * 3.0 + c * 2.0 + d * 3.0 - 3.0,
        ]
    })
}

/// `(z - 1)^2 - 1.01`, on which merits have a minimum that solves nothing; S. C. Billups, *Algorithms for complementarity
/// problems and generalized equations*, Wisconsin thesis, 1995.
pub(super) fn billups() -> Case {
    let answer = vec![1.0 + 1.01f64.sqrt()];
    let starts = [0.0, 0.5, 1.0, 3.0, 1e3].map(|z| vec![z]).to_vec();
    case("Billups", vec![0.0], starts, Known::Only(answer, 1e-8), |z| {
        vec![(z[0] - 1.0) * (z[0] - 1.0) - 1.01]
    })
}

/// The conditions of Karush, Kuhn and Tucker of `min (x - 2)^2 + y^2` with `(1 - x)^3 >= y` and `x, y >= 0`: at the least point
/// (1, 0), a cusp, there is no multiplier. From `y > 0` follows `2 y + l = 0`, so `y = 0`; then `x < 1` needs `l = 0` and is pushed
/// to 2, and at `x = 1` the first entry is -2 whatever `l` is. Its size goes to zero as `l` grows and `x` goes to 1.
pub(super) fn cusp() -> Case {
    let starts = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 1.0, 1.0], [0.5, 0.5, 10.0], [1.0, 0.0, 100.0]];
    let starts = starts.map(Vec::from).to_vec();
    case("cusp", vec![0.0; 3], starts, Known::OneOf(vec![], 0.0), |z| {
        let (x, y, l) = (z[0], z[1], z[2]);
        let left = Dual::from(1.0) - x;
        let squared = left * left;
        vec![(x - 2.0) * 2.0 + l * squared * 3.0, y * 2.0 + l, squared * left - y]
    })
}
