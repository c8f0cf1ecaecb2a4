#include "kernels/cpu/process_transfer/pool.hpp"

#include "kernels/api/pack.hpp"
#include "shared/lists/executable.hpp"

namespace kernsweep::process_transfer {
namespace {

// A Python process passes the tensor to its pool as bytes. A bytes object is made from it first, as
// pickling an array does. The process of the pool is forked by the main thread, so the signal at its
// parent's death comes at the end of the program.
constexpr char kProgram[] = R"(
import mmap, os, sys
size, read = int(sys.argv[1]), sys.argv[2] == "read"
shared = mmap.mmap(3, 0)
def tell(text):
    shared[2 * size:] = text.encode()[:4095].ljust(4096, b"\0")
try:
    import concurrent.futures, ctypes, multiprocessing, signal, zlib
    program = os.getpid()
    def begin():
        PR_SET_PDEATHSIG = 1
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != program:
            os._exit(1)
    def take(tensor):
        global taken
        taken = tensor
        if read:
            zlib.adler32(tensor)
    def show():
        shared[:size] = taken
    pool = concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("fork"), begin)
    pool.submit(take, b"").result()
    tell(f"{sys.version.split()[0]}\n{os.path.realpath(sys.executable)}")
    order = b"r"
    while order:
        os.write(1, order)
        order = os.read(0, 1)
        if order == b"t":
            pool.submit(take, shared[size:2 * size]).result()
        elif order == b"o":
            pool.submit(show).result()
except BaseException as error:
    tell(f"python3 keeps no process pool here: {type(error).__name__}: {error}")
os._exit(0)
)";

}  // namespace

std::vector<std::string> pool_command(std::size_t tensor_bytes, bool read) {
  const command::Executable found = command::find_executable("python3");
  if (found.path.empty()) throw pack::Refused(KS_UNSUPPORTED, found.reason);
  return {found.path, "-I", "-S", "-c", kProgram, std::to_string(tensor_bytes), read ? "read" : ""};
}

ks_status pool_available(ks_why why) {
  const command::Executable found = command::find_executable("python3");
  pack::detail::say(why, found.reason);
  return found.path.empty() ? KS_UNSUPPORTED : KS_OK;
}

}  // namespace kernsweep::process_transfer
