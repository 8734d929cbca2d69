#include "app/parts/setting_control.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "app/widgets/controls.h"
#include "app/widgets/paint.h"
#include "app/widgets/panel.h"
#include "app/widgets/slider.h"
#include "app/widgets/text.h"

namespace headscope {
namespace {

/// The label of a control, with an identifier that stays the same when the text changes.
std::string label_of(std::string_view text) {
  return std::string(text) + "###control";
}

/// Shortens an error for display below a control: "65 is not divisible by 4 heads". Leaves out the setting's
/// name, which stands beside the control, and the valid values after the colon, which follow as links.
std::string short_reason(const std::string& why) {
  constexpr std::string_view name = "d_model ";
  const std::string reason = why.substr(0, why.find(": "));
  return reason.starts_with(name) ? reason.substr(name.size()) : reason;
}

/// Draws the control of one setting.
class SettingDrawer {
 public:
  SettingDrawer(Frame& frame, const Setting& setting, const char* tooltip)
      : frame_(frame),
        setting_(setting),
        control_(setting.control),
        session_(frame.session),
        tooltip_(tooltip) {}

  void operator()(const field::Integer& f) const {
    const int now = f.value.read(session_);
    if (control_.slider_label.empty()) {
      slide(label(), now, f.low, f.last == nullptr ? f.high : f.last(session_));
    } else if (slider_label(now > 0)) {
      slide(control_.slider_label, now, std::max(f.low, 1), f.high);
    }
  }
  void operator()(const field::OptionalInteger& f) const {
    const std::optional<int> now = f.value.read(session_);
    const int last = f.last == nullptr ? f.high : f.last(session_);
    if (control_.derived_value != nullptr) {
      automatic_slider(now, control_.derived_value(session_), f.low, last);
    } else if (slider_label(now.has_value()) && now) {
      slide(control_.slider_label, *now, f.low, last);
    }
  }
  void operator()(const field::Real& f) const {
    const float now = f.value.read(session_);
    if (control_.is_typed) {
      float typed = now;
      if (decimal_field(frame_.ui, label_of(label()).c_str(), typed, tooltip_))
        change(static_cast<double>(std::clamp(typed, f.low, f.high)));
    } else if (control_.slider_label.empty()) {
      slide(label(), static_cast<double>(now), static_cast<double>(f.low), static_cast<double>(f.high));
    } else if (slider_label(now > 0.0F)) {
      slide(control_.slider_label, static_cast<double>(now), static_cast<double>(f.low),
            static_cast<double>(f.high));
    }
  }
  void operator()(const field::Bound& f) const {
    slide(label(), f.value.read(session_), f.min_for(session_), f.high);
  }
  void operator()(const field::Seed& f) const {
    std::uint64_t seed = f.value.read(session_);
    if (number_field(frame_.ui, label_of(label()).c_str(), seed, UINT32_MAX, tooltip_))
      change(static_cast<double>(seed));
  }
  void operator()(const field::Flag& f) const { flip(f.value.read(session_)); }
  void operator()(const field::NamedFlag& f) const { flip(f.value.read(session_)); }
  void operator()(const field::Choice& f) const {
    const std::span<const std::string_view> shown = control_.names.empty() ? f.names : control_.names;
    const std::vector<std::string> names(shown.begin(), shown.end());
    int chosen = static_cast<int>(f.read(session_));
    const bool is_list = control_.is_dropdown || !fit_side_by_side(names);
    bool is_changed = false;
    if (is_list) {
      is_changed = combo(frame_.ui, label_of(label()).c_str(), names, chosen, tooltip_);
    } else {
      text(frame_.ui, label(), Font::sans, text_size::body, frame_.ui.theme().text);
      is_changed = segmented(frame_.ui, "control", names, chosen, tooltip_);
    }
    if (is_changed) change(std::string(f.names[static_cast<std::size_t>(chosen)]));
  }
  /// Settings of other kinds have their own controls in the parts of the panel.
  template <class Other>
  void operator()(const Other&) const {}

 private:
  std::string_view label() const {
    return control_.label_for == nullptr ? control_.label : control_.label_for(session_);
  }
  void change(SettingInput value) const { change_setting(frame_, setting_, std::move(value)); }

