#include "tests/gui/monkey/random_settings.h"

#include <array>

#include "core/session/names.h"
#include "core/session/settings.h"
#include "tests/gui/monkey/random_text.h"
#include "tests/unit/session/with.h"

namespace headscope::monkey {
namespace {

template <class Choice>
Choice any(Dice& dice, Choice last) {
  return static_cast<Choice>(dice.whole(0, static_cast<int>(last)));
}

/// A number in the range, or sometimes a senseless one.
float any_number(Dice& dice, float low, float high) {
  constexpr std::array odd{0.0F, -1.0F, 1e-30F, 1e30F, NAN, INFINITY};
  return dice.one_in(8) ? dice.of(odd) : dice.real(low, high);
}

MaskSpec random_mask(Dice& dice, MaskSpec mask) {
  switch (dice.whole(0, 8)) {
    case 6:
      mask.block = dice.coin() ? std::optional(dice.whole(-2, 8)) : std::nullopt;
      break;
    case 7:
      mask.dilation = dice.coin() ? std::optional(dice.whole(-2, 5)) : std::nullopt;
      break;
    case 8:
      mask.documents = {dice.whole(-3, 12), dice.whole(0, 8)};
      mask.separator = dice.coin() ? "." : dice.coin() ? "3" : "";
      break;
    case 0:
      mask.causal = !mask.causal;
      break;
    case 1:
      mask.window = dice.coin() ? std::optional(dice.whole(-2, 20)) : std::nullopt;
      mask.first_keys = dice.coin() ? std::optional(dice.whole(-2, 6)) : std::nullopt;
      break;
    case 2:
      mask.prefix = dice.coin() ? std::optional(dice.whole(-2, 20)) : std::nullopt;
      break;
    case 3:
      mask.padding = {dice.whole(-3, 12), dice.whole(0, 3)};
      break;
    case 4:
      mask.painted = {{dice.whole(-3, 12), dice.whole(0, 8)}, {dice.whole(0, 3), dice.whole(0, 3)}};
      break;
    default:
      mask.loaded.clear();
  }
  return mask;
}

Action attention_action(Dice& dice, const Session& session) {
  AttentionOptions options = session.attention;
  options.scale = dice.coin();
  options.temperature = any_number(dice, 0.1F, 10.0F);
  options.softmax = any(dice, SoftmaxAxis::queries);
  options.query_offset = dice.whole(-2, 4);
  options.mask_value = dice.coin() ? MaskValue::minus_infinity : any_number(dice, -20.0F, 2.0F);
  options.train = dice.one_in(3);
  options.dropout = any_number(dice, 0.0F, 1.0F);
  selected_mask(session, options) = random_mask(dice, selected_mask(session, options));
  return test::with(session, options);
}

Action picture_action(Dice& dice, const Session& session) {
  PictureOptions picture = session.picture;
  picture.gamma = any_number(dice, 0.0F, 6.0F);
  picture.line_threshold = any_number(dice, 0.0F, 1.0F);
  picture.fixed_low = static_cast<double>(any_number(dice, -2.0F, 2.0F));
  picture.fixed_high = static_cast<double>(any_number(dice, -2.0F, 2.0F));
  picture.range = any(dice, RangeMode::fixed);
  picture.theme = any(dice, ThemeName::dark);
  return test::with(session, picture);
}

Action pin_action(Dice& dice, const Session& session) {
  const auto kind = any(dice, StageKind::probabilities);
  return PinCell{{session.selection.at(kind), dice.whole(-1, 12), dice.whole(-1, 70)}};
}

Action place_action(Dice& dice) {
  return select_place(any(dice, Stack::decoder), dice.whole(-1, 4), any(dice, AttentionKind::cross));
}

Action batch_action(Dice& dice) {
  std::vector<std::string> sentences(static_cast<std::size_t>(dice.whole(0, 4)));
  for (std::string& sentence : sentences) sentence = random_paste(dice);
  return SetBatch{sentences};
}

Action tiles_action(Dice& dice, const Session& session) {
  if (dice.one_in(5))
    return set_to("textbook", dice.coin() ? "alammar-gpt2-masked-scores" : "raschka-4.6-parameter-count");
  if (dice.coin()) return set_to("tiles.step", dice.whole(-1, 40));
  return test::with(session, TilesOptions{dice.whole(-1, 30), dice.whole(-1, 2000), 1});
}

Action decoding_action(Dice& dice, const Session& session) {
  if (dice.coin()) return set_to("decoding.step", dice.whole(-1, 40));
  return test::with(session, DecodingOptions{1, any(dice, CacheNumbers::bits16), dice.whole(-1, 12),
                                             dice.whole(-1, 200), dice.whole(-1, 9000)});
}

Action cover_action(Dice& dice, const Session& session) {
  Cover cover = session.cover;
  if (dice.coin()) cover.stage = session.selection.at(session.selection.stage);
  cover.all = dice.coin();
  cover.every = dice.whole(-1, 4);
  cover.share = any_number(dice, 0.0F, 1.0F);
  cover.rows = {dice.whole(-1, 12), dice.whole(-1, 12)};
  cover.except = {{dice.whole(-1, 12), dice.whole(-1, 12)}};
  cover.right = {{dice.whole(-1, 12), dice.whole(-1, 12)}};
  cover.solution = dice.one_in(3);
  return set_cover(cover);
}

Action lines_action(Dice& dice, const Session& session) {
  if (dice.coin())
    return set_selected(&Selection::picked, {dice.coin(), {dice.whole(-1, 12), dice.whole(-1, 12)}});
  return test::with(
      session,
      LinesOptions{dice.coin(), any_number(dice, -0.5F, 1.5F), {dice.coin(), dice.coin(), dice.coin()}});
}

}  // namespace

Architecture random_architecture(Dice& dice, Architecture a) {
  a.stacks = any(dice, Stacks::cross);
  a.n_layers = dice.whole(1, 3);
  a.d_model = dice.coin() ? 8 * dice.whole(1, 12) : dice.whole(8, 90);
  a.n_heads = dice.whole(1, 8);
  a.n_kv_heads = dice.one_in(3) ? std::optional(dice.whole(1, 8)) : std::nullopt;
  a.kv_latent = dice.one_in(3) ? std::optional(dice.whole(1, 60)) : std::nullopt;
  a.linear_attention = dice.one_in(5);
  a.sinks = dice.one_in(a.linear_attention ? 8 : 3);
  a.qk_norm = dice.one_in(3);
  a.output_gate = dice.one_in(3);
  a.score_scale = dice.one_in(3) ? any_number(dice, 0.0F, 2.0F) : 0.0F;
  a.softcap = dice.one_in(3) ? any_number(dice, 0.0F, 60.0F) : 0.0F;
  a.logit_softcap = dice.one_in(3) ? any_number(dice, 0.0F, 60.0F) : 0.0F;
  a.d_head = dice.one_in(3) ? std::optional(dice.whole(1, 40)) : std::nullopt;
  a.d_value = dice.one_in(3) ? std::optional(dice.whole(1, 40)) : std::nullopt;
  a.bias = {dice.coin(), dice.coin(), dice.coin(), dice.coin(), dice.coin()};
  a.output_projection = dice.coin();
  a.d_ff = dice.coin() ? 0 : dice.whole(1, 200);
  a.activation = any(dice, Activation::silu);
  a.norm_kind = any(dice, NormKind::rms);
  a.norm_epsilon = dice.real(1e-6F, 1.0F);
  a.gated = dice.coin();
  a.block = any(dice, Block::parallel_shared);
  a.rotary.base = dice.real(2.0F, 1e6F);
  a.rotary.fraction = dice.real(0.05F, 1.0F);
  a.rotary.pairing = any(dice, RotaryPairing::halves);
  a.rotary.scaling = any(dice, RotaryScaling::llama3);
  a.rotary.factor = dice.real(1.0F, 64.0F);
  a.relative_buckets = dice.one_in(2) ? std::optional(2 * dice.whole(2, 64)) : std::nullopt;
  a.rotary.local_base = dice.one_in(2) ? 0.0F : dice.real(2.0F, 1e6F);
  a.rotary.original_length = dice.whole(1, 5000);
  a.sliding_window = dice.one_in(3) ? std::optional(dice.whole(1, 6)) : std::nullopt;
  a.global_every = dice.one_in(3) ? std::optional(dice.whole(1, 3)) : std::nullopt;
  a.norm = any(dice, Norm::both);
  a.residual = dice.coin();
  a.output_layer = any(dice, OutputLayer::tied);
  a.output_bias = dice.coin();
  a.positions = any(dice, Positions::alibi);
  a.init = any(dice, Init::scaled);
  a.seed = static_cast<std::uint64_t>(dice.whole(0, 3));
  return a;
}

Action random_action(Dice& dice, const Session& session) {
  switch (dice.whole(0, 12)) {
    case 0:
      return attention_action(dice, session);
    case 1:
      return picture_action(dice, session);
    case 2:
      return pin_action(dice, session);
    case 3:
      return place_action(dice);
    case 4:
      return dice.one_in(3) ? batch_action(dice) : Action{set_to("sequence", dice.whole(-1, 4))};
    case 5:
      return SetTarget{random_paste(dice)};
    case 6:
      return set_to("tokenizer", std::string(enum_name(any(dice, TokenizerKind::seed1))));
    case 7:
      return select_stage(any(dice, StageKind::probabilities));
    case 8:
      return select_head(dice.whole(-1, 9));
    case 10:
      if (dice.one_in(3)) return cover_action(dice, session);
      return dice.coin() ? lines_action(dice, session) : tiles_action(dice, session);
    case 11:
      return decoding_action(dice, session);
    case 9:
      return SelectToken{dice.one_in(5) ? std::nullopt : std::optional(dice.whole(-1, 12))};
    default: {
      Sampling sampling = session.sampling;
      sampling.greedy = dice.coin();
      sampling.temperature = any_number(dice, 0.0F, 5.0F);
      sampling.top_k = dice.whole(-1, 50);
      sampling.top_p = any_number(dice, -0.5F, 1.5F);
      return test::with(session, sampling);
    }
  }
}

}  // namespace headscope::monkey
