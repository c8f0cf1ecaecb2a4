#include "kernels/cpu/roof/variants.hpp"

namespace kernsweep::roof {
namespace {

template <Instructions instructions>
auto vectors(const char* summary) {
  using Kernel = VectorsOf<instructions>;
  return pack::variant<Kernel>(name_of(instructions), summary, Kernel::available);
}

}  // namespace
}  // namespace kernsweep::roof

using namespace kernsweep::roof;

KERNSWEEP_PACK(
    "roof", KERNSWEEP_PACK_VERSION,
    family_of(
        vectors<Instructions::avx512>(
            "fma and read in 64-byte vectors; bf16 and s8 where the processor has instructions for them"),
        vectors<Instructions::avx2>("fma and read in 32-byte vectors"),
        vectors<Instructions::plain>("fma and read in 16-byte vectors, which every processor has"),
        kernsweep::pack::variant<Stream>(
            "stream", "copy and triad by the loops of the family stream, as the compiler vectorises them")))
