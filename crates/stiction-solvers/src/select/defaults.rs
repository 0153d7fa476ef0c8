//! The solvers with default settings but for the tolerance: what [`robust`](crate::select::robust) is made of.

use crate::cones::{Chain, ChainSettings};
use crate::dual_active_set::{ActiveSetQp, ActiveSetQpSettings, Ppm, PpmSettings};
use crate::newton::{FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Path, PathSettings};
use crate::pivoting::{
    Dantzig, DantzigSettings, Enumeration, EnumerationSettings, Lemke, LemkeHowson, LemkeHowsonSettings,
    LemkeSettings, ProximalLemke, ProximalSettings,
};
use crate::problem::SolverError;

macro_rules! methods {
    ($($name:ident: $solver:ident, $settings:ident;)+) => {
        $(pub(crate) fn $name(tolerance: f64) -> Result<$solver, SolverError> {
            $solver::new($settings { tolerance, ..$settings::default() })
        })+
    };
}

methods! {
    lemke: Lemke, LemkeSettings;
    lemke_howson: LemkeHowson, LemkeHowsonSettings;
    proximal_lemke: ProximalLemke, ProximalSettings;
    dantzig: Dantzig, DantzigSettings;
    ppm: Ppm, PpmSettings;
    active_set_qp: ActiveSetQp, ActiveSetQpSettings;
    fb_rlm: FbRlm, FbRlmSettings;
    fb_plm: FbPlm, FbPlmSettings;
    path: Path, PathSettings;
    enumeration: Enumeration, EnumerationSettings;
}

/// [`FbPlm`] with few restarts: a descent of a problem of 100 unknowns takes a second.
pub(crate) fn fb_plm_briefly(tolerance: f64) -> Result<FbPlm, SolverError> {
    FbPlm::new(FbPlmSettings { tolerance, restarts: 2, ..FbPlmSettings::default() })
}

/// The path-search method with many restarts: the last resort where no method has a theory.
pub(crate) fn path_with_restarts(tolerance: f64) -> Result<Path, SolverError> {
    Path::new(PathSettings { tolerance, restarts: 64, ..PathSettings::default() })
}

/// The chain of cone solvers, whose target is its tolerance.
pub(crate) fn chain(tolerance: f64) -> Result<Chain, SolverError> {
    Chain::new(ChainSettings { tolerance, target: tolerance, ..ChainSettings::default() })
}
