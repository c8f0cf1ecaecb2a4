#include "tests/kernels/pack_arrays.hpp"

#include <cmath>
#include <cstring>
#include <random>

#include "shared/base/dtype.hpp"

namespace kernsweep::testing {
namespace {

std::int64_t element_count(std::int32_t rank, const std::int64_t* shape) {
  std::int64_t count = 1;
  for (std::int32_t i = 0; i < rank; ++i) count *= shape[i];
  return count;
}

void store(Dtype dtype, void* data, std::int64_t index, double value) {
  const auto put = [&](auto element) {
    std::memcpy(static_cast<char*>(data) + index * static_cast<std::int64_t>(sizeof element), &element,
                sizeof element);
  };
  switch (dtype) {
    case Dtype::f64:
      return put(value);
    case Dtype::f32:
      return put(static_cast<float>(value));
    case Dtype::bf16:
      return put(bf16_of(value));
    case Dtype::f16:
      return put(f16_of(value));
    case Dtype::f8e4m3:
      return put(f8e4m3_of(value));
    case Dtype::f8e5m2:
      return put(f8e5m2_of(value));
    case Dtype::s8:
      return put(static_cast<std::int8_t>(value));
    case Dtype::u8:
      return put(static_cast<std::uint8_t>(value));
    case Dtype::s32:
      return put(static_cast<std::int32_t>(value));
    case Dtype::s64:
      return put(static_cast<std::int64_t>(value));
  }
}

void fill(const ks_input& input, void* data, const HostOptions& options, std::size_t number) {
  std::mt19937_64 engine(options.seed * 1000 + number);
  const auto unit = [&] { return static_cast<double>(engine() >> 11) * 0x1p-53; };
  std::normal_distribution<double> normal;
  const auto dtype = static_cast<Dtype>(input.dtype);
  const std::int64_t count = element_count(input.rank, input.shape);
  for (std::int64_t i = 0; i < count; ++i) {
    double value = 0;
    switch (input.distribution) {
      case KS_UNIFORM:
        value = input.a + (input.b - input.a) * unit();
        break;
      case KS_NORMAL:
        value = input.a + input.b * normal(engine);
        break;
      case KS_KAIMING:
        value = normal(engine) * std::sqrt(2.0 / static_cast<double>(input.fan_in));
        break;
      case KS_XAVIER:
        value = (2 * unit() - 1) * std::sqrt(6.0 / static_cast<double>(input.fan_in + input.fan_out));
        break;
      case KS_OUTLIERS: {
        const auto period = static_cast<std::int64_t>(input.b);
        value = normal(engine);
        if (i % input.shape[input.rank - 1] % period == period - 1) value *= input.a;
        break;
      }
      case KS_INTEGERS:
        value = input.a + std::floor(unit() * (input.b - input.a + 1));
        break;
    }
    if (options.element) value = options.element(input.name, i);
    store(dtype, data, i, value);
  }
}

}  // namespace

std::vector<ks_tensor> make_inputs(const std::vector<ks_input>& inputs, GuardedMemory& memory,
                                   const HostOptions& options) {
  std::vector<ks_tensor> tensors;
  for (std::size_t number = 0; number < inputs.size(); ++number) {
    const ks_input& input = inputs[number];
    ks_tensor tensor{};
    tensor.dtype = input.dtype;
    tensor.rank = input.rank;
    std::int64_t stride = 1;
    for (std::int32_t d = input.rank - 1; d >= 0; --d) {
      tensor.shape[d] = input.shape[d];
      tensor.strides[d] = stride;
      stride *= input.shape[d];
    }
    const auto count = static_cast<std::size_t>(element_count(input.rank, input.shape));
    const std::size_t bytes = count * size_of(static_cast<Dtype>(input.dtype));
    if (bytes > 0) {
      void* data = memory.allocate(bytes);
      fill(input, data, options, number);
      GuardedMemory::seal(data, bytes);
      tensor.data = data;
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

void read_view(const ks_tensor& view, Measured& measured) {
  measured.dtype = view.dtype;
  measured.shape.assign(view.shape, view.shape + view.rank);
  measured.strides.assign(view.strides, view.strides + view.rank);
  const std::int64_t count = element_count(view.rank, view.shape);
  measured.values.resize(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i;
    std::int64_t offset = 0;
    for (std::int32_t d = view.rank - 1; d >= 0; --d) {
      offset += rest % view.shape[d] * view.strides[d];
      rest /= view.shape[d];
    }
    measured.values[static_cast<std::size_t>(i)] =
        element_as_double(static_cast<Dtype>(view.dtype), view.data, offset);
  }
}

void overwrite(const ks_tensor& view) {
  const auto count = static_cast<std::size_t>(element_count(view.rank, view.shape));
  if (count > 0)
    std::memset(const_cast<void*>(view.data), 0xff, count * size_of(static_cast<Dtype>(view.dtype)));
}

}  // namespace kernsweep::testing
