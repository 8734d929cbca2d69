#include "core/page/decoding/decoding_page.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <variant>

#include "core/session/repair.h"
#include "tests/unit/page/page_helpers.h"

namespace headscope {
namespace {

using test::inputs_of;
using test::page_contains;
using test::page_of_session;
using test::uniform_measure;

TEST(CacheMeter, ComparesCachesOfTheModelsShape) {
  Architecture a;
  a.stacks = Stacks::decoder;
  a.n_layers = 3;
  a.n_heads = 8;
  a.d_model = 64;
  DecodingOptions options;
  options.window = 100;
  const auto caches = compared_caches(a, options, 1000);
  ASSERT_EQ(caches.size(), 7U);
  // 3 layers, K = V = 8.
  EXPECT_EQ(caches[0].numbers_now, 3 * 1000 * 8 * 16);
  EXPECT_TRUE(caches[0].is_own);
  EXPECT_EQ(caches[1].numbers_now, caches[0].numbers_now);
  EXPECT_EQ(caches[2].numbers_now, 3 * 1000 * 2 * 16) << "a quarter of the heads";
  EXPECT_EQ(caches[3].numbers_now, 3 * 1000 * 16);
  EXPECT_EQ(caches[4].numbers_now, 3 * 1000 * 32) << "4 · d_head";
  EXPECT_EQ(caches[5].numbers_now, 3 * 100 * 8 * 16);
  EXPECT_EQ(caches[5].numbers_long, 3 * 100 * 8 * 16);
  EXPECT_EQ(caches[6].numbers_now, 3 * 8 * (8 * 8 + 8)) << "a state, K · V + K numbers a head";
  EXPECT_EQ(caches[6].numbers_long, caches[6].numbers_now);
  EXPECT_EQ(caches[0].numbers_long, std::int64_t{3} * 131072 * 8 * 16);
  a.n_kv_heads = 4;
  a.positions = Positions::rotary;
  options.latent = 10;
  const auto others = compared_caches(a, options, 1);
  EXPECT_EQ(others[0].numbers_now, 3 * 4 * 16);
  EXPECT_EQ(others[1].numbers_now, 3 * 8 * 16);
  EXPECT_EQ(others[2].numbers_now, others[0].numbers_now) << "the model's own groups";
  EXPECT_EQ(others[4].numbers_now, 3 * (10 + 4));
  // Two of three layers slide.
  a.sliding_window = 50;
  a.global_every = 3;
  const auto sliding = compared_caches(a, options, 1000);
  EXPECT_EQ(sliding[0].numbers_now, (1000 + 2 * 50) * 4 * 16);
  EXPECT_EQ(sliding[1].numbers_now, 3 * 1000 * 8 * 16);
}

TEST(CacheMeter, CountsEachLayerWhereTheyDiffer) {
  Architecture a;
  a.stacks = Stacks::decoder;
  a.n_layers = 3;
  a.n_heads = 4;
  a.n_kv_heads = 2;
  a.d_model = 32;
  a.d_head = 8;
  a.foreign.own = {{}, {}, {.d_head = 16, .n_kv_heads = 1}};
  const auto wider = compared_caches(a, {}, 8);
  EXPECT_EQ(wider[0].numbers_now, 8 * (2 * 2 * 16 + 32));
  EXPECT_EQ(wider[0].detail, "keys and values of widths that differ between layers");
  EXPECT_EQ(wider[1].numbers_now, 8 * (2 * 4 * 16 + 4 * 32));
  EXPECT_EQ(wider[3].numbers_now, 8 * (2 * 16 + 32));
  EXPECT_EQ(wider[6].numbers_now, 2 * 2 * (8 * 8 + 8) + (16 * 16 + 16));
  // The last layer uses the keys and values of the first.
  a.foreign.own = {{}, {}, {.keys_of = 0}};
  a.sliding_window = 3;
  a.foreign.windowed_layers = {true, false, true};
  DecodingOptions options;
  options.window = 4;
  const auto borrowed = compared_caches(a, options, 8);
  EXPECT_EQ(borrowed[0].numbers_now, (3 + 8) * 2 * 16);
  EXPECT_EQ(borrowed[0].detail,
            "2 heads of keys and values, kept by 2 of 3 layers; 1 of 2 layers keeps only the last 3 tokens");
  EXPECT_EQ(borrowed[5].numbers_now, 2 * 4 * 2 * 16);
}

TEST(CacheMeter, TakesTheLatentOfTheModel) {
  Architecture a;
  a.stacks = Stacks::decoder;
  a.n_layers = 3;
  a.n_heads = 8;
  a.d_model = 64;
  a.kv_latent = 20;
  DecodingOptions options;
  const auto caches = compared_caches(a, options, 100);
  EXPECT_EQ(caches[0].numbers_now, 3 * 100 * 20);
  EXPECT_EQ(caches[0].detail, "one row of 20");
  EXPECT_EQ(caches[1].numbers_now, 3 * 100 * 8 * 16);
  EXPECT_EQ(caches[4].numbers_now, caches[0].numbers_now) << "the model's own";
  a.positions = Positions::rotary;
  a.rotary.fraction = 0.25F;
  EXPECT_EQ(compared_caches(a, options, 100)[0].detail, "one row of 20 and a key of 2 for all heads");
  EXPECT_EQ(compared_caches(a, options, 100)[4].numbers_now, 3 * 100 * 22);
  options.latent = 30;
  EXPECT_EQ(compared_caches(a, options, 100)[4].numbers_now, 3 * 100 * 32);
}

TEST(CacheMeter, ALinearModelKeepsItsState) {
  Architecture a;
  a.n_heads = 4;
  a.d_model = 32;
  a.d_value = 5;
  a.linear_attention = true;
  const auto caches = compared_caches(a, {}, 1000);
  EXPECT_EQ(caches[0].numbers_now, 4 * (8 * 5 + 8));
  EXPECT_EQ(caches[0].numbers_long, caches[0].numbers_now);
  EXPECT_EQ(caches[1].numbers_now, 1000 * 4 * (8 + 5)) << "with keys and values";
}

TEST(CacheMeter, SaysBytesBriefly) {
  EXPECT_EQ(bytes_text(1), "1 byte");
  EXPECT_EQ(bytes_text(67584), "67,584 bytes");
  EXPECT_EQ(bytes_text(std::int64_t{64} << 20U), "64 MiB");
  EXPECT_EQ(bytes_text(std::int64_t{3} << 29U), "1.5 GiB");
}

TEST(DecodingPage, TellsTheStepOfEveryModelThatDecodes) {
  Session session = default_session();
  session.attention.mask.causal = true;
  session.decoding.step = 4;
  const Page page =
      page_of_session(inputs_of(session), PageName::decoding, {900.0F, 700.0F}, uniform_measure());
  EXPECT_TRUE(page_contains(page, "4 tokens read, newest: “"));
  EXPECT_TRUE(page_contains(page, "3 read from the cache, 1 computed"));
  session.attention.mask.causal = false;
  const Page refused =
      page_of_session(inputs_of(session), PageName::decoding, {900.0F, 700.0F}, uniform_measure());
  EXPECT_TRUE(page_contains(refused, "Earlier tokens look at later ones"));
  EXPECT_FALSE(page_contains(refused, "at 128k")) << "sizes of a cache that there is not";
}

TEST(DecodingPage, ShowsWhatTheNextWordCostsWhereOnlyTheMaskIsMissing) {
  const auto shows_it = [](const Session& session) {
    return page_contains(
        page_of_session(inputs_of(session), PageName::decoding, {900.0F, 700.0F}, uniform_measure()),
        "Only the new row is computed");
  };
  Session session = default_session();
  EXPECT_TRUE(shows_it(session));
  session.attention.softmax = SoftmaxAxis::queries;
  EXPECT_FALSE(shows_it(session)) << "the mask would not help";
  session = default_session();
  session.attention.train = true;
  EXPECT_FALSE(shows_it(session)) << "the mask would not help";
  session = default_session();
  session.attention.mask.causal = true;
  EXPECT_FALSE(shows_it(session)) << "the text is decoded";
}

TEST(DecodingPage, ShowsTheLatentThatIsKept) {
  Session session = default_session();
  session.attention.mask.causal = true;
  session.decoding.step = 4;
  session.architecture.kv_latent = 12;
  const auto page = [&] {
    return page_of_session(inputs_of(session), PageName::decoding, {900.0F, 700.0F}, uniform_measure());
  };
  EXPECT_TRUE(page_contains(page(), "This model keeps less"));
  EXPECT_TRUE(page_contains(page(), "all computed again from the latent"));
  EXPECT_TRUE(page_contains(page(), "48 numbers")) << "of 4 tokens";
  session.architecture.positions = Positions::rotary;
  session.architecture.rotary.fraction = 0.5F;
  EXPECT_TRUE(page_contains(page(), "Key that all heads share"));
  EXPECT_TRUE(page_contains(page(), "80 numbers"));
}

TEST(DecodingPage, ShowsTheDecoderWhereTheEncoderIsSelected) {
  Session session = default_session();
  session.architecture.stacks = Stacks::encoder_decoder;
  session.decoding.step = 2;
  for (const Stack stack : {Stack::encoder, Stack::decoder}) {
    for (const AttentionKind kind : {AttentionKind::self, AttentionKind::cross}) {
      session.selection.stack = stack;
      session.selection.attention = kind;
      const Page page = page_of_session(inputs_of(repaired(session, default_session())), PageName::decoding,
                                        {900.0F, 700.0F}, uniform_measure());
      EXPECT_TRUE(page_contains(page, "2 tokens read, newest: “"))
          << static_cast<int>(stack) << static_cast<int>(kind);
      EXPECT_TRUE(page_contains(page, "and for the source"));
      if (stack == Stack::decoder && kind == AttentionKind::cross) {
        EXPECT_TRUE(page_contains(page, "all 11 read from the cache"));
      }
    }
  }
}

TEST(DecodingPage, NamesWhatTheModelKeeps) {
  const auto kept_by = [](const auto& change) {
    Session session = default_session();
    session.attention.mask.causal = true;
    change(session);
    return page_of_session(inputs_of(repaired(session, default_session())), PageName::decoding,
                           {1200.0F, 900.0F}, uniform_measure());
  };
  EXPECT_TRUE(page_contains(kept_by([](Session&) {}), "kept so far: keys and values, "));
  const auto with_latent = [](Session& session) { session.architecture.kv_latent = 8; };
  EXPECT_TRUE(page_contains(kept_by(with_latent), "kept so far: latent rows, "));
  const auto linear = [](Session& session) { session.architecture.linear_attention = true; };
  EXPECT_TRUE(page_contains(kept_by(linear), "kept so far: a state, "));
  const auto with_window = [](Session& session) {
    session.architecture.stacks = Stacks::decoder;
    session.architecture.n_layers = 2;
    session.architecture.sliding_window = 3;
  };
  EXPECT_TRUE(
      page_contains(kept_by(with_window), "tokens (in 2 of 2 layers of this model, at most 3) × 2 layers"));
}

}  // namespace
}  // namespace headscope
