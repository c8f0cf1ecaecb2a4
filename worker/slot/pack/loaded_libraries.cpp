#include "worker/slot/pack/loaded_libraries.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>

#include "shared/lists/library_lines.hpp"
#include "shared/text/home_path.hpp"
#include "shared/text/utf8.hpp"
#include "worker/host/elf_notes.hpp"

namespace kernsweep {
namespace {

// Whether the object has [at, at + size) in readable memory. Checked because its tables may be wrong.
bool holds(const dl_phdr_info& object, ElfW(Addr) at, std::size_t size) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    const ElfW(Addr) begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && (part.p_flags & PF_R) && at >= begin && size <= part.p_memsz &&
        at - begin <= part.p_memsz - size)
      return true;
  }
  return false;
}

std::string build_id_of(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    const ElfW(Addr) begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_NOTE || !holds(object, begin, part.p_memsz)) continue;
    const std::string_view notes(reinterpret_cast<const char*>(begin), part.p_memsz);
    const auto id = note_in(notes, part.p_align == 8 ? 8 : 4, "GNU", NT_GNU_BUILD_ID);
    if (!id) continue;
    std::string text;
    for (const char byte : *id) {
      constexpr char kDigits[] = "0123456789abcdef";
      const auto bits = static_cast<unsigned char>(byte);
      text += kDigits[bits >> 4];
      text += kDigits[bits & 15];
    }
    return text;
  }
  return "";
}

std::string soname_of(const dl_phdr_info& object) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = object.dlpi_phdr[i];
    const ElfW(Addr) begin = object.dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_DYNAMIC || !holds(object, begin, part.p_memsz)) continue;
    ElfW(Addr) strings = 0, offset = 0;
    bool named = false;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(begin);
    for (std::size_t left = part.p_memsz / sizeof *entry; left > 0 && entry->d_tag != DT_NULL;
         --left, ++entry) {
      if (entry->d_tag == DT_STRTAB) strings = entry->d_un.d_ptr;
      if (entry->d_tag == DT_SONAME) {
        offset = entry->d_un.d_val;
        named = true;
      }
    }
    if (!named || strings == 0) return "";
    if (strings < object.dlpi_addr) strings += object.dlpi_addr;  // some systems do not relocate the table
    std::string name;
    for (ElfW(Addr) at = strings + offset; holds(object, at, 1) && name.size() < 256; ++at) {
      const char c = *reinterpret_cast<const char*>(at);
      if (c == '\0') return name;
      name += c;
    }
  }
  return "";
}

void read_content(LoadedLibrary& library, FileHashes& hashes) {
  const auto content = hashes.content_of(library.path);
  if (!content) return;
  library.bytes = content->bytes;
  library.content = content->hash;
}

struct LoadedObject {
  LoadedLibrary library;
  ElfW(Addr) begin = 0;  // where it is mapped
};

int add_object(dl_phdr_info* object, std::size_t, void* out) {
  if (!object->dlpi_name || object->dlpi_name[0] == '\0') return 0;  // the program itself
  LoadedObject& loaded = static_cast<std::vector<LoadedObject>*>(out)->emplace_back();
  loaded.library.path = object->dlpi_name;
  loaded.library.soname = soname_of(*object);
  loaded.library.build_id = build_id_of(*object);
  for (int i = object->dlpi_phnum - 1; i >= 0; --i)
    if (object->dlpi_phdr[i].p_type == PT_LOAD)
      loaded.begin = object->dlpi_addr + object->dlpi_phdr[i].p_vaddr;
  return 0;
}

// The loader keeps the name with which an object was opened. A name relative to a folder ("./libk.so", or
// "." in LD_LIBRARY_PATH) that may have changed, or to a descriptor, does not identify the file.
bool is_whole(const std::string& name) {
  return name.starts_with('/') && !name.starts_with("/proc/");
}

// The file at an address, as the system has mapped it; empty: there is none, as for the vDSO. The name of a
// file that was removed ends with " (deleted)": no file has its content.
std::string mapped_file(ElfW(Addr) at) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    ElfW(Addr) begin = 0, end = 0;
    const char* const last = line.data() + line.size();
    const auto first = std::from_chars(line.data(), last, begin, 16);
    if (first.ec != std::errc() || first.ptr == last || *first.ptr != '-' ||
        std::from_chars(first.ptr + 1, last, end, 16).ec != std::errc() || at < begin || at >= end)
      continue;
    const auto path = line.find('/');
    return path == std::string::npos ? "" : line.substr(path);
  }
  return "";
}

}  // namespace

