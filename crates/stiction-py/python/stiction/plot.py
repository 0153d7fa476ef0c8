"""Plots of a run with Matplotlib (an extra: pip install stiction[plot]).

Each function takes the step reports of a run and draws into `ax`, by default into new axes, which it returns.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Union

import numpy as np

from stiction._stiction import Model, StepReport, StictionError

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def energy(reports: Sequence[StepReport], ax: "Union[Axes, None]" = None) -> "Axes":
    """Total and kinetic energy (J) over time (s)."""
    ax = _axes(ax)
    time = [r.time for r in reports]
    ax.plot(time, [r.energy for r in reports], label="total")
    ax.plot(time, [r.kinetic_energy for r in reports], label="kinetic")
    ax.set(xlabel="time (s)", ylabel="energy (J)")
    ax.legend()
    return ax


def residual(reports: Sequence[StepReport], ax: "Union[Axes, None]" = None) -> "Axes":
    """Certified residual (dimensionless, logarithmic) over time (s); steps that were not solved are marked."""
    ax = _axes(ax)
    time = np.array([r.time for r in reports])
    values = np.array([max(r.certificate.residual, 1e-17) for r in reports])
    failed = np.array([not r.solved for r in reports], dtype=bool)
    ax.semilogy(time, values, label="residual")
    if failed.any():
        ax.semilogy(time[failed], values[failed], "rx", label="not solved")
        ax.legend()
    ax.set(xlabel="time (s)", ylabel="residual")
    return ax


def forces(
    reports: Sequence[StepReport], model: Model, body: str, ax: "Union[Axes, None]" = None
) -> "Axes":
    """Net contact force (N, world axes) on a body over time (s)."""
    names = model.body_names
    if body not in names:
        raise StictionError(f"there is no body {body!r}; there are: {', '.join(names)}")
    index = names.index(body)
    net = np.zeros((len(reports), 3))
    for row, report in zip(net, reports):
        contacts = report.contacts
        row += contacts["force"][contacts["body2"] == index].sum(axis=0)
        row -= contacts["force"][contacts["body1"] == index].sum(axis=0)
    ax = _axes(ax)
    time = [r.time for r in reports]
    for axis, name in enumerate("xyz"):
        ax.plot(time, net[:, axis], label=name)
    ax.set(xlabel="time (s)", ylabel=f"contact force on {body} (N)")
    ax.legend()
    return ax


def _axes(ax: "Union[Axes, None]") -> "Axes":
    if ax is not None:
        return ax
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise StictionError("plots need Matplotlib: pip install stiction[plot]") from error
    return plt.subplots(layout="constrained")[1]
