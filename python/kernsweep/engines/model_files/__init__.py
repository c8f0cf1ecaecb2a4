"""Model files of the user as kernels for sweeps."""
from .kernel import Model

__all__ = ["Model"]
