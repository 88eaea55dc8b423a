"""Losses of rankings: frozen values that give one number a query and its gradient, all called alike."""

from idealrank.losses.base import Loss

__all__ = ["Loss"]
