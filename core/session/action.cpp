#include "core/session/action.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>

#include "core/model/trained_model.h"
#include "core/overloaded.h"
#include "core/session/placed.h"
#include "core/session/presets.h"
#include "core/session/repair.h"
#include "core/session/setting.h"
#include "core/session/settings.h"
#include "core/tasks/task.h"

namespace headscope {
namespace {

/// Maps token indices before the action to those after it. −1 for removed tokens.
class Follower {
 public:
  /// `tokens_of` is source_tokens or target_tokens.
  template <class TokensOf>
  Follower(const Session& before, const Session& after, TokensOf tokens_of) {
    std::vector<Token> old_tokens = tokens_of(before);
    std::vector<Token> new_tokens = tokens_of(after);
    const bool is_read_alike = before.tokenizer == after.tokenizer &&
                               model_tokenizers(before.tokenizer, before.model).source_tokenizer ==
                                   model_tokenizers(after.tokenizer, after.model).source_tokenizer;
    if (!is_read_alike) {
      make_comparable(old_tokens);
      make_comparable(new_tokens);
    }
    followed_ = align_tokens(old_tokens, new_tokens);
    keep_replaced(static_cast<int>(new_tokens.size()));
  }

  int operator()(int token) const {
    const bool exists = token >= 0 && token < static_cast<int>(followed_.size());
    return exists ? followed_[static_cast<std::size_t>(token)] : -1;
  }

 private:
  /// Normalises words for both tokenizers: lower case, without the characters that seed1 removes.
  static void make_comparable(std::vector<Token>& tokens) {
    for (Token& token : tokens) {
      std::string kept;
      for (const Token& part : tokenize(token.text, TokenizerKind::seed1)) kept += part.text;
      token.lookup.clear();
      for (const Token& part : tokenize(kept, TokenizerKind::word)) token.lookup += part.lookup;
    }
  }

  /// A word that replaced a single word beside an unchanged one counts as that word, edited.
  void keep_replaced(int n_after) {
    const auto n = static_cast<int>(followed_.size());
    if (n < 2) return;
    for (int token = 0; token < n; ++token) {
      int& now = followed_[static_cast<std::size_t>(token)];
      if (now >= 0) continue;
      const int left = token == 0 ? -1 : followed_[static_cast<std::size_t>(token) - 1];
      const int right = token == n - 1 ? n_after : followed_[static_cast<std::size_t>(token) + 1];
      const bool has_neighbours = (token == 0 || left >= 0) && (token == n - 1 || right >= 0);
      if (has_neighbours && right - left == 2) now = left + 1;
    }
  }

