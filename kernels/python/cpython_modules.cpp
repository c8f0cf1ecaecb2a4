#include "kernels/python/cpython.hpp"

#include "kernels/python/cpython_modules.hpp"

#include <filesystem>
#include <set>
#include <tuple>

namespace kernsweep::python {
namespace {

// Returns lists of (role, name, path). Imports only modules that every interpreter has loaded: importing
// others would make the user's own import of them faster. Uses object.__getattribute__ because a lazy
// module must not be loaded here.
constexpr const char* kLooker = R"(
import os, sys
from _frozen_importlib_external import source_from_cache

HERE = os.path.realpath
STDLIB = tuple({HERE(os.path.dirname(os.__file__)) + os.sep,
                HERE(os.path.join(sys.base_exec_prefix, sys.platlibdir,
                                  "python%d.%d" % sys.version_info[:2])) + os.sep})
BELOW = os.getcwd() + os.sep
seen = set()
opened = set()  # the paths of open_noted()
files = set()
distributions = {}

def plain(name):
    return name.lower().replace("-", "_").replace(".", "_")

def lines_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read().split()
    except OSError:
        return []

def distributions_in(folder):
    if folder in distributions:
        return distributions[folder]
    named, listed = {}, {}
    try:
        entries = sorted(os.listdir(folder))
    except OSError:
        entries = []
    for entry in entries:
        stem, kind = os.path.splitext(entry)
        if kind not in (".dist-info", ".egg-info"):
            continue
        path = os.path.join(folder, entry)
        if os.path.isdir(path):
            tops = lines_of(os.path.join(path, "top_level.txt"))
            path = os.path.join(path, "METADATA" if kind == ".dist-info" else "PKG-INFO")
            listed.update((plain(top), path) for top in tops if plain(top) not in listed)
        if os.path.isfile(path):
            named[plain(stem.split("-")[0])] = path
    listed.update(named)
    distributions[folder] = listed
    return listed

def line_of(name, path):
    path = os.path.abspath(path)
    parts = path.split(os.sep)
    for site in ("site-packages", "dist-packages"):
        if site in parts[:-1]:
            at = len(parts) - 1 - parts[::-1].index(site)
            folder, top = os.sep.join(parts[:at + 1]), parts[at + 1]
            label = top.split(".")[0]
            first = os.path.join(folder, top, "__init__.py")
            found = distributions_in(folder).get(plain(label))
            return ("package", label, found or (first if os.path.isfile(first) else path))
    if path.startswith(STDLIB) or HERE(path).startswith(STDLIB):
        return None
    while not os.path.isfile(path) and os.path.dirname(path) != path:  # in an archive
        path = os.path.dirname(path)
    return ("module", name, path) if os.path.isfile(path) else None

def look():
    found = []
    for name, module in list(sys.modules.items()):
        if not isinstance(name, str) or name in seen:
            continue
        seen.add(name)
        try:
            path = object.__getattribute__(module, "__dict__").get("__file__")
        except Exception:
            continue
        if isinstance(path, str) and path:
            found.append(line_of(name, path))
            files.add(os.path.abspath(path))
    return [line for line in found if line] + list(look_at_opened())

# Code that was read for no module that is, or was at an earlier look, in sys.modules.
def look_at_opened():
    for path in sorted(opened - files):
        files.add(path)
        try:
            source = source_from_cache(path) if path.endswith(".pyc") else path
        except (ValueError, NotImplementedError):
            source = path
        source = os.path.abspath(source)
        if source in files and source != path:
            continue
        files.add(source)
        line = line_of(source[len(BELOW):] if source.startswith(BELOW) else source, source)
        if line and line[0] == "module":
            yield line

def look_for_failed(name, error, trace):
    found, names = [], [name]
    while "." in names[-1]:
        names.append(names[-1].rpartition(".")[0])
    for each in names:  # a package that is loaded says where its parts are
        parent = sys.modules.get(each.rpartition(".")[0])
        where = getattr(parent, "__path__", None) if "." in each else None
        if "." in each and where is None:
            continue
        for finder in sys.meta_path:
            try:
                spec = finder.find_spec(each, where)
            except Exception:
                continue
            if spec is not None:
                if spec.has_location and isinstance(spec.origin, str):
                    found.append(line_of(each, spec.origin))
                break
    while trace is not None:
        frame = trace.tb_frame
        path = frame.f_code.co_filename
        if os.path.isfile(path):
            found.append(line_of(str(frame.f_globals.get("__name__", "?")), path))
        trace = trace.tb_next
    path = getattr(error, "filename", None) if isinstance(error, SyntaxError) else None
    if isinstance(path, str) and os.path.isfile(path):
        found.append(line_of(os.path.basename(path).split(".")[0], path))
    files.update(line[2] for line in found if line)
    return [line for line in found if line]
)";

struct Looker {
  Ref names;                   // the dictionary in which the program was run; none: it failed
  PyObject* opened = nullptr;  // of `names`
  Py_ssize_t modules_seen = -1, opened_seen = -1;
  std::vector<ModuleFile> files;
  std::set<std::tuple<std::string, std::string, std::string>> known;
};

Looker& looker() {
  static Looker* const one = [] {  // never freed, like the interpreter
    auto* const made = new Looker;
    Ref names(PyDict_New());
    if (!names || PyDict_SetItemString(names.get(), "__builtins__", PyEval_GetBuiltins()) != 0) return made;
    const Ref code(Py_CompileString(kLooker, "kernsweep", Py_file_input));
    const Ref run(code ? PyEval_EvalCode(code.get(), names.get(), names.get()) : nullptr);
    if (!run) return made;
    made->opened = PyDict_GetItemString(names.get(), "opened");
    made->names = std::move(names);
    return made;
  }();
  return *one;
}

// Saves the exception that is set, and restores it in the destructor.
class KeptException {
 public:
  KeptException() { PyErr_Fetch(&type_, &value_, &trace_); }
  ~KeptException() { PyErr_Restore(type_, value_, trace_); }
  KeptException(const KeptException&) = delete;
  KeptException& operator=(const KeptException&) = delete;

