"""The Python part of the pack of Python functions. Compiled into the pack; run once in each process.

Modules that the user's function may not need are looked up in sys.modules: importing them here would change
what the function finds.
"""
import gc
import os
import sys
import types

# State of begin().
begun = 0  # kernels that exist: with cold caches a job has several
collects = True
threaded = ()  # the libraries that knew their number of threads
variables = {}  # os.environ


# Operands.

def numpy_or_none():
    try:
        import numpy
        return numpy
    except Exception:
        return None


OF_NUMPY = {"f64": "f8", "f32": "f4", "f16": "f2", "s64": "i8", "s32": "i4", "s8": "i1", "u8": "u1"}
OF_ML_DTYPES = {"bf16": "bfloat16", "f8e4m3": "float8_e4m3fn", "f8e5m2": "float8_e5m2"}


def array_of(flat, shape, dtype, code, written):
    """The memory of `flat`, a memoryview of bytes, as an array of NumPy; without NumPy as a memoryview."""
    numpy = numpy_or_none()
    if numpy is None:
        return flat.cast(code, shape) if flat.nbytes > 0 else flat
    kind = OF_NUMPY.get(dtype, "u2" if code == "H" else "u1")
    if dtype in OF_ML_DTYPES:
        try:
            import ml_dtypes
            kind = getattr(ml_dtypes, OF_ML_DTYPES[dtype])
        except Exception:
            pass
    if flat.nbytes == 0:
        empty = numpy.empty(shape, kind)
        empty.flags.writeable = written
        return empty
    return numpy.frombuffer(flat, kind).reshape(shape)


def by_key(item):
    return str(item[0]), type(item[0]).__name__


def parts_of(result, shown, depth=0):
    """The objects that a return value consists of: of tuples and lists the items, of dicts the values in the
    order of their keys as text, of arrays of objects or texts the elements. `shown`: texts as bytes, None as
    no object; else each as it is, and of more than 100 numbers in one container the container itself, which
    is quicker to recognise.

    >>> parts_of((1, [b"x", {"b": "y", "a": 2}], None), True)
    [1, b'x', 2, b'y']
    """
    if isinstance(result, dict):
        items = [value for _, value in sorted(result.items(), key=by_key)]
    elif isinstance(result, (tuple, list)):
        items = result
    elif getattr(getattr(result, "dtype", None), "kind", "") in (("O", "S", "U") if shown else ("O",)):
        items = result.tolist()
        items = items if isinstance(items, list) else [items]
    else:
        if shown and isinstance(result, str):
            return [result.encode("utf-8", "surrogatepass")]
        return [] if shown and result is None and depth > 0 else [result]
    if depth == 50:
        raise RecursionError("it returned a container within 50 others, or one within itself")
    if not shown and len(items) > 100 and isinstance(items[0], (int, float, complex)):
        return [result]
    return [part for item in items for part in parts_of(item, shown, depth + 1)]


def keys_of(result):
    """The keys of all dicts in a return value, one a line, sorted: "b", "rows[0].x". 1, 1.0 and "1" are one.

    >>> keys_of(({"b": 1, "a": {2.0: 3}}, [{"x": 1}]))
    '[0].a\\n[0].a.2\\n[0].b\\n[1][0].x\\n'
    """
    found = []

    def name(key):
        if isinstance(key, (tuple, frozenset)):
            parts = [name(each) for each in key]
            return f"({', '.join(parts if isinstance(key, tuple) else sorted(parts))})"
        whole = not isinstance(key, (str, bytes)) and hasattr(key, "__int__") and key == key // 1
        return str(int(key) if whole else key).partition(" at 0x")[0].encode("unicode_escape").decode()

    def look(value, path, depth):
        if isinstance(value, dict):
            inner = [(f"{path}.{name(key)}" if path else name(key), item) for key, item in value.items()]
            found.extend(at for at, _ in inner)
        else:
            inner = ((f"{path}[{number}]", item) for number, item in enumerate(value))
        for at, item in inner:
            if isinstance(item, (dict, tuple, list)) and depth < 50 and len(found) < 10_000:
                look(item, at, depth + 1)
    if isinstance(result, (dict, tuple, list)):
        look(result, "", 0)
    return "".join(each + "\n" for each in sorted(found))


def exporter_of(result):
    """(An array of NumPy with the memory of an array that the buffer protocol does not show, such as a
    tensor of PyTorch; the name of its type where NumPy does not know that, else ""). Of what lies on a GPU
    it is a copy. None: it is no array."""
    torch, numpy, cupy = (sys.modules.get(name) for name in ("torch", "numpy", "cupy"))
    kinds = {name: dtype for dtype, name in OF_ML_DTYPES.items()}
    if torch is not None and isinstance(result, torch.Tensor):
        tensor = result.detach().cpu().resolve_conj().resolve_neg()
        kind = kinds.get(str(tensor.dtype).rpartition(".")[2], "")
        if kind:
            tensor = tensor.view(torch.int16 if kind == "bf16" else torch.uint8)
        return tensor.numpy(), kind
    if cupy is not None and isinstance(result, cupy.ndarray):
        return result.get(), ""
    if numpy is not None and hasattr(type(result), "__array__"):
        array = numpy.asarray(result)
        kind = kinds.get(array.dtype.name, "")
        return (array.view("u2" if kind == "bf16" else "u1") if kind else array), kind
    return None


