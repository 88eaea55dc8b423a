"""Rankers made of trees and thresholds."""
