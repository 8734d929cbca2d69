#include "core/trace/latent_stages.h"

#include <string>

#include "core/trace/derivation.h"

namespace headscope::stages {
namespace {

std::string row_of_asked(const StageId& id) {
  return id.attention == AttentionKind::cross ? "memory" : "x";
}

/// Derives x W without a bias.
void derive_products(Derivation& d, StageKind weight) {
  const StageId from = keys_from(d.trace, d.id);
  const std::string w(info(weight).symbol);
  const std::string products = "x × " + w;
  const double sum =
      d.add_products({"x " + d.quoted(d.row, Axis::key_tokens), d.row_of(from, d.row), {}},
                     {w + " column " + std::to_string(d.col), d.column_of(weight, d.col), {}}, products);
  d.add_source(from, d.row, std::nullopt);
  d.add_source(weight, std::nullopt, d.col);
  d.add_step(std::string(info(d.id.kind).symbol) + " = Σ " + products, sum, "no bias");
}

}  // namespace

Absence latent_is_absent(const PassTraits& pass, const StageId& /*id*/) {
  return unless(pass.architecture.kv_latent.has_value(), Absence::no_latent);
}

Absence shared_key_is_absent(const PassTraits& pass, const StageId& id) {
  return unless(pass.architecture.shared_key_width(id.attention) > 0, Absence::no_shared_key);
}

std::string latent_formula(const Trace& /*trace*/, const StageId& id) {
  return row_of_asked(id) + " W_DKV";
}

std::string shared_key_formula(const Trace& /*trace*/, const StageId& id) {
  return row_of_asked(id) + " W_KR";
}

void derive_latent(Derivation& d) {
  derive_products(d, w_latent);
}

void derive_normed_latent(Derivation& d) {
  derive_unit_row(d, latent, latent_norm_gain, "c", "for each number of the row");
}

void derive_shared_key(Derivation& d) {
  derive_products(d, w_shared_key);
}

}  // namespace headscope::stages
