#pragma once

#include <gtest/gtest.h>

#include <algorithm>

#include "core/model/interventions.h"
#include "core/overloaded.h"
#include "core/session/placed.h"
#include "core/session/repair.h"
#include "core/session/settings.h"
#include "tests/unit/session/random_session.h"

namespace headscope {

/// Draws sessions with a random valid value for every setting in the table, so a new setting needs no line
/// here.
class RandomSettings {
 public:
  explicit RandomSettings(unsigned seed) : random_(seed) {}

  int whole(int low, int high) { return random_.whole(low, high); }
  bool coin() { return random_.coin(); }

  /// A session with these weights, or random ones if `model` is null; sometimes with held subjects.
  Session session(const std::shared_ptr<const TrainedModel>& model = nullptr) {
    Session session = alone(model);
    for (int n = whole(0, 3) == 0 ? whole(1, 2) : 0; n > 0; --n)
      session.compared.push_back((coin() ? session : alone(coin() ? model : nullptr)).subject());
    if (session.compared.empty()) session.interventions = without_compared(session.interventions);
    for (Subject& compared : session.compared) {
      Session changed = with_subject(session, compared);
      for (const Setting& setting : attention_settings) draw(setting, changed);
      changed.interventions = without_compared(changed.interventions);
      compared = changed.subject();
    }
    return repaired(session, session);
  }

  /// A session without held subjects.
  Session alone(const std::shared_ptr<const TrainedModel>& model) {
    Session session = default_session();
    if (model) session = reduce(session, OpenModel{model});
    for (const Setting& setting : all_settings) {
      const bool is_fixed = model && (setting.key.starts_with("architecture.") ||
                                      setting.key == "tokenizer" || setting.key == "task");
      // Some settings stay unchanged, since readers must tell those from the changed ones.
      const bool follows_sizes = std::holds_alternative<field::Given>(setting.field);
      if (!is_fixed && !follows_sizes && whole(0, 2) > 0) draw(setting, session);
    }
    make_sizes_fit(session.architecture);
    draw(setting("given"), session);
    return repaired(session, session);
  }

  /// A text that is difficult to quote.
  std::string text() {
    static constexpr std::array words{"it", "It's", "“no”",    "\"so\"", "`so`",  "$HOME",
                                      "\\", "\n",   "\x1b[1m", "동물",   "🙂",  "|",
                                      "-x", "--y",  ",",       "a=b",    "tab\t", "'"};
    std::string text;
    for (int n = whole(0, 6); n > 0; --n)
      text += std::string(words[static_cast<std::size_t>(whole(0, words.size() - 1))]) + (coin() ? " " : "");
    if (whole(0, 60) == 0) text += std::string("\0", 1);
    return text;
  }

 private:
  void draw(const Setting& setting, Session& session) {
    const Overloaded one{
        [&](const field::Integer& f) {
          constexpr int most = 40;  // larger values are of no other kind
          const int high = f.last ? f.last(session) : std::min(f.high, f.low + most);
          f.value.write(session) = whole(f.low, std::max(high, f.low));
        },
        [&](const field::OptionalInteger& f) {
          constexpr int most = 20;
          const int high = f.last ? f.last(session) : std::min(f.high, most);
          const bool is_there = coin() && high >= f.low;
          f.value.write(session) = is_there ? std::optional(whole(f.low, high)) : std::nullopt;
        },
        [&](const field::Seed& f) { f.value.write(session) = random_.bits(); },
        [&](const field::Real& f) { f.value.write(session) = decimal(f.low, f.high); },
        [&](const field::Bound& f) { f.value.write(session) = decimal(-3.0F, 3.0F) * (coin() ? 1.0 : 1e7); },
        [&](const field::Flag& f) { f.value.write(session) = coin(); },
        [&](const field::NamedFlag& f) { f.value.write(session) = coin(); },
        [&](const field::Choice& f) {
          f.write(session, static_cast<std::size_t>(whole(0, static_cast<int>(f.names.size()) - 1)));
        },
        [&](const field::Text& f) { f.value.write(session) = text(); },
        [&](const field::Texts& f) {
          f.value.write(session).resize(static_cast<std::size_t>(coin() ? 0 : whole(1, 3)));
          for (std::string& each : f.value.write(session)) each = text();
        },
        [&](const field::HiddenValue& f) {
          f.value.write(session) = coin() ? MaskValue::minus_1e9 : decimal(-1e5F, 10.0F);
        },
        [&](const field::Tokens& f) {
          for (int n = whole(0, 3); n > 0; --n) f.value.write(session).push_back(whole(0, 6));
        },
        [&](const field::Cells& f) {
          for (int n = whole(0, 3); n > 0; --n) f.value.write(session).push_back({whole(0, 6), whole(0, 6)});
        },
        [&](const field::MaskFiles& f) {
          if (whole(0, 3) > 0) return;
          LoadedMask mask;
          mask.name = "mask " + std::to_string(++n_masks_) + ".npy";
          mask.axes = coin() ? "ij" : "ji";
          f.value.write(session).push_back(std::make_shared<const LoadedMask>(mask));
        },
        [&](const field::Stage& f) { f.value.write(session) = random_.kind(); },
        [&](const field::Heads& f) {
          for (int n = whole(0, 3); n > 0; --n) f.value.write(session).push_back({whole(0, 3), whole(0, 4)});
        },
        [&](const field::PinnedCell& f) { f.value.write(session) = pin(session); },
        [](const field::Weights&) {},  // stays as it was opened
        [&](const field::Given& f) { f.value.write(session) = given(session); },
        [&](const field::Notation& f) {
          EXPECT_NO_THROW(f.write(session, notation(setting))) << setting.key;
        },
    };
    std::visit(one, setting.field);
  }

