"""Arrays in: what is no array of real numbers is refused, where NumPy would drop imaginary parts and masks."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from stiction._stiction import real_numbers

Floats = npt.NDArray[np.float64]


def floats(values: npt.ArrayLike) -> Floats:
    """An array of doubles.

    Raises:
        StictionError: complex numbers, dates, objects, text, or places that are masked.
    """
    return np.asarray(real_numbers(values), dtype=float)