def is_immutable(result):
    """Whether it is an array to which nothing can be written."""
    jax, tensorflow = sys.modules.get("jax"), sys.modules.get("tensorflow")
    return ((jax is not None and isinstance(result, jax.Array)) or
            (tensorflow is not None and isinstance(result, tensorflow.Tensor)))


# The two forms of a kernel.

def is_form(named):
    """Whether it is a class or an object with setup(), and not a function that makes a kernel."""
    return hasattr(named, "setup")


class Unsupported(Exception):
    """supports() says no; the text is the reason."""


def fits(named, found, keywords):
    """Raises TypeError where `found` cannot be a kernel with these keywords, which ',' separates; calls
    nothing. A function that does not show its parameters, as some builtins, is accepted."""
    if is_form(found):  # a class may make its run() in __init__
        return found if isinstance(found, type) and not hasattr(found, "run") else function_of(
            found, "run", named)
    import inspect
    flaw = None
    for follows in (True, False):  # a decorator may have other parameters than the function it decorates
        try:
            signature = inspect.signature(found, follow_wrapped=follows)
        except Exception:
            return found
        given = {name: None for name in keywords.split(",") if name}
        for name in ("seed", "threads"):
            if name in signature.parameters:
                given[name] = None
        try:
            signature.bind(**given)
            return found
        except TypeError as error:
            flaw = flaw or "'%s': %s; its parameters are %s" % (named, error, signature)
    raise TypeError(flaw)


def function_of(form, name, named, needed=True):
    function = getattr(form, name, None)
    if callable(function) or (function is None and not needed):
        return function
    what = "is not a function" if hasattr(form, name) else "is missing"
    raise TypeError("'%s' has setup(params, inputs), but its %s %s" % (named, name + "(state)", what))


def bound(function, state):
    """A callable without parameters: function(state), at the cost of a call of a method."""
    if state is None:
        return lambda: function(None)
    return types.MethodType(function, state)


def made_of_form(named, form, params, inputs):
    """(the object, its run, its output or None, its work), all without parameters."""
    form = form() if isinstance(form, type) else form
    run, output = function_of(form, "run", named), function_of(form, "output", named, False)
    supports = getattr(form, "supports", None)
    said = True if supports is None else supports(dict(params))
    if isinstance(said, (tuple, list, dict)):
        raise TypeError("supports() returned %s; say True, False or a text why not" % repr(said)[:100])
    if isinstance(said, str) or not (said is None or said):
        raise Unsupported(said if isinstance(said, str) and said else "supports() says " + repr(said))
    work = work_of(form, dict(params))
    state = form.setup(params, inputs)
    if hasattr(state, "cr_await"):
        raise TypeError("'%s': setup() is a coroutine; it must return a state" % named)
    return form, bound(run, state), output and bound(output, state), work


def reference_of_form(named, form, params, inputs):
    form = form() if isinstance(form, type) else form
    if not callable(getattr(form, "reference", None)):
        raise TypeError("'%s' has no reference(params, inputs)" % named)
    return form.reference(params, inputs)


def work_of(kernel, params):
    """(FLOP, bytes) of a call; 0: unknown. Each is a number, None, or a function of the parameters."""
    found = []
    for name in ("flops", "bytes"):
        said = getattr(kernel, name, None)
        said = said(params) if callable(said) else said
        try:
            number = 0.0 if said is None else float(said)
        except Exception as error:
            raise TypeError("%s is not a number: %s" % (name, repr(said)[:100])) from error
        if not 0 <= number < float("inf"):
            raise ValueError("%s is not a number of at least 0: %s" % (name, repr(said)[:100]))
        found.append(number)
    return tuple(found)


# Threads, seeds, garbage.

def set_threads(threads, but=()):
    """Of the libraries that are loaded, and are not among `but`; returns all that are loaded."""
    loaded = [name for name in ("torch", "numba") if name in sys.modules]
    for name in loaded:
        library = sys.modules[name]
        try:
            if name in but:
                continue
            if name == "numba":
                library.set_num_threads(min(threads, library.config.NUMBA_NUM_THREADS))
            else:
                library.set_num_threads(threads)
                library.set_num_interop_threads(threads)  # once in a process, before it has computed
        except Exception:
            pass
    return loaded


def set_seeds(seed):
    """Each of 64 bits is another one: NumPy takes more than 32 bits as a list of words."""
    of_numpy = seed if seed < 1 << 32 else [seed & 0xFFFFFFFF, seed >> 32]
    for name, seeded in (("random", lambda it: it.seed(seed)),
                         ("numpy", lambda it: it.random.seed(of_numpy)),
                         ("torch", lambda it: it.manual_seed(seed))):
        try:
            seeded(sys.modules[name])
        except Exception:
            pass


