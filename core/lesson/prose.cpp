#include "core/lesson/prose.h"

#include <md4c.h>

#include <algorithm>
#include <array>
#include <exception>
#include <optional>
#include <utility>

#include "core/budget.h"
#include "core/text/utf8.h"

namespace headscope {
namespace {

std::string_view view_of(const MD_ATTRIBUTE& attribute) {
  return {attribute.text, attribute.size};
}

/// The named character references that a lesson may use. Others stay as they were typed.
std::string decoded(std::string_view entity) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> known{
      {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&nbsp;", "\u00a0"}}};
  const auto* found = std::ranges::find(known, entity, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == known.end() ? entity : found->second);
}

bool is_link(std::string_view address) {
  if (address.starts_with("https://") || address.starts_with("http://")) return true;
  return is_lesson_link(address);
}

/// Collects the callbacks of md4c, which return 1 to stop at a mistake.
class Collector {
 public:
  Collector(std::string_view markdown, int line, Budget& budget)
      : markdown_(markdown), line_(line), budget_(budget) {}

  std::exception_ptr thrown;  ///< what a callback threw

  int enter(MD_BLOCKTYPE type, void* detail) {
    switch (type) {
      case MD_BLOCK_QUOTE:
        return deeper();
      case MD_BLOCK_UL:
        lists_.push_back(std::nullopt);
        return deeper();
      case MD_BLOCK_OL:
        lists_.push_back(static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start);
        return deeper();
      case MD_BLOCK_LI:
        begin(ProseBlock::Kind::item);
        blocks_.back().marker = marker();
        item_is_new_ = true;
        return 0;
      case MD_BLOCK_H:
        begin(ProseBlock::Kind::heading);
        return 0;
      case MD_BLOCK_CODE:
        begin(ProseBlock::Kind::formula);
        return 0;
      case MD_BLOCK_P:
        // The first paragraph of an item is the item itself.
        if (!std::exchange(item_is_new_, false)) begin(ProseBlock::Kind::paragraph);
        return 0;
      default:
        return 0;
    }
  }

  int leave(MD_BLOCKTYPE type) {
    if (type == MD_BLOCK_QUOTE) --depth_;
    if (type == MD_BLOCK_UL || type == MD_BLOCK_OL) {
      lists_.pop_back();
      --depth_;
    }
    if (type == MD_BLOCK_CODE) end_formula();
    // What follows a list within an item is a paragraph of its own.
    item_is_new_ = false;
    return 0;
  }

  int enter(MD_SPANTYPE type, void* detail) {
    if (type == MD_SPAN_EM) ++emphasis_;
    if (type == MD_SPAN_STRONG) ++strong_;
    if (type == MD_SPAN_CODE) ++code_;
    if (type == MD_SPAN_IMG) {
      note(view_of(static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
      return fail("pictures from files are not shown: let a scene draw what the step is about");
    }
    if (type != MD_SPAN_A) return 0;
    const std::string_view address = view_of(static_cast<MD_SPAN_A_DETAIL*>(detail)->href);
    budget_.take(address.size());
    note(address);
    link_ = address;
    if (is_link(address)) return 0;
    return fail("the link " + in_quotes(address) +
                " leads nowhere: use an https: or http: address, or a lesson in the same folder (NAME.md)");
  }

  int leave(MD_SPANTYPE type) {
    if (type == MD_SPAN_EM) --emphasis_;
    if (type == MD_SPAN_STRONG) --strong_;
    if (type == MD_SPAN_CODE) --code_;
    if (type == MD_SPAN_A) link_.clear();
    return 0;
  }

  int text(MD_TEXTTYPE type, std::string_view text) {
    note(text);
    item_is_new_ = false;
    switch (type) {
      case MD_TEXT_NULLCHAR:
        return add("\ufffd");
      case MD_TEXT_BR:
        return add("\n");
      case MD_TEXT_SOFTBR:
        return add(" ");
      case MD_TEXT_ENTITY:
        return add(decoded(text));
      default:
        return add(text);
    }
  }

  Result<Prose> take() {
    if (!problem_.empty()) return error_at_line(line_, problem_);
    for (ProseBlock& block : blocks_) {
      const bool is_formula = block.kind == ProseBlock::Kind::paragraph && block.spans.size() == 1 &&
                              block.spans.front().is_code && block.spans.front().link.empty();
      if (is_formula) block.kind = ProseBlock::Kind::formula;
    }
    std::erase_if(blocks_, [](const ProseBlock& block) { return block.spans.empty(); });
    return std::move(blocks_);
  }

 private:
  int fail(std::string problem) {
    problem_ = std::move(problem);
    return 1;
  }
  int deeper() {
    if (++depth_ <= max_prose_depth) return 0;
    return fail("lists and quotations are nested more than " + std::to_string(max_prose_depth) + " deep");
  }
  void begin(ProseBlock::Kind kind) {
    blocks_.push_back({kind, std::max(depth_ - (kind == ProseBlock::Kind::item ? 1 : 0), 0), "", {}});
  }
  std::string marker() {
    if (lists_.empty() || !lists_.back()) return "•";
    return std::to_string((*lists_.back())++) + ".";
  }
  /// Records the line of a text, if it is a part of the parsed text.
  void note(std::string_view text) {
    const char* const end = markdown_.data() + markdown_.size();
    const bool is_inside =
        std::less_equal<>()(markdown_.data() + counted_, text.data()) && std::less<>()(text.data(), end);
    if (!is_inside) return;
    const auto at = static_cast<std::size_t>(text.data() - markdown_.data());
    line_ += static_cast<int>(std::ranges::count(markdown_.substr(counted_, at - counted_), '\n'));
    counted_ = at;
  }
  int add(std::string_view text) {
    // Every span of a linked text has the address.
    budget_.take(1, 2 * (text.size() + link_.size()) + sizeof(ProseSpan));
    if (blocks_.empty()) begin(ProseBlock::Kind::paragraph);
    std::vector<ProseSpan>& spans = blocks_.back().spans;
    ProseSpan span{std::string(text), strong_ > 0, emphasis_ > 0, code_ > 0, link_};
    if (!spans.empty()) {
      ProseSpan& last = spans.back();
      const bool is_alike = last.is_strong == span.is_strong && last.is_emphasised == span.is_emphasised &&
                            last.is_code == span.is_code && last.link == span.link;
      if (is_alike) {
        last.text += span.text;
        return 0;
      }
    }
    spans.push_back(std::move(span));
    return 0;
  }
  /// Fenced code is one formula of several lines, each of which md4c ends.
  void end_formula() {
    std::vector<ProseSpan>& spans = blocks_.back().spans;
    for (ProseSpan& span : spans) span.is_code = true;
    while (!spans.empty() && spans.back().text.ends_with('\n')) spans.back().text.pop_back();
    if (!spans.empty() && spans.back().text.empty()) spans.clear();
  }

  std::string_view markdown_;
  int line_;                 ///< Of the last text that was found.
  std::size_t counted_ = 0;  ///< Where that text is.
  Prose blocks_;
  std::vector<std::optional<unsigned>> lists_;  ///< The number of the next item, or none for bullets.
  int depth_ = 0, emphasis_ = 0, strong_ = 0, code_ = 0;
  bool item_is_new_ = false;
  std::string link_;
  Budget& budget_;
  std::string problem_;
};

/// Runs a callback of md4c. An exception must not pass through md4c's frames, so it is stored until they are
/// left.
template <class Callback>
int collected(void* data, const Callback& callback) {
  Collector& into = *static_cast<Collector*>(data);
  try {
    return callback(into);
  } catch (...) {
    into.thrown = std::current_exception();
    return -1;
  }
}

Result<Prose> prose_within(Budget& budget, std::string_view markdown, int line) {
  Collector found(markdown, line, budget);
  MD_PARSER parser{};
  parser.flags = MD_FLAG_NOHTML | MD_FLAG_NOINDENTEDCODEBLOCKS;
  parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* data) {
    return collected(data, [&](Collector& into) { return into.enter(type, detail); });
  };
  parser.leave_block = [](MD_BLOCKTYPE type, void*, void* data) {
    return collected(data, [&](Collector& into) { return into.leave(type); });
  };
  parser.enter_span = [](MD_SPANTYPE type, void* detail, void* data) {
    return collected(data, [&](Collector& into) { return into.enter(type, detail); });
  };
  parser.leave_span = [](MD_SPANTYPE type, void*, void* data) {
    return collected(data, [&](Collector& into) { return into.leave(type); });
  };
  parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* data) {
    return collected(data, [&](Collector& into) { return into.text(type, {text, size}); });
  };
  const int result = md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &found);
  if (found.thrown) std::rethrow_exception(found.thrown);
  if (result < 0) return error_at_line(line, "there is not enough memory for this text");
  return found.take();
}

}  // namespace

std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  return "“" + truncated(text, longest) + "”";
}

tl::unexpected<Error> error_at_line(int line, const std::string& message) {
  return failure("line " + std::to_string(line) + ": " + message);
}

Result<Prose> read_prose(std::string_view markdown, int line) {
  return within_budget(
      Budget(markdown.size(), 0), "line " + std::to_string(line) + ": this text cannot be read",
      "use fewer or shorter links", [&](Budget& budget) { return prose_within(budget, markdown, line); });
}

bool is_lesson_link(std::string_view address) {
  return address.ends_with(".md") && address.find_first_of("/\\:") == std::string_view::npos;
}

Prose heading_of(std::string text) {
  return {{ProseBlock::Kind::heading, 0, "", {{std::move(text), false, false, false, ""}}}};
}

std::string plain_text(const Prose& prose) {
  std::string text;
  for (const ProseBlock& block : prose) {
    if (!text.empty()) text += '\n';
    if (!block.marker.empty()) text += block.marker + " ";
    for (const ProseSpan& span : block.spans) text += span.text;
  }
  return text;
}

}  // namespace headscope
