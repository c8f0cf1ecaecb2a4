#include "worker/slot/python/interpreter.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "shared/base/installation.hpp"
#include "shared/text/home_path.hpp"
#include "worker/host/programs.hpp"
#include "worker/slot/python/cpp_library.hpp"

namespace kernsweep {
namespace {

// The reason why the words are not run in a Python, for the program that continues instead.
constexpr const char* kFlaw = "KERNSWEEP_PYTHON_FLAW";

// Caches of libraries are kept: they may hold more than answers, such as a library that is loaded once.
constexpr const char* kForgetCachedCalls = R"(
def forget(searches):
    import functools, gc, sys
    def is_users(each):
        file = getattr(sys.modules.get(each.__module__), "__file__", None)
        return file and not file.startswith(homes) and "-packages/" not in file
    if searches:
        homes = tuple({home + part for home in (sys.prefix, sys.base_prefix, sys.exec_prefix)
                       for part in ("/lib/", "/lib64/")})
        kind = type(functools.lru_cache(len))
        sys._kernsweep_cached = [each for each in gc.get_objects() if type(each) is kind and is_users(each)]
    for each in getattr(sys, "_kernsweep_cached", ()):
        each.cache_clear()
try:
    forget()";
constexpr const char* kForgetEnds = R"()
except Exception:
    pass
del forget
)";

std::string& remembered() {
  static std::string path;
  return path;
}

std::string& told() {
  static std::string why;
  return why;
}

// kernsweep-slot.py removes the variables again.
void preload(const std::string& library) {
  if (library.empty()) return;
  const char* const before = std::getenv("LD_PRELOAD");  // of the sweep
  setenv("KERNSWEEP_PRELOAD_BEFORE", before ? before : "", 1);
  setenv("LD_PRELOAD", (library + (before && *before ? std::string(":") + before : "")).c_str(), 1);
}

// The start-up output of an interpreter must not be in the answers of this program.
void put_stdout_aside() {
  const int kept = dup(STDOUT_FILENO);
  if (kept < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0) return;
  setenv("KERNSWEEP_STDOUT", std::to_string(kept).c_str(), 1);
}

// Must be called after a Python could not be started.
void take_stdout_back() {
  const char* const kept = std::getenv("KERNSWEEP_STDOUT");
  if (!kept) return;
  dup2(std::atoi(kept), STDOUT_FILENO);
  unsetenv("KERNSWEEP_STDOUT");
}

}  // namespace

void become_interpreter_for(const std::string& pack, const std::vector<std::string>& words) {
  if (!needs_interpreter(pack) || !this_interpreter().empty() || !told().empty()) return;
  const std::string program = find_interpreter();
  if (program.empty()) {
    told() = "there is no python3 in $PATH; KERNSWEEP_PYTHON=PATH names one";
    return;
  }
  if (const char* const flaw = std::getenv(kFlaw)) {
    told() = "its Python " + program + " cannot be used: " + flaw + "; KERNSWEEP_PYTHON=PATH names another";
    unsetenv(kFlaw);
    return;
  }
  std::vector<std::string> all{program, "-B", slot_program() + ".py", program};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  for (std::string& each : all) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  preload(newest_cpp_library(program));
  put_stdout_aside();
  execv(program.c_str(), pointers.data());
  const int reason = errno;
  take_stdout_back();
  told() = "its Python " + program + " cannot be started: " + std::strerror(reason) +
           "; KERNSWEEP_PYTHON=PATH names another";
}

std::vector<InterpreterFile> interpreter_files() {
  std::error_code error;
  const bool is_one = !this_interpreter().empty();
  const std::string found = is_one ? this_interpreter() : find_interpreter();
  const auto real = std::filesystem::canonical(found, error);
  const std::string path = error ? found : real.string();
  std::vector<InterpreterFile> out{{"interpreter", without_home(found), path}};
  const auto program = std::filesystem::canonical("/proc/self/exe", error);
  if (is_one && !error && program != path)
    out.push_back({"interpreter_program", out[0].name, program.string()});
  return out;
}

const std::string& why_no_interpreter() {
  return told();
}

void set_this_interpreter(const std::string& path) {
  remembered() = path;
}

const std::string& this_interpreter() {
  return remembered();
}

// The slot is not linked with libpython.
InterpreterReleased::InterpreterReleased() {
  if (this_interpreter().empty()) return;
  using Save = void* (*)();
  if (const auto save = reinterpret_cast<Save>(dlsym(RTLD_DEFAULT, "PyEval_SaveThread"))) thread_ = save();
}

InterpreterReleased::~InterpreterReleased() {
  using Restore = void (*)(void*);
  if (!thread_) return;
  if (const auto restore = reinterpret_cast<Restore>(dlsym(RTLD_DEFAULT, "PyEval_RestoreThread")))
    restore(thread_);
}

std::size_t imported_modules() {
  using Modules = void* (*)();
  using Size = std::ptrdiff_t (*)(void*);
  if (this_interpreter().empty()) return 0;
  static const auto modules = reinterpret_cast<Modules>(dlsym(RTLD_DEFAULT, "PyImport_GetModuleDict"));
  static const auto size = reinterpret_cast<Size>(dlsym(RTLD_DEFAULT, "PyDict_Size"));
  return modules && size ? static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, size(modules()))) : 0;
}

std::size_t compiled_patterns() {
  using Modules = void* (*)();
  using Item = void* (*)(void*, const char*);
  using Size = std::ptrdiff_t (*)(void*);
  using Release = void (*)(void*);
  if (this_interpreter().empty()) return 0;
  static const auto modules = reinterpret_cast<Modules>(dlsym(RTLD_DEFAULT, "PyImport_GetModuleDict"));
  static const auto item = reinterpret_cast<Item>(dlsym(RTLD_DEFAULT, "PyDict_GetItemString"));
  static const auto member = reinterpret_cast<Item>(dlsym(RTLD_DEFAULT, "PyObject_GetAttrString"));
  static const auto size = reinterpret_cast<Size>(dlsym(RTLD_DEFAULT, "PyDict_Size"));
  static const auto release = reinterpret_cast<Release>(dlsym(RTLD_DEFAULT, "Py_DecRef"));
  static const auto forget = reinterpret_cast<void (*)()>(dlsym(RTLD_DEFAULT, "PyErr_Clear"));
  if (!modules || !item || !member || !size || !release || !forget) return 0;
  void* const re = item(modules(), "re");
  if (!re) return 0;
  void* const cache = member(re, "_cache");
  const std::ptrdiff_t patterns = cache ? size(cache) : 0;
  if (cache) release(cache);
  if (!cache || patterns < 0) forget();
  return static_cast<std::size_t>(std::max<std::ptrdiff_t>(0, patterns));
}

void forget_cached_calls(bool searches) {
  using Run = int (*)(const char*, void*);
  if (this_interpreter().empty()) return;
  if (const auto run = reinterpret_cast<Run>(dlsym(RTLD_DEFAULT, "PyRun_SimpleStringFlags")))
    run((std::string(kForgetCachedCalls) + (searches ? "True" : "False") + kForgetEnds).c_str(), nullptr);
}

}  // namespace kernsweep
