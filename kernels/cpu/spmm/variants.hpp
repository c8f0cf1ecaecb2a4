// The variants of spmm that need more than their own file; each has the members that kernels/api/pack.hpp
// describes.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kernels/cpu/parallel/pack_team.hpp"
#include "kernels/cpu/spmm/eigen.hpp"
#include "kernels/cpu/spmm/loops.hpp"
#include "kernels/cpu/spmm/matrix.hpp"
#include "kernels/cpu/spmm/problem.hpp"

namespace kernsweep::spmm {

// The reference: the sums of each row of A in f64, in the order of its columns.
class Naive {
 public:
  Naive(const Problem& problem, pack::Setup& setup);
  void run();

 private:
  Problem problem_;
  Csr a_;
  std::span<const float> b_;
  std::span<double> y_;
};

struct OwnSettings {
  std::string isa = "best";
  static std::vector<pack::Param<OwnSettings>> params();
  void check() const;  // Refused with KS_UNSUPPORTED: the processor lacks the instructions
};

// Ours on CSR: rows are divided by their non-zero elements.
class OwnCsr {
 public:
  using Settings = OwnSettings;
  OwnCsr(const Problem& problem, const Settings& settings, pack::Setup& setup);
  void run();
  std::string runtime() const;

 private:
  Problem problem_;
  const Loops& loops_;
  Csr a_;
  std::unique_ptr<Team> team_;
  std::vector<std::int64_t> shares_;
  std::span<const float> b_;
  std::span<float> y_;
};

// Ours on BSR: four rows at a time share what they load of B.
class OwnBsr {
 public:
  struct Settings {
    std::string isa = "best";
    std::int64_t format_block = 0;
    static std::vector<pack::Param<Settings>> params();
    void check() const;
  };
  OwnBsr(const Problem& problem, const Settings& settings, pack::Setup& setup);
  void run();
  std::string runtime() const;

 private:
  Problem problem_;
  const Loops& loops_;
  Bsr a_;
  std::int64_t kept_ = 0;  // elements of A
  std::unique_ptr<Team> team_;
  std::vector<std::int64_t> shares_;
  std::span<const float> b_;
  std::span<float> y_;
};

// The baseline: the product of a CBLAS library, including the zeros.
class Dense {
 public:
  using Settings = BlasSettings;
  Dense(const Problem& problem, const Settings& settings, pack::Setup& setup);
  void run();
  std::string runtime() const { return blas_->runtime(); }

 private:
  Problem problem_;
  std::shared_ptr<const Cblas> blas_;
  std::span<float> a_;
  std::span<const float> b_;
  std::span<float> y_;
};

// mkl_sparse_s_mm of MKL, by the name of its file. The library has analysed the matrix and may have
// repacked it (mkl_sparse_optimize, in `prepare`).
class Mkl {
 public:
  struct Settings {
    std::string library = "libmkl_rt.so.3";
    static std::vector<pack::Param<Settings>> params();
  };
  Mkl(const Problem& problem, const Settings& settings, pack::Setup& setup);
  Mkl(Mkl&&) = delete;
  ~Mkl();
  void run();
  std::string runtime() const { return runtime_; }

 private:
  struct Functions;

  Problem problem_;
  Csr a_;
  std::unique_ptr<Functions> functions_;
  void* handle_ = nullptr;  // of MKL; null if there is nothing to multiply
  std::string runtime_;
  std::span<const float> b_;
  std::span<float> y_;
};

// The product of Eigen, with its own threads (OpenMP).
class EigenCsr {
 public:
  using Settings = OwnSettings;
  EigenCsr(const Problem& problem, const Settings& settings, pack::Setup& setup);
  void run();
  std::string runtime() const;

 private:
  Problem problem_;
  const EigenProduct& eigen_;
  int threads_;
  Csr a_;
  std::span<const float> b_;
  std::span<float> y_;
};

// Whether this build has Eigen, and whether the loader finds MKL: for `kernsweep kernels`.
ks_status eigen_available(ks_why why);
ks_status mkl_available(ks_why why);

}  // namespace kernsweep::spmm
