#include "core/model/architecture.h"

#include <gtest/gtest.h>

namespace headscope {
namespace {

using Limits = ArchitectureLimits;

std::string refusal(const Architecture& architecture) {
  const auto result = validate(architecture);
  if (!result) {
    EXPECT_EQ(result.error().kind, Error::Kind::usage);
  }
  return result ? "" : result.error().message;
}

Architecture sizes(int d_model, int n_heads) {
  Architecture architecture;
  architecture.d_model = d_model;
  architecture.n_heads = n_heads;
  return architecture;
}

TEST(Architecture, TheUsualOneIsValid) {
  EXPECT_EQ(refusal({}), "");
}

TEST(Architecture, WidthsFollowUnlessTheyAreSet) {
  Architecture a = sizes(48, 4);
  EXPECT_EQ(a.head_width(no_layer), 12);
  EXPECT_EQ(a.value_width(no_layer), 12);
  a.d_head = 5;
  EXPECT_EQ(a.head_width(no_layer), 5);
  EXPECT_EQ(a.value_width(no_layer), 5);
  a.d_value = 7;
  EXPECT_EQ(a.value_width(no_layer), 7);
  EXPECT_EQ(a.concat_width(no_layer), 28);
}

TEST(Architecture, LayersAreCountedInEachStack) {
  Architecture a;
  EXPECT_EQ(layers_text(a), "1 layer");
  a.stacks = Stacks::encoder_decoder;
  EXPECT_EQ(layers_text(a), "1 + 1 layers");
  a.n_layers = 6;
  EXPECT_EQ(layers_text(a), "6 + 6 layers");
  a.stacks = Stacks::decoder;
  EXPECT_EQ(layers_text(a), "6 layers");
}

TEST(Architecture, DivisibilityNamesTheNeighboursThatFit) {
  EXPECT_EQ(refusal(sizes(65, 8)), "d_model 65 is not divisible by 8 heads: 64 or 72 works, or set d_head");
  EXPECT_EQ(refusal(sizes(1023, 16)),
            "d_model 1023 is not divisible by 16 heads: 1008 or 1024 works, or set d_head");
  EXPECT_EQ(refusal(sizes(4096, 15)),
            "d_model 4096 is not divisible by 15 heads: 4095 or 4110 works, or set d_head");
  EXPECT_EQ(refusal(sizes(9, 16)), "d_model 9 is not divisible by 16 heads: 16 works, or set d_head");
  Architecture free = sizes(65, 8);
  free.d_head = 16;
  EXPECT_EQ(refusal(free), "");
}

TEST(Architecture, SizesBeyondTheLimitsNameTheNearest) {
  EXPECT_EQ(refusal(sizes(0, 4)), "d_model 0 is outside 1 to 65536: 1 is the nearest valid value");
  EXPECT_EQ(refusal(sizes(-5, 4)), "d_model -5 is outside 1 to 65536: 1 is the nearest valid value");
  EXPECT_EQ(refusal(sizes(70000, 4)),
            "d_model 70000 is outside 1 to 65536: 65536 is the nearest valid value");
  EXPECT_EQ(refusal(sizes(64, 0)), "heads 0 is outside 1 to 1024: 1 is the nearest valid value");
  EXPECT_EQ(refusal(sizes(64, 1025)), "heads 1025 is outside 1 to 1024: 1024 is the nearest valid value");
  Architecture a;
  a.d_head = 0;
  EXPECT_EQ(refusal(a), "d_head 0 is outside 1 to 65536: 1 is the nearest valid value");
  a.d_head = 4;
  a.d_value = 65537;
  EXPECT_EQ(refusal(a), "d_value 65537 is outside 1 to 65536: 65536 is the nearest valid value");
}

TEST(Architecture, ALatentLeavesSomeOfTheKeysToBeMadeOfIt) {
  Architecture a = sizes(64, 8);
  a.kv_latent = 16;
  EXPECT_EQ(refusal(a), "");
  EXPECT_EQ(a.shared_key_width(AttentionKind::self), 0);
  EXPECT_EQ(a.cached_width(AttentionKind::self, no_layer), 16);
  a.positions = Positions::rotary;
  EXPECT_NE(refusal(a).find("nothing of d_head 8 for the latent"), std::string::npos) << refusal(a);
  a.rotary.fraction = 0.5F;
  EXPECT_EQ(refusal(a), "");
  EXPECT_EQ(a.shared_key_width(AttentionKind::self), 4);
  EXPECT_EQ(a.shared_key_width(AttentionKind::cross), 0);
  EXPECT_EQ(a.per_head_key_width(AttentionKind::self, no_layer), 4);
  EXPECT_EQ(a.cached_width(AttentionKind::self, no_layer), 20);
  a.kv_latent = 0;
  EXPECT_EQ(refusal(a), "kv_latent 0 is outside 1 to 65536: 1 is the nearest valid value");
}

TEST(Architecture, KeyAndValueHeadsDivideTheHeads) {
  Architecture a = sizes(64, 8);
  const auto refused = [&](int n_kv_heads) {
    a.n_kv_heads = n_kv_heads;
    return refusal(a);
  };
  for (const int divisor : {1, 2, 4, 8}) EXPECT_EQ(refused(divisor), "");
  EXPECT_EQ(refused(3), "kv_heads 3 does not divide 8 heads into groups of equal size: 1, 2, 4 or 8 works");
  EXPECT_EQ(refused(0), "kv_heads 0 is outside 1 to 1024: 1 is the nearest valid value");
  EXPECT_NE(refused(16), "");
  a.n_kv_heads = 2;
  EXPECT_EQ(a.first_of_group(0, no_layer), 0);
  EXPECT_EQ(a.first_of_group(3, no_layer), 0);
  EXPECT_EQ(a.first_of_group(7, no_layer), 4);
}

}  // namespace
}  // namespace headscope
