//! The solvers with default settings but for the tolerance: what [`registry`](crate::registry) and
//! [`robust`](crate::robust) are made of.

use crate::active_set_qp::{ActiveSetQp, ActiveSetQpSettings};
use crate::dantzig::{Dantzig, DantzigSettings};
use crate::enumeration::{Enumeration, EnumerationSettings};
use crate::error::SolverError;
use crate::fb_plm::{FbPlm, FbPlmSettings};
use crate::fb_rlm::{FbRlm, FbRlmSettings};
#[cfg(feature = "conic")]
use crate::interior_point::{InteriorPoint, InteriorPointSettings};
use crate::lemke::{Lemke, LemkeSettings};
use crate::ncp::{
    Admm, AdmmSettings, Chain, ChainSettings, ConeInteriorPoint, ConeInteriorPointSettings, MncpPlm,
    MncpPlmSettings, MncpRlm, MncpRlmSettings, Newton, NewtonSettings, Nsgs, NsgsSettings, Ppn, PpnSettings,
    QpSplit, QpSplitSettings,
};
use crate::path::{Path, PathSettings};
use crate::pgs::{Pgs, PgsSettings};
use crate::pgs_sm::{PgsSm, PgsSmSettings};
use crate::ppm::{Ppm, PpmSettings};
use crate::proximal::{ProximalLemke, ProximalSettings};

macro_rules! methods {
    ($($name:ident: $solver:ident, $settings:ident;)+) => {
        $(pub(crate) fn $name(tolerance: f64) -> Result<$solver, SolverError> {
            $solver::new($settings { tolerance, ..$settings::default() })
        })+
    };
}

methods! {
    lemke: Lemke, LemkeSettings;
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

/// The path-search method with many restarts: the last resort where no method has a theory.
pub(crate) fn path_with_restarts(tolerance: f64) -> Result<Path, SolverError> {
    Path::new(PathSettings { tolerance, restarts: 64, ..PathSettings::default() })
}

/// The chain of cone solvers, which aims no lower than its tolerance.
pub(crate) fn chain(tolerance: f64) -> Result<Chain, SolverError> {
    Chain::new(ChainSettings { tolerance, aim: tolerance, ..ChainSettings::default() })
}
