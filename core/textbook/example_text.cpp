#include "core/textbook/example_text.h"

#include "core/overloaded.h"
#include "core/text/number_text.h"

namespace headscope {
namespace {

/// The name of a kind of stage or parameter: "raw", "embedding.table".
std::string name_of_kind(StageKind kind) {
  return std::string(info(kind).name);
}

std::string name_of_origin(const Origin& origin) {
  return std::visit(Overloaded{[](const origin::Stages& o) { return name_of_kind(o.stages.front().kind); },
                               [](const origin::Visible&) { return std::string("mask"); },
                               [](const origin::Candidates&) { return std::string("next word"); },
                               [](const origin::Tile& o) {
                                 return "tile " + std::to_string(o.step) + ": " +
                                        std::string(enum_name(o.what));
                               },
                               [](const origin::Count&) { return std::string("count"); },
                               [](const origin::Cache&) { return std::string("cache"); }},
                    origin);
}

}  // namespace

std::string source_text(const WorkedExample& example) {
  return example.author + ": " + example.title + ", " + example.where;
}

std::string place_of_quantity(const WorkedExample& example, const Quantity& quantity) {
  std::string text = name_of_origin(quantity.origin);
  for (const Reduction reduction : quantity.then) text += " → " + std::string(enum_name(reduction));
  if (example.cases.size() < 2) return text;
  if (quantity.cases.size() > 2) return text + " · " + std::to_string(quantity.cases.size()) + " cases";
  for (std::size_t i = 0; i < quantity.cases.size(); ++i)
    text += (i == 0 ? " · " : ", ") + example.cases[quantity.cases[i]].name;
  return text;
}

std::string verdict_text(const Quantity& quantity, const ComputedQuantity& computed) {
  const auto differing = [&] {
    return std::to_string(computed.n_differing) + " of " +
           count_text(static_cast<long long>(computed.differs.size()), "number") +
           (computed.n_differing == 1 ? " differs" : " differ");
  };
  switch (verdict(quantity, computed)) {
    case Verdict::agrees:
      return quantity.digits == 0 ? "agrees" : "agrees to " + count_text(quantity.digits, "digit");
    case Verdict::explained:
      return differing() + ", explained below";
    case Verdict::disagrees:
      return differing();
    case Verdict::unprinted:
      return "not printed in the source";
    case Verdict::failed:
      return "not computed";
  }
  return {};
}

std::string agreement_text(const WorkedExample& example, const ComputedExample& computed) {
  const AgreementCounts counts = agreement_counts(example, computed);
  const bool is_one = counts.printed == 1;
  std::string text;
  if (counts.printed == 0) {
    text = "Nothing was checked: the source prints no numbers to compare with.";
  } else if (counts.agreeing == counts.printed) {
    text = is_one ? "The one printed number agrees."
                  : "All " + grouped(counts.printed) + " printed numbers agree.";
  } else if (counts.agreeing == 0) {
    text = is_one ? "The one printed number differs."
                  : "None of the " + grouped(counts.printed) + " printed numbers agrees.";
  } else {
    text = grouped(counts.agreeing) + " of " + grouped(counts.printed) + " printed numbers " +
           (counts.agreeing == 1 ? "agrees." : "agree.");
  }
  if (counts.explained > 0)
    text += " " + grouped(counts.explained) +
            (counts.explained == 1 ? " quantity differs for a stated reason."
                                   : " quantities differ for stated reasons.");
  if (counts.unexplained > 0)
    text += " " + grouped(counts.unexplained) +
            (counts.unexplained == 1 ? " quantity differs without a stated reason or cannot be computed."
                                     : " quantities differ without a stated reason or cannot be computed.");
  return text;
}

}  // namespace headscope