  void flip(bool on) const {
    if (toggle(frame_.ui, label_of(label()).c_str(), on, tooltip_)) change(on);
  }

  /// Draws the switch of a setting that may be empty, and returns whether it has a value.
  bool slider_label(bool on) const {
    bool wanted = on;
    if (!toggle(frame_.ui, label_of(label()).c_str(), wanted, tooltip_)) return on;
    const bool may_be_nothing = std::holds_alternative<field::OptionalInteger>(setting_.field);
    if (wanted) {
      change(control_.first(session_));
    } else {
      change(may_be_nothing ? SettingInput(std::monostate()) : SettingInput(0.0));
    }
    return on;
  }

  IntRange range_of(int now, int low, int high) const {
    const bool has_own = control_.low != control_.high || control_.low != 0.0;
    IntRange range{has_own ? static_cast<int>(control_.low) : low,
                   has_own ? static_cast<int>(control_.high) : high,
                   static_cast<int>(control_.step),
                   control_.logarithmic,
                   low,
                   high};
    if (control_.ends_at_n_tokens && frame_.trace) range.max = std::max(range.max, frame_.trace->n_tokens());
    if (control_.derived_value != nullptr) range.max = std::max(range.max, control_.derived_value(session_));
    range.min = std::min(range.min, now);
    range.max = std::max({range.max, now, range.min + 1});
    if (range.min < 1) range.logarithmic = false;
    return range;
  }

  Complaint complaint_about(int number, const IntRange& range) const {
    const SettingChange wanted{setting_.key, static_cast<double>(number)};
    const auto changed = with_changes(session_, std::span(&wanted, 1));
    const auto holds = changed ? validate(changed->architecture) : Result<void>();
    const std::string why = !changed ? changed.error().message : !holds ? holds.error().message : "";
    std::vector<int> nearest = nearest_possible(session_, setting_, number, range.min_typed, range.max_typed);
    return {short_reason(why) + (nearest.empty() ? "" : ":"), std::move(nearest)};
  }

  /// The complaint about invalid sizes from a file, shown at the setting with which the error message begins.
  std::optional<Complaint> standing_complaint(int now, const IntRange& range) const {
    if (!setting_.key.starts_with("architecture.")) return std::nullopt;
    const auto holds = validate(session_.architecture);
    if (holds || !holds.error().message.starts_with(control_.label)) return std::nullopt;
    return complaint_about(now, range);
  }

  bool whole_slider(std::string_view name, int& value, const IntRange& range) const {
    const auto complaint = standing_complaint(value, range);
    SliderRules rules;
    if (setting_.key.starts_with("architecture."))
      rules = {[this](int number) { return is_possible_value(session_, setting_, number); },
               [this, &range](int number) { return complaint_about(number, range); }};
    return slider_int(frame_.ui, label_of(name).c_str(), value, range, tooltip_,
                      complaint ? &*complaint : nullptr, rules);
  }

  void slide(std::string_view name, int now, int low, int high) const {
    int value = now;
    if (whole_slider(name, value, range_of(now, low, high))) change(static_cast<double>(value));
  }

  void slide(std::string_view name, double now, double low, double high) const {
    const bool has_own = control_.low != control_.high;
    FloatRange range{static_cast<float>(has_own ? control_.low : low),
                     static_cast<float>(has_own ? control_.high : high), control_.decimals,
                     control_.logarithmic};
    auto value = static_cast<float>(now);
    range.min = std::min(range.min, value);
    range.max = std::max(range.max, value);
    if (range.min <= 0.0F) range.logarithmic = false;
    if (slider_float(frame_.ui, label_of(name).c_str(), value, range, tooltip_))
      change(static_cast<double>(value));
  }

  /// A number that follows from other settings until the user moves it. A link beside its label resets it.
  void automatic_slider(std::optional<int> now, int derived_value, int low, int high) const {
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    int value = now.value_or(derived_value);
    if (whole_slider(label(), value, range_of(value, low, high)))
      change(value == derived_value ? SettingInput(std::monostate())
                                    : SettingInput(static_cast<double>(value)));
    if (!now) return;
    const Ui& ui = frame_.ui;
    const float left = paint::text_width(ui, label(), Font::sans, text_size::body) + ui.px(8.0F);
    const float width = paint::text_width(ui, "automatic", Font::sans, text_size::small);
    if (left + width + ui.px(40.0F) > room) return;
    const ImVec2 after = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({corner.x + left, corner.y + ui.px(2.0F)});
    if (link(frame_.ui, "automatic", "Follow the other settings again", text_size::small))
      change(std::monostate());
    ImGui::SetCursorScreenPos(after);
  }

