// The variants of processors; each has the members that kernels/api/pack.hpp describes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernels/cpu/libraries/params.hpp"
#include "kernels/cpu/parallel/pack_team.hpp"
#include "kernels/cpu/roof/instructions.hpp"
#include "kernels/cpu/roof/roof.hpp"

namespace kernsweep::roof {

// fma and read, by the loops of an instruction set.
class Vectors {
 public:
  Vectors(const Problem& problem, Instructions instructions, pack::Setup& setup);
  void run();
  ks_tensor output() const;
  std::string runtime() const { return tbb_runtime(); }
  static void check(const Problem& problem, Instructions instructions);  // Refused: the set cannot do it

 private:
  void* sums_of(std::int64_t part) const { return ones_ + 64 + part * kSumsBytes; }
  std::int64_t begin_of(std::int64_t part) const;
  std::int64_t rounds_of(std::int64_t part) const;

  Problem problem_;
  std::unique_ptr<Team> team_;
  Result result_;
  const Loops* loops_ = nullptr;
  const Chain* chain_ = nullptr;
  double* array_ = nullptr;  // read
  char* ones_ = nullptr;     // fma: 64 bytes of ones, then each thread's sums
  std::vector<double> results_;
};

template <Instructions instructions>
class VectorsOf : public Vectors {
 public:
  VectorsOf(const Problem& problem, pack::Setup& setup) : Vectors(problem, instructions, setup) {}
  static void can_run(const Problem& problem) { check(problem, instructions); }
  static ks_status available(ks_why why) {
    std::string missing;
    if (find_loops(instructions, missing) != nullptr) return KS_OK;
    return refuse(KS_UNSUPPORTED, why, missing);
  }
};

// copy and triad, by the loops of the family stream.
class Stream {
 public:
  static void can_run(const Problem& problem);
  Stream(const Problem& problem, pack::Setup& setup);
  void run();
  ks_tensor output() const;
  std::string runtime() const { return tbb_runtime(); }

 private:
  std::int64_t begin_of(std::int64_t part) const;

  Problem problem_;
  std::unique_ptr<Team> team_;
  Result result_;
  double* arrays_[3] = {};  // z, x, y: of zeros, ones and twos
};

}  // namespace kernsweep::roof
