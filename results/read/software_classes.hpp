// Decides which rows of the table `software` count as the same software in comparisons.
//
// Two rows agree if they have the same build of Kernsweep and of the pack, and if every library and file
// that both of them used had the same content. A library or file that only one of them used (an allocator
// that is loaded with the second thread, the BLAS of one variant, the script of another point) is ignored:
// it follows from the parameters of the point, which are equal in comparisons anyway.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "results/read/reader.hpp"

namespace kernsweep {

struct SoftwareTexts {
  std::int64_t id = 0;
  std::string build;      // JSON array of version, git, compiler, flags and the pack with its builds
  std::string libraries;  // as SoftwareRecord::libraries
  std::string sources;    // as SoftwareRecord::sources
};

// Assigns software to classes, numbered from 0 in order of appearance. Software joins the first class with
// whose members it agrees. So no two members of a class contradict each other, and equal texts are in one
// class, even if they come from different databases.
class SoftwareClasses {
 public:
  std::uint32_t of(const SoftwareTexts& software);

 private:
  // Content hashes by role and name.
  using Contents = std::map<std::string, std::string, std::less<>>;
  struct Class {
    std::string build;
    Contents contents;  // union over all members
  };
  static Contents contents_of(const SoftwareTexts& software);
  static bool agrees(const Class& with, const SoftwareTexts& one, const Contents& contents);
  std::vector<Class> classes_;
};

// Maps each id to the id of the first member of its class. Pure function.
std::map<std::int64_t, std::int64_t> software_classes(const std::vector<SoftwareTexts>& all);

// All rows of `software`, sorted by id. Error: the database cannot be read.
Result<std::vector<SoftwareTexts>> read_software(Reader& reader);

// The same for all rows of `software`. Error: the database cannot be read.
Result<std::map<std::int64_t, std::int64_t>> software_classes(Reader& reader);

// Hosts are of one kind if their fingerprints are equal; names do not count. Maps each host id to the
// smallest id of its kind. Error: the database cannot be read.
Result<std::map<std::int64_t, std::int64_t>> host_kinds(Reader& reader);

// The name of each host by its id. Error: the database cannot be read.
Result<std::map<std::int64_t, Value>> host_names(Reader& reader);

// By the id of a host the name of its kind, the same in every answer: the name of the kind's first host
// with six digits of its fingerprint, "far#3FA2B1". Error: the database cannot be read.
Result<std::map<std::int64_t, std::string>> host_kind_names(Reader& reader);

// Why two pieces of software do not agree, as words for the user: a differing build, then the names of
// libraries and files with different content. Empty if they agree. Pure function.
std::vector<std::string> contradictions(const SoftwareTexts& a, const SoftwareTexts& b);

}  // namespace kernsweep