  bool fit_side_by_side(const std::vector<std::string>& names) const {
    const Ui& ui = frame_.ui;
    const float segment =
        (ImGui::GetContentRegionAvail().x - ui.px(6.0F)) / static_cast<float>(names.size()) - ui.px(6.0F);
    return std::ranges::all_of(names, [&](const std::string& name) {
      return paint::text_width(ui, name, Font::sans, text_size::control) <= segment;
    });
  }

  Frame& frame_;
  const Setting& setting_;
  const Control& control_;
  const Session& session_;
  const char* tooltip_;
};

/// Explains below a control why it rejected a value, over what is there, until the next click.
void show_refusal(Frame& frame, const Setting& setting, ImVec2 corner) {
  SettingsPanel& panel = frame.screen.settings;
  if (panel.refused_key != setting.key) return;
  tooltip_at(frame.ui, panel.refusal, {corner.x, ImGui::GetItemRectMax().y + frame.ui.px(4.0F)});
  const bool is_over = ImGui::IsMouseClicked(ImGuiMouseButton_Left) || ImGui::GetIO().MouseWheel != 0.0F;
  if (is_over) panel.refused_key.clear();
}

}  // namespace

void change_setting(Frame& frame, const Setting& setting, SettingInput value) {
  SettingsPanel& panel = frame.screen.settings;
  const SettingChange change{setting.key, std::move(value)};
  const auto changed = with_changes(frame.session, std::span(&change, 1));
  panel.refused_key = changed ? "" : std::string(setting.key);
  panel.refusal = changed ? "" : changed.error().message;
  frame.ui.wake_in(0.0);
  if (changed) frame.emit(ChangeSettings{{change}});
}

void setting_control(Frame& frame, const Setting& asked) {
  const Setting& setting = of_selected_mask(frame.session, asked);
  const Control& control = setting.control;
  if (control.label.empty() || (control.applies != nullptr && !control.applies(frame.session))) return;
  const ImVec2 corner = ImGui::GetCursorScreenPos();
  ImGui::PushID(setting.key.data(), setting.key.data() + setting.key.size());
  const std::string fixed = why_fixed_by_weights(frame.session, setting);
  const std::string reason = fixed.empty() ? "" : setting.sentence + ("\nNot now: " + fixed);
  ImGui::BeginDisabled(!fixed.empty());
  std::visit(SettingDrawer(frame, setting, fixed.empty() ? setting.sentence : reason.c_str()), setting.field);
  ImGui::EndDisabled();
  ImGui::PopID();
  show_refusal(frame, setting, corner);
}

void compare_link(Frame& frame, const char* label, const char* tooltip, Subject (*variant)(const Session&)) {
  if (!link(frame.ui, label, tooltip)) return;
  frame.emit(SetCompared{variant(frame.session)});
  frame.emit(SetView{PageName::compare});
}

std::vector<std::string> measures_after(const char* first, std::string_view MeasureRecord::*text) {
  std::vector<std::string> all{first};
  for (const MeasureRecord& record : measure_table) all.emplace_back(record.*text);
  return all;
}

void controls_in_lines(Frame& frame, std::span<void (*const)(Frame&)> controls, int in_line, float gap,
                       float height) {
  const float between = frame.ui.px(gap);
  const auto n_in_line = static_cast<float>(in_line);
  const float each = (ImGui::GetContentRegionAvail().x - between * (n_in_line - 1.0F)) / n_in_line;
  int i = 0;
  for (const auto draw : controls) {
    if (i % in_line != 0) ImGui::SameLine(0.0F, between);
    const std::string id = "control in line " + std::to_string(i);
    const InlineChild part(id.c_str(), {each, frame.ui.px(height)});
    draw(frame);
    ++i;
  }
}

}  // namespace headscope
