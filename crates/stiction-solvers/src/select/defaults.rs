//! The solvers with default settings but for the tolerance: what [`registry`](crate::select::registry) and
//! [`robust`](crate::select::robust) are made of.

use crate::cones::{
    Admm, AdmmSettings, Chain, ChainSettings, ConeInteriorPoint, ConeInteriorPointSettings, MncpPlm,
    MncpPlmSettings, MncpRlm, MncpRlmSettings, Newton, NewtonSettings, Nsgs, NsgsSettings, Ppn, PpnSettings,
    QpSplit, QpSplitSettings,
};
#[cfg(feature = "conic")]
use crate::conic::{InteriorPoint, InteriorPointSettings};
use crate::dual_active_set::{ActiveSetQp, ActiveSetQpSettings, Ppm, PpmSettings};
use crate::newton::{FbPlm, FbPlmSettings, FbRlm, FbRlmSettings, Path, PathSettings};
use crate::pivoting::{
    Dantzig, DantzigSettings, Enumeration, EnumerationSettings, Lemke, LemkeHowson, LemkeHowsonSettings,
    LemkeSettings, ProximalLemke, ProximalSettings,
};
use crate::problem::SolverError;
use crate::sweeps::{Pgs, PgsSettings, PgsSm, PgsSmSettings};

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
    pgs: Pgs, PgsSettings;
    pgs_sm: PgsSm, PgsSmSettings;
    fb_rlm: FbRlm, FbRlmSettings;
    fb_plm: FbPlm, FbPlmSettings;
    path: Path, PathSettings;
    enumeration: Enumeration, EnumerationSettings;
    newton: Newton, NewtonSettings;
    nsgs: Nsgs, NsgsSettings;
    admm: Admm, AdmmSettings;
    ppn: Ppn, PpnSettings;
    cone_interior_point: ConeInteriorPoint, ConeInteriorPointSettings;
    mncp_rlm: MncpRlm, MncpRlmSettings;
    mncp_plm: MncpPlm, MncpPlmSettings;
    qp_split: QpSplit, QpSplitSettings;
}

#[cfg(feature = "conic")]
methods! {
    interior_point: InteriorPoint, InteriorPointSettings;
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
