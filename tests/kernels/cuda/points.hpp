// Points of every family and variant of the pack for GPUs, small enough for a driver without a GPU.
#pragma once

#include <string>
#include <vector>

#include "tests/kernels/pack_harness.hpp"

namespace kernsweep::testing {

struct CudaPoint {
  std::string family, variant;
  Settings settings;
};

std::vector<CudaPoint> cuda_points();

// Those of conv2d (conv2d_points.cpp); in one dtype, for any variant.
void add_conv2d(std::vector<CudaPoint>& points);
std::vector<Settings> conv2d_settings(const char* dtype);

// "stream.cuda dtype=f64 n=3 op=copy".
std::string text_of(const CudaPoint& point);

const ks_pack& cuda_pack();

}  // namespace kernsweep::testing
