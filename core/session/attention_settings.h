#pragma once

#include <array>
#include <limits>
#include <string_view>

#include "core/enum_count.h"
#include "core/session/setting.h"

namespace headscope {

/// The parts of the controls for attention and its masks that are not in their records.
namespace control {

inline constexpr auto softmax_axes =
    make_enum_table<SoftmaxAxis, std::string_view>("over keys", "over queries");

inline std::string_view scale_label(const Session& s) {
  return s.architecture.score_scale > 0.0F ? "Scale the scores" : "Scale by 1/√d_head";
}

/// False in linear attention, where a scale or a temperature would cancel.
inline bool scores_are_scaled(const Session& s) {
  return !s.architecture.linear_attention || s.architecture.score_scale > 0.0F;
}
inline bool has_softmax(const Session& s) {
  return !s.architecture.linear_attention || s.attention.softmax == SoftmaxAxis::queries;
}
inline bool has_dropout(const Session& s) {
  return s.attention.train;
}

}  // namespace control

/// Causal and prefix masks exclude each other; the one that was switched on last wins.
template <auto mask>
void reconcile_causal(Session& session) {
  set_causal(session.attention.*mask, (session.attention.*mask).causal);
}
template <auto mask>
void reconcile_prefix(Session& session) {
  set_prefix(session.attention.*mask, (session.attention.*mask).prefix);
}

inline constexpr std::string_view attention_group = "Attention";

namespace accessors {
template <auto... members>
inline constexpr auto attention = accessor_of<&Session::attention, members...>;
inline constexpr int any_count = std::numeric_limits<int>::max();
}  // namespace accessors

/// A mask with a number of tokens, from `least` on.
template <auto mask, auto member>
constexpr Setting counted_mask(std::string_view key, std::string_view name, std::string_view option,
                               const char* sentence, int least, Control control,
                               void (*reconcile)(Session&) = nullptr) {
  control.low = least;
  control.high = least + 1;
  control.ends_at_n_tokens = true;
  const field::OptionalInteger count{accessors::attention<mask, member>, least, accessors::any_count, ""};
  return Setting{key, name, option, "", attention_group, sentence, "", count, control, reconcile};
}

/// The option and the keys of one of the three masks. All masks share one list of files.
struct MaskKeys {
  std::string_view option, causal, window, first_keys, prefix, block, dilation, padding, painted;
};
template <auto mask>
constexpr std::array<Setting, 9> mask_settings(const MaskKeys& keys, Stack queries, Stack counted_keys) {
  return {
      Setting{
          keys.causal, "the causal mask", keys.option, "", attention_group,
          "A query sees only itself and the keys before it: a model that learns to predict the next word must not see that word",
          "", field::Flag{accessors::attention<mask, &MaskSpec::causal>}, Control{.label = "Causal mask"},
          reconcile_causal<mask>},
      counted_mask<mask, &MaskSpec::window>(
          keys.window, "the sliding window", keys.option,
          "A query sees only keys within this distance, the largest |query − key|", 0,
          Control{.label = "Sliding window", .slider_label = "distance", .first = control::number<2>}),
      counted_mask<mask, &MaskSpec::first_keys>(
          keys.first_keys, "the first keys", keys.option,
          "The number of first keys that the window does not hide, as in StreamingLLM: models give them the attention that they do not need elsewhere",
          0,
          Control{.label = "first keys always seen",
                  .derived_value = [](const Session&) { return 0; },
                  .applies = [](const Session& s) { return (s.attention.*mask).window.has_value(); }}),
      counted_mask<mask, &MaskSpec::prefix>(
          keys.prefix, "the prefix", keys.option, "All tokens see this many first tokens; the rest is causal",
          0, Control{.label = "Prefix", .slider_label = "length", .first = control::number<3>},
          reconcile_prefix<mask>),
      counted_mask<mask, &MaskSpec::block>(
          keys.block, "the blocks", keys.option,
          "A query sees only keys of its own block of this many tokens", 1,
          Control{.label = "Blocks", .slider_label = "tokens in a block", .first = control::number<4>}),
      counted_mask<mask, &MaskSpec::dilation>(
          keys.dilation, "the dilation", keys.option,
          "A query sees only the keys whose distance from it is a multiple of this number", 1,
          Control{.label = "Dilated", .slider_label = "keys apart", .first = control::number<2>}),
      Setting{keys.padding, "the padded tokens", keys.option, "", attention_group,
              "Padded tokens, to which no query may attend", "",
              field::Tokens{accessors::attention<mask, &MaskSpec::padding>, counted_keys}},
      Setting{keys.painted, "the painted cells", keys.option, "", attention_group, "Cells hidden by hand", "",
              field::Cells{accessors::attention<mask, &MaskSpec::painted>, queries, counted_keys}},
      Setting{"attention.mask_files", "the mask files", keys.option, "", attention_group,
              "Masks read from files", "", field::MaskFiles{accessors::attention<mask, &MaskSpec::loaded>}}};
}

/// The document settings of one of the masks of self-attention.
template <auto mask>
constexpr std::array<Setting, 2> document_settings(std::string_view option, std::string_view documents,
                                                   std::string_view separator, Stack count_text) {
  return {Setting{documents, "the documents", option, "", attention_group,
                  "First tokens of further documents: a query sees only keys of its own document", "",
                  field::Tokens{accessors::attention<mask, &MaskSpec::documents>, count_text}},
          Setting{separator, "the separator of documents", option, "", attention_group,
                  "A word that ends a document, wherever it stands", "",
                  field::Text{accessors::attention<mask, &MaskSpec::separator>}}};
}

/// The settings that determine how scores become weights.
inline constexpr std::array attention_settings{
    Setting{
        "attention.mask_value", "the value of hidden cells", "--mask-value", "inf|1e9|X", attention_group,
        "The value in hidden cells: inf for −∞, 1e9 for −1e9, or any number, such as -10000. −∞ gives a weight of exactly 0; −1e9 does too, unless a whole row is hidden: then all its weights are equal",
        "", field::HiddenValue{accessors::attention<&AttentionOptions::mask_value>}},
    Setting{
        "attention.query_offset", "the place of the first query", "--query-offset", "N", attention_group,
        "Place of cross-attention's first query among the keys: causal masks and windows count from there, as after a cache of N keys",
        "",
        field::Integer{accessors::attention<&AttentionOptions::query_offset>, -max_query_offset,
                       max_query_offset}},
    Setting{
        "attention.scale", "the scale", "--no-scale", "", attention_group,
        "Division of the scores by √d_head, which keeps their variance from growing with d_head, the width of a key, or multiplication by the model's own scale",
        "", field::Flag{accessors::attention<&AttentionOptions::scale>, false},
        Control{.label = "Scale by 1/√d_head",
                .label_for = control::scale_label,
                .applies = control::scores_are_scaled}},
    Setting{
        "attention.temperature", "the temperature", "--attention-temperature", "τ", attention_group,
        "The scores are divided by it: below 1, attention gets sharper; above 1, flatter", "",
        field::Real{accessors::attention<&AttentionOptions::temperature>, min_temperature, max_temperature},
        Control{.label = "temperature",
                .low = 0.1,
                .high = 10,
                .logarithmic = true,
                .applies = control::scores_are_scaled}},
    Setting{
        "attention.softmax", "the axis of softmax", "--softmax", "AXIS", attention_group,
        "What softmax runs over. Over keys, every row of weights sums to 1; running it over queries is a common mistake (dim=0 instead of dim=−1)",
        "", field::choice<&Session::attention, &AttentionOptions::softmax>(),
        Control{.label = "softmax", .names = control::softmax_axes, .applies = control::has_softmax}},
    Setting{
        "attention.train", "the mode", "--mode", "MODE", attention_group,
        "In train mode, some weights are dropped at random and the rest are scaled up; in eval mode, the mode for use, none are",
        "eval; train with --dropout",
        field::NamedFlag{accessors::attention<&AttentionOptions::train>, "eval", "train"},
        Control{.label = "Dropout (train)"}},
    Setting{"attention.dropout", "the dropout", "--dropout", "P", attention_group,
            "The share of the attention weights that is dropped in train mode", "",
            field::Real{accessors::attention<&AttentionOptions::dropout>, 0.0F, max_dropout},
            Control{.label = "p", .applies = control::has_dropout}},
    Setting{"attention.dropout_seed", "the seed of the dropout", "--dropout-seed", "N", attention_group,
            "Seed of the choice of dropped weights", "",
            field::Seed{accessors::attention<&AttentionOptions::dropout_seed>},
            Control{.label = "dropout seed", .applies = control::has_dropout}},
};

inline constexpr std::array self_mask_settings = mask_settings<&AttentionOptions::mask>(
    {"--mask", "attention.causal", "attention.window", "attention.first_keys", "attention.prefix",
     "attention.block", "attention.dilation", "attention.padding", "attention.painted"},
    Stack::encoder, Stack::encoder);
inline constexpr std::array self_document_settings = document_settings<&AttentionOptions::mask>(
    "--mask", "attention.documents", "attention.separator", Stack::encoder);
inline constexpr std::array target_document_settings = document_settings<&AttentionOptions::target_mask>(
    "--target-mask", "attention.target_mask.documents", "attention.target_mask.separator", Stack::decoder);
inline constexpr std::array target_mask_settings = mask_settings<&AttentionOptions::target_mask>(
    {"--target-mask", "attention.target_mask.causal", "attention.target_mask.window",
     "attention.target_mask.first_keys", "attention.target_mask.prefix", "attention.target_mask.block",
     "attention.target_mask.dilation", "attention.target_mask.padding", "attention.target_mask.painted"},
    Stack::decoder, Stack::decoder);
inline constexpr std::array cross_mask_settings = mask_settings<&AttentionOptions::cross_mask>(
    {"--cross-mask", "attention.cross_mask.causal", "attention.cross_mask.window",
     "attention.cross_mask.first_keys", "attention.cross_mask.prefix", "attention.cross_mask.block",
     "attention.cross_mask.dilation", "attention.cross_mask.padding", "attention.cross_mask.painted"},
    Stack::decoder, Stack::encoder);

inline constexpr std::array attention_options{
    SharedOption{
        "--mask", "MASK", attention_group,
        "none, causal, window:W (|query − key| ≤ W), first:N (keys that the window does not hide), prefix:P, block:B (own block of B tokens), dilated:D (every D-th), document:I,J (first tokens of further documents) or document:WORD (a word that ends one), padding:I,J (tokens), painted:Q.K,Q.K (cells) or FILE.npy (boolean or integer: 1 = may attend, the opposite of nn.MultiheadAttention's; float: added); repeat to combine masks; none clears the masks before it"},
    SharedOption{"--target-mask", "MASK", attention_group,
                 "The same for the decoder's self-attention, which is causal unless the first mask is none"},
    SharedOption{"--cross-mask", "MASK", attention_group,
                 "The same for cross-attention: queries are the target's tokens, keys the source's"},
};

}  // namespace headscope
