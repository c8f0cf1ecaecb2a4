"""How the function of a node is made.

A maker gets torch, the attributes of the node, and its parameters: inputs by their number that say how it is
computed, such as the shape of a Reshape, as arrays of NumPy (None: left out). The function gets the others.
A maker raises Formless where this node has no form here; the text says why.
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
