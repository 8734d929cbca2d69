#include <algorithm>
#include <cstddef>

#include "core/session/action.h"
#include "core/session/repair.h"

namespace headscope {
namespace {

template <class... Handlers>
struct Overloaded : Handlers... {
  using Handlers::operator()...;
};
template <class... Handlers>
Overloaded(Handlers...) -> Overloaded<Handlers...>;

/// Where the tokens of the session before are in the session after; −1 for those that went.
class Follower {
 public:
  Follower(const Session& before, const Session& after) {
    std::vector<Token> old_tokens = tokenize(before.sentence, before.tokenizer);
    std::vector<Token> new_tokens = tokenize(after.sentence, after.tokenizer);
    if (before.tokenizer != after.tokenizer) {
      make_comparable(old_tokens);
      make_comparable(new_tokens);
    }
    followed_ = follow_tokens(old_tokens, new_tokens);
  }

  int operator()(int token) const {
    const bool exists = token >= 0 && token < static_cast<int>(followed_.size());
    return exists ? followed_[static_cast<std::size_t>(token)] : -1;
  }

 private:
  /// What two tokenizers have in common of a word: without the characters that seed1 removes, in lower case.
  static void make_comparable(std::vector<Token>& tokens) {
    for (Token& token : tokens) {
      std::string kept;
      for (const Token& part : tokenize(token.text, TokenizerKind::seed1)) kept += part.text;
      token.lookup.clear();
      for (const Token& part : tokenize(kept, TokenizerKind::word)) token.lookup += part.lookup;
    }
  }

  std::vector<int> followed_;
};

bool counts_tokens(Axis axis) {
  return axis == Axis::query_tokens || axis == Axis::key_tokens;
}

void follow_mask(MaskSpec& mask, const Follower& follow) {
  for (int& token : mask.padding) token = follow(token);
  std::erase(mask.padding, -1);
  std::sort(mask.padding.begin(), mask.padding.end());
  for (Cell& cell : mask.painted) cell = {follow(cell.query), follow(cell.key)};
  std::erase_if(mask.painted, [](Cell cell) { return cell.query < 0 || cell.key < 0; });
  std::sort(mask.painted.begin(), mask.painted.end());
}

void follow_selection(Selection& selection, const Follower& follow) {
  if (selection.token) selection.token = follow(*selection.token);
  if (selection.token == -1) selection.token.reset();
  if (!selection.pin) return;
  Pin& pin = *selection.pin;
  const StageInfo& stage = info(pin.stage.kind);
  if (counts_tokens(stage.rows)) pin.row = follow(pin.row);
  if (counts_tokens(stage.cols)) pin.col = follow(pin.col);
  if (pin.row < 0 || pin.col < 0) selection.pin.reset();
}

/// `after` differs from `before` in its sentence or tokenizer only.
Session with_tokens_followed(const Session& before, Session after) {
  const Follower follow(before, after);
  follow_mask(after.attention.mask, follow);
  follow_selection(after.selection, follow);
  return after;
}

void toggle_padding(std::vector<int>& padding, int token) {
  if (std::erase(padding, token) == 0) padding.push_back(token);
}

void paint(std::vector<Cell>& painted, const PaintCell& action) {
  std::erase(painted, action.cell);
  if (action.hidden) painted.push_back(action.cell);
}

void select_head(Selection& selection, int head) {
  selection.head = head;
  if (selection.pin && info(selection.pin->stage.kind).scope == StageScope::head)
    selection.pin->stage.head = head;
}

void select_stage(Selection& selection, StageKind stage) {
  selection.stage = stage;
  if (selection.pin && selection.pin->stage.kind != stage) selection.pin.reset();
}

/// A cell that is not there leaves the pin that was.
void pin_cell(Session& session, const Pin& pin) {
  Session pinned = session;
  pinned.selection.pin = pin;
  pinned = repaired(std::move(pinned), session);
  if (pinned.selection.pin) session.selection.pin = pinned.selection.pin;
}

Session with_preset(const Session& session, const std::string& name) {
  const std::vector<Preset> all = presets();
  const auto preset = std::find_if(all.begin(), all.end(), [&](const Preset& p) { return p.name == name; });
  if (preset == all.end()) return session;
  Session next = preset->session;
  next.picture = session.picture;
  next.selection.view = session.selection.view;
  return next;
}

Session carried_out(const Session& session, const Action& action) {
  Session next = session;
  MaskSpec& mask = next.attention.mask;
  Selection& selection = next.selection;
  const Overloaded carry_out{
      [&](const SetSentence& a) {
        next.sentence = a.sentence;
        next = with_tokens_followed(session, std::move(next));
      },
      [&](const SetTokenizer& a) {
        next.tokenizer = a.tokenizer;
        next = with_tokens_followed(session, std::move(next));
      },
      [&](const SetArchitecture& a) { next.architecture = a.architecture; },
      [&](const SetAttention& a) { next.attention = a.attention; },
      [&](const TogglePadding& a) { toggle_padding(mask.padding, a.token); },
      [&](const PaintCell& a) { paint(mask.painted, a); },
      [&](const ClearPainted&) { mask.painted.clear(); },
      [&](const SetPicture& a) { next.picture = a.picture; },
      [&](const SetView& a) { selection.view = a.view; },
      [&](const SelectStage& a) { select_stage(selection, a.stage); },
      [&](const SelectHead& a) { select_head(selection, a.head); },
      [&](const SelectToken& a) { selection.token = a.token; },
      [&](const PinCell& a) { pin_cell(next, a.pin); },
      [&](const Unpin&) { selection.pin.reset(); },
      [&](const LoadPreset& a) { next = with_preset(session, a.name); },
  };
  std::visit(carry_out, action);
  return next;
}

}  // namespace

Session reduce(const Session& session, const Action& action) {
  return repaired(carried_out(session, action), session);
}

UndoRole undo_role(const Action& action) {
  const Overloaded role_of{
      [](const SetSentence&) {
        return UndoRole{true, "sentence"};
      },
      [](const SetArchitecture&) {
        return UndoRole{true, "architecture"};
      },
      [](const SetAttention&) {
        return UndoRole{true, "attention"};
      },
      [](const PaintCell&) {
        return UndoRole{true, "paint"};
      },
      [](const SetPicture&) {
        return UndoRole{true, "picture"};
      },
      [](const SetView&) {
        return UndoRole{false, {}};
      },
      [](const SelectStage&) {
        return UndoRole{false, {}};
      },
      [](const SelectHead&) {
        return UndoRole{false, {}};
      },
      [](const SelectToken&) {
        return UndoRole{false, {}};
      },
      [](const PinCell&) {
        return UndoRole{false, {}};
      },
      [](const Unpin&) {
        return UndoRole{false, {}};
      },
      [](const auto&) {
        return UndoRole{true, {}};
      },
  };
  return std::visit(role_of, action);
}

}  // namespace headscope
