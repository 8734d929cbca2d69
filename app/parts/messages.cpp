#include "app/parts/messages.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "app/imgui/imgui_compat.h"
#include "app/parts/number_editor.h"
#include "app/parts/training_status.h"
#include "core/checkpoint/model_folder.h"
#include "core/page/page_record.h"
#include "core/text/utf8.h"
#include "core/trace/place_text.h"

namespace headscope {
namespace {

template <ClickMode mode>
bool clicks(const Session&, const ScreenState& screen) {
  return screen.is(mode);
}

/// Whether the page shows the held subject A.
bool compares(const Session& session, const ScreenState&) {
  return !session.compared.empty() && (session.view == PageName::compare || session.difference);
}

/// The modes, the innermost first.
constexpr std::array records{
    Mode{.name = "Painting the mask",
         .ends = CommandId::toggle_paint,
         .ending = "Ends painting (Esc); what was painted stays",
         .ended = "",
         .is_on = clicks<ClickMode::painting>,
         .hint = "Click or drag over cells of a map to hide them or show them again · Esc ends",
         .brief = "Click cells to hide them"},
    Mode{.name = "Padding",
         .ends = CommandId::toggle_padding_clicks,
         .ending = "Ends padding (Esc); padded tokens stay padded",
         .ended = "",
         .is_on = clicks<ClickMode::padding>,
         .hint = "Click a token of the sentence to pad it, so that no token attends to it · Esc ends",
         .brief = "Click a token to pad it"},
    Mode{.name = "Covering",
         .ends = CommandId::toggle_cover_mode,
         .ending = "Ends covering (Esc); covered cells stay covered",
         .ended = "",
         .is_on = clicks<ClickMode::covering>,
         .hint = "Click or drag over cells to cover their numbers or show them · Esc ends",
         .brief = "Click cells to cover them"},
    Mode{.name = "Comparing with A",
         .ends = CommandId::release,
         .ending = "Stops comparing (Esc); undo brings A back",
         .ended = "A is no longer kept. Undo brings it back.",
         .is_on = compares,
         .hint_with_keys =
             [](const Frame& frame) {
               return "A is frozen; B follows your edits · " + frame.keys_of(PageName::compare) +
                      " compares · hold Alt+D for B − A · Esc or " + frame.keys_of(CommandId::release) +
                      " stops comparing";
             },
         .brief = "A stays; changes are B"},
};

/// A time such as "23 November, 17:40".
std::string time_text(std::filesystem::file_time_type written) {
  using namespace std::chrono;
  // The two clocks have different epochs, so measure the age with one and subtract it from the other.
  const auto age = duration_cast<nanoseconds>(std::filesystem::file_time_type::clock::now() - written);
  const std::time_t time = system_clock::to_time_t(round<seconds>(system_clock::now() - age));
  std::tm local{};
  if (::localtime_r(&time, &local) == nullptr) return {};
  std::array<char, 64> text{};
  std::strftime(text.data(), text.size(), "%e %B, %H:%M", &local);
  const std::string_view said(text.data());
  return std::string(said.substr(std::min(said.find_first_not_of(' '), said.size())));
}

/// Whether this click is the second one of a double click, and not meant for the session that has moved into
/// that place.
bool is_double_click(std::optional<double> last_answer) {
  const double pressed = ImGui::IsMouseReleased(0) ? ImGui::GetIO().MouseClickedTime[0] : ImGui::GetTime();
  return last_answer && pressed < *last_answer + double_click_seconds;
}

MessageLink link_to(std::string label, std::string tooltip, std::function<void(Frame&)> act) {
  return {std::move(label), std::move(tooltip), {{"", std::move(act)}}};
}

std::function<void(Frame&)> answer(const RecoverableSession& left, bool opens) {
  return [folder = left.folder, opens](Frame& frame) {
    ScreenState& screen = frame.screen;
    auto& last = screen.own.of<std::optional<double>>("answered recovery");
    if (is_double_click(last)) return;
    screen.recovery_choice = RecoveryChoice{folder, opens};
    last = ImGui::GetTime();
  };
}

/// The message about a recoverable session. The newest comes first, and its message also explains what
/// happened.
Message recovery_message(const std::vector<RecoverableSession>& all, std::size_t index) {
  const bool is_newest = index == 0;
  const RecoverableSession& left = all[index];
  const std::string opens = "Restores it; undo returns to this session";
  constexpr std::size_t max_letters = 60;
  const std::string sentence = truncated(left.sentence, max_letters);
  Message message;
  message.text = !is_newest        ? time_text(left.written) + ": " + sentence
                 : all.size() == 1 ? "Headscope quit unexpectedly last time. Your session was saved."
                                   : "Headscope quit unexpectedly " + std::to_string(all.size()) +
                                         " times. Each session was saved.";
  message.links = {
      link_to(is_newest ? "Open that session" : "Open", all.size() == 1 ? opens : opens + ": " + sentence,
              answer(left, true)),
      link_to(is_newest ? "Discard it" : "Discard", "Deletes the saved session", answer(left, false))};
  return message;
}

void add_recovery_messages(const Frame& frame, std::vector<Message>& all) {
  if (!frame.screen.offers_recovery) return;
  const std::vector<RecoverableSession>& recoverable_sessions = *frame.screen.recoverable_sessions;
  for (std::size_t i = 0; i < recoverable_sessions.size(); ++i)
    all.push_back(recovery_message(recoverable_sessions, i));
}

/// The given numbers that a message must mention. On the page by hand, these are only the numbers that
/// override computed ones; all others are given anyway.
GivenNumbers given_to_report(const Session& session) {
  GivenNumbers given = session.given;
  if (session.view != PageName::by_hand) return given;
  std::erase_if(given.all, [](const GivenMatrix& each) {
    const auto stage = parse_path(each.path);
    return stage && (stage->kind == StageKind::input || info(stage->kind).is_parameter());
  });
  return given;
}

/// Adds the links to the numbers that are given. A single link acts at once; several ask which one is meant.
void add_given(const Frame& frame, std::vector<Message>& all) {
  const GivenNumbers given = given_to_report(frame.session);
  if (given.empty()) return;
  const Architecture& a = frame.session.architecture;
  MessageLink edit{"edit", "Shows these numbers and lets you change them", {}};
  MessageLink undo{"undo", "Removes the numbers and computes everything without them", {}};
  for (const GivenMatrix& each : given.all) {
    const auto stage = parse_path(each.path);
    if (!stage) continue;
    const std::string name = stage_words(a, *stage);
    edit.entries.push_back({name, [id = *stage](Frame& now) { open_number_editor(now.screen, id); }});
    undo.entries.push_back({name, [path = each.path](Frame& now) {
                              now.emit(SetGiven{path, std::nullopt});
                            }});
  }
  if (given.all.size() > 1) {
    undo.entries.push_back({"All of them", [given](Frame& now) {
                              for (const GivenMatrix& each : given.all)
                                now.emit(SetGiven{each.path, std::nullopt});
                            }});
  }
  all.push_back({given_sentence(a, given),
                 NoticeKind::information,
                 {std::move(edit), std::move(undo)},
                 "Numbers by hand"});
}

void add_interventions(const Frame& frame, std::vector<Message>& all) {
  if (!frame.trace || frame.session.view == PageName::effects) return;
  const std::string changed = interventions_text(*frame.trace);
  if (changed.empty()) return;
  Message message{"Interventions: " + changed, NoticeKind::information, {}, "Interventions"};
  message.links = {
      link_to("effects", "Shows what they change", [](Frame& now) { now.emit(SetView{PageName::effects}); }),
      link_to("undo", "Removes all of them",
              [](Frame& now) { now.emit(set_interventions(Interventions{})); })};
  all.push_back(std::move(message));
}

/// Says why the page of writing shows another model, until something else is done.
void add_opened_writer(const Frame& frame, std::vector<Message>& all) {
  const Session& session = frame.session;
  if (session.view != PageName::decoding || !session.model || session.model->name != default_writing_model)
    return;
  if (frame.undo_stack.empty()) return;
  const Session& before = *frame.undo_stack.back();
  const bool filled_in =
      before.model && before.model != session.model && before.architecture.last_stack() == Stack::encoder;
  if (!filled_in) return;
  all.push_back({"Stories has taken the place of a model that only fills in words",
                 NoticeKind::information,
                 {link_to("Back to my sentence", "Brings back the sentence and its model",
                          [](Frame& now) { now.emit(CommandId::undo); })},
                 "Opened Stories"});
}

void add_ids(const Frame& frame, std::vector<Message>& all) {
  const ModelRef& model = frame.session.model;
  const bool has_text = !model || !model->is_foreign() || model->is_capture() || model->tokenizer;
  if (has_text || frame.session.tokenizer != TokenizerKind::ids) return;
  all.push_back({"No tokenizer was found beside this model, so its sentence is a list of token ids",
                 NoticeKind::information,
                 {},
                 "Token ids"});
}

}  // namespace

std::span<const Mode> modes() {
  return records;
}

const Mode* mode_of(const Session& session, const ScreenState& screen) {
  const auto found =
      std::ranges::find_if(records, [&](const Mode& mode) { return mode.is_on(session, screen); });
  return found == records.end() ? nullptr : &*found;
}

std::vector<Message> messages(const Frame& frame) {
  std::vector<Message> all;
  const auto warn = [&all](const std::string& problem, const char* further) {
    if (!problem.empty()) all.push_back({problem + further, NoticeKind::warning, {}});
  };
  // If there is no page, the error is shown in its place.
  if (frame.trace) warn(frame.error, ". Showing the last pass that could be computed.");
  if (frame.trace) warn(overflow_text(*frame.trace), "");
  warn(training_problem(frame), ".");
  add_recovery_messages(frame, all);
  add_given(frame, all);
  add_interventions(frame, all);
  add_ids(frame, all);
  add_opened_writer(frame, all);
  return all;
}

}  // namespace headscope
