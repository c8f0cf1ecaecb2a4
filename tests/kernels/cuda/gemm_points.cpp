#include "tests/kernels/cuda/gemm_points.hpp"

#include <string>

namespace kernsweep::testing {
namespace {

Settings product(int m, int n, int k, const char* dtype) {
  return settings({{"m", m}, {"n", n}, {"k", k}, {"dtype", dtype}});
}

// All orders of memory of one product, dense, with leading dimensions, and several of them. The leading
// dimensions are multiples of `lead`.
std::vector<Settings> orders_of(const Settings& base, int lead) {
  std::vector<Settings> all;
  for (const char* trans_a : {"n", "t"})
    for (const char* trans_b : {"n", "t"}) {
      const Settings set = with(base, {{"trans_a", trans_a}, {"trans_b", trans_b}});
      all.push_back(set);
      all.push_back(with(set, {{"lda", 10 * lead}, {"ldb", 11 * lead}, {"ldc", 12 * lead}, {"batch", 3}}));
    }
  return all;
}

std::vector<Settings> empty_products(const char* dtype) {
  return {product(0, 5, 5, dtype), product(5, 0, 5, dtype), product(5, 5, 0, dtype),
          with(product(5, 5, 5, dtype), {{"batch", 0}})};
}

void add(std::vector<CudaPoint>& points, const char* variant, const std::vector<Settings>& products,
         std::initializer_list<std::pair<const char*, Literal>> extra = {}) {
  for (const Settings& product : products) points.push_back({"gemm", variant, with(product, extra)});
}

void add_naive(std::vector<CudaPoint>& points) {
  for (const char* dtype : {"f64", "f32", "tf32", "bf16", "f16", "s8", "f8e4m3", "f8e5m2"}) {
    add(points, "cuda_naive", orders_of(product(9, 35, 17, dtype), 8));
    add(points, "cuda_naive", empty_products(dtype));
    add(points, "cuda_naive", {product(1, 1, 1, dtype), product(17, 70, 300, dtype)});
  }
  for (const char* out : {"f32", "bf16", "f16"})
    add(points, "cuda_naive", {product(5, 7, 11, "f8e4m3"), product(5, 7, 11, "f8e5m2")}, {{"out", out}});
}

void add_tiled(std::vector<CudaPoint>& points) {
  for (const char* dtype : {"f64", "f32", "tf32", "bf16", "f16", "s8"}) {
    add(points, "cuda_tiled", orders_of(product(37, 41, 19, dtype), 8), {{"tile_m", 32}, {"tile_n", 32}});
    add(points, "cuda_tiled", empty_products(dtype));
    add(points, "cuda_tiled", {product(131, 70, 33, dtype), product(1, 1, 1, dtype)});
  }
  for (const int m : {32, 64, 128})
    for (const int n : {32, 64, 128})
      for (const int k : {8, 64})
        add(points, "cuda_tiled", {product(m + 3, n, 65, "f32"), product(m, n + 1, 64, "f64")},
            {{"tile_m", m}, {"tile_n", n}, {"tile_k", k}});
  for (const char* dtype : {"bf16", "f16"})
    add(points, "cuda_tiled", {product(9, 9, 9, dtype)}, {{"out", "f32"}, {"tile_k", 32}});
  add(points, "cuda_tiled", {product(65, 67, 9, "f16")},
      {{"tile_m", 64}, {"tile_n", 64}, {"thread_tile", 4}});
}

// Lengths along k around a product of 16, a tile of 64 and all stages of tiles, edges of tiles, several
// tiles each way.
void add_wgmma(std::vector<CudaPoint>& points) {
  for (const char* dtype : {"bf16", "f16"}) {
    add(points, "cuda_wgmma", empty_products(dtype), {{"trans_b", "t"}, {"lda", 8}, {"ldb", 8}});
    for (const int tile_n : {128, 256}) {
      for (const int k : {8, 64, 72, 320})
        add(points, "cuda_wgmma", {product(16, 24, k, dtype), product(129, 1, k, dtype)},
            {{"trans_b", "t"}, {"tile_n", tile_n}});
      add(points, "cuda_wgmma", {product(131, tile_n + 7, 70, dtype)},
          {{"trans_b", "t"}, {"tile_n", tile_n}, {"lda", 72}, {"ldb", 80}, {"ldc", 271}, {"batch", 2}});
    }
    add(points, "cuda_wgmma", {product(20, 150, 400, dtype)}, {{"trans_b", "t"}, {"out", "f32"}});
  }
}

void add_cublas(std::vector<CudaPoint>& points, const char* variant) {
  for (const char* dtype : {"f64", "f32", "tf32", "bf16", "f16", "s8"}) {
    add(points, variant, empty_products(dtype));
    const bool along_k = std::string(dtype) == "s8" && std::string(variant) == "cublaslt";
    if (!along_k) add(points, variant, orders_of(product(12, 20, 28, dtype), 8));
    add(points, variant,
        {product(20, 12, 28, dtype), product(4, 4, 4, dtype), product(1, 64, 300, dtype),
         product(65, 4, 8, dtype)},
        {{"trans_b", along_k ? "t" : "n"}});
  }
  for (const char* dtype : {"f64", "f32", "tf32", "bf16", "f16"})
    add(points, variant, orders_of(product(7, 11, 5, dtype), 3));
  for (const char* dtype : {"bf16", "f16"})
    add(points, variant, {product(12, 20, 28, dtype)}, {{"out", "f32"}});
  if (std::string(variant) == "cublas") return;
  for (const char* epilogue : {"bias", "relu", "bias_relu", "gelu", "bias_gelu"})
    for (const char* dtype : {"f32", "tf32", "bf16", "f16"}) {
      const Settings set = with(product(12, 20, 28, dtype), {{"out", "f32"}, {"epilogue", epilogue}});
      add(points, variant, {set, with(set, {{"batch", 3}, {"ldc", 24}, {"trans_b", "t"}})});
      add(points, variant, {product(300, 8, 64, dtype)}, {{"epilogue", epilogue}});
    }
  for (const char* out : {"f32", "bf16", "f16"}) {
    const Settings whole = with(product(5, 32, 48, "f8e4m3"), {{"trans_b", "t"}, {"out", out}});
    add(points, variant, {whole, with(whole, {{"batch", 3}, {"lda", 64}, {"ldb", 80}, {"ldc", 48}})});
  }
}

}  // namespace

std::vector<CudaPoint> gemm_points(const std::string& variant) {
  std::vector<CudaPoint> points;
  if (variant == "cuda_naive") add_naive(points);
  if (variant == "cuda_tiled") add_tiled(points);
  if (variant == "cuda_wgmma") add_wgmma(points);
  if (variant == "cublas" || variant == "cublaslt") add_cublas(points, variant.c_str());
  return points;
}

}  // namespace kernsweep::testing
