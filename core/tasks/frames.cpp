#include "core/tasks/frames.h"

#include <array>

namespace headscope {
namespace {

constexpr std::string_view walkers = "animate";
constexpr std::string_view one_person = "someone";
constexpr std::string_view wheres = "place";
constexpr std::string_view stuff = "thing";
constexpr std::string_view mover = "animal thing furniture vehicle boat device someone";
constexpr std::string_view roomlike = "container den building gap";
constexpr std::string_view anyroom = "container den gap";

constexpr std::array all_frames{
    // Who did not go where, and why.
    Frame{"A NEG *<cross> B <why> P BE <degree> X", 40, walkers, wheres, "", "tired", "wide"},
    Frame{"<because> P BE <degree> X , A NEG *<cross> B", 3, walkers, wheres, "", "tired", "wide"},
    Frame{"P BE <degree> X , so A NEG *<cross> B", 4, walkers, wheres, "", "tired", "wide"},
    Frame{"A *<came> B , but P BE <degree> X", 3, walkers, wheres, "", "tired", "wide"},
    Frame{"A *<crossed> B <although> P BE <degree> X", 3, walkers, wheres, "", "tired", "wide"},
    Frame{"A DIDNT *<cross> B <because> P X", 3, walkers, wheres, "", "wanted-rest", "had-no-light"},
    // Things that fit into others.
    Frame{"A NEG *fit <into> B <why> P BE <degree> X", 28, "thing animal furniture clothing food vehicle",
          "container den building", "", "big", "small"},
    Frame{"<because> P BE <degree> X , A NEG *fit <into> B", 3, stuff, "container", "", "big", "small"},
    Frame{"P BE <degree> X , so A NEG *fit <into> B", 3, stuff, "container", "", "big", "small"},
    Frame{"C NEG *<pack> A <into> B <why> P BE <degree> X", 3, stuff, "container", one_person, "big",
          "small"},
    // Places where things fall, break, lie and stand.
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
    Frame{"A *<chased> B <because> P BE <degree> X", 4, "animal", "=", "", "angry", "noisy"},
    Frame{"A *<fled> B <because> P BE <degree> X", 3, "animal", "=", "", "frightened", "fierce"},
    Frame{"A *<lent> a <gift> to B <because> P BE <degree> X", 4, one_person, "=", "", "generous", "poor"},
    Frame{"A *borrowed a <gift> from B <because> P BE <degree> X", 3, one_person, "=", "", "broke",
          "trusting"},
    Frame{"A *envied B <because> P BE <degree> X", 3, one_person, "=", "", "jealous", "rich"},
    Frame{"A *<scolded> B <because> P BE <degree> X", 3, one_person, "=", "", "strict", "rude"},
    Frame{"A *helped B <because> P BE <degree> X", 3, one_person, "=", "", "kind", "hurt"},
    Frame{"A DIDNT *lift B <because> P BE <degree> X", 3, one_person, "animal thing man woman", "", "tired",
          "fat"},
    // Who could not do what, and why.
    Frame{"A NEG *<carry> B <because> P BE <degree> X", 4, "someone animal", stuff, "", "weak", "heavy"},
    Frame{"A NEG *reach B <because> P BE <degree> X", 4, "someone", stuff, "", "short", "high"},
    Frame{"A NEG *<put-on> B <on> @support <because> PB BE <degree> <too-high-or-heavy>", 2, "someone", stuff,
          "", "", ""},
    Frame{"A NEG *catch B <because> P BE <degree> X", 6, "animal someone", "=", "", "sluggish", "swift"},
    Frame{"A NEG *eat B <because> P <BE-too> X", 6, "animate", "food", "", "sated", "rotten"},
    Frame{"A NEG *swallow B <because> P X", 4, "animal", "animal food", "", "small-mouth", "too-big"},
    Frame{"A NEG *cut B <because> P BE <degree> X", 5, "blade", "food plant thing", "", "blunt", "tough"},
    Frame{"A NEG *<drive> <under> B <because> P BE <degree> X", 5, "vehicle boat", "bridgelike", "", "tall",
          "low"},
    Frame{"A NEG *<drive> through B <because> P BE <degree> X", 4, "vehicle", "gap", "", "broad", "narrow"},
    Frame{"A NEG *cover B <because> P BE <degree> X", 4, "cover", "furniture thing", "", "small-one",
          "long-one"},
    Frame{"A NEG *climb B <because> P BE <degree> X", 5, "animate", "high-place", "", "tired", "steep"},
    Frame{"A NEG *hear B <because> P BE <degree> X", 4, "someone", "someone animal", "", "deaf", "silent"},
    Frame{"A NEG *see B <because> P BE <degree> X", 4, "someone animal", "somewhere", "", "blind", "hidden"},
    Frame{"A NEG *open B <because> P BE <degree> X", 4, "someone", "container", "", "weak", "locked"},
    Frame{"A NEG *<understand> B <because> P BE <degree> X", 4, "someone", "text", "", "stupid", "difficult"},
    Frame{"A NEG *buy B <because> P BE <degree> X", 4, "someone", "object", "", "penniless", "dear"},
    Frame{"A NEG *wear B <because> P BE <degree> X", 3, "someone", "clothing", "", "thick-one", "tight-one"},
    Frame{"A NEG *lie on B <because> P BE <degree> X", 2, stuff, "support", "", "big", "small"},
    Frame{"A NEG *stop B <because> P BE <degree> X", 3, "someone", "animal vehicle", "", "slow-one",
          "quick-one"},
    Frame{"A *broke B <because> P BE X", 6, "missile", "target", "", "thrown", "glass-made"},
    Frame{"A *<left> B <because> P BE X", 5, "animal someone", "somewhere", "", "off", "ruined"},
    Frame{"A *swallowed B <because> P X", 4, "animal", "animal food", "", "famished", "appetising"},
    Frame{"A *ate B <because> P BE <degree> X", 4, "animate", "food", "", "hungry-one", "tasty-one"},
    Frame{"A *fell into B <because> P BE <degree> X", 3, "animate", "watery", "", "careless-one", "slippery"},
    Frame{"A *blocked B so P BE X", 2, "vehicle", "road", "", "towed", "closed-one"},
    Frame{"A *poured @drink from B <into> C until PB BE <empty>", 3, "someone", "vessel", "fragile", "", ""},
    Frame{"A *poured @drink from B <into> C until PC BE <filled>", 3, "someone", "vessel", "fragile", "", ""},
    Frame{"A *filled B with @drink until PB BE <filled>", 2, "someone", "vessel fragile", "", "", ""},
    Frame{"A *<punish> B <because> P had X", 5, "someone", "=", "", "been-mad", "misbehaved"},
    Frame{"A *<reward> B <because> P had X", 5, "someone", "=", "", "been-glad", "done-well"},
    Frame{"A *<beg> B <because> P had X", 5, "someone", "=", "", "done-wrong", "been-wronged"},
    Frame{"A *<fear-who> B <because> P BE <degree> X", 4, "animate", "=", "", "frightened", "fierce"},
    Frame{"A *beat B <because> P X", 4, "someone", "=", "", "practised", "played-badly"},
    Frame{"A *<ask> B <because> P X", 4, "someone", "=", "", "needed-it", "knew-it"},
    Frame{"A *<comfort> B <because> P X", 4, "someone", "=", "", "was-caring", "was-crying"},
    Frame{"A *<attack> B <because> P BE <degree> X", 4, "animal", "=", "", "aggressive", "defenceless"},
    Frame{"A *<chased> B and P BE X", 3, "animal", "=", "", "out-of-breath", "caught"},
    Frame{"A NEG *trust B <because> P X", 3, "someone", "=", "", "was-careful", "was-lying"},
    // Sizes, in both directions.
    Frame{"A NEG *<move> <into> B <because> P BE <degree> X", 5, mover, roomlike, "", "big", "small"},
    Frame{"A NEG *<move> through B <because> P BE <degree> X", 4, mover, "gap", "", "broad", "narrow"},
    Frame{"A NEG *<drive> <under> B <because> P BE <degree> X", 3, "animal someone", "bridgelike furniture",
          "", "tall", "low"},
    Frame{"A NEG *enter B <because> P BE <degree> X", 4, "animal vehicle someone boat", "den building gap",
          "", "tall-enterer", "low-entered"},
    Frame{"A NEG *leave B <because> P BE <degree> X", 6, "animal someone", "den building", "", "young-stayer",
          "snug"},
    Frame{"A NEG *reach B <because> P BE <degree> X", 7, "animal reacher", "food thing support high-place",
          "", "short", "high"},
    Frame{"A NEG *<jump> over B <because> P BE <degree> X", 5, walkers, "obstacle", "", "weak-jumper",
          "high-jumped"},
    Frame{"A NEG *<hold> B <because> P BE <degree> X", 5, "bearer container",
          "thing animal furniture someone", "", "weak-bearer", "heavy-borne"},
    Frame{"A *<gave-way> under B <because> P BE <degree> X", 4, "bearer",
          "thing animal furniture someone vehicle", "", "weak-bearer", "heavy-borne"},
    Frame{"A NEG *fit B <because> P BE <degree> X", 4, "clothing", "someone animal", "", "small-worn",
          "fat-wearer"},
    Frame{"A NEG *<hide-behind> B <because> P BE <degree> X", 3, walkers, "furniture plant obstacle", "",
          "big-hider", "small-hideout"},
    Frame{"A could *<move> <into-or-through> B <because> P BE <so> X", 5, mover, anyroom, "", "slim",
          "roomy"},
    Frame{"A *<moved> <into-or-through> B <because> P BE <so> X", 4, mover, anyroom, "", "slim", "roomy"},
    Frame{"A could *<jump> over B <because> P BE <so> X", 3, walkers, "obstacle", "", "tall-jumper",
          "low-jumped"},
    Frame{"A *<jumped> over B <because> P BE <so> X", 2, walkers, "obstacle", "", "tall-jumper",
          "low-jumped"},
    Frame{"A could *reach B <because> P BE <so> X", 3, "animate reacher", "food thing support high-place", "",
          "long-reacher", "near-reached"},
    Frame{"A could *<carry> B <because> P BE <so> X", 3, "someone animal vehicle", stuff, "", "strong",
          "light-one"},
    Frame{"A *<held> B <because> P BE <so> X", 3, "bearer container", "thing animal furniture", "", "strong",
          "light-one"},
    Frame{"A NEG *<move> <into-or-through> B <because> P BENT X enough", 4, mover, anyroom, "", "slim",
          "roomy"},
    Frame{"A NEG *<jump> over B <because> P BENT X enough", 3, walkers, "obstacle", "", "tall-jumper",
          "low-jumped"},
    Frame{"A NEG *reach B <because> P BENT X enough", 3, "animate reacher", "food thing support high-place",
          "", "long-reacher", "near-reached"},
    Frame{"A NEG *<carry> B <because> P BENT X enough", 3, "someone animal vehicle bearer",
          "thing food furniture", "", "strong", "light-one"},
    Frame{"A NEG *eat B <because> P BENT X", 3, "animate", "food", "", "hungry-eater", "ripe-food"},
    Frame{"A NEG *<cross> B <because> P BENT X", 3, walkers, wheres, "", "brave-crosser", "safe-place"},
    // The position tells what the pronouns mean.
    Frame{"A <bought> B <because> PA <liked> OB", 3, one_person, stuff, "", "", ""},
    Frame{"A lost B <because> PA forgot OB", 2, one_person, stuff, "", "", ""},
    Frame{"A <bought> B , but PB BE broken", 2, one_person, stuff, "", "", ""},
    Frame{"A opened B and looked into OB", 1, one_person, "container", "", "", ""},
    Frame{"A <bought> B and <gave> OB to C", 1, one_person, stuff, "man woman", "", ""},
    Frame{"A <met> B and <gave> OB a <gift>", 2, one_person, "man woman person", "", "", ""},
    // Without a pronoun.
    Frame{"FACT and FACT", 52, "", "", "", "", ""},
    Frame{"FACT", 8, "", "", "", "", ""},
    Frame{"FACT , FACT and FACT", 12, "", "", "", "", ""},
    Frame{"FACT but FACT", 8, "", "", "", "", ""},
    Frame{"<truth>", 8, "", "", "", "", ""},
    Frame{"<truth> and <truth>", 16, "", "", "", "", ""},
    Frame{"A <kept-on> <activity>", 2, walkers, "", "", "", ""},
    Frame{"A BE <activity> and B BE <activity>", 2, walkers, walkers, "", "", ""},
    Frame{"A <kept-on> <activity> in front of B", 1, walkers, "place", "", "", ""},
    Frame{"A BE <undone> by B", 3, "thing place vehicle fragile", one_person, "", "", ""},
    Frame{"A <crossed> B <time>", 2, "someone animal", wheres, "", "", ""},
};

}  // namespace

std::span<const Frame> scripts() {
  return all_frames;
}

}  // namespace headscope
