#include "core/tasks/noun_kinds.h"

#include <array>

namespace headscope {
namespace {

constexpr std::string_view of_animals = "old young brown black white";
constexpr std::string_view of_people = "old young strange unknown";
constexpr std::string_view of_places = "old new quiet beautiful";
constexpr std::string_view of_things = "old new red blue green yellow beautiful";

constexpr std::array kinds{
    NounKind{"animal", "Animals (it)", NounPronoun::it,
             "animal dog cat horse robot bird rabbit cow fox wolf bear sheep goat pig mouse duck lion monkey",
             of_animals},
    NounKind{"man", "People (he)", NounPronoun::he, "man boy king father brother uncle son", of_people},
    NounKind{"woman", "People (she)", NounPronoun::she, "woman girl queen mother sister aunt daughter",
             of_people},
    NounKind{"person", "People (he or she)", NounPronoun::he_or_she,
             "child soldier teacher doctor student farmer neighbour friend driver cook baker nurse",
             of_people},
    NounKind{"group", "Groups (they)", NounPronoun::they,
             "people children soldiers students workers players teachers", of_people},
    NounKind{"animals", "Several animals (they)", NounPronoun::they,
             "animals dogs cats horses birds rabbits cows wolves goats", of_animals},
    NounKind{
        "place", "Places (it)", NounPronoun::it,
        "street road river bridge field park lake valley desert path tunnel square forest garden hill beach "
        "market village",
        of_places},
    NounKind{"places", "Several places (they)", NounPronoun::they,
             "streets roads rivers bridges fields tunnels paths", of_places},
    NounKind{"thing", "Things (it)", NounPronoun::it,
             "trophy ball book box table piano chair lamp statue bottle clock guitar painting pillow",
             of_things},
    NounKind{"things", "Several things (they)", NounPronoun::they, "books balls boxes bottles toys chairs",
             of_things},
    NounKind{"container", "Containers (it)", NounPronoun::it,
             "suitcase bag drawer car closet cabinet basket locker chest crate backpack", of_things},
    NounKind{"fragile", "Things that break (it)", NounPronoun::it, "vase glass cup plate mirror bowl egg",
             "old new red blue"},
    NounKind{"ground", "What things fall on (it)", NounPronoun::it, "floor rock pavement stone step",
             "old grey"},
    NounKind{"support", "What things lie on (it)", NounPronoun::it, "shelf bench roof desk ladder wall table",
             "old new red"},
    NounKind{"vehicle", "Vehicles (it)", NounPronoun::it, "bus train truck bicycle boat tractor car",
             "old new red blue"},
    NounKind{"vessel", "What is poured from (it)", NounPronoun::it, "jug bucket kettle bottle cup barrel",
             "old new red"},
    NounKind{"missile", "What is thrown (it)", NounPronoun::it, "ball stone arrow hammer brick",
             "old red blue"},
    NounKind{"target", "What is hit (it)", NounPronoun::it, "window mirror door lamp fence glass", "old new"},
};

}  // namespace

std::span<const NounKind> noun_kinds() {
  return kinds;
}

}  // namespace headscope
