// Which rows of `software` may be held against each other as one: the same build of ours; of a library that
// both have loaded, both have the same content; and of a file that both ran or read, too. A file that only
// one of them has (a scalable allocator that comes with the second thread, a BLAS that only one variant
// opens, the script of another point) makes no difference: that follows from the parameters, which are held
// equal anyway.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results/read/reader.hpp"

namespace kernsweep {

struct SoftwareTexts {
  std::int64_t id = 0;
  std::string build;      // all that is ours: version, state of the sources, compiler, flags, pack
  std::string libraries;  // as SoftwareRecord::libraries
  std::string sources;    // as SoftwareRecord::sources
};

// Classes, numbered from 0 as they are met. Software joins the first class with all of whose members it
// agrees: so no two of one class contradict each other, and equal texts are of one class, whichever
// database they are from.
class SoftwareClasses {
 public:
  std::uint32_t of(const SoftwareTexts& software);

 private:
  // By role and name: what tells the content.
  using Contents = std::map<std::string, std::string, std::less<>>;
  struct Class {
    std::string build;
    Contents contents;  // of all members together
  };
  static Contents contents_of(const SoftwareTexts& software);
  static bool agrees(const Class& with, const SoftwareTexts& one, const Contents& contents);
  std::vector<Class> classes_;
};

// To each id the id of the first of its class. Pure.
std::map<std::int64_t, std::int64_t> software_classes(const std::vector<SoftwareTexts>& all);

// All rows of `software`, by id. Error: the database cannot be read.
Result<std::vector<SoftwareTexts>> read_software(Reader& reader);

// The classes of the database. Error: it cannot be read.
Result<std::map<std::int64_t, std::int64_t>> software_classes(Reader& reader);

// Hosts of one kind have the same fingerprint, names aside. To each id the smallest id of its kind.
// Error: the database cannot be read.
Result<std::map<std::int64_t, std::int64_t>> host_kinds(Reader& reader);

// Why two pieces of software are not one, in words: names of files and libraries whose content differs, in
// order. Empty: they do not contradict each other. Pure.
std::vector<std::string> contradictions(const SoftwareTexts& a, const SoftwareTexts& b);

}  // namespace kernsweep
