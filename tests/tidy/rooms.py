"""Which rooms may include which. Debian puts all headers in one folder, so no compiler checks these
rules."""
import re

# The room of a file is the longest key that its path begins with; its files may include the rooms of the
# value. docs/architecture.md shows the same table (architecture_test.py).
MAY_INCLUDE = {
    "shared": ["shared"],
    "tensors": ["tensors", "shared"],
    "language": ["language", "shared"],
    "transport": ["transport", "shared"],
    "results": ["results", "shared"],
    "results/sqlite": ["results/sqlite", "shared"],
    "results/store": ["results/store", "results/sqlite", "shared"],
    "results/read": ["results/read", "results/store", "results/sqlite", "results/text", "shared"],
    "results/text": ["results/text", "results/read/rows.hpp", "shared"],
    "results/roofs": ["results/roofs", "results/read", "results/store", "results/sqlite", "results/text",
                      "shared"],
    "results/answer": ["results/answer", "results/roofs", "results/read", "results/store", "results/sqlite",
                       "results/text", "shared"],
    "results/recovery": ["results/recovery", "results/store", "results/sqlite", "results/text", "shared"],
    "coordinator/core": ["coordinator/core", "shared"],
    "coordinator/policy": ["coordinator/policy", "shared"],
    "coordinator/net": ["coordinator", "language", "results", "tensors/spec.hpp", "transport", "shared"],
    "worker": ["worker", "tensors", "transport", "shared"],
    "worker/core": ["worker/core", "shared"],
    "worker/host": ["worker/host", "shared"],
    "worker/process": ["worker/process", "worker/core", "worker/host", "worker/slot/phase_board.hpp",
                       "shared"],
    "worker/builds": ["worker/builds", "worker/process/process.hpp", "worker/process/run_to_exit.hpp",
                     "worker/host", "shared"],
    "worker/spool": ["worker/spool", "shared"],
    "worker/slot": ["worker/slot", "worker/builds", "worker/host", "tensors", "transport", "kernels/api",
                    "shared"],
    # From the worker only what a command needs: the host, the processes of a question, the program itself.
    "cli": ["cli", "coordinator", "language", "results", "tensors", "shared", "worker/worker.hpp",
            "worker/catalogue.hpp", "worker/gpus.hpp", "worker/host", "worker/process/environment.hpp",
            "worker/process/limits.hpp", "worker/process/orphans.hpp",
            "worker/process/process.hpp", "worker/process/run_to_exit.hpp",
            "worker/spool/spool_folder.hpp"],
    "kernels/api": ["kernels/api"],
    # Linked by packs for any device: of the CPU's pieces only those that link with no library to be swept.
    "kernels/reference": ["kernels/reference", "kernels/api", "kernels/pack_parts.hpp",
                          "kernels/cpu/libraries/params.hpp", "kernels/cpu/parallel",
                          "shared/base/dtype.hpp"],
    "kernels": ["kernels", "shared/base/dtype.hpp", "shared/base/philox_constants.hpp",
                "shared/base/writable_memory.hpp", "shared/lists/executable.hpp"],
    # Programs are started and their text is read as the language says it.
    "kernels/source": ["kernels/source", "kernels/api", "kernels/pack_parts.hpp", "shared/base",
                       "shared/text"],
    "kernels/opencl": ["kernels/opencl", "kernels/source", "kernels/api", "kernels/pack_parts.hpp",
                       "shared/base", "shared/text"],
    "kernels/command": ["kernels", "shared/base", "shared/lists", "shared/printed", "shared/text"],
    "tests": ["tests", "shared", "tensors", "language", "transport", "results", "coordinator", "worker",
              "cli", "kernels"],
}

# The cores receive the time and return orders: nothing may give them access to the system.
CORES = re.compile(r"^((coordinator|worker)/core|coordinator/policy)/")
NOT_IN_CORES = re.compile(
    r"^(transport/|coordinator/net/|worker/(slot|host|process|spool)/|results/|tensors/"
    r"|zmq|SQLiteCpp/|sqlite3|spdlog/"
    r"|sys/|unistd|poll|thread$|mutex$|condition_variable$|atomic$|future$|fstream$|iostream$|filesystem$"
    r"|ctime$|random$)")
