"""PyTorch tensors of any type, with or without a gradient."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from idealrank.errors import DataError
from idealrank.io.shapes.array_shape import ArrayShape
from idealrank.io.shapes.shape import top_module


class TensorShape(ArrayShape):
    """A tensor, or a list of tensors with one per query."""

    title = "PyTorch tensors"
    _keeps_lists = False

    @classmethod
    def fits(cls, value: object) -> bool:
        """Return whether the value is a tensor, or a list that begins with one."""
        if isinstance(value, (list, tuple)) and value:
            return _is_tensor(value[0])
        return _is_tensor(value)

    def describe(self) -> str:
        """Return the type, the shape and the device."""
        if isinstance(self.value, (list, tuple)):
            return f"a list of {len(self.value):,} tensors"
        return f"a tensor of shape {tuple(self.value.shape)} on {self.value.device}"

    def as_array(self, value: Any) -> npt.NDArray[Any]:
        """Return a tensor as a NumPy array, without its gradient; floats become float64."""
        if not _is_tensor(value):
            return super().as_array(value)
        if value.device.type == "meta":
            raise DataError("got a tensor on the device 'meta', which holds no values: materialize the model first")
        if value.device.type != "cpu":
            raise DataError(f"got a tensor on the device {str(value.device)!r}; pass tensor.cpu()")
        plain = value.detach()
        if plain.is_floating_point():
            plain = plain.double()  # NumPy has no bfloat16
        try:
            return np.asarray(plain.numpy())
        except (TypeError, RuntimeError) as error:
            raise DataError(f"cannot read {self.describe()} as an array of numbers: {error}") from None

    def as_ids(self, value: Any) -> Any:
        """Return query ids, which may be a tensor too."""
        return self.as_array(value) if _is_tensor(value) else value


def _is_tensor(value: object) -> bool:
    return top_module(value) == "torch" and hasattr(value, "detach")
