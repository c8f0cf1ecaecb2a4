"""Who may include whom. Debian puts all headers in one folder, so no compiler holds these rules."""
import re

# The room of a file is the longest of these that its path begins with.
MAY_INCLUDE = {
    "shared": ["shared"],
    "transport": ["transport", "shared"],
    "results": ["results", "shared"],
    "coordinator": ["coordinator", "shared", "results"],
    "coordinator/sweep": ["coordinator/sweep", "shared"],
    "coordinator/net": ["coordinator", "shared", "results", "transport"],
    "worker": ["worker", "shared", "kernels/api", "transport"],
    "cli": ["cli", "coordinator", "worker", "results", "shared"],
    "kernels/api": ["kernels/api"],
    # Linked by packs for any device: of the CPU's pieces only those that link with no library to be swept.
    "kernels/reference": ["kernels/reference", "kernels/api", "kernels/pack_parts.hpp",
                          "kernels/cpu/libraries/params.hpp", "kernels/cpu/libraries/variant.hpp",
                          "kernels/cpu/parallel", "shared/tensors/view.hpp", "shared/tensors/dtype.hpp"],
    "kernels": ["kernels", "shared/tensors/view.hpp", "shared/tensors/dtype.hpp",
                "shared/tensors/philox_constants.hpp"],
    "tests": ["tests", "shared", "transport", "results", "coordinator", "worker", "cli", "kernels"],
}

# The cores are told the time and return orders: what would let them ask the world stays out.
CORES = re.compile(r"^(coordinator/core/|worker/agent/core)")
NOT_IN_CORES = re.compile(
    r"^(transport/|coordinator/net/|worker/slot/|worker/host/|results/(store|writer|sqlite)"
    r"|zmq|SQLiteCpp/|sqlite3|spdlog/"
    r"|sys/|unistd|poll|thread$|mutex$|condition_variable$|atomic$|future$|fstream$|iostream$|filesystem$"
    r"|ctime$|random$)")
CLOCKS = re.compile(r"\b(now|clock_gettime|gettimeofday|time|getenv|rand)\s*\(\s*(\)|CLOCK|nullptr|0\))"
                    r"|_clock\b")

# One library, one adapter, named after it. Key: how its headers begin; value: what the file's stem contains.
ADAPTERS = {
    "zmq": "zeromq",
    "SQLiteCpp/": "sqlite",
    "sqlite3": "sqlite",
    "yaml-cpp/": "yaml_cpp",
    "CLI/": "cli11",
    "spdlog/": "spdlog",
    "nlohmann/": "nlohmann_json",
    "hwloc": "hwloc",
    "sodium": "sodium",
    "xxhash": "xxhash",
    "Random123/": "random123",
    "boost/interprocess/": "boost_interprocess",
    "boost/math/": "boost_math",
    "tbb/": "tbb",
    "oneapi/tbb": "tbb",
    "dnnl": "dnnl",
    "oneapi/dnnl/": "dnnl",
    "google/protobuf/": "protobuf",
    "prometheus/": "prometheus",
    "cuda": "cuda",
    "cublas": "cublas",
    "cudnn": "cudnn",
}
# Headers of the CUDA Toolkit stay in its pack: all else must build where there is none.
CUDA_ROOM = "kernels/cuda/"
CUDA = re.compile(r"^(cuda|cublas|cudnn|cufft|curand|cusparse|cusolver|cupti|nvml|nvrtc|thrust/|cub/)")
# Files whose one purpose is a library although their name says what it is used for.
ALSO_ADAPTERS = {"shared/digest.cpp": "sodium"}
EVERYWHERE = ["tl/expected.hpp"]
IN_SOURCES_ONLY = ["fmt/"]


def room_of(path, rooms=MAY_INCLUDE):
    fitting = [room for room in rooms if path == room or path.startswith(room + "/")]
    return max(fitting, key=len, default=None)


def allowed(target, permitted):
    return any(target == entry or target.startswith(entry + "/") for entry in permitted)


def rule_rooms(source, report):
    room = room_of(source.path)
    for line, bracket, target in source.includes:
        if "../" in target:
            report(line, "rooms", f'"{target}": write includes from the root of the tree')
        elif bracket == "<" and room_of(target):
            report(line, "rooms", f'<{target}> is ours: write it with quotes')
        elif bracket == '"' and not room_of(target):
            report(line, "rooms", f'"{target}" begins with no room of this tree')
        elif bracket == '"' and room and not allowed(target, MAY_INCLUDE[room]):
            report(line, "rooms", f'{room} may not include "{target}", only {", ".join(MAY_INCLUDE[room])}')


def rule_cores(source, report):
    if not CORES.match(source.path):
        return
    for line, _, target in source.includes:
        if NOT_IN_CORES.match(target):
            report(line, "cores", f"a core includes no socket, store, clock or log: {target}")
    for line, code in enumerate(source.code, 1):
        if CLOCKS.search(code):
            report(line, "cores", "a core is told the time and asks nobody")


def rule_adapters(source, report):
    if source.under("tests"):
        return
    stem = source.path.lower()
    for line, bracket, target in source.includes:
        if bracket != "<" or target in EVERYWHERE:
            continue
        if CUDA.match(target) and not source.path.startswith(CUDA_ROOM):
            report(line, "adapters", f"<{target}> belongs into {CUDA_ROOM}: all else builds without CUDA")
            continue
        if any(target.startswith(prefix) for prefix in IN_SOURCES_ONLY) and source.kind in (".hpp", ".h"):
            report(line, "adapters", f"<{target}> is for sources; a header stays light")
        for prefix, name in ADAPTERS.items():
            fits = name in stem.rsplit("/", 1)[-1] or ALSO_ADAPTERS.get(source.path) == prefix
            if target.startswith(prefix) and not fits:
                report(line, "adapters", f"<{target}> belongs into a file named {name}*, its one adapter")


RULES = [rule_rooms, rule_cores, rule_adapters]
