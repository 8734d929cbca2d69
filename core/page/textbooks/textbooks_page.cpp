#include "core/page/textbooks/textbooks_page.h"

#include <string>

#include "core/page/parts/page_text.h"
#include "core/page/textbooks/quantity_table.h"
#include "core/textbook/example_text.h"
#include "core/textbook/worked_examples.h"

namespace headscope {
namespace {

/// Null until the work is done.
const Work<ComputedExample>* work_on_example(const PageInputs& in, PageTools& tools) {
  return tools.memo.example.get(tools.carry_out, shown_example(in.session).name,
                                [](const std::string& name, Work<ComputedExample>& work) {
                                  if (const WorkedExample* example = worked_example(name))
                                    work.value = compute_example(*example, &work.stop);
                                });
}

void add_quantity(PageText& page, const WorkedExample& example, const ComputedExample& computed,
                  std::size_t index) {
  const Quantity& quantity = example.quantities[index];
  const ComputedQuantity& of_it = computed.quantities[index];
  const Verdict said = verdict(quantity, of_it);
  const bool is_well = said == Verdict::agrees || said == Verdict::unprinted;
  const Theme& theme = page.theme();
  const bool is_single = of_it.problem.empty() && of_it.numbers.values.size() == 1;
  const std::string printed =
      is_single && quantity.printed ? "printed " + quantity_text(quantity, quantity.printed->at(0, 0)) : "";
  const std::string number = is_single ? quantity_text(quantity, of_it.numbers.at(0, 0)) : "";
  if (!is_single) page.space(page_size::spacing);
  const float top = page.y();
  const std::string computed_text = is_single ? "computed " + number : "";
  page.line({{quantity.title, Font::sans_bold, page_size::body, theme.text},
             {printed, Font::mono, page_size::control, is_well ? theme.quiet : theme.warning},
             {computed_text, Font::mono, page_size::control, theme.text},
             {place_of_quantity(example, quantity), Font::mono, page_size::small, page.theme().quiet},
             {verdict_text(quantity, of_it), Font::sans, page_size::small,
              is_well ? page.theme().quiet : page.theme().warning}},
            12.0F);
  if (example.opens())
    page.page().regions.push_back({{0.0F, top, page.width(), page.y() - top}, QuantityArea{index, {}}});
  if (!of_it.problem.empty()) return page.notice("Not computed: " + of_it.problem + ".");
  if (!is_single) add_quantity_table(page, quantity, of_it, index);
  if (!quantity.reason.empty()) page.notice(quantity.reason);
}

}  // namespace

const WorkedExample& shown_example(const Session& session) {
  const WorkedExample* named = worked_example(session.textbook);
  return named == nullptr ? worked_examples().front() : *named;
}

const ComputedExample* computed_example(const PageInputs& in, PageTools& tools) {
  const Work<ComputedExample>* work = work_on_example(in, tools);
  return work == nullptr || !work->problem.empty() ? nullptr : &work->value;
}

Page textbooks_page(const PageInputs& in, const PageSize& size, PageTools& tools) {
  const WorkedExample& example = shown_example(in.session);
  PageText page(in, tools, size.width);
  page.line({{example.heading, Font::sans_bold, page_size::title, page.theme().text}});
  page.paragraph(source_text(example));
  const std::string& name = in.session.textbook;
  if (!name.empty() && name != example.name)
    page.notice("There is no example “" + name + "”; this is the first one.");
  page.paragraph(example.shows, page.theme().text, page_size::body);
  if (!example.note.empty()) page.paragraph(example.note, {}, page_size::body);
  if (!example.impossible.empty()) {
    page.notice(example.impossible);
    return page.take();
  }
  const Work<ComputedExample>* work = work_on_example(in, tools);
  if (work == nullptr) {
    page.paragraph("Computing…", {}, page_size::body);
    return page.take();
  }
  if (!work->problem.empty()) {
    page.notice("Not computed: " + work->problem + ".");
    return page.take();
  }
  page.line({{tally_text(example, work->value), Font::sans_bold, page_size::body, page.theme().text}});
  for (std::size_t i = 0; i < example.quantities.size(); ++i) add_quantity(page, example, work->value, i);
  if (!example.left_out.empty()) page.section("Left out");
  for (const LeftOut& each : example.left_out) page.paragraph(each.name + ": " + each.why);
  return page.take();
}

}  // namespace headscope
