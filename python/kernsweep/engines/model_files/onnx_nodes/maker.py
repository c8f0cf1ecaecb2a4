"""Makers: functions that make the function of a node.

A maker gets torch, the attributes of the node, and its parameters: inputs by number that determine how the
node is computed, such as the shape of a Reshape, as arrays of NumPy (None: omitted). The function gets the
other inputs. A maker raises Formless if this node has no form here; the text says why.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

Attributes = dict[str, Any]
Parameters = dict[int, Any]
Function = Callable[..., Any]
Maker = Callable[[Any, Attributes, Parameters], Function]


class Formless(NotImplementedError):
    """The node has no form in PyTorch here."""
