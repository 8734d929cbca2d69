#include "core/engine/given_model.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/parameters.h"
#include "core/model/stage.h"
#include "core/session/session.h"

namespace headscope {
namespace {

/// The limit for models that are kept for later passes.
constexpr double max_bytes = 256.0 * (1U << 20U);

constexpr std::string_view unembedding_weight = "logits.W";
constexpr std::string_view unembedding_bias = "logits.b";

bool is_of_unembedding(std::string_view path) {
  return path == unembedding_weight || path == unembedding_bias;
}

/// Whether everything is given that a pass would otherwise take from drawn numbers.
bool gives_everything(const ParameterLayout& layout, const GivenNumbers& given) {
  const Architecture& a = layout.architecture;
  const bool gives_parameters = std::ranges::all_of(layout.named, [&](const NamedParameter& parameter) {
    return parameter.rows == 0 || parameter.cols == 0 || given.at(parameter.path) != nullptr;
  });
  const bool gives_inputs = (!a.has(Stack::encoder) || given.at("encoder.input") != nullptr) &&
                            (!a.has(Stack::decoder) || given.at("decoder.input") != nullptr);
  const bool gives_words = a.output_layer == OutputLayer::none || given.at(unembedding_weight) != nullptr;
  return gives_parameters && gives_inputs && gives_words;
}

}  // namespace

GivenNumbers given_parameters(const GivenNumbers& given) {
  GivenNumbers parameters;
  std::ranges::copy_if(given.all, std::back_inserter(parameters.all), [](const GivenMatrix& each) {
    const std::optional<StageId> id = parse_path(each.path);
    return id && info(id->kind).is_parameter() && !is_of_unembedding(each.path);
  });
  return parameters;
}

bool gives_heads(const Architecture& a, const GivenNumbers& given) {
  const bool is_alone = a.n_layers == 1 && a.d_ff == 0 && a.norm == Norm::none && !a.residual && !a.sinks &&
                        !a.qk_norm && !a.output_gate && !a.kv_latent && a.positions != Positions::relative &&
                        a.output_layer == OutputLayer::none && a.stacks != Stacks::encoder_decoder;
  if (!is_alone || given.empty()) return false;
  const AttentionKind kind = a.has_self() ? AttentionKind::self : AttentionKind::cross;
  const auto has = [&](StageKind stage, int head) {
    return given.at(path(normalized({stage, a.last_stack(), 0, kind, head}))) != nullptr;
  };
  for (int head = 0; head < a.n_heads; ++head) {
    const int first = head / a.group_size(no_layer) * a.group_size(no_layer);
    const bool has_scores =
        has(StageKind::raw, head) || (has(StageKind::query, head) && has(StageKind::key, first));
    if (!has_scores || !has(StageKind::value, first)) return false;
  }
  if (!a.output_projection) return true;
  return has(StageKind::w_output, 0) && (!a.bias.output || has(StageKind::b_output, 0));
}

Model with_parameters(const Model& model, const GivenNumbers& given) {
  const auto vocabulary = model.embedding_table.n_rows();
  const ParameterLayout layout = layout_of(model.architecture, vocabulary);
  std::vector<std::pair<const NamedParameter*, std::shared_ptr<const OwnedMatrix>>> all;
  for (const NamedParameter& parameter : layout.named) {
    const auto own = is_of_unembedding(parameter.path) ? nullptr : given.at(parameter.path);
    if (own != nullptr && own->rows == parameter.rows && own->cols == parameter.cols)
      all.emplace_back(&parameter, own);
  }
  // Whether anything is given of `size` numbers, and its copy over those.
  const auto gives = [&](std::ptrdiff_t first, std::ptrdiff_t size) {
    return std::ranges::any_of(all, [&](const auto& each) {
      return each.first->first >= first && each.first->first < first + size;
    });
  };
  const auto replace = [&](std::ptrdiff_t first, std::ptrdiff_t size, float* numbers) {
    for (const auto& [parameter, own] : all) {
      if (parameter->first < first || parameter->first >= first + size) continue;
      float* const begin = numbers + (parameter->first - first);
      for (int row = 0; row < own->rows; ++row)
        std::ranges::copy(own->view().row(row), begin + row * parameter->stride);
    }
  };
  Model result = model;
  // Layers without given parameters stay shared with the model that was copied.
  visit_parts(layout, result, [&]<class Part>(const ParameterSlot& slot, Part& part) {
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(slot.n_in) * slot.n_out;
    if constexpr (std::is_same_v<Part, WordTable>) {
      if (!gives(slot.first, size)) return;
      Matrix numbers = part.all();
      replace(slot.first, size, numbers.data());
      part = WordTable(std::move(numbers));
    } else if constexpr (std::is_same_v<Part, Linear>) {
      if (gives(slot.first, size)) {
        Matrix weight = part.weight();
        replace(slot.first, size, weight.data());
        part = Linear(weight, part.bias);
      }
      if (slot.bias >= 0) replace(slot.bias, slot.n_out, part.bias.data());
    } else {
      replace(slot.first, size, part.data());
    }
  });
  // with_unembedding() gives its numbers. A layer that is tied to a given table is made anew.
  const bool is_tied = model.architecture.output_layer == OutputLayer::tied;
  result.unembedding = is_tied && given.at("embedding.table") != nullptr ? nullptr : model.unembedding;
  result.drawn = model.drawn && !gives_everything(layout, given);
  return result;
}

std::shared_ptr<const Model> GivenModels::with(const std::shared_ptr<const Model>& own,
                                               const GivenNumbers& given) {
  GivenNumbers parameters = given_parameters(given);
  if (parameters.empty()) {
    made_.clear();
    return own;
  }
  const auto vocabulary = own->embedding_table.n_rows();
  const bool drawn = own->drawn && !gives_everything(layout_of(own->architecture, vocabulary), given);
  const auto known = std::ranges::find_if(made_, [&](const Made& each) {
    return each.own == own && each.model->drawn == drawn && each.parameters == parameters;
  });
  if (known != made_.end()) {
    std::rotate(made_.begin(), known, known + 1);
    return made_.front().model;
  }
  double bytes = model_bytes(own->architecture);
  for (std::size_t kept = 0; kept < made_.size(); ++kept) {
    bytes += model_bytes(made_[kept].model->architecture);
    if (bytes > max_bytes || kept == max_compared) made_.resize(kept);
  }
  auto model = std::make_shared<const Model>(with_parameters(*own, given));
  made_.insert(made_.begin(), {own, std::move(parameters), model});
  return model;
}

std::shared_ptr<const Unembedding> with_unembedding(std::shared_ptr<const Unembedding> own,
                                                    const GivenNumbers& given) {
  const auto weight = given.at(unembedding_weight);
  const auto bias = given.at(unembedding_bias);
  if (own == nullptr || (weight == nullptr && bias == nullptr)) return own;
  Linear linear = weight == nullptr ? *own->linear : Linear(eigen(weight->view()), own->linear->bias);
  if (bias != nullptr) linear.bias = eigen(bias->view()).row(0);
  return std::make_shared<const Unembedding>(
      Unembedding{own->words, std::make_shared<const Linear>(std::move(linear))});
}

}  // namespace headscope
