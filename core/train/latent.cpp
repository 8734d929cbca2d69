#include "core/train/latent.h"

#include <algorithm>
#include <cstddef>

#include "core/model/architecture.h"
#include "core/model/attention.h"
#include "core/tensor/rms_norm.h"

namespace headscope {

template <class Scalar>
void LatentLayer<Scalar>::forward(TrainContext<Scalar>& context, const AttentionSlots& slots,
                                  const Rows<Scalar>& asked, Rows<Scalar>& keys, Rows<Scalar>& values) {
  Products<Scalar>& products = context.products;
  products.linear(asked, slots.latent, context.parameters, latent_);
  normed_.resize(latent_.rows(), latent_.cols());
  inverses_.resize(static_cast<std::size_t>(latent_.rows()));
  rms_norm_rows(latent_.data(), latent_.rows(), latent_.cols(), context.parameters + slots.latent_gain,
                static_cast<Scalar>(context.architecture.norm_epsilon), normed_.data(), inverses_.data());
  products.linear(normed_, slots.value, context.parameters, values);
  if (!slots.shared_key.exists()) return products.linear(normed_, slots.key, context.parameters, keys);
  products.linear(asked, slots.shared_key, context.parameters, shared_);
  products.linear(normed_, slots.key, context.parameters, own_);
  const int n_shared = slots.shared_key.n_out;
  const int n_own = slots.d_head - n_shared;
  const int n_heads = slots.key.n_out / n_own;
  keys.resize(asked.rows(), n_heads * slots.d_head);
  join_keys(shared_.data(), n_shared, own_.data(), n_own, n_heads, asked.rows(), keys.data());
}

template <class Scalar>
void LatentLayer<Scalar>::split(const AttentionSlots& slots, const Rows<Scalar>& d_keys) {
  const int n_shared = slots.shared_key.n_out;
  const int n_own = slots.d_head - n_shared;
  d_shared_.resize(d_keys.rows(), n_shared);
  d_shared_.set_zero();
  d_own_.resize(d_keys.rows(), slots.key.n_out);
  const Scalar* from = d_keys.data();
  Scalar* own = d_own_.data();
  for (int row = 0; row < d_keys.rows(); ++row) {
    for (int head = 0; head < slots.key.n_out / n_own; ++head) {
      for (int i = 0; i < n_shared; ++i) d_shared_.row(row)[i] += *from++;
      own = std::copy_n(from, n_own, own);
      from += n_own;
    }
  }
}

template <class Scalar>
void LatentLayer<Scalar>::backward(TrainContext<Scalar>& context, const AttentionSlots& slots,
                                   const Rows<Scalar>& asked, const Rows<Scalar>& d_keys,
                                   const Rows<Scalar>& d_values, Rows<Scalar>& d_asked) {
  const auto back = [&](const LinearSlot& slot, const Rows<Scalar>& in, const Rows<Scalar>& d, Into into,
                        Rows<Scalar>& d_in) {
    context.products.linear_backward(in, slot, context.parameters, d, context.gradients, into, d_in);
  };
  if (slots.shared_key.exists()) {
    split(slots, d_keys);
    back(slots.shared_key, asked, d_shared_, Into::sum, d_asked);
  }
  back(slots.key, normed_, slots.shared_key.exists() ? d_own_ : d_keys, Into::fresh, d_normed_);
  back(slots.value, normed_, d_values, Into::sum, d_normed_);
  d_latent_.resize(latent_.rows(), latent_.cols());
  d_latent_.set_zero();
  rms_norm_backward(latent_.data(), inverses_.data(), latent_.rows(), latent_.cols(),
                    context.parameters + slots.latent_gain, d_normed_.data(), d_latent_.data(),
                    context.gradients + slots.latent_gain);
  back(slots.latent, asked, d_latent_, Into::sum, d_asked);
}

template class LatentLayer<float>;
template class LatentLayer<double>;

}  // namespace headscope
