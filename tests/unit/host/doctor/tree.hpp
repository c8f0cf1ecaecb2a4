// A root folder with the files of /proc and /sys that a test wants, gone at its end.
#pragma once

#include <string>

#include "worker/host/doctor/checks.hpp"
#include "worker/host/doctor/conditions.hpp"

namespace kernsweep::testing {

class Tree {
 public:
  Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  ~Tree();

  const std::string& root() const { return root_; }  // ends with a slash
  // `path` relative to the root; folders are made.
  void write(const std::string& path, const std::string& text);
  void link(const std::string& path, const std::string& target);
  HostConditions conditions() const { return conditions_under(root_); }

 private:
  std::string root_;
};

// A server with two cores of two threads, intel_pstate, governor powersave, turbo, swap, two memory nodes.
void plant_bare_metal(Tree& tree);
// A virtual machine with two processors: no frequencies shown, time stolen.
void plant_virtual_machine(Tree& tree);
// A container on the above bare metal: version 2 groups with a quota of 1.5 processors and 512 MiB.
void plant_container(Tree& tree);

// The one assessment that a check has of a host; fails the test when there is another number of them.
Assessment assessed(const std::string& id, const HostConditions& host);

}  // namespace kernsweep::testing
