#include "kernels/cpu/conv2d/backward/families.hpp"

#include "kernels/cpu/conv2d/backward/variants.hpp"

namespace kernsweep::conv2d::backward {

pack::Family data_family() {
  return pack::family<OfImages>(
      "conv2d_backward_data", "the gradient of a convolution's images, as in training",
      {.reference = "naive", .constants = "weights"},
      pack::variant<Col2im>("col2im", "a product of any CBLAS library, summed back into the image"),
      pack::variant<Onednn<OfImages>>("onednn", "oneDNN, backward by data"),
      pack::variant<NaiveOfImages>("naive",
                                   "the reference: the sums of the definition in f64, one thread"));
}

pack::Family weights_family() {
  return pack::family<OfWeights>(
      "conv2d_backward_weights", "the gradient of a convolution's weights, as in training",
      {.reference = "naive"},
      pack::variant<Im2col>("im2col", "gathered into a matrix, multiplied by any CBLAS library"),
      pack::variant<Onednn<OfWeights>>("onednn", "oneDNN, backward by weights"),
      pack::variant<NaiveOfWeights>("naive",
                                    "the reference: the sums of the definition in f64, one thread"));
}

}  // namespace kernsweep::conv2d::backward
