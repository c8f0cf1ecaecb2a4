"""Model files of the user's as kernels to be swept."""
from .kernel import Model

__all__ = ["Model"]
