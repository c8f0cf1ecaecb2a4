"""Kernsweep: parameter sweeps over compute kernels."""
