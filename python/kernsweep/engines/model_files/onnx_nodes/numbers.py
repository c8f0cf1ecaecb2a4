"""Products, norms, and elementwise operations."""
from __future__ import annotations

from typing import Any

from .maker import Attributes, Formless, Function, Maker, Parameters


def _product(torch: Any, has: Attributes, said: Parameters) -> Function:
    alpha, beta = has.get("alpha", 1.0), has.get("beta", 1.0)
    turn_a, turn_b = has.get("transA", 0), has.get("transB", 0)

    def product(a: Any, b: Any, c: Any = None) -> Any:
        a, b = (a.mT if turn_a else a), (b.mT if turn_b else b)
        return alpha * (a @ b) if c is None else torch.addmm(c, a, b, beta=beta, alpha=alpha)
    return product


def _normalised(torch: Any, has: Attributes, said: Parameters) -> Function:
    epsilon = has.get("epsilon", 1e-5)
    return lambda x, scale, bias, mean, variance: torch.nn.functional.batch_norm(
        x, mean, variance, scale, bias, False, 0.0, epsilon)


def _layer_normalised(torch: Any, has: Attributes, said: Parameters) -> Function:
    epsilon, axis = has.get("epsilon", 1e-5), has.get("axis", -1)

    def normalised(x: Any, scale: Any, bias: Any = None) -> Any:
        shape = x.shape[axis if axis >= 0 else x.ndim + axis:]
        scale, bias = scale.expand(shape), None if bias is None else bias.expand(shape)
        return torch.nn.functional.layer_norm(x, shape, scale, bias, epsilon)
    return normalised


def _instance_normalised(torch: Any, has: Attributes, said: Parameters) -> Function:
    epsilon = has.get("epsilon", 1e-5)
    return lambda x, scale, bias: torch.nn.functional.instance_norm(x, None, None, scale, bias, eps=epsilon)


def _shares(name: str) -> Maker:
    def maker(torch: Any, has: Attributes, said: Parameters) -> Function:
        axis, of = has.get("axis", -1), getattr(torch, name)
        return lambda x: of(x, axis)
    return maker


def softmax_of_old(torch: Any, has: Attributes, said: Parameters) -> Function:
    """Before opset 13: over all dimensions from `axis` on together."""
    axis = has.get("axis", 1)
    return lambda x: torch.softmax(x.reshape(*x.shape[:axis], -1), -1).reshape(x.shape)


def _one_by_one(name: str, of_functional: bool = False) -> Maker:
    def maker(torch: Any, has: Attributes, said: Parameters) -> Function:
        function: Function = getattr(torch.nn.functional if of_functional else torch, name)
        return function
    return maker


def _with(name: str, **numbers: float) -> Maker:
    """A function of torch.nn.functional, and attributes that it takes, with their defaults."""
    def maker(torch: Any, has: Attributes, said: Parameters) -> Function:
        given = [has.get(key, value) for key, value in numbers.items()]
        of = getattr(torch.nn.functional, name)
        return lambda x: of(x, *given)
    return maker


def _quotient(torch: Any, has: Attributes, said: Parameters) -> Function:
    def quotient(a: Any, b: Any) -> Any:
        whole = not a.is_floating_point() and not b.is_floating_point()
        return torch.div(a, b, rounding_mode="trunc" if whole else None)
    return quotient


def _power(torch: Any, has: Attributes, said: Parameters) -> Function:
    return lambda a, b: torch.pow(a, b).to(a.dtype)


def _of_several(name: str) -> Maker:
    def maker(torch: Any, has: Attributes, said: Parameters) -> Function:
        of = getattr(torch, name)

        def together(first: Any, *others: Any) -> Any:
            for each in others:
                first = of(first, each)
            return first
        return together
    return maker


def _hard_sigmoid(torch: Any, has: Attributes, said: Parameters) -> Function:
    alpha, beta = has.get("alpha", 0.2), has.get("beta", 0.5)
    return lambda x: torch.clamp(alpha * x + beta, 0.0, 1.0)


def _sloped(torch: Any, has: Attributes, said: Parameters) -> Function:
    return lambda x, slope: torch.where(x < 0, slope * x, x)


def _gelu(torch: Any, has: Attributes, said: Parameters) -> Function:
    form = has.get("approximate", b"none").decode()
    return lambda x: torch.nn.functional.gelu(x, approximate=form)


def _clipped(torch: Any, has: Attributes, said: Parameters) -> Function:
    low, high = (said.get(at) if said.get(at) is not None else has.get(name)
                 for at, name in ((1, "min"), (2, "max")))
    low, high = (None if end is None else getattr(end, "item", lambda: end)() for end in (low, high))
    return (lambda x: x) if low is None and high is None else lambda x: torch.clamp(x, low, high)


def _cast(torch: Any, has: Attributes, said: Parameters) -> Function:
    kinds = {1: "float32", 2: "uint8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 9: "bool",
             10: "float16", 11: "float64", 16: "bfloat16"}
    to = has["to"]
    if to not in kinds:
        raise Formless("Cast to this type")
    kind = getattr(torch, kinds[to])
    return lambda x: x.to(kind)


NUMBERS: dict[str, Maker] = {
    "Gemm": _product, "BatchNormalization": _normalised, "LayerNormalization": _layer_normalised,
    "InstanceNormalization": _instance_normalised, "MatMul": _one_by_one("matmul"),
    "Softmax": _shares("softmax"), "LogSoftmax": _shares("log_softmax"),
    **{name: _one_by_one(name.lower()) for name in (
        "Sqrt", "Erf", "Relu", "Sigmoid", "Tanh", "Exp", "Log", "Abs", "Neg", "Ceil", "Floor",
        "Round", "Reciprocal", "Sign", "Sin", "Cos", "Where")},
    **{name: _one_by_one(of) for name, of in (
        ("Equal", "eq"), ("Greater", "gt"), ("GreaterOrEqual", "ge"), ("Less", "lt"), ("LessOrEqual", "le"),
        ("And", "logical_and"), ("Or", "logical_or"), ("Xor", "logical_xor"), ("Not", "logical_not"),
        ("Mod", "remainder"))},
    **{name: _of_several(of) for name, of in (
        ("Add", "add"), ("Sub", "sub"), ("Mul", "mul"), ("Max", "maximum"), ("Min", "minimum"),
        ("Sum", "add"))},
    "Div": _quotient, "Pow": _power, "LeakyRelu": _with("leaky_relu", alpha=0.01),
    "Elu": _with("elu", alpha=1.0),
    "Softplus": _one_by_one("softplus", True), "HardSwish": _one_by_one("hardswish", True),
    "Softsign": _one_by_one("softsign", True), "Mish": _one_by_one("mish", True),
    "HardSigmoid": _hard_sigmoid, "PRelu": _sloped, "Gelu": _gelu, "Clip": _clipped, "Cast": _cast}