  std::vector<int> followed_;
};

void follow_mask(MaskSpec& mask, const Follower& queries, const Follower& keys) {
  for (std::vector<int>* tokens : {&mask.padding, &mask.documents}) {
    for (int& token : *tokens) token = keys(token);
    std::erase(*tokens, -1);
    std::ranges::sort(*tokens);
  }
  for (Cell& cell : mask.painted) cell = {queries(cell.query), keys(cell.key)};
  std::erase_if(mask.painted, [](Cell cell) { return cell.query < 0 || cell.key < 0; });
  std::sort(mask.painted.begin(), mask.painted.end());
}

/// Moves interventions in cells and rows with their tokens. `of_stack` returns the Follower of a stack's
/// tokens.
template <class OfStack>
void follow_interventions(Interventions& interventions, const Follower& source, const OfStack& of_stack) {
  for (GivenWeight& given : interventions.weights) {
    const Follower& queries = of_stack(given.place.stack);
    const bool is_cross = given.place.attention == AttentionKind::cross;
    given.cell = {queries(given.cell.query), (is_cross ? source : queries)(given.cell.key)};
  }
  std::erase_if(interventions.weights,
                [](const GivenWeight& given) { return given.cell.query < 0 || given.cell.key < 0; });
  const auto is_gone = [&](Patch& patch) {
    if (patch.row == every_row) return false;
    patch.row = (has_query_rows(patch.stage) ? of_stack(patch.stage.stack) : source)(patch.row);
    return patch.row < 0;
  };
  std::vector<Patch> followed;
  for (Patch patch : interventions.patches)
    if (!is_gone(patch)) followed.push_back(patch);
  interventions.patches = std::move(followed);
  interventions = in_order(std::move(interventions));
}

/// Returns the new index of a predicted word, or −1 if it was removed.
int followed_word(const Session& before, const Session& after, int word) {
  const std::vector<std::string> old_words = predicted_words(before);
  const std::vector<std::string> new_words = predicted_words(after);
  if (word < 0 || word >= static_cast<int>(old_words.size())) return -1;
  const auto found = std::find(new_words.begin(), new_words.end(), old_words[static_cast<std::size_t>(word)]);
  return found == new_words.end() ? -1 : static_cast<int>(found - new_words.begin());
}

/// Moves covered rows, columns and cells with their tokens. `follow` maps an index along an axis of a stage.
template <class Follow>
void follow_cover(Cover& cover, const Follow& follow) {
  if (!cover.stage) return;
  const StageId stage = *cover.stage;
  const StageInfo& about = info(stage.kind);
  for (int& row : cover.rows) follow(stage, about.rows, row);
  for (int& col : cover.columns) follow(stage, about.cols, col);
  for (std::vector<StageCell>* cells : {&cover.cells, &cover.except, &cover.right}) {
    for (StageCell& cell : *cells) {
      follow(stage, about.rows, cell.row);
      follow(stage, about.cols, cell.col);
    }
  }
}

/// Returns `after`, which must differ from `before` only in its sentences or tokenizer, with the selection,
/// the pin, and padded and painted cells moved with their tokens. Drops those whose tokens were removed.
Session with_tokens_followed(const Session& before, Session after) {
  after.texts = texts_of(after);
  const Follower source(before, after, source_tokens);
  const Follower target(before, after, target_tokens);
  follow_mask(after.attention.mask, source, source);
  follow_mask(after.attention.target_mask, target, target);
  follow_mask(after.attention.cross_mask, target, source);

  const auto of_stack = [&](Stack stack) -> const Follower& {
    return after.architecture.has_cross() && stack == Stack::decoder ? target : source;
  };
  follow_interventions(after.interventions, source, of_stack);
  Selection& selection = after.selection;
  if (selection.token) selection.token = of_stack(selection.stack)(*selection.token);
  if (selection.token == -1) selection.token.reset();
  const bool picks_source = selection.picked.are_keys && selection.attention == AttentionKind::cross;
  for (int& token : selection.picked.tokens)
    token = (picks_source ? source : of_stack(selection.stack))(token);
  const auto follow = [&](const StageId& stage, Axis axis, int& index) {
    const bool reads_encoder = stage.attention == AttentionKind::cross;
    const bool ends_model = info(stage.kind).scope == StageScope::model;
    const Follower& queries = of_stack(ends_model ? after.architecture.last_stack() : stage.stack);
    if (axis == Axis::vocabulary) index = followed_word(before, after, index);
    if (!is_token_axis(axis)) return;
    index = axis == Axis::key_tokens && reads_encoder ? source(index) : queries(index);
  };
  follow_cover(after.cover, follow);
  if (!selection.pin) return after;
  Pin& pin = *selection.pin;
  follow(pin.stage, info(pin.stage.kind).rows, pin.row);
  follow(pin.stage, info(pin.stage.kind).cols, pin.col);
  if (pin.row < 0 || pin.col < 0) selection.pin.reset();
  return after;
}

void set_tokenizer(Session& session, TokenizerKind tokenizer) {
  const Session before = session;
  session.tokenizer = tokenizer;
  session = with_tokens_followed(before, session);
}

/// Whether a model knows at least half of the words, or of the ids, of a sentence. A tokenizer of its own
/// must find more in it than special tokens.
bool knows(const TrainedModel& model, const std::string& sentence) {
  if (model.tokenizer) return !std::ranges::all_of(model.tokenizer->tokenize(sentence), &Token::is_special);
  const bool reads_ids = model.tokenizer_kind() == TokenizerKind::ids;
  const std::vector<Token> tokens = tokenize(sentence, reads_ids ? TokenizerKind::ids : TokenizerKind::word);
  const auto known = std::ranges::count_if(tokens, [&](const Token& token) {
    return reads_ids ? token.id >= 0 && token.id < model.vocabulary.size() : model.vocabulary.knows(token);
  });
  return 2 * known >= static_cast<std::ptrdiff_t>(tokens.size());
}

/// “0, 1, 2”: the default text of a model that reads only ids.
std::string first_ids(int n) {
  std::string text;
  for (int id = 0; id < n; ++id) text.append(id == 0 ? "" : ", ").append(std::to_string(id));
  return text;
}

/// Sets a text of ids if the model reads only ids and the session has none.
void keep_ids(const Vocabulary& vocabulary, std::string& text) {
  const std::vector<Token> tokens = tokenize(text, TokenizerKind::ids);
  const auto is_id = [&](const Token& token) { return token.id >= 0 && token.id < vocabulary.size(); };
  if (!tokens.empty() && std::ranges::all_of(tokens, is_id)) return;
  constexpr int n_shown = 8;
  text = first_ids(std::min(n_shown, vocabulary.size()));
}

/// Whether a sentence came with a preset or with the model, possibly continued by it, so that it may be
/// replaced with it.
bool is_ready_made(const std::string& sentence, const ModelRef& model, const std::string& of_task) {
  constexpr std::size_t distinctive = 12;  // bytes; many texts begin with a shorter one
  if (model && !model->example.empty() &&
      (sentence == model->example ||
       (model->example.size() >= distinctive && sentence.starts_with(model->example + " "))))
    return true;
  const auto n_commas = static_cast<int>(std::ranges::count(sentence, ','));
  if (n_commas > 0 && sentence == first_ids(n_commas + 1)) return true;
  const bool is_of_preset =
      std::ranges::any_of(presets(), [&](const Preset& each) { return each.session.sentence == sentence; });
  if (is_of_preset) return true;
  const auto kind = parse_task_name(of_task);
  return kind && std::ranges::count(task(*kind).example_sentences(), sentence) > 0;
}

void open_model(Session& session, const OpenModel& action) {
  const auto& model = action.model;
  const ModelRef before_model = std::exchange(session.model, model);
  const std::string before_task = std::exchange(session.task, model ? model->task : "");
  if (action.training) session.training = *action.training;
  if (!model) {
    // The sizes of a capture are those of its numbers, and no model has them.
    if (session.architecture.foreign.captured) {
      session.architecture = {};
      session.attention = {};
    }
    return;
  }
  const bool reads_other_ids = session.tokenizer == TokenizerKind::ids && !model->accepts(TokenizerKind::ids);
  // A scene's title and note are about what it showed.
  session.title.clear();
  session.note.clear();
  if (!model->accepts(session.tokenizer)) set_tokenizer(session, model->tokenizer_kind());
  const bool reads_target = model->model.architecture.has_cross();
  const bool is_another_task = !before_task.empty() && !session.task.empty() && before_task != session.task;
  const bool takes_example =
      model->is_capture() ||
      (!action.example.empty() &&
       (is_another_task || reads_other_ids ||
        is_ready_made(session.sentence, before_model, before_task == session.task ? "" : before_task) ||
        !knows(*model, session.sentence) || (reads_target && !knows(*model, session.target))));
  static_cast<Subject&>(session) = with_defaults(session.subject(), defaults_of(session, model));
  if (session.tokenizer == TokenizerKind::ids) {
    session.batch.clear();
    keep_ids(model->vocabulary, session.sentence);
    keep_ids(model->vocabulary, session.target);
    session.texts = {};
  }
  if (session.view == PageName::by_hand) session.view = Session{}.view;
  Selection& selection = session.selection;
  selection.pin.reset();
  selection.heads.clear();
  selection.stack = session.architecture.last_stack();
  selection.layer = model->layer;
  selection.head = model->head;
  selection.attention = session.architecture.has_cross() ? AttentionKind::cross : AttentionKind::self;
  if (!takes_example) return;
  Session before = session;
  session.batch.clear();
  session.sentence = action.example;
  if (!action.example_target.empty()) session.target = action.example_target;
  session = with_tokens_followed(before, session);
  if (action.example_token || session.sentence != before.sentence)
    session.selection.token = action.example_token;
}

void show_weights(Session& session, const ModelRef& model) {
  const bool learns_other = session.model && model && session.model->corpus != model->corpus;
  const bool fits = model && model->task == session.task && !learns_other &&
                    model->model.architecture == session.architecture;
  if (fits) session.model = model;
}

/// Drops trained weights that no longer fit: they belong to one architecture, and their words to the default
/// tokenizer.
void drop_incompatible_model(Session& session) {
  if (session.tokenizer != TokenizerKind::word) session.task.clear();
  if (!session.model) return;
  const bool fits =
      session.model->model.architecture == session.architecture && session.model->accepts(session.tokenizer);
  if (!fits) session.model.reset();
}

/// Keeps the sentence in the batch, if there is one.
void keep_in_batch(Session& session) {
  if (session.batch.empty()) return;
  session.batch[static_cast<std::size_t>(session.sequence)] = session.sentence;
}

void set_batch(Session& session, const std::vector<std::string>& sentences) {
  session.batch = sentences;
  const int last = std::max(static_cast<int>(sentences.size()) - 1, 0);
  session.sequence = std::min(session.sequence, last);
  use_batch_sentence(session);
}

Session with_sentence(const Session& session, const SetSentence& action) {
  Session next = session;
  next.sentence = action.sentence;
  if (action.target) next.target = *action.target;
  keep_in_batch(next);
  return with_tokens_followed(session, std::move(next));
}

/// Returns the session with these values, and with the marks moved with their tokens.
Session with_settings(const Session& session, std::span<const SettingChange> changes) {
  auto changed = with_changes(session, changes);
  if (!changed) return session;
  const bool reads_same = changed->sentence == session.sentence && changed->target == session.target &&
                          changed->tokenizer == session.tokenizer;
  // All sentences of a batch share the masks, so marks keep their cells when another one is shown.
  if (reads_same || changed->sequence != session.sequence) return *std::move(changed);
  keep_in_batch(*changed);
  return with_tokens_followed(session, *std::move(changed));
}

void hold(Session& session, const SetCompared& action) {
  Subject subject = action.subject ? *action.subject : session.subject();
  if (subject.interventions.take_from_compared()) return;
  subject.selection.stage = session.selection.stage;
  session.compared = {std::move(subject)};
}

void swap_with_compared(Session& session) {
  if (session.compared.empty() || session.interventions.take_from_compared()) return;
  Subject before = session.subject();
  static_cast<Subject&>(session) = std::exchange(session.compared.front(), std::move(before));
}

Session with_choices(const Session& session, const SetChoices& action) {
  if (action.sentences.empty()) return session;
  std::vector<Subject> compared;
  Session base = session;
  base.interventions = without_compared(std::move(base.interventions));
  for (std::size_t i = 0; i + 1 < action.sentences.size(); ++i)
    compared.push_back(with_sentence(base, action.sentences[i]).subject());
  Session next = with_sentence(session, action.sentences.back());
  if (!compared.empty()) next.compared = std::move(compared);
  next.view = PageName::compare;
  return next;
}

void set_given(Session& session, const SetGiven& action) {
  const std::string path = canonical_path(session.architecture, action.path);
  if (!action.numbers) {
    session.given = without_given(std::move(session.given), path);
    return;
  }
  Session changed = session;
  changed.given = with_given({}, {path, std::make_shared<const OwnedMatrix>(*action.numbers)});
  changed.given = valid_given(changed);
  for (GivenMatrix& each : changed.given.all)
    session.given = with_given(std::move(session.given), std::move(each));
}

void show_head(Selection& selection, const HeadIndex& place) {
  selection.layer = place.layer;
  selection.head = place.head;
  if (!selection.pin) return;
  StageId& pinned = selection.pin->stage;
  const bool is_here = pinned.stack == selection.stack && pinned.attention == selection.attention;
  if (info(pinned.kind).scope != StageScope::head || !is_here) return;
  pinned.layer = place.layer;
  pinned.head = place.head;
}

void show_stage(Session& session, StageKind stage) {
  Selection& selection = session.selection;
  selection.stage = stage;
  for (Subject& compared : session.compared) compared.selection.stage = stage;
  if (selection.pin && selection.pin->stage.kind != stage) selection.pin.reset();
}

/// Whether a page is about heads, or one of the pages beside it in Explore.
bool is_about_heads(PageName page) {
  using enum PageName;
  constexpr std::array pages{explore, lines, stages, watch, heads, compare, effects};
  return std::ranges::find(pages, page) != pages.end();
}

/// Pages about heads do not open for a selected part outside the heads, such as on the diagram.
void come_to_heads(Session& session, PageName next) {
  const bool is_outside = info(session.selection.stage).scope != StageScope::head;
  if (is_outside && is_about_heads(next) && !is_about_heads(session.view))
    show_stage(session, Selection{}.stage);
}

/// Pins a cell. If the cell does not exist, the previous pin stays.
void pin_cell(Session& session, const Pin& pin) {
  Session pinned = session;
  pinned.selection.pin = pin;
  pinned = repaired(std::move(pinned), session);
  if (pinned.selection.pin) session.selection.pin = pinned.selection.pin;
}

/// An edit of the selection alone, which the history keeps without making a step.
SessionEdit selecting(std::function<void(Selection&)> select) {
  return {no_step, [select = std::move(select)](Session& session) { select(session.selection); }};
}

/// An edit of the mask of the selected attention.
SessionEdit masking(UndoRole role, std::function<void(MaskSpec&)> change) {
  return {role, [change = std::move(change)](Session& session) {
            change(selected_mask(session, session.attention));
          }};
}

Session carried_out(const Session& session, const Action& action) {
  Session next = session;
  const Overloaded apply{
      [&](const SetSentence& a) { next = with_sentence(session, a); },
      [&](const SetChoices& a) { next = with_choices(session, a); },
      [&](const SetTarget& a) {
        next.target = a.target;
        next = with_tokens_followed(session, std::move(next));
      },
      [&](const SetBatch& a) {
        set_batch(next, a.sentences);
        next = with_tokens_followed(session, std::move(next));
      },
      [&](const ChangeSettings& a) { next = with_settings(session, a.changes); },
      [&](const RestoreDefaults& a) {
        if (next.tokenizer != a.of.tokenizer) set_tokenizer(next, a.of.tokenizer);
        static_cast<Subject&>(next) = with_defaults(next.subject(), a.of);
      },
      [&](const OpenModel& a) { open_model(next, a); },
      [&](const ShowWeights& a) { show_weights(next, a.model); },
      [&](const SetGiven& a) { set_given(next, a); },
      [&](const SetView& a) {
        if (!is_view(a.view)) return;
        come_to_heads(next, a.view);
        next.view = a.view;
      },
      [&](const SetCompared& a) { hold(next, a); },
      [&](const SwapCompared&) { swap_with_compared(next); },
      [&](const SelectToken& a) {
        next.selection.token = a.token;
        next.selection.picked = {};
      },
      [&](const PinCell& a) { pin_cell(next, a.pin); },
      [&](const OpenSession& a) { next = a.session; },
      [&](const SessionEdit& a) { a.apply(next); },
  };
  std::visit(apply, action);
  drop_incompatible_model(next);
  return next;
}

}  // namespace

Action::Action(const Action& other) = default;
Action::Action(Action&& other) noexcept = default;
Action& Action::operator=(const Action& other) = default;
Action& Action::operator=(Action&& other) noexcept = default;
Action::~Action() = default;

UndoRole undo_role(const Action& action) {
  const auto* settings = std::get_if<ChangeSettings>(&action);
  const auto is_selection = [](const SettingChange& change) {
    const Setting* setting = find_setting(change.key);
    return setting != nullptr && setting->is_selection;
  };
  if (settings != nullptr && std::ranges::all_of(settings->changes, is_selection)) return no_step;
  if (const auto* edit = std::get_if<SessionEdit>(&action)) return edit->role;
  return std::visit(
      []<class Kind>(const Kind&) {
        if constexpr (requires { Kind::undo; }) return Kind::undo;
        return UndoRole{};
      },
      static_cast<const AnyAction&>(action));
}

bool is_typing(const Action& action) {
  return std::holds_alternative<SetSentence>(action) || std::holds_alternative<SetChoices>(action) ||
         std::holds_alternative<SetTarget>(action);
}

SessionEdit train_from_scratch(ModelRef first) {
  return {{}, [first = std::move(first)](Session& session) {
            if (first) session.model = first;
            if (!session.task.empty()) session.model.reset();
          }};
}

SessionEdit set_interventions(Interventions interventions) {
  return {step_by_setting,
          [all = in_order(std::move(interventions))](Session& session) { session.interventions = all; }};
}

SessionEdit set_given_matrices(std::vector<GivenMatrix> matrices) {
  return {{}, [all = std::move(matrices)](Session& session) {
            for (const GivenMatrix& each : all) set_given(session, {each.path, *each.numbers});
          }};
}

SessionEdit set_mask_files(std::vector<std::shared_ptr<const LoadedMask>> masks) {
  return masking({}, [masks = std::move(masks)](MaskSpec& mask) { mask.loaded = masks; });
}

SessionEdit toggle_padding(int key) {
  return masking({}, [key](MaskSpec& mask) {
    if (std::erase(mask.padding, key) == 0) mask.padding.push_back(key);
  });
}

SessionEdit paint_cell(Cell cell, bool hidden) {
  return masking(step_of("paint"), [cell, hidden](MaskSpec& mask) {
    std::erase(mask.painted, cell);
    if (hidden) mask.painted.push_back(cell);
  });
}

SessionEdit clear_painted() {
  return masking({}, [](MaskSpec& mask) { mask.painted.clear(); });
}

SessionEdit clear_compared() {
  return {{}, [](Session& session) {
            session.compared.clear();
            session.interventions = without_compared(std::move(session.interventions));
          }};
}

SessionEdit open_compared_head(std::size_t compared, HeadIndex place) {
  return {no_step, [compared, place](Session& session) {
            if (compared < session.compared.size()) show_head(session.compared[compared].selection, place);
          }};
}

SessionEdit select_stage(StageKind stage) {
  return {no_step, [stage](Session& session) { show_stage(session, stage); }};
}

SessionEdit select_place(Stack stack, int layer, AttentionKind attention) {
  return selecting([=](Selection& selection) {
    selection.stack = stack;
    selection.layer = layer;
    selection.attention = attention;
    selection.pin.reset();
  });
}

SessionEdit select_place_of(const StageId& stage, const Selection& selection) {
  const StageScope scope = info(stage.kind).scope;
  return select_place(scope >= StageScope::stack ? stage.stack : selection.stack,
                      scope >= StageScope::layer ? stage.layer : selection.layer, stage.attention);
}

SessionEdit select_head(int head) {
  return selecting([head](Selection& selection) {
    selection.head = head;
    if (selection.pin && info(selection.pin->stage.kind).scope == StageScope::head)
      selection.pin->stage.head = head;
  });
}

SessionEdit open_head(HeadIndex place) {
  return selecting([place](Selection& selection) { show_head(selection, place); });
}

SessionEdit set_cover(Cover cover) {
  return {step_by_setting, [cover = std::move(cover)](Session& session) { session.cover = cover; }};
}

SessionEdit load_preset(std::string name) {
  return {{}, [name = std::move(name)](Session& session) {
            const auto preset = std::ranges::find(presets(), name, &Preset::name);
            if (preset == presets().end()) return;
            Session next = with_subject(session, preset->session.subject());
            next.title.clear();
            next.note.clear();
            // Numbers by hand are not comparable with the previous subjects.
            if (preset->session.view != PageName::by_hand) {
              next.compared = session.compared;
              next.difference = session.difference;
            }
            // A preset with a page of its own opens it. Other pages do not suit a head by hand.
            if (preset->session.view != Session{}.view || session.view == PageName::by_hand)
              next.view = preset->session.view;
            session = std::move(next);
          }};
}

Session with_architecture(const Session& session, const Architecture& architecture) {
  Session next = session;
  next.architecture = architecture;
  reconcile_stacks(next, session.architecture.stacks);
  next = reduce(session, OpenSession{std::move(next)});
  drop_stale_answers(session, next);
  return next;
}

Session reduce(const Session& session, const Action& action) {
  Session next = carried_out(session, action);
  if (!std::holds_alternative<OpenSession>(action)) drop_stale_answers(session, next);
  // The diagram shows the last selection, and another model has another path.
  const Selection& was = session.selection;
  const Selection& is = next.selection;
  const bool is_elsewhere = is.stage != was.stage || is.stack != was.stack || is.layer != was.layer ||
                            is.attention != was.attention || next.architecture != session.architecture;
  if (is_elsewhere && next.diagram_step == session.diagram_step) next.diagram_step = 0;
  return repaired(std::move(next), session);
}

}  // namespace headscope
