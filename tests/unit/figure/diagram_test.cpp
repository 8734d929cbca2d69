#include "core/figure/diagram.h"

#include <algorithm>
#include <memory>

#include "core/engine/engine.h"
#include "core/model/interventions.h"
#include "core/trace/trace.h"
#include "tests/unit/figure/figure_helpers.h"

namespace headscope {
namespace {

using test::items_of;
using test::uniform_measure;

std::shared_ptr<const Trace> pass_of(const Architecture& architecture, const AttentionOptions& options = {}) {
  Session session;
  session.sentence = "The animal was tired";
  session.target = "Das Tier war zu müde";
  session.architecture = architecture;
  session.attention = options;
  Engine engine(1);
  const auto trace = engine.compute(request_of(session));
  if (!trace) ADD_FAILURE() << trace.error().message;
  return trace ? *trace : nullptr;
}

Architecture two_stacks(Norm norm = Norm::post) {
  Architecture a;
  a.stacks = Stacks::encoder_decoder;
  a.n_layers = 3;
  a.d_model = 32;
  a.n_heads = 8;
  a.d_head = a.d_value = 4;
  a.d_ff = 64;
  a.norm = norm;
  a.residual = true;
  a.output_layer = OutputLayer::tied;
  return a;
}

AttentionOptions causal_target() {
  AttentionOptions options;
  options.target_mask.causal = true;
  return options;
}

std::vector<Architecture> all_sorts() {
  std::vector<Architecture> result{{}, two_stacks(), two_stacks(Norm::pre), two_stacks(Norm::none)};
  for (const Norm norm : {Norm::pre, Norm::none}) {
    result.push_back(two_stacks(norm));
    result.back().kv_latent = 5;
    result.back().positions = Positions::rotary;
    result.back().rotary.fraction = 0.5F;
  }
  Architecture bare;
  bare.output_projection = false;
  bare.positions = Positions::rotary;
  bare.n_layers = 2;
  result.push_back(bare);
  bare.stacks = Stacks::decoder;
  bare.output_projection = true;
  bare.positions = Positions::alibi;
  bare.norm = Norm::pre;
  bare.n_heads = 12;
  bare.d_head = bare.d_value = 8;
  result.push_back(bare);
  return result;
}

const DiagramFrame* captioned(const Diagram& diagram, const std::string& caption) {
  const auto found = std::ranges::find(diagram.frames, caption, &DiagramFrame::caption);
  return found == diagram.frames.end() ? nullptr : &*found;
}

std::vector<std::string> words_of(const Diagram& diagram, const MeasureText& measure) {
  std::vector<std::string> words;
  const std::vector<DiagramMark> marks(diagram.boxes.size());
  for (const Label& label : items_of<Label>(draw_diagram(diagram, marks, light_theme(), measure))) {
    words.push_back(label.text);
  }
  return words;
}

/// Whether a straight line along an axis has a part inside a box.
bool runs_into(Point from, Point to, const Box& box) {
  constexpr float touching = 0.5F;
  return std::max(from.x, to.x) > box.x + touching && std::min(from.x, to.x) < box.right() - touching &&
         std::max(from.y, to.y) > box.y + touching && std::min(from.y, to.y) < box.bottom() - touching;
}

bool on_the_edge(Point p, const Box& box) {
  constexpr float touching = 0.5F;
  const bool beside = std::abs(p.x - box.x) < touching || std::abs(p.x - box.right()) < touching;
  const bool above = std::abs(p.y - box.y) < touching || std::abs(p.y - box.bottom()) < touching;
  return (beside && p.y >= box.y && p.y <= box.bottom()) || (above && p.x >= box.x && p.x <= box.right());
}

std::vector<DiagramRoute> routes_of(const Diagram& diagram) {
  std::vector<DiagramRoute> routes = diagram.ways;
  routes.insert(routes.end(), diagram.shortcuts.begin(), diagram.shortcuts.end());
  return routes;
}

TEST(Diagrams, NameTheUnfoldedLayerAndEachAttentionWithItsHeads) {
  const auto trace = pass_of(two_stacks(), causal_target());
  ASSERT_NE(trace, nullptr);
  const Diagram diagram = layout_diagram(*trace, 1);
  const auto words = words_of(diagram, uniform_measure());
  for (const char* caption :
       {"self-attention, 8 heads", "masked self-attention, 8 heads", "cross-attention, 8 heads", "layer 1"}) {
    ASSERT_NE(captioned(diagram, caption), nullptr) << caption;
    EXPECT_NE(std::ranges::find(words, caption), words.end()) << caption;
  }
  const Box cross = captioned(diagram, "cross-attention, 8 heads")->box;
  int n_inside = 0;
  for (const DiagramBox& part : diagram.boxes) {
    const bool inside = cross.contains({part.box.x, part.box.y}) && part.box.bottom() <= cross.bottom();
    const bool is_of_heads = info(part.stage.kind).scope == StageScope::head;
    EXPECT_EQ(inside, is_of_heads && part.stage.attention == AttentionKind::cross);
    n_inside += inside && part.stage.kind == StageKind::weights ? 1 : 0;
  }
  EXPECT_EQ(n_inside, 8);
}

TEST(Diagrams, ShowTheQueriesKeysAndValuesOfTheSelectedHead) {
  const auto trace = pass_of(two_stacks());
  ASSERT_NE(trace, nullptr);
  constexpr int head = 5;
  const Diagram diagram = layout_diagram(*trace, 1, head);
  for (const StageKind kind : {StageKind::query, StageKind::key, StageKind::value}) {
    for (const AttentionKind attention : {AttentionKind::self, AttentionKind::cross}) {
      const StageId own{kind, Stack::decoder, 1, attention, head};
      const auto box = box_of_stage(*trace, diagram, own);
      ASSERT_TRUE(box);
      EXPECT_EQ(diagram.boxes[*box].stage, own);
      EXPECT_TRUE(diagram.boxes[*box].name.starts_with(kind == StageKind::query ? "Q"
                                                       : kind == StageKind::key ? "K"
                                                                                : "V"));
    }
  }
  const StageId inside{StageKind::raw, Stack::decoder, 1, AttentionKind::self, head};
  const auto box = box_of_stage(*trace, diagram, inside);
  ASSERT_TRUE(box);
  EXPECT_EQ(diagram.boxes[*box].name, "1.5") << "all other stages of a head belong to its box";
}

TEST(Diagrams, OnlyThePicturesOfHeadsAndOfMarkedBoxesStandOut) {
  const auto trace = pass_of(two_stacks());
  ASSERT_NE(trace, nullptr);
  const Diagram diagram = layout_diagram(*trace, 0);
  const Figure picture{20.0F, 20.0F, {}, {FilledRect{{0.0F, 0.0F, 20.0F, 20.0F}, light_theme().accent}}};
  std::vector<DiagramMark> marks(diagram.boxes.size());
  std::ptrdiff_t n_others = 0;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    marks[i].picture = &picture;
    marks[i].is_source = diagram.boxes[i].stage.kind == StageKind::norm;
    const bool stands_out = marks[i].is_source || diagram.boxes[i].stage.kind == StageKind::weights;
    n_others += stands_out ? 0 : 1;
  }
  const auto rects = items_of<FilledRect>(draw_diagram(diagram, marks, light_theme(), uniform_measure()));
  const auto n_veils = std::ranges::count_if(
      rects, [](const FilledRect& rect) { return rect.color.a > 0 && rect.color.a < 255; });
  EXPECT_EQ(n_veils, n_others);
}

TEST(Diagrams, TheFollowedRowStandsOutInAPicture) {
  const auto trace = pass_of(two_stacks());
  ASSERT_NE(trace, nullptr);
  Diagram diagram = layout_diagram(*trace, 0);
  const auto part = std::ranges::find_if(diagram.boxes, [](const DiagramBox& box) {
    return box.picture.w > 0.0F && box.stage.kind != StageKind::weights;
  });
  ASSERT_NE(part, diagram.boxes.end());
  diagram.boxes = {*part};
  const Figure picture{20.0F, 20.0F, {}, {FilledRect{{0.0F, 0.0F, 20.0F, 20.0F}, light_theme().accent}}};
  std::vector<DiagramMark> marks(1);
  marks[0].picture = &picture;
  marks[0].row_top = 0.5F;
  marks[0].row_bottom = 0.75F;
  std::vector<Box> veils;
  for (const FilledRect& rect :
       items_of<FilledRect>(draw_diagram(diagram, marks, light_theme(), uniform_measure())))
    if (rect.color.a > 0 && rect.color.a < 255) veils.push_back(rect.box);
  ASSERT_EQ(veils.size(), 2U);
  EXPECT_FLOAT_EQ(veils[0].h, 10.0F);
  EXPECT_FLOAT_EQ(veils[1].y - veils[0].bottom(), 5.0F);
  EXPECT_FLOAT_EQ(veils[1].h, 5.0F);
}

TEST(Diagrams, TheLayersFrameEnclosesWhatTheLayerComputes) {
  for (const Architecture& architecture : all_sorts()) {
    const auto trace = pass_of(architecture);
    ASSERT_NE(trace, nullptr);
    const Diagram diagram = layout_diagram(*trace, 0);
    int n_layers = 0;
    for (const DiagramFrame& frame : diagram.frames) {
      if (!frame.is_layer) continue;
      ++n_layers;
      for (const DiagramBox& part : diagram.boxes) {
        const bool column = part.box.x >= frame.box.x && part.box.right() <= frame.box.right();
        const bool inside = column && part.box.y >= frame.box.y && part.box.bottom() <= frame.box.bottom();
        const bool of_layer = info(part.stage.kind).scope >= StageScope::layer && part.stage.layer == 0;
        EXPECT_EQ(inside, column && of_layer) << path(part.stage);
      }
    }
    EXPECT_EQ(n_layers, architecture.has_cross() ? 2 : 1);
  }
}

TEST(Diagrams, LinesEndAtBoxesWithAnArrowheadAndRunThroughNone) {
  for (const Architecture& architecture : all_sorts()) {
    const auto trace = pass_of(architecture);
    ASSERT_NE(trace, nullptr);
    for (int open = 0; open < architecture.n_layers; ++open) {
      const Diagram diagram = layout_diagram(*trace, open);
      const auto routes = routes_of(diagram);
      for (const DiagramRoute& route : routes) {
        for (std::size_t i = 1; i < route.size(); ++i) {
          for (const DiagramBox& part : diagram.boxes) {
            EXPECT_FALSE(runs_into(route[i - 1], route[i], part.box)) << part.name;
          }
        }
        const Point end = route.back();
        const bool at_box =
            std::ranges::any_of(diagram.boxes, [&](const auto& part) { return on_the_edge(end, part.box); });
        const bool at_heads = std::ranges::any_of(diagram.frames, [&](const auto& frame) {
          return !frame.is_layer && on_the_edge(end, frame.box);
        });
        EXPECT_TRUE(at_box || at_heads) << end.x << " " << end.y;
      }
      const std::vector<DiagramMark> marks(diagram.boxes.size());
      const auto lines = items_of<Line>(draw_diagram(diagram, marks, light_theme(), uniform_measure()));
      for (const DiagramRoute& route : routes) {
        const auto n_at_the_tip = std::ranges::count(lines, route.back(), &Line::to);
        EXPECT_GE(n_at_the_tip, 3) << "the line and the two strokes of its head";
      }
    }
  }
}

TEST(Diagrams, TheEncodersOutputEndsAtTheHeadsOfCrossAttention) {
  const auto trace = pass_of(two_stacks());
  ASSERT_NE(trace, nullptr);
  for (int open = 0; open < 3; ++open) {
    const Diagram diagram = layout_diagram(*trace, open);
    const DiagramFrame* cross = captioned(diagram, "cross-attention, 8 heads");
    ASSERT_NE(cross, nullptr);
    int n_into_cross = 0;
    for (const DiagramRoute& route : diagram.shortcuts) {
      const Point end = route.back();
      n_into_cross += end.x == cross->box.x && end.y > cross->box.y && end.y < cross->box.bottom() ? 1 : 0;
    }
    EXPECT_EQ(n_into_cross, 1);
    const auto words = words_of(diagram, uniform_measure());
    EXPECT_EQ(std::ranges::count(words, "keys and values"), 1) << open;
  }
}

TEST(Diagrams, ManyFoldedLayersShareAFrameInTheirOrder) {
  Architecture deep = two_stacks();
  deep.stacks = Stacks::encoder;
  deep.n_layers = 12;
  const auto trace = pass_of(deep);
  ASSERT_NE(trace, nullptr);
  const Diagram diagram = layout_diagram(*trace, 2);
  const DiagramFrame* folded = captioned(diagram, "layers 3 to 11, one after another");
  ASSERT_NE(folded, nullptr);
  std::vector<int> layers;
  for (const DiagramBox& part : diagram.boxes) {
    if (!part.is_folded) continue;
    layers.push_back(part.stage.layer);
    const bool is_inside = folded->box.contains({part.box.x, part.box.y});
    EXPECT_EQ(is_inside, part.stage.layer > 2) << "two have a box each";
  }
  EXPECT_EQ(layers, (std::vector<int>{0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11}));
}

TEST(Diagrams, TheDataMovesAlongTheArrowBetweenNeighbours) {
  const auto trace = pass_of(two_stacks());
  ASSERT_NE(trace, nullptr);
  const Diagram diagram = layout_diagram(*trace, 0);
  const auto box = [&](StageKind kind, Stack stack) {
    StageId id{kind, stack, 0};
    return box_of_stage(*trace, diagram, normalized(id)).value_or(0);
  };
  const std::size_t embedding = box(StageKind::embedding, Stack::encoder);
  const std::size_t positions = box(StageKind::positions, Stack::encoder);
  const std::size_t hidden = box(StageKind::hidden, Stack::encoder);
  auto there = path_between(diagram, embedding, positions);
  ASSERT_EQ(there.size(), 4U);
  EXPECT_TRUE(diagram.boxes[embedding].picture.contains(there.front()));
  EXPECT_TRUE(diagram.boxes[positions].picture.contains(there.back()));
  const auto back = path_between(diagram, positions, embedding);
  std::ranges::reverse(there);
  EXPECT_EQ(back, there) << "against the arrow";
  EXPECT_FALSE(path_between(diagram, positions, box(StageKind::weights, Stack::encoder)).empty())
      << "into the heads' frame";
  EXPECT_TRUE(path_between(diagram, embedding, hidden).empty()) << "no arrow joins them";
}

TEST(Diagrams, LeaveOutAnEmbeddingThatNothingIsComputedFrom) {
  Request request;
  request.sentence = "The animal was tired";
  request.architecture.d_model = 4;
  request.architecture.n_heads = 1;
  Engine engine(1);
  const auto n_embeddings = [&] {
    const auto trace = engine.compute(request);
    if (!trace) ADD_FAILURE() << trace.error().message;
    return trace ? std::ranges::count_if(layout_diagram(**trace, 0).boxes,
                                         [](const DiagramBox& part) {
                                           return part.stage.kind == StageKind::embedding ||
                                                  part.stage.kind == StageKind::positions;
                                         })
                 : 0;
  };
  EXPECT_EQ(n_embeddings(), 2);
  const auto matrix = std::make_shared<const OwnedMatrix>(4, 4);
  for (const StageKind kind : {StageKind::query, StageKind::key, StageKind::value}) {
    EXPECT_EQ(n_embeddings(), 2) << "the others come from it";
    request.given = with_given(std::move(request.given), {path({.kind = kind}), matrix});
  }
  EXPECT_EQ(n_embeddings(), 0);
}

TEST(Diagrams, PicturesLieInTheirBoxesBesideTheirWords) {
  for (const Architecture& architecture : all_sorts()) {
    const auto trace = pass_of(architecture);
    ASSERT_NE(trace, nullptr);
    for (const DiagramBox& part : layout_diagram(*trace, 0).boxes) {
      if (part.picture.w <= 0.0F) continue;
      EXPECT_GE(part.picture.x, part.box.x);
      EXPECT_GE(part.picture.y, part.box.y);
      EXPECT_LE(part.picture.right(), part.box.right());
      EXPECT_LE(part.picture.bottom(), part.box.bottom());
    }
  }
}

TEST(Diagrams, EveryStageOfThePassHasABox) {
  for (const Architecture& architecture : all_sorts()) {
    const auto trace = pass_of(architecture);
    ASSERT_NE(trace, nullptr);
    for (int open = 0; open < architecture.n_layers; ++open) {
      const Diagram diagram = layout_diagram(*trace, open);
      for (const StageId& stage : trace->stages()) {
        const bool draws_positions = stage.kind == StageKind::positions_table;
        if (draws_positions && !architecture.adds_positions()) continue;
        EXPECT_TRUE(box_of_stage(*trace, diagram, stage)) << path(stage) << ", open " << open;
      }
    }
  }
}

TEST(Diagrams, AStageBelongsToTheBoxThatEnclosesIt) {
  const auto trace = pass_of(two_stacks());
  ASSERT_NE(trace, nullptr);
  const Diagram diagram = layout_diagram(*trace, 1);
  const auto name = [&](const StageId& stage) {
    const auto box = box_of_stage(*trace, diagram, stage);
    return box ? diagram.boxes[*box].name : "none";
  };
  constexpr auto decoder = Stack::decoder;
  constexpr auto cross = AttentionKind::cross;
  EXPECT_EQ(name({StageKind::query, decoder, 1, cross, 5}), "1.5");
  EXPECT_EQ(name({StageKind::contribution, decoder, 1, cross, 5}), "1.5");
  EXPECT_EQ(name({StageKind::concat, decoder, 1, cross}), "heads · W_O");
  EXPECT_EQ(name({StageKind::w_output, decoder, 1, cross}), "heads · W_O");
  EXPECT_EQ(name({StageKind::query, decoder, 2, cross, 5}), "layer 2");
  EXPECT_EQ(name({StageKind::layer_input, decoder, 1}), "layer 0");
  EXPECT_EQ(name({StageKind::layer_input, decoder, 0}), "layer 0");
  EXPECT_EQ(name({StageKind::input, decoder}), "+ positions");
  EXPECT_EQ(name({StageKind::stack_output, decoder}), "layer 2");
  const auto own = box_of_stage(*trace, diagram, {StageKind::query, decoder, 1, cross, 5});
  ASSERT_TRUE(own);
  EXPECT_EQ(diagram.boxes[*own].stage, (StageId{StageKind::weights, decoder, 1, cross, 5}));
}

TEST(Diagrams, NoTextIsCut) {
  const auto fonts = test::installed_fonts();
  if (!fonts) GTEST_SKIP() << "no fonts";
  const MeasureText measure = measure_with(fonts);
  for (const Architecture& architecture : all_sorts()) {
    const auto trace = pass_of(architecture);
    ASSERT_NE(trace, nullptr);
    const Diagram diagram = layout_diagram(*trace, 0);
    std::vector<DiagramMark> marks(diagram.boxes.size());
    for (const char* note : {"", "12 of 128 rows"}) {
      for (std::size_t i = 0; i < marks.size(); ++i) {
        marks[i].note = diagram.boxes[i].detail.empty() ? "" : note;
        marks[i].chosen = true;
      }
      const Figure figure = draw_diagram(diagram, marks, light_theme(), measure);
      for (const Label& label : items_of<Label>(figure)) {
        EXPECT_EQ(label.text.find("…"), std::string::npos) << label.text;
        for (const Point corner : test::corners(label, measure)) {
          EXPECT_GE(corner.x, 0.0F) << label.text;
          EXPECT_LE(corner.x, figure.width) << label.text;
          EXPECT_GE(corner.y, 0.0F) << label.text;
          EXPECT_LE(corner.y, figure.height) << label.text;
        }
      }
    }
  }
}

}  // namespace
}  // namespace headscope
