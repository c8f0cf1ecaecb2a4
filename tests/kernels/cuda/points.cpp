#include "tests/kernels/cuda/points.hpp"

#include <sstream>
#include <string_view>

namespace kernsweep::testing {
namespace {

// Lengths around a vector of 16 bytes, a block and a grid.
void add_stream(std::vector<CudaPoint>& points) {
  for (const char* dtype : {"f64", "f32"})
    for (const int n : {0, 1, 2, 3, 4, 5, 7, 127, 1023, 4099, 100003}) {
      for (const char* op : {"copy", "scale", "add", "triad"})
        for (const bool past : {false, true})
          for (const int block : {32, 256, 1024})
            points.push_back(
                {"stream", "cuda",
                 settings(
                     {{"op", op}, {"dtype", dtype}, {"n", n}, {"non_temporal", past}, {"block", block}})});
      points.push_back({"stream", "cuda_memcpy", settings({{"op", "copy"}, {"dtype", dtype}, {"n", n}})});
    }
}

void add_transfer(std::vector<CudaPoint>& points) {
  for (const char* direction : {"h2d", "d2h", "both"})
    for (const char* memory : {"pageable", "pinned"})
      for (const int bytes : {0, 4, 4096, 100004}) {
        const Settings base = settings({{"direction", direction}, {"memory", memory}, {"bytes", bytes}});
        points.push_back({"transfer", "cuda", with(base, {{"mode", "sync"}})});
        points.push_back({"transfer", "cuda", with(base, {{"mode", "async"}})});
        for (const char* mode : {"sync", "async"})
          for (const char* between : {"device", "host"})
            for (const int rounds : {1, 2, 5})
              if (rounds == 1 || std::string_view(direction) == "both")
                points.push_back(
                    {"transfer", "cuda",
                     with(base, {{"mode", mode}, {"between", between}, {"rounds", rounds}, {"steps", 3}})});
        for (const int chunks : {1, 3, 8})
          for (const int streams : {1, 2, 5})
            for (const int steps : {0, 1, 100})
              points.push_back(
                  {"transfer", "cuda",
                   with(
                       base,
                       {{"mode", "overlap"}, {"chunks", chunks}, {"streams", streams}, {"steps", steps}})});
      }
}

// The simulated GPU has 2 multiprocessors of 1024 threads.
void add_roof(std::vector<CudaPoint>& points) {
  for (const char* dtype : {"f64", "f32", "tf32", "bf16", "f16", "s8"})
    for (const int operations : {1, 2048 * 16, 2048 * 2048 + 1})
      points.push_back({"roof", "cuda", settings({{"dtype", dtype}, {"operations", operations}})});
  for (const int elements : {1, 2, 3, 4095, 4096, 4097, 10001})
    for (const int passes : {1, 3}) {
      const auto arrays = [&](const char* op, int count, bool past) {
        return settings(
            {{"op", op}, {"bytes", 8 * count * elements}, {"passes", passes}, {"non_temporal", past}});
      };
      points.push_back({"roof", "cuda", arrays("read", 1, false)});
      for (const bool past : {false, true}) {
        points.push_back({"roof", "cuda", arrays("copy", 2, past)});
        points.push_back({"roof", "cuda", arrays("triad", 3, past)});
      }
    }
}

}  // namespace

std::vector<CudaPoint> cuda_points() {
  std::vector<CudaPoint> points;
  add_stream(points);
  add_transfer(points);
  add_conv2d(points);
  add_roof(points);
  for (const int n : {1, 256, 1000})
    for (const int kernels : {1, 20}) {
      const Settings base = settings({{"n", n}, {"kernels", kernels}});
      points.push_back({"launch", "cuda", with(base, {{"graph", true}})});
      points.push_back({"launch", "cuda", with(base, {{"graph", false}, {"sync", "step"}})});
      points.push_back({"launch", "cuda", with(base, {{"graph", false}, {"sync", "kernel"}})});
      for (const bool graph : {false, true})
        for (const char* sync : {"run", "step"})
          points.push_back(
              {"launch", "cuda", with(base, {{"graph", graph}, {"sync", sync}, {"steps", 3}})});
    }
  for (const int bytes : {8, 9, 16, 2048, 1000000})
    points.push_back({"memory", "cuda", settings({{"bytes", bytes}})});
  return points;
}

std::string text_of(const CudaPoint& point) {
  std::ostringstream text;
  text << point.family << "." << point.variant;
  for (const auto& [name, value] : point.settings) {
    text << " " << name << "=";
    std::visit([&](const auto& set) { text << set; }, value);
  }
  return text.str();
}

const ks_pack& cuda_pack() {
  return open_pack("cuda");
}

}  // namespace kernsweep::testing
