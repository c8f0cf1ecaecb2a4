"""Steps of training as kernels to be swept, by PyTorch and NumPy."""
from .kernel import Training

__all__ = ["Training"]