std::string version_in_name(const std::string& file) {
  const auto is_version = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789.") == std::string_view::npos &&
           text.front() != '.' && text.back() != '.';
  };
  const auto suffix = file.rfind(".so");
  if (suffix == std::string::npos) return "";
  const std::string_view after = std::string_view(file).substr(suffix + 3);
  if (after.size() > 1 && is_version(after.substr(1))) return std::string(after.substr(1));
  const std::string_view stem = std::string_view(file).substr(0, suffix);
  const auto dash = stem.rfind('-');
  if (!after.empty() || dash == std::string_view::npos) return "";
  std::string_view tail = stem.substr(dash + 1);
  if (tail.starts_with('r') || tail.starts_with('v')) tail.remove_prefix(1);
  return is_version(tail) ? std::string(tail) : "";
}

namespace {

std::string real_or_same(const std::string& path) {
  std::error_code error;
  const auto real = std::filesystem::canonical(path, error);
  return error ? path : real.string();
}

// The files that a process has mapped for execution, without its program.
std::set<std::string> mapped_to_execute(const std::string& process) {
  const std::string folder = "/proc/" + process;
  std::error_code error;
  const std::string program = std::filesystem::read_symlink(folder + "/exe", error).string();
  std::set<std::string> paths;
  std::ifstream maps(folder + "/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto path = line.find('/');
    const auto rights = line.find(' ');
    if (path == std::string::npos || rights + 3 >= line.size() || line[rights + 3] != 'x') continue;
    if (line.compare(path, std::string::npos, program) != 0) paths.insert(line.substr(path));
  }
  return paths;
}

std::vector<LoadedLibrary> with_contents(std::vector<LoadedLibrary> libraries, FileHashes& hashes) {
  for (LoadedLibrary& library : libraries) {
    library.path = real_or_same(library.path);
    library.version = version_in_name(std::filesystem::path(library.path).filename().string());
    read_content(library, hashes);
    library.path = as_utf8(library.path);
    library.soname = as_utf8(library.soname);
  }
  std::sort(libraries.begin(), libraries.end(),
            [](const LoadedLibrary& a, const LoadedLibrary& b) { return a.path < b.path; });
  return libraries;
}

// What PoCL compiles of an OpenCL source: it follows from the source, the options and the driver, which are
// recorded, and stays loaded after its job. kernels/opencl sets the variable.
void leave_out_compiled(std::vector<LoadedLibrary>& libraries) {
  const char* const folder = std::getenv("POCL_CACHE_DIR");
  if (folder == nullptr || *folder == '\0') return;
  const std::string inside = std::string(folder) + "/";
  std::erase_if(libraries, [&](const LoadedLibrary& each) { return each.path.starts_with(inside); });
}

}  // namespace

std::vector<LoadedLibrary> loaded_libraries(FileHashes& hashes) {
  std::vector<LoadedObject> objects;
  dl_iterate_phdr(add_object, &objects);  // locks the loader, so files are read after it
  std::vector<LoadedLibrary> libraries;
  for (auto& [library, begin] : objects) {
    if (!is_whole(library.path)) library.path = mapped_file(begin);
    if (!library.path.empty()) libraries.push_back(std::move(library));
  }
  leave_out_compiled(libraries);
  // The loader lists the objects of its main namespace, and also counts those of dlmopen.
  const LoaderCounts counts = loader_counts();
  if (counts.loads - counts.unloads == objects.size() + 1)
    return with_contents(std::move(libraries), hashes);
  for (LoadedLibrary& each : libraries) each.path = real_or_same(each.path);
  for (const std::string& path : mapped_to_execute("self"))
    if (std::ranges::find(libraries, path, &LoadedLibrary::path) == libraries.end())
      libraries.emplace_back().path = path;
  return with_contents(std::move(libraries), hashes);
}

std::vector<LoadedLibrary> libraries_of_process(int process, FileHashes& hashes) {
  std::vector<LoadedLibrary> libraries;
  for (const std::string& path : mapped_to_execute(std::to_string(process)))
    libraries.emplace_back().path = path;
  return with_contents(std::move(libraries), hashes);
}

std::string text_of(const std::vector<LoadedLibrary>& libraries) {
  std::string text;
  for (const LoadedLibrary& each : libraries)
    append_library(text, {.path = without_home(each.path),
                          .soname = each.soname,
                          .version = each.version,
                          .bytes = each.bytes,
                          .hash = each.content ? each.content->hex() : "",
                          .build_id = each.build_id,
                          .behind_path = {}});
  return text;
}

LoaderCounts loader_counts() {
  LoaderCounts counts;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t size, void* out) {
        if (size >= offsetof(dl_phdr_info, dlpi_subs) + sizeof object->dlpi_subs)
          *static_cast<LoaderCounts*>(out) = {object->dlpi_adds, object->dlpi_subs};
        return 1;  // the counts are the same for every object
      },
      &counts);
  return counts;
}

std::uint64_t loader_changes() {
  const LoaderCounts counts = loader_counts();
  return counts.loads + counts.unloads;
}

}  // namespace kernsweep
