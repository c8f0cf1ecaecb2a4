"""Writes models by torch.onnx.export into the current folder: exported_test.py."""
import torch
from torch import nn
torch.manual_seed(1)


class Attention(nn.Module):
    def __init__(self):
        super().__init__()
        self.all, self.out = nn.Linear(32, 96), nn.Linear(32, 32)

    def forward(self, x):
        batch, tokens, width = x.shape
        parts = self.all(x).view(batch, tokens, 3, 4, 8).permute(2, 0, 3, 1, 4)
        y = nn.functional.scaled_dot_product_attention(*parts, is_causal=True)
        return x + self.out(y.transpose(1, 2).reshape(batch, tokens, width))


class Shapes(nn.Module):
    def forward(self, x):
        return x.reshape(x.shape[0], 1, -1).squeeze(1).unsqueeze(-1) * 2


class Words(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(50, 16), nn.Embedding(40, 16)

    def forward(self, ids):
        return self.words(ids) + self.places(torch.arange(ids.shape[1]))


x = torch.randn
layers = nn.Sequential(nn.Conv2d(3, 8, 3, 2, 1), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1),
                       nn.Flatten(), nn.Linear(8, 5))
any_size = {0: torch.export.Dim("batch", min=1, max=64)}
for name, module, given in (
        ("linear", nn.Sequential(nn.Linear(20, 30), nn.ReLU(), nn.Linear(30, 4)), x(2, 20)),
        ("conv", layers, x(2, 3, 16, 16)), ("attention", Attention(), x(2, 6, 32)),
        ("shapes", Shapes(), x(2, 4, 6)), ("words", Words(), torch.randint(0, 50, (2, 12))),
        ("large", nn.Sequential(nn.Linear(512, 2048), nn.GELU(), nn.Linear(2048, 512)), x(2, 512))):
    torch.onnx.export(module.eval(), (given,), name + ".onnx", dynamic_shapes=(any_size,), verbose=False)
torch.onnx.export(layers, (x(2, 3, 16, 16),), "axes.onnx", input_names=["x"], dynamo=False, verbose=False,
                  dynamic_axes={"x": {0: "batch"}})
# Its norms have equal weights, which the older exporter writes once, with another name for each.
norms = nn.Sequential(nn.LayerNorm(8), nn.Linear(8, 8), nn.LayerNorm(8))
torch.onnx.export(norms, (x(2, 8),), "norms.onnx", dynamo=False, verbose=False,
                  input_names=["x"], dynamic_axes={"x": {0: "batch"}})