  PyObject* value() {
    if (type_ != nullptr) PyErr_NormalizeException(&type_, &value_, &trace_);
    return value_ != nullptr ? value_ : Py_None;
  }
  PyObject* trace() { return trace_ != nullptr ? trace_ : Py_None; }

 private:
  PyObject *type_ = nullptr, *value_ = nullptr, *trace_ = nullptr;
};

// The bytes of a path in the file system: they may not be valid text.
std::string bytes_of(PyObject* text) {
  const Ref bytes(PyUnicode_EncodeFSDefault(text));
  if (bytes) return {PyBytes_AsString(bytes.get()), static_cast<std::size_t>(PyBytes_Size(bytes.get()))};
  PyErr_Clear();
  return "";
}

void add(PyObject* found) {
  Looker& all = looker();
  for (Py_ssize_t i = 0; found != nullptr && i < PyList_Size(found); ++i) {
    PyObject* const line = PyList_GetItem(found, i);  // borrowed
    const auto field = [&](Py_ssize_t k) { return bytes_of(PyTuple_GetItem(line, k)); };
    ModuleFile file{field(0), field(1), field(2)};
    if (all.known.emplace(file.role, file.name, file.path).second) all.files.push_back(std::move(file));
  }
  PyErr_Clear();
}

PyObject* open_code = nullptr;  // Python's own

// A C function: a Python function would appear in each traceback and profile.
PyObject* open_noted(PyObject*, PyObject* values, PyObject* keywords) {
  PyObject* const path = PyTuple_Size(values) > 0 ? PyTuple_GetItem(values, 0)
                         : keywords != nullptr    ? PyDict_GetItemString(keywords, "path")
                                                  : nullptr;  // borrowed
  if (path != nullptr && PyUnicode_Check(path)) {
    std::error_code error;
    const auto whole = std::filesystem::absolute(bytes_of(path), error);
    const Ref text(PyUnicode_DecodeFSDefault(whole.c_str()));
    if (!text || PySet_Add(looker().opened, text.get()) != 0) PyErr_Clear();
  }
  return PyObject_Call(open_code, values, keywords);
}

PyMethodDef kOpenNoted = {"open_code",
                          reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(open_noted)),
                          METH_VARARGS | METH_KEYWORDS, "open_code($module, /, path)\n--\n\n"};

}  // namespace

void note_code_that_is_opened() {
  if (open_code != nullptr || looker().opened == nullptr) return;
  const Ref inner(PyImport_ImportModule("_io")), outer(PyImport_ImportModule("io"));
  open_code = inner ? PyObject_GetAttrString(inner.get(), "open_code") : nullptr;
  const Ref noted(open_code != nullptr ? PyCFunction_NewEx(&kOpenNoted, nullptr, nullptr) : nullptr);
  if (noted && outer) {
    (void)PyObject_SetAttrString(inner.get(), "open_code", noted.get());
    (void)PyObject_SetAttrString(outer.get(), "open_code", noted.get());
  }
  PyErr_Clear();
}

bool look_for_modules() {
  if (!Py_IsInitialized()) return false;
  KeptException kept;
  Looker& all = looker();
  PyErr_Clear();
  if (!all.names) return false;
  const Py_ssize_t modules = PyDict_Size(PyImport_GetModuleDict()), opened = PySet_Size(all.opened);
  if (modules == all.modules_seen && opened == all.opened_seen) return true;
  all.modules_seen = modules;
  all.opened_seen = opened;
  const Ref found(PyObject_CallNoArgs(PyDict_GetItemString(all.names.get(), "look")));
  add(found.get());
  return true;
}

const std::vector<ModuleFile>& module_files() {
  return looker().files;
}

void look_for_failed_import(const std::string& module) {
  KeptException kept;
  Looker& all = looker();
  PyErr_Clear();
  if (!all.names) return;
  PyObject* const value = kept.value();
  const Ref found(PyObject_CallFunction(PyDict_GetItemString(all.names.get(), "look_for_failed"), "sOO",
                                        module.c_str(), value, kept.trace()));
  add(found.get());
}

}  // namespace kernsweep::python
