#pragma once

#include <array>
#include <limits>
#include <random>

#include "core/session/action.h"
#include "core/session/names.h"
#include "core/session/presets.h"
#include "core/session/settings.h"
#include "tests/unit/session/with.h"

namespace headscope {

/// Draws random sessions and actions, which may contain meaningless values.
class RandomSession {
 public:
  explicit RandomSession(unsigned seed) : random_(seed) {}

  int whole(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool coin() { return whole(0, 1) == 1; }
  std::uint64_t bits() { return std::uniform_int_distribution<std::uint64_t>()(random_); }
  template <class Enum>
  Enum choice(Enum last) {
    return static_cast<Enum>(whole(0, static_cast<int>(last)));
  }

  std::string sentence() {
    static constexpr std::array words{"it",  "It", "was",  "tired",    ".",    "the",       "didn't",
                                      "a b", "\t", "동물", "\xFF\x80", "“no”", "blue(sky)", "🙂"};
    std::string text;
    for (int n = whole(0, 9); n > 0; --n)
      text += std::string(words[static_cast<std::size_t>(whole(0, words.size() - 1))]) + " ";
    return text;
  }

  Architecture architecture() {
    Architecture a;
    a.d_model = whole(ArchitectureLimits::min_d_model, 70);
    a.n_heads = whole(1, 16);
    if (coin()) a.d_head = whole(1, 40);
    if (coin()) a.d_value = whole(1, 40);
    if (whole(0, 3) == 0) a.kv_latent = whole(1, 40);
    a.bias = {coin(), coin(), coin(), coin(), coin()};
    a.output_projection = coin();
    a.stacks = choice(Stacks::cross);
    a.n_layers = whole(1, 4);
    a.d_ff = coin() ? whole(0, 30) : 0;
    a.activation = choice(Activation::silu);
    a.norm_kind = choice(NormKind::rms);
    a.norm_epsilon = coin() ? 0.1F : 1e-6F;
    a.gated = coin();
    a.block = choice(Block::parallel_shared);
    a.rotary = {static_cast<float>(whole(2, 1'000'000)),
                0.1F * static_cast<float>(whole(1, 10)),
                choice(RotaryPairing::halves),
                choice(RotaryScaling::llama3),
                static_cast<float>(whole(1, 40)),
                whole(1, 10'000),
                coin() ? 0.0F : static_cast<float>(whole(2, 1'000'000))};
    if (coin()) a.sliding_window = whole(1, 8);
    if (coin()) a.relative_buckets = 2 * whole(2, 64);
    if (coin()) a.global_every = whole(1, 4);
    a.norm = choice(Norm::both);
    a.residual = coin();
    a.output_layer = choice(OutputLayer::tied);
    a.output_bias = coin();
    a.positions = choice(Positions::alibi);
    a.linear_attention = whole(0, 3) == 0;
    a.init = choice(Init::scaled);
    a.seed = bits();
    return a;
  }

  AttentionOptions attention() {
    AttentionOptions a;
    a.scale = coin();
    a.temperature = static_cast<float>(real());
    a.query_offset = whole(-3, 5);
    a.softmax = choice(SoftmaxAxis::queries);
    a.mask_value = coin() ? MaskValue::minus_infinity : static_cast<float>(real());
    a.mask = mask();
    a.target_mask = mask();
    a.cross_mask = mask();
    a.train = coin();
    a.dropout = static_cast<float>(real());
    a.dropout_seed = bits();
    return a;
  }

  MaskSpec mask() {
    MaskSpec m;
    m.causal = coin();
    if (coin()) m.window = whole(-2, 5);
    if (coin()) m.prefix = whole(-2, 5);
    if (whole(0, 3) == 0) m.block = whole(-2, 5);
    if (whole(0, 3) == 0) m.dilation = whole(-2, 5);
    for (int n = whole(0, 2); n > 0; --n) m.documents.push_back(whole(-1, 12));
    if (whole(0, 3) == 0) m.separator = coin() ? "." : coin() ? "3" : "\xFF";
    for (int n = whole(0, 4); n > 0; --n) m.padding.push_back(whole(-1, 12));
    for (int n = whole(0, 6); n > 0; --n) m.painted.push_back({whole(-1, 12), whole(-1, 12)});
    return m;
  }

  Sampling sampling() {
    Sampling s;
    s.greedy = coin();
    s.temperature = static_cast<float>(real());
    s.top_k = whole(-2, 40);
    s.top_p = static_cast<float>(real());
    s.seed = bits();
    return s;
  }

  std::vector<std::string> batch() {
    std::vector<std::string> sentences(static_cast<std::size_t>(whole(0, 4)));
    for (std::string& text : sentences) text = sentence();
    return sentences;
  }

  PictureOptions picture() {
    PictureOptions p;
    p.sequential = choice(SequentialMap::grays);
    p.diverging = choice(DivergingMap::purple_green);
    p.range = choice(RangeMode::fixed);
    p.fixed_low = real();
    p.fixed_high = real();
    p.transfer = choice(Transfer::gamma);
    p.gamma = static_cast<float>(real());
    p.numbers = coin();
    p.surprise = coin();
    p.line_threshold = static_cast<float>(real());
    p.theme = choice(ThemeName::dark);
    return p;
  }

  StageKind kind() { return choice(StageKind::probabilities); }
  Pin pin() {
    return {{kind(), choice(Stack::decoder), whole(-1, 4), choice(AttentionKind::cross), whole(-1, 20)},
            whole(-1, 40),
            whole(-1, 70)};
  }

  HeadsOptions heads() {
    HeadsOptions h;
    if (coin()) h.sorted_by = choice(HeadMeasure::distance);
    h.min_value = static_cast<float>(real());
    h.measured_on = choice(MeasuredOn::task);
    h.combine = choice(Combine::rollout);
    return h;
  }
  HeadIndex place() { return {whole(-1, 5), whole(-1, 20)}; }

  DecodingOptions decoding() {
    return {whole(-1, 40), choice(CacheNumbers::bits16), whole(-1, 40), whole(-1, 3000), whole(-1, 9000)};
  }

  LinesOptions lines() { return {coin(), static_cast<float>(real()), {coin(), coin(), coin()}}; }

  Cover cover() {
    Cover c;
    if (whole(0, 3) > 0) c.stage = pin().stage;
    c.all = whole(0, 3) == 0;
    c.every = whole(-1, 3);
    c.share = static_cast<float>(real());
    c.seed = bits();
    for (int n = whole(0, 3); n > 0; --n) c.rows.push_back(whole(-1, 12));
    for (int n = whole(0, 3); n > 0; --n) c.columns.push_back(whole(-1, 12));
    for (std::vector<StageCell>* cells : {&c.cells, &c.except, &c.right})
      for (int n = whole(0, 4); n > 0; --n) cells->push_back({whole(-1, 12), whole(-1, 12)});
    c.solution = coin();
    return c;
  }

  std::string textbook() { return coin() ? "raschka-3.3-simple" : coin() ? "" : "alammar-thinking-machines"; }

  /// Sets one setting to that of a random session, as a control does.
  Action change(const Session& session) {
    Session other = session;
    other.attention = attention();
    other.picture = picture();
    other.sampling = sampling();
    other.lines = lines();
    other.heads = heads();
    other.decoding = decoding();
    const std::vector<SettingChange> all = changes_between(session, other);
    if (all.empty()) return set_selected(&Selection::pin, {});
    return ChangeSettings{{all[static_cast<std::size_t>(whole(0, static_cast<int>(all.size()) - 1))]}};
  }

  Action action(const Session& session) {
    switch (whole(0, 43)) {
      case 40:
      case 41:
      case 42:
      case 43:
        return change(session);
      case 39:
        return set_cover(cover());
      case 38:
        return set_to("textbook", textbook());
      case 35:
        return SetGiven{given_path(),
                        coin() ? std::nullopt : std::optional(OwnedMatrix(whole(0, 3), whole(1, 3)))};
      case 33:
        return test::with(session, TilesOptions{whole(-1, 2000), whole(-1, 2000), 1});
      case 34:
        return set_to("tiles.step", whole(-1, 40));
      case 36:
        return test::with(session, decoding());
      case 37:
        return set_to("decoding.step", whole(-1, 40));
      case 31:
        return test::with(session, lines());
      case 32:
        return set_selected(&Selection::picked, {coin(), {whole(-1, 12), whole(-1, 12), whole(-1, 12)}});
      case 28:
        return open_head(place());
      case 29:
        return set_selected(&Selection::heads, {place(), place(), place()});
      case 30:
        return test::with(session, heads());
      case 0:
        return set_to("tokenizer", std::string(enum_name(choice(TokenizerKind::seed1))));
      case 1:
        return test::with(session, architecture());
      case 2:
        return test::with(session, attention());
      case 3:
        return clear_painted();
      case 4:
        return test::with(session, picture());
      case 5:
        return SetView{choice(PageName::scale)};
      case 6:
        return select_stage(kind());
      case 7:
        return select_head(whole(-3, 20));
      case 8:
        return SelectToken{coin() ? std::optional(whole(-1, 12)) : std::nullopt};
      case 9:
        return set_selected(&Selection::pin, {});
      case 27:
        return train_from_scratch({});
      case 10:
        return load_preset(
            presets()[static_cast<std::size_t>(whole(0, static_cast<int>(presets().size()) - 1))].name);
      case 11:
      case 12:
      case 13:
      case 14:
        return toggle_padding(whole(-1, 12));
      case 15:
      case 16:
        return paint_cell({whole(-1, 10), whole(-1, 10)}, coin());
      case 17:
        return PinCell{pin()};
      case 18:
        return SetTarget{sentence()};
      case 19:
        return coin() ? Action{SetBatch{batch()}} : set_to("output_words", sentence());
      case 20:
        return set_to("sequence", whole(-1, 5));
      case 21:
        return test::with(session, sampling());
      case 22:
      case 23:
        return select_place(choice(Stack::decoder), whole(-1, 5), choice(AttentionKind::cross));
      default:
        return SetSentence{sentence()};
    }
  }

  std::string given_path() {
    const StageId id =
        normalized({kind(), choice(Stack::decoder), whole(0, 2), choice(AttentionKind::cross), whole(0, 5)});
    return whole(0, 9) == 0 ? "nothing" : path(id);
  }

  /// The default session after random actions.
  Session session() {
    Session session = default_session();
    for (int n = whole(0, 12); n > 0; --n) session = reduce(session, action(session));
    return session;
  }

 private:
  double real() {
    switch (whole(0, 9)) {
      case 0:
        return std::numeric_limits<double>::quiet_NaN();
      case 1:
        return std::numeric_limits<double>::infinity();
      case 2:
        return -std::numeric_limits<double>::infinity();
      case 3:
        return 1e300;
      case 4:
        return 0.0;
      case 5:
        return -1e-300;
      default:
        return std::uniform_real_distribution<double>(-3.0, 3.0)(random_);
    }
  }

  std::mt19937 random_;
};

}  // namespace headscope