def begin(seed, threads):
    """Before the kernel is prepared. Garbage is not collected until end(), unless the kernel enables it."""
    global begun, collects, threaded, variables
    collects = collects if begun else gc.isenabled()
    variables = variables if begun else dict(os.environ)
    begun += 1
    gc.disable()
    set_seeds(seed)
    threaded = set_threads(threads)


def prepared(threads):
    """After it: what it has imported itself. What it has set elsewhere stays."""
    set_threads(threads, threaded)


def end():
    global begun
    begun -= 1
    if collects and not begun:
        gc.enable()
    if not begun and os.environ != variables:
        for name in set(os.environ) - set(variables):
            del os.environ[name]
        os.environ.update(variables)


def threads_of(count):
    return "%d thread%s" % (count, "" if count == 1 else "s")


def settings():
    """The current settings: "garbage collection off; torch 2.9.1: 2 threads, 2 between operators"."""
    said = ["garbage collection " + ("on" if gc.isenabled() else "off")]
    try:
        torch = sys.modules["torch"]
        said.append("torch %s: %s, %d between operators" % (
            torch.__version__, threads_of(torch.get_num_threads()), torch.get_num_interop_threads()))
    except Exception:
        pass
    try:
        numba = sys.modules["numba"]
        said.append("numba %s: %s" % (numba.__version__, threads_of(numba.get_num_threads())))
    except Exception:
        pass
    return "; ".join(said)


# A timeline of a few calls, in the trace event format of Chrome, for `kernsweep profile`.

EVENTS_MAX = 200000


def profile(call, path):
    """Calls it, and writes the time line to `path`: by PyTorch's profiler where PyTorch was imported, else
    of each Python call, with the memory of the process. Where the kernel, or the state that it computes
    from, has a function `timeline`, the latter with the events that this returns."""
    import time
    call()
    begin = time.perf_counter()
    call()
    calls = max(1, min(50, int(0.5 / max(time.perf_counter() - begin, 1e-9))))
    torch = sys.modules.get("torch")
    own = [it.timeline for it in (call, getattr(call, "__self__", None))
           if callable(getattr(it, "timeline", None))]
    if torch is None or own:
        return trace(call, calls, path, own[0] if own else tuple)
    kinds = torch.profiler.ProfilerActivity
    on_gpu = torch.cuda.is_initialized()
    activities = [kinds.CPU] + ([kinds.CUDA] if on_gpu else [])
    with torch.profiler.profile(activities=activities, record_shapes=True,
                                profile_memory=True) as profiler:
        for number in range(calls):
            with torch.profiler.record_function("call %d" % (number + 1)):
                call()
    profiler.export_chrome_trace(path)


def trace(call, calls, path, own):
    import json
    import threading
    import time
    events, depths, begun, looked = [], {}, time.perf_counter_ns(), [0]
    page, clock, process = os.sysconf("SC_PAGE_SIZE"), time.perf_counter_ns, os.getpid()

    def add(kind, name, args=None):
        thread = threading.get_native_id()
        depth = depths.setdefault(thread, [0, 0])  # spans that are open, and those of them that are left out
        now = (clock() - begun) / 1000
        if kind == "B":
            depth[0] += 1
            depth[1] += depth[1] > 0 or len(events) > EVENTS_MAX
        elif depth[0] == 0:
            return  # it began before the profiler did
        if depth[1] == 0:
            event = {"ph": kind, "ts": now, "pid": process, "tid": thread, "name": name}
            events.append({**event, "args": args} if args else event)
        if kind == "E":
            depth[0] -= 1
            depth[1] -= depth[1] > 0
        if now - looked[0] > 1000:
            looked[0] = now
            with open("/proc/self/statm") as file:
                held = int(file.read().split()[1]) * page
            events.append({"ph": "C", "ts": now, "pid": process, "name": "memory", "args": {"bytes": held}})

    def seen(frame, event, what):
        code = frame.f_code
        if event == "call":
            add("B", getattr(code, "co_qualname", code.co_name), {"at": "%s:%d" % (code.co_filename,
                                                                                   code.co_firstlineno)})
        elif what is sys.setprofile:
            return
        elif event == "c_call":
            add("B", getattr(what, "__qualname__", repr(what)))
        else:
            add("E", "")

    threading.setprofile(seen)
    done = 0
    while done < calls and len(events) <= EVENTS_MAX:
        done += 1
        add("B", "call %d" % done)
        sys.setprofile(seen)
        try:
            call()
        finally:
            sys.setprofile(None)
            add("E", "")
    threading.setprofile(None)
    for event in own():  # of earlier calls, too
        at = event["ts"] - begun / 1000
        if at >= 0 and len(events) <= 2 * EVENTS_MAX:
            events.append({**event, "ts": at, "pid": process})
    events.sort(key=lambda event: event["ts"])  # threads may add events out of order
    with open(path, "w") as file:
        json.dump({"traceEvents": events, "otherData": {"calls": done}}, file)
