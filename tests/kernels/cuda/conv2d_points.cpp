// Points of conv2d: every way in which a kernel meets an edge.
#include "tests/kernels/cuda/points.hpp"

namespace kernsweep::testing {
namespace {

struct Conv2dShape {
  int batch, c_in, c_out, h, w, kh, kw, stride, padding, dilation, groups;
};

constexpr Conv2dShape kConv2dShapes[] = {
    {1, 1, 1, 1, 1, 1, 1, 1, 0, 1, 1},      // one product
    {0, 3, 4, 5, 5, 3, 3, 1, 1, 1, 1},      // empty batch
    {1, 131, 65, 1, 1, 1, 1, 1, 0, 1, 1},   // one pixel, deep
    {2, 17, 64, 7, 14, 1, 1, 1, 0, 1, 1},   // point-wise
    {1, 16, 31, 14, 13, 1, 1, 2, 0, 1, 1},  // every second pixel
    {1, 5, 7, 3, 4, 1, 1, 1, 2, 1, 1},      // results in the padding
    {3, 7, 13, 11, 17, 3, 5, 1, 2, 1, 1},   // primes
    {1, 3, 129, 23, 21, 7, 7, 2, 3, 1, 1},  // first layer
    {2, 8, 16, 10, 13, 3, 3, 1, 1, 1, 1},   // the one that all transforms are made for
    {1, 8, 16, 17, 16, 3, 3, 3, 1, 1, 1},   // stride 3
    {1, 4, 9, 2, 3, 5, 5, 1, 2, 1, 1},      // kernel larger than image
    {1, 3, 5, 4, 4, 3, 3, 9, 1, 1, 1},      // stride larger than image
    {1, 6, 10, 12, 13, 3, 2, 2, 0, 3, 1},   // dilated, stride 2
    {2, 6, 34, 9, 9, 3, 3, 1, 1, 2, 2},     // two groups, dilated
    {1, 16, 16, 10, 9, 3, 3, 1, 1, 1, 16},  // depth-wise
};

}  // namespace

std::vector<Settings> conv2d_settings(const char* dtype) {
  std::vector<Settings> all;
  for (const Conv2dShape& s : kConv2dShapes)
    for (const char* layout : {"nchw", "nhwc"})
      all.push_back(settings({{"batch", s.batch},
                              {"c_in", s.c_in},
                              {"c_out", s.c_out},
                              {"h", s.h},
                              {"w", s.w},
                              {"kh", s.kh},
                              {"kw", s.kw},
                              {"stride", s.stride},
                              {"padding", s.padding},
                              {"dilation", s.dilation},
                              {"groups", s.groups},
                              {"layout", layout},
                              {"dtype", dtype}}));
  return all;
}

void add_conv2d(std::vector<CudaPoint>& points) {
  for (const char* dtype : {"f32", "bf16", "f16", "s8"})
    for (const Settings& set : conv2d_settings(dtype)) points.push_back({"conv2d", "cuda_direct", set});
}

}  // namespace kernsweep::testing
