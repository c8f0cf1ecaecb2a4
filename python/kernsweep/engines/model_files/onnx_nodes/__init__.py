"""Nodes of ONNX as functions of PyTorch, and a model file as a module of them."""
