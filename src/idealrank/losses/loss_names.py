"""Losses by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from idealrank._names.registry import Registry
from idealrank.losses.loss_base import Loss

#: The losses by name; `register` adds one.
LOSSES: Registry[Loss] = Registry("loss", Loss, "cosine or cross_entropy(normalizer=dcg)", "idealrank.losses")
LossClass = TypeVar("LossClass", bound=type[Loss])


def register(name: str, *aliases: str) -> Callable[[LossClass], LossClass]:
    """Register a loss of your own, which learners and the command line then take by name.

    Case, underscores and hyphens in names are ignored. A class that is defined again replaces its earlier version.

    Parameters
    ----------
    name : str
        The name, which becomes the ``label`` of the class.
    *aliases : str
        Other names for the same class.

    Returns
    -------
    callable
        A decorator of the class, which returns it unchanged.

    Raises
    ------
    OptionError
        If another loss has one of the names.

    Examples
    --------
    >>> import numpy as np
    >>> from idealrank import losses
    >>> @losses.register("squared_error")
    ... class SquaredError(losses.Loss):
    ...     def values_and_gradient(self, lists):
    ...         error = lists.scores - lists.labels
    ...         return np.add.reduceat(error**2, lists.offsets[:-1]), 2 * error
    >>> losses.loss("squared_error")([1, 0], [3.0, 1.0])
    (array([5.]), array([4., 2.]))
    """
    return LOSSES.register(name, *aliases)


def loss(name: str | Loss) -> Loss:
    """Return the loss with this name; a loss is returned unchanged.

    Parameters
    ----------
    name : str or Loss
        A name with options, such as "cosine" or "cross_entropy(normalizer=dcg)", or a loss.

    Returns
    -------
    Loss
        The loss.

    Raises
    ------
    OptionError
        If the name or one of its options is unknown.

    Examples
    --------
    >>> from idealrank.losses import loss
    >>> loss("cross_entropy(normalizer=dcg)"), loss("q_norm(q=3)"), loss("ListNet"), loss(loss("cosine"))
    (cross_entropy(normalizer=dcg), q_norm(q=3), cross_entropy, cosine)
    >>> loss("cross_entropi")
    Traceback (most recent call last):
    idealrank.errors.OptionError: unknown loss 'cross_entropi';
    did you mean 'cross_entropy'?
    """
    return LOSSES.of(name)