CLOCKS = re.compile(r"\b(now|clock_gettime|gettimeofday|time|getenv|rand)\s*\(\s*(\)|CLOCK|nullptr|0\))"
                    r"|_clock\b")

# A library's headers are included only in the files that are named here: its adapters. Key: how the headers
# begin.
ADAPTERS = {
    "zmq": ["transport/socket.cpp", "transport/context.hpp", "transport/monitor.hpp"],
    "SQLiteCpp/": ["results/sqlite/sqlite.cpp"],
    "sqlite3": ["results/sqlite/sqlite.cpp", "results/sqlite/sqlite_lock.cpp",
                "results/sqlite/error_text.cpp"],
    "yaml-cpp/": ["language/file/yaml_parser.cpp"],
    "CLI/": ["cli/grammar/command_line.cpp", "cli/grammar/options.cpp"],
    "spdlog/": ["shared/base/log.cpp"],
    "nlohmann/": ["cli/show/client_json.cpp", "cli/show/json.cpp", "cli/show/key_json.cpp",
                  "language/file/json_schema.cpp", "results/read/foreign_file.hpp",
                  "results/report/json.cpp", "shared/keys/key_json.cpp", "shared/printed/json_text.cpp",
                  "shared/text/json_line.cpp", "shared/wire/json_text.cpp", "tensors/safetensors.cpp"],
    "re2/": ["shared/text/pattern.cpp"],
    "hwloc": ["worker/host/topology.cpp"],
    "sodium": ["shared/base/digest.cpp", "shared/keys/key_pair.cpp"],
    "xxhash": ["shared/base/content_hash.cpp"],
    "Random123/": ["tensors/philox.cpp"],
    "boost/interprocess/": ["tensors/mapping.cpp"],
    "boost/math/": ["shared/stats/distributions.cpp"],
    "tbb/": ["kernels/cpu/parallel/tbb.cpp"],
    "oneapi/tbb": [],
    "dnnl": [],
    "oneapi/dnnl/": ["kernels/cpu/libraries/dnnl_body.hpp"],
    "Eigen/": ["kernels/cpu/spmm/eigen_of_isa.cpp"],
    "google/protobuf/": ["shared/wire/decoder_log.cpp"],
    "prometheus/": ["coordinator/net/metrics_port.cpp"],
    "CL/": ["kernels/opencl/opencl_api.hpp"],
    "cuda": ["kernels/cuda/cuda_api.hpp"],
    "cublas": ["kernels/cuda/cublas_library.hpp"],
    "cudnn": ["kernels/cuda/cudnn_api.hpp"],
}
# Headers of the CUDA Toolkit stay in its pack: all else must build where there is none.
CUDA_ROOM = "kernels/cuda/"
CUDA = re.compile(r"^(cuda|cublas|cudnn|cufft|curand|cusparse|cusolver|cupti|nvml|nvrtc|thrust/|cub/)")
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
        elif bracket == '"' and source.path.startswith("kernels/api/") and "/" not in target:
            continue  # packages install these headers in one folder
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
    for line, bracket, target in source.includes:
        if bracket != "<" or target in EVERYWHERE:
            continue
        if CUDA.match(target) and not source.path.startswith(CUDA_ROOM):
            report(line, "adapters", f"<{target}> belongs into {CUDA_ROOM}: all else builds without CUDA")
            continue
        if any(target.startswith(prefix) for prefix in IN_SOURCES_ONLY) and source.kind in (".hpp", ".h"):
            report(line, "adapters", f"<{target}> is for sources; a header stays light")
        for prefix, files in ADAPTERS.items():
            if target.startswith(prefix) and source.path not in files:
                where = ", ".join(files) or "no file of this tree"
                report(line, "adapters", f"<{target}> belongs into {where} (rooms.py names its adapters)")


RULES = [rule_rooms, rule_cores, rule_adapters]
