"""Training steps as kernels for sweeps, by PyTorch and NumPy."""
from .kernel import Training

__all__ = ["Training"]
