#include "core/tasks/frames.h"

#include <array>

namespace headscope {
namespace {

constexpr std::string_view walkers = "animal animal animal man woman person group animals";
constexpr std::string_view one_person = "man woman person";
constexpr std::string_view wheres = "place place place place place places";
constexpr std::string_view stuff = "thing thing thing things";

constexpr std::array all_frames{
    // Who did not go where, and why.
    Frame{"A NEG *<cross> B <why> P BE <degree> X", 24, walkers, wheres, "", "tired", "wide"},
    Frame{"<because> P BE <degree> X , A NEG *<cross> B", 3, walkers, wheres, "", "tired", "wide"},
    Frame{"P BE <degree> X , so A NEG *<cross> B", 4, walkers, wheres, "", "tired", "wide"},
    Frame{"A *<came> B , but P BE <degree> X", 3, walkers, wheres, "", "tired", "wide"},
    Frame{"A *<crossed> B <although> P BE <degree> X", 3, walkers, wheres, "", "tired", "wide"},
    Frame{"A DIDNT *<cross> B <because> P X", 3, walkers, wheres, "", "wanted-rest", "had-no-light"},
    // What fits in what.
    Frame{"A NEG *fit <into> B <why> P BE <degree> X", 14, stuff, "container", "", "big", "small"},
    Frame{"<because> P BE <degree> X , A NEG *fit <into> B", 3, stuff, "container", "", "big", "small"},
    Frame{"P BE <degree> X , so A NEG *fit <into> B", 3, stuff, "container", "", "big", "small"},
    Frame{"C NEG *<pack> A <into> B <why> P BE <degree> X", 3, stuff, "container", one_person, "big",
          "small"},
    // What falls, breaks, lies and stands where.
    Frame{"A *fell off B <because> P BE <degree> X", 3, stuff, "support", "", "loose", "shaky"},
    Frame{"A *broke on B <because> P BE <degree> X", 3, "fragile", "ground", "", "fragile", "hard"},
    Frame{"C *dropped A on B <because> P BE <degree> X", 3, "fragile", "ground", one_person, "fragile",
          "hard"},
    Frame{"C *put A on B <because> P BE <degree> X", 3, stuff, "support", one_person, "wet", "flat"},
    Frame{"C *kept A in B <because> P BE <degree> X", 3, stuff, "container", one_person, "precious", "safe"},
    Frame{"A *crashed through B <because> P BE made of X", 3, "missile vehicle", "target", "", "steel",
          "paper"},
    Frame{"A *hit B and P X", 3, "missile", "target", "", "bounced", "shattered"},
    Frame{"C *poured <liquid> from A into B until P BE X", 3, "vessel", "fragile", one_person, "empty",
          "full"},
    Frame{"A *passed B <because> P BE <degree> X", 3, "vehicle", "=", "", "fast", "slow"},
    // Who did what to whom.
    Frame{"A *<chased> B <because> P BE <degree> X", 4, "animal animal animals", "=", "", "angry", "noisy"},
    Frame{"A *<fled> B <because> P BE <degree> X", 3, "animal animal animals", "=", "", "frightened",
          "fierce"},
    Frame{"A *<lent> a <gift> to B <because> P BE <degree> X", 4, one_person, "=", "", "generous", "poor"},
    Frame{"A *borrowed a <gift> from B <because> P BE <degree> X", 3, one_person, "=", "", "broke",
          "trusting"},
    Frame{"A *envied B <because> P BE <degree> X", 3, one_person, "=", "", "jealous", "rich"},
    Frame{"A *<scolded> B <because> P BE <degree> X", 3, one_person, "=", "", "strict", "rude"},
    Frame{"A *helped B <because> P BE <degree> X", 3, one_person, "=", "", "kind", "hurt"},
    Frame{"A DIDNT *lift B <because> P BE <degree> X", 3, one_person, "animal thing man woman", "", "tired",
          "fat"},
    // The pronoun itself decides.
    Frame{"A *<met> B <when> P BE <mood>", 1, "man", "woman", "", "", "", true},
    Frame{"A *<met> B <when> P BE <mood>", 1, "woman", "man", "", "", "", true},
    Frame{"A *<met> B <when> P BE <mood>", 2, "man woman person group", "animal", "", "", "", true},
    Frame{"A *<met> B <when> P BE <mood>", 2, "animal", "man woman person group", "", "", "", true},
    Frame{"A *<met> B <when> P BE <mood>", 1, "animals group", "animal man woman", "", "", "", true},
    // The pronouns are clear from where they stand.
    Frame{"A <bought> B <because> PA <liked> OB", 3, one_person, stuff, "", "", ""},
    Frame{"A lost B <because> PA forgot OB", 2, one_person, stuff, "", "", ""},
    Frame{"A <bought> B , but PB BE broken", 2, one_person, stuff, "", "", ""},
    Frame{"A opened B and looked into OB", 1, one_person, "container", "", "", ""},
    Frame{"A <bought> B and <gave> OB to C", 1, one_person, stuff, "man woman", "", ""},
    Frame{"A <met> B and <gave> OB a <gift>", 2, one_person, "man woman person", "", "", ""},
    // No pronoun.
    Frame{"FACT and FACT", 13, "", "", "", "", ""},
    Frame{"FACT", 2, "", "", "", "", ""},
    Frame{"FACT , FACT and FACT", 3, "", "", "", "", ""},
    Frame{"FACT but FACT", 2, "", "", "", "", ""},
    Frame{"<truth>", 2, "", "", "", "", ""},
    Frame{"<truth> and <truth>", 4, "", "", "", "", ""},
    Frame{"A <kept-on> <activity>", 2, walkers, "", "", "", ""},
    Frame{"A BE <activity> and B BE <activity>", 2, walkers, walkers, "", "", ""},
    Frame{"A <kept-on> <activity> in front of B", 1, walkers, "place", "", "", ""},
    Frame{"A BE <undone> by B", 3, "thing things place vehicle fragile", one_person, "", "", ""},
    Frame{"A <crossed> B <time>", 2, walkers, wheres, "", "", ""},
};

}  // namespace

std::span<const Frame> frames() {
  return all_frames;
}

}  // namespace headscope
