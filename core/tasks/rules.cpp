#include <array>

#include "core/tasks/frames.h"

namespace headscope {
namespace {

constexpr std::array all_rules{
    // What decides. Rules that one frame uses for both nouns share no word.
    Rule{"tired", "tired|scared|hungry|lazy|sick|weak|thirsty|shy|nervous|sleepy|exhausted|afraid"},
    Rule{"wide", "wide|long|deep|busy|icy|flooded|narrow|dark|crowded|steep|muddy|foggy|dangerous"},
    Rule{"wanted-rest", "wanted to rest|wanted to sleep|needed food|needed help|felt ill|forgot the way"},
    Rule{"had-no-light",
         "had no light|had no bridge|had many holes|led nowhere|looked unsafe|lay under water"},
    Rule{"big", "big|large|tall|heavy|huge|thick|bulky"},
    Rule{"small", "small|tiny|short|full|tight"},
    Rule{"loose", "loose|round|light|smooth"},
    Rule{"shaky", "shaky|crooked|tilted|unstable"},
    Rule{"fragile", "fragile|thin|brittle|delicate"},
    Rule{"hard", "hard|solid|rough|rocky"},
    Rule{"wet", "wet|dirty|heavy|sticky"},
    Rule{"flat", "flat|sturdy|stable|clean"},
    Rule{"precious", "precious|valuable|expensive|secret"},
    Rule{"safe", "safe|locked|strong|near"},
    Rule{"steel", "steel|iron|metal"},
    Rule{"paper", "paper|straw|cloth|plastic"},
    Rule{"bounced", "bounced|rolled away|flew away|stopped"},
    Rule{"shattered", "shattered|broke|cracked|fell apart"},
    Rule{"empty", "empty|dry"},
    Rule{"full", "full|overflowing"},
    Rule{"fast", "fast|quick|powerful"},
    Rule{"slow", "slow|rusty|overloaded"},
    Rule{"angry", "angry|hungry|bored|playful"},
    Rule{"noisy", "noisy|slow|fat|annoying"},
    Rule{"frightened", "frightened|scared|nervous|shy"},
    Rule{"fierce", "fierce|wild|loud|strong"},
    Rule{"generous", "generous|kind|friendly|rich"},
    Rule{"poor", "poor|needy|desperate"},
    Rule{"rich", "famous|lucky|successful|clever"},
    Rule{"broke", "penniless|unprepared|curious"},
    Rule{"trusting", "trusting|wealthy|obliging"},
    Rule{"jealous", "jealous|unhappy|bitter"},
    Rule{"strict", "strict|upset|impatient"},
    Rule{"rude", "rude|naughty|careless|noisy"},
    Rule{"kind", "kind|brave|helpful"},
    Rule{"hurt", "hurt|lost|blind|poor"},
    Rule{"fat", "fat|heavy|stubborn"},
    // What surrounds it.
    Rule{"why", "because|because|because|since|as"},
    Rule{"because", "because|because|since|as"},
    Rule{"past-neg", "didn't|didn't|did not|could not|couldn't|would not|wouldn't"},
    Rule{"present-neg", "doesn't|does not|can't|cannot|will not|won't"},
    Rule{"present-neg-plural", "don't|do not|can't|cannot|will not|won't"},
    Rule{"article", "the|the|the|the|the|the|a|a|this|that|every|my|our"},
    Rule{"article-plural", "the|the|the|the|these|those|some|many|our"},
    Rule{"although", "although|though|even though"},
    Rule{"when", "when|while|because"},
    Rule{"degree", "too|too|very|so||"},
    Rule{"cross", "cross|enter|leave|reach|visit"},
    Rule{"crossed", "crossed|entered|left|reached|visited"},
    Rule{"came", "came to|walked to|saw|looked at"},
    Rule{"into", "in|in|into|inside"},
    Rule{"pack", "pack|squeeze|push"},
    Rule{"liquid", "water|milk|juice|tea"},
    Rule{"chased", "chased|followed|bit|attacked"},
    Rule{"fled", "fled from|ran from|hid from|feared"},
    Rule{"lent", "lent|gave|showed"},
    Rule{"gave", "gave|showed|sold"},
    Rule{"gift", "book|coat|bicycle|hammer|guitar"},
    Rule{"scolded", "scolded|punished|blamed"},
    Rule{"met", "met|called|watched|found"},
    Rule{"mood", "happy|sad|calm|alone|ready|late|early"},
    Rule{"bought", "bought|took|found|sold"},
    Rule{"liked", "liked|loved|needed|wanted"},
    Rule{"kept-on", "kept|started|stopped|liked"},
    Rule{"activity",
         "hesitating|skipping|running|jumping|singing|dancing|sleeping|waiting|walking|laughing|crying|"
         "playing"},
    Rule{"undone", "destroyed|repaired|painted|sold|found|stolen|cleaned|forgotten"},
    Rule{"time", "yesterday|again|in the morning|last night|after the rain"},
    Rule{"past-opening", "yesterday ,|in the morning ,|last night ,|one day ,|we saw that|FACT and|FACT but"},
    Rule{"present-opening", "today ,|now|i think that|we know that|FACT and|FACT but"},
    Rule{"closing", "and FACT|, but FACT"},
    Rule{"truth",
         "<any> bird can *fly|<any> fish can *swim|<any> dog can *bark|<any> horse can *run|<any> frog can "
         "*jump|"
         "<any> baby can *cry|<any> lion can *roar|<any> snake can *bite|<any> cow *eats *grass|"
         "<any> rabbit *eats *carrots|<any> monkey *eats *bananas|<any> mouse *eats *cheese|"
         "<any> bee *makes *honey|<any> hen *lays *eggs|a week has *seven *days|a year has *twelve *months|"
         "<any> dog has *four *legs|<any> bird has *two *wings|a hand has *five *fingers|"
         "<any> car has *four *wheels|fish live in *water|birds live in *trees"},
    Rule{"any", "a|the|every"},
};

constexpr std::array all_facts{
    Fact{"sky", "blue|blue|blue|grey|clear|cloudy"},
    Fact{"grass", "green|green|green|wet|soft"},
    Fact{"snow", "white|white|white|cold|soft"},
    Fact{"sun", "yellow|yellow|bright|hot"},
    Fact{"coal", "black|black|black|dirty"},
    Fact{"world", "round|round|round|large"},
    Fact{"earth", "round|round|blue"},
    Fact{"moon", "round|white|bright"},
    Fact{"sea", "blue|blue|deep|salty"},
    Fact{"blood", "red"},
    Fact{"rose", "red|red|pink|beautiful"},
    Fact{"apple", "red|red|green|sweet"},
    Fact{"banana", "yellow|yellow|sweet"},
    Fact{"lemon", "yellow|yellow|sour"},
    Fact{"orange", "orange|round|sweet"},
    Fact{"plum", "purple|purple|sweet"},
    Fact{"leaf", "green|green|brown"},
    Fact{"milk", "white|white|fresh"},
    Fact{"chocolate", "brown|brown|sweet"},
    Fact{"sugar", "sweet|sweet|white"},
    Fact{"salt", "white|white|salty"},
    Fact{"honey", "sweet|sweet|yellow"},
    Fact{"ice", "cold|cold|slippery"},
    Fact{"fire", "hot|hot|hot|red|bright"},
    Fact{"night", "dark|dark|cold|quiet"},
    Fact{"day", "bright|bright|long"},
    Fact{"summer", "hot|warm"},
    Fact{"winter", "cold|cold|white"},
    Fact{"gold", "yellow|yellow|expensive"},
    Fact{"wheel", "round|round|round"},
    Fact{"coin", "round|round|small"},
    Fact{"window", "square|square|clean"},
    Fact{"pyramid", "old|pointed|pointed"},
    Fact{"pig", "pink|pink|fat"},
    Fact{"elephant", "grey|grey|heavy"},
    Fact{"roses", "red|red|pink|beautiful", true},
    Fact{"clouds", "white|white|grey", true},
    Fact{"leaves", "green|green|brown", true},
    Fact{"stars", "bright|bright|yellow", true},
    Fact{"carrots", "orange|orange", true},
    Fact{"lemons", "sour|yellow", true},
};

}  // namespace

std::span<const Rule> rules() {
  return all_rules;
}

std::span<const Fact> facts() {
  return all_facts;
}

}  // namespace headscope
