"""Array aliases that the whole package shares."""

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["Booleans", "Bytes", "Float32s", "Floats", "Int64s"]

if np.__version__.startswith("1."):
    raise ImportError(f"idealrank needs NumPy 2 or newer, and this is {np.__version__}: pip install --upgrade numpy")

Floats: TypeAlias = npt.NDArray[np.float64]
Float32s: TypeAlias = npt.NDArray[np.float32]
Int64s: TypeAlias = npt.NDArray[np.int64]
Booleans: TypeAlias = npt.NDArray[np.bool_]
Bytes: TypeAlias = npt.NDArray[np.uint8]