  /// A list in the notation of the setting. Repairs drop places that the model lacks.
  std::string notation(const Setting& setting) {
    const auto number = [&](int most) { return std::to_string(whole(0, most)); };
    if (setting.option == "--cover" && coin()) {
      const std::string rules = (coin() ? "all" : "rows:" + number(9) + "," + number(3)) +
                                (coin() ? "" : "+random:0.5:" + number(99)) + (coin() ? "" : "+every:3") +
                                (coin() ? "" : "+columns:" + number(9)) +
                                (coin() ? "" : "+cells:" + number(9) + "." + number(9)) +
                                (coin() ? "" : "+except:" + number(9) + "." + number(9));
      return coin() ? rules : rules + "@" + path(normalized({random_.kind(), Stack::encoder, whole(0, 2)}));
    }
    const auto head = [&] { return (whole(0, 5) == 0 ? "cross." : "") + number(2) + "." + number(3); };
    std::string words;
    for (int n = whole(0, 2); n > 0; --n) {
      if (!words.empty()) words += ",";
      if (setting.option == "--scale-head") words += head() + "=" + std::to_string(decimal(0.0F, 2.0F));
      if (setting.option == "--pattern") words += head() + (coin() ? "=uniform" : "=held");
      if (setting.option == "--set-weight")
        words += head() + ":" + number(6) + "." + number(6) + "=" + std::to_string(decimal(0.0F, 1.0F));
      if (setting.option == "--answered") words += number(9) + "." + number(9);
      if (setting.option == "--hide-keys") words += coin() ? "first" : "punctuation";
      if (setting.option == "--picked-tokens")
        words += (words.empty() ? (coin() ? "queries:" : "keys:") : "") + number(6);
      if (setting.option == "--patch") {
        StageId stage = normalized({random_.kind(), coin() ? Stack::encoder : Stack::decoder, whole(0, 2),
                                    AttentionKind::self, whole(0, 3)});
        if (!can_be_patched(stage.kind)) stage = normalized({StageKind::output});
        words += path(stage) + ":" + number(6) + (coin() ? "=zero" : "=held");
      }
    }
    return words.empty() ? "none" : words;
  }

  /// A few matrices for places in the session.
  GivenNumbers given(const Session& session) {
    GivenNumbers numbers;
    const Session whole_one = repaired(session, session);
    if (!validate(whole_one.architecture)) return numbers;
    const std::vector<std::string> paths = assignable_paths(whole_one);
    for (int n = whole(0, 5) == 0 ? whole(1, 2) : 0; n > 0; --n) {
      const std::string& path = paths[static_cast<std::size_t>(whole(0, static_cast<int>(paths.size()) - 1))];
      const StageId stage = parse_path(path).value();
      const int rows = axis_size(whole_one, stage, info(stage.kind).rows);
      const int cols = axis_size(whole_one, stage, info(stage.kind).cols);
      constexpr int most = 100;  // a command does not hold many more numbers
      if (rows < 1 || cols < 1 || rows * cols > most) continue;
      OwnedMatrix matrix(rows, cols);
      for (float& number : matrix.values) number = decimal(-1.0F, 1.0F) * (coin() ? 1.0F : 1e-20F);
      numbers = with_given(numbers, {path, std::make_shared<const OwnedMatrix>(std::move(matrix))});
    }
    return numbers;
  }

  float decimal(float low, float high) {
    const int thousandths = whole(0, 1000);
    return low + (high - low) * static_cast<float>(thousandths) / 1000.0F;
  }

  /// Nothing, or a cell of the selected stage or of another one.
  std::optional<Pin> pin(const Session& session) {
    if (coin()) return std::nullopt;
    const Session whole_one = repaired(session, session);
    const StageId stage = whole_one.selection.at(coin() ? whole_one.selection.stage : random_.kind());
    const int rows = axis_size(whole_one, stage, info(stage.kind).rows);
    const int cols = axis_size(whole_one, stage, info(stage.kind).cols);
    if (rows < 1 || cols < 1) return std::nullopt;
    return Pin{stage, whole(0, rows - 1), whole(0, cols - 1)};
  }

  static void leave_out_softmax(Architecture& a) {
    a.kv_latent.reset();
    a.sinks = false;
    a.softcap = 0.0F;
    a.score_scale = 0.0F;
    if (a.uses_rotary() || a.has_position_biases()) a.positions = Positions::sinusoidal;
  }

  /// Adjusts the sizes until they fit together.
  void make_sizes_fit(Architecture& a) {
    if (a.relative_buckets) a.relative_buckets = *a.relative_buckets / 2 * 2;
    if (a.rotary.local_base < rotary_limits::min_base) a.rotary.local_base = 0.0F;
    a.n_heads = std::min(a.n_heads, 16);
    a.d_model = std::max(a.d_model / a.n_heads * a.n_heads, a.n_heads * whole(1, 8));
    a.n_layers = std::min(a.n_layers, 3);
    if (a.n_kv_heads && a.n_heads % *a.n_kv_heads != 0) a.n_kv_heads = coin() ? 1 : a.n_heads;
    a.linear_attention = a.linear_attention && whole(0, 2) == 0;
    if (a.linear_attention) leave_out_softmax(a);
    if (validate(a)) return;
    a.d_head.reset();
    a.d_value.reset();
    a.d_model = 8 * a.n_heads;
    a.block = Block::sequential;
    a.rotary.fraction = a.kv_latent ? 0.5F : std::max(a.rotary.fraction, 0.5F);
  }

  RandomSession random_;
  int n_masks_ = 0;
};

}  // namespace headscope
