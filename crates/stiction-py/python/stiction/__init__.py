"""Rigid multibody dynamics with contact and dry friction, certified every step.

    import stiction

    model = stiction.Model.from_file("scenes/grasp.xml")
    sim = stiction.Simulation(model)
    report = sim.step()
    print(report.solved, report.certificate.residual, sim.body("left_cube").position)

Arrays are NumPy's, in SI units, world axes unless said otherwise; `qpos` and `qvel` are laid out as MuJoCo's. Wrong input
raises `StictionError`; a step or a solve that does not converge raises nothing and says so in its report.
"""

from stiction._stiction import (
    Batch,
    Certificate,
    Model,
    Rollout,
    Snapshot,
    SolveProgress,
    SolveResult,
    StepReport,
    StictionError,
    Work,
    __version__,
    bias_forces,
    delassus,
    difference,
    forward_dynamics,
    forward_kinematics,
    integrate,
    inverse_dynamics,
    jacobian,
    mass_matrix,
)
from stiction.access import ActuatorView, BodyView, GeomView, JointView
from stiction.rolling import rollout
from stiction.settings import ExactCone, Formulation, FrictionBox, NoSlip, Polyhedral, Settings
from stiction.simulation import Simulation
from stiction.solving import (
    Factored,
    residual_cones,
    residual_ncp,
    solve_box_lcp,
    solve_cones,
    solve_lcp,
    solve_mcp,
    solve_mlcp,
    solve_ncp,
    solvers,
)

__all__ = [
    "ActuatorView",
    "Batch",
    "BodyView",
    "Certificate",
    "ExactCone",
    "Factored",
    "Formulation",
    "FrictionBox",
    "GeomView",
    "JointView",
    "Model",
    "NoSlip",
    "Polyhedral",
    "Rollout",
    "Settings",
    "Simulation",
    "Snapshot",
    "SolveProgress",
    "SolveResult",
    "StepReport",
    "StictionError",
    "Work",
    "__version__",
    "bias_forces",
    "delassus",
    "difference",
    "forward_dynamics",
    "forward_kinematics",
    "integrate",
    "inverse_dynamics",
    "jacobian",
    "mass_matrix",
    "residual_cones",
    "residual_ncp",
    "rollout",
    "solve_box_lcp",
    "solve_cones",
    "solve_lcp",
    "solve_mcp",
    "solve_mlcp",
    "solve_ncp",
    "solvers",
]
