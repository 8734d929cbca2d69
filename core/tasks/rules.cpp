#include <array>

#include "core/tasks/frames.h"

namespace headscope {
namespace {

constexpr std::array all_rules{
    // Words that decide. Two rules that one frame uses for its two nouns share no word.
    Rule{"tired",
         "tired|ill|injured|frightened|scared|hungry|lazy|sick|weak|thirsty|shy|nervous|sleepy|exhausted|"
         "afraid|blind|bored|old|hurt|drunk"},
    Rule{"wide", "wide|long|deep|busy|icy|flooded|narrow|dark|crowded|steep|muddy|foggy|dangerous"},
    Rule{"wanted-rest", "wanted to rest|wanted to sleep|needed food|needed help|felt ill|forgot the way"},
    Rule{"had-no-light",
         "had no light|had no bridge|had many holes|led nowhere|looked unsafe|lay under water"},
    Rule{"big", "big|large|tall|heavy|huge|thick|bulky|long|wide|enormous|fat|broad|high"},
    Rule{"small", "small|tiny|short|full|tight|narrow|little|cramped|crowded|low|shallow"},
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
    Rule{"weak", "weak|tired|small|sick|young|injured|exhausted"},
    Rule{"heavy", "heavy|big|bulky|large|slippery|huge"},
    Rule{"short", "short|short|small|little|tiny|tired|young"},
    Rule{"high", "high|far away|high up|distant"},
    Rule{"too-high-or-heavy", "heavy|big|large|bulky|fragile"},
    Rule{"put-on", "put|place|lift|keep"},
    Rule{"on", "on|onto|under"},
    Rule{"carry", "carry|lift|move|drag|push|pull|hold|raise"},
    Rule{"sluggish", "slow|tired|lazy|old|fat|weak|clumsy|sleepy"},
    Rule{"swift", "fast|quick|agile|far away|clever|nimble|well hidden"},
    Rule{"BE-too", "BE <degree>|BE already|BE"},
    Rule{"sated", "full|sick|ill|not hungry|sleepy|nervous|asleep|shy|tired"},
    Rule{"rotten", "rotten|mouldy|hot|burnt|spicy|cold|stale|raw|bitter|poisonous|salty|frozen|sour|hard"},
    Rule{"small-mouth",
         "had a small mouth|had a tiny mouth|BE not hungry|had no teeth|BE <degree> small|had a sore throat"},
    Rule{"too-big", "BE <degree> big|BE <degree> large|BE <degree> hard|BE <degree> thick|BE <degree> huge"},
    Rule{"blunt", "blunt|dull|rusty|small|old|broken"},
    Rule{"tough", "tough|hard|thick|frozen|frozen solid|solid"},
    Rule{"drive", "drive|pass|fit|get|go"},
    Rule{"under", "under|beneath|below"},
    Rule{"tall", "tall|high|big|large|fat|wide|bulky|huge|thick|broad"},
    Rule{"low", "low|low|small|narrow|tight|tiny"},
    Rule{"broad", "wide|broad|big|large|long|fat|thick|bulky|tall|huge|high"},
    Rule{"narrow", "narrow|small|tight|blocked|closed|low|tiny|little"},
    Rule{"small-one", "small|short|narrow|thin|tiny|little"},
    Rule{"long-one", "long|wide|big|large|high|huge|broad|tall"},
    Rule{"steep", "steep|high|icy|slippery|tall|dangerous|rocky"},
    Rule{"deaf", "deaf|asleep|far away|wearing headphones|not listening|listening to music"},
    Rule{"silent", "quiet|silent|whispering|mumbling|speaking softly|shy"},
    Rule{"blind", "blind|short-sighted|sleepy|asleep|looking the other way|too small"},
    Rule{"hidden", "hidden|far away|dark|foggy|covered with snow"},
    Rule{"locked", "locked|stuck|sealed|jammed|tightly closed|nailed shut"},
    Rule{"understand", "understand|read|learn|translate|follow|remember"},
    Rule{"stupid", "stupid|tired|young|drunk|sleepy|lazy|blind|nervous"},
    Rule{"difficult", "difficult|hard|complicated|long|badly written|written in latin|confusing"},
    Rule{"penniless", "poor|penniless|bankrupt|broke|stingy|short of money"},
    Rule{"dear", "expensive|ugly|dear|old|broken|overpriced|costly"},
    Rule{"thick-one", "fat|thin|tall|vain|old"},
    Rule{"tight-one", "tight|dirty|loose|itchy|torn|out of fashion|wet"},
    Rule{"slow-one", "slow|weak|late|scared"},
    Rule{"quick-one", "fast|quick|heavy|big"},
    Rule{"thrown",
         "thrown hard|thrown very hard|flying fast|heavy|very heavy|hard|thrown by @someone|<degree> heavy"},
    Rule{"glass-made",
         "made of glass|made of thin glass|thin|fragile|<degree> fragile|<degree> thin|<degree> brittle"},
    Rule{"left", "left|abandoned"},
    Rule{"off",
         "ready to go|ready to fly|ready to leave|hungry|bored|tired|afraid|thirsty|<degree> scared|looking "
         "for "
         "food"},
    Rule{"ruined",
         "falling apart|on fire|too small|flooded|burning|<degree> dark|<degree> crowded|<degree> "
         "cold|collapsing"},
    Rule{"famished", "BE hungry|BE starving|had not eaten|BE greedy|needed food|wanted to eat"},
    Rule{"appetising",
         "looked tasty|looked delicious|smelled good|BE too slow|looked good|BE small|BE tasty"},
    Rule{"hungry-one", "hungry|starving|greedy|famished"},
    Rule{"tasty-one", "tasty|fresh|delicious|sweet|ripe|cheap|fresh and tasty"},
    Rule{"careless-one", "careless|clumsy|drunk|blind|running|not looking|chasing @animal"},
    Rule{"slippery", "deep|hidden|covered with leaves|unfenced|dark"},
    Rule{"towed", "towed away|moved|parked badly|pushed aside"},
    Rule{"closed-one", "closed|impassable|shut"},
    Rule{"filled", "full|overflowing|half full|filled to the brim|almost full"},
    Rule{"punish",
         "punished|scolded|blamed|sacked|fired|arrested|slapped|shouted at|yelled at|sued|told "
         "off|criticised"},
    Rule{"been-mad", "lost all patience|had enough|lost @small|been woken up"},
    Rule{"misbehaved",
         "misbehaved|stolen @small|told a lie|broken @fragile|lied|cheated|been rude|been late|forgotten the "
         "homework|made a mistake|hit @someone|done something wrong|been lazy|drawn on the wall|lost the "
         "keys|eaten @food|spilled the milk"},
    Rule{"reward",
         "praised|thanked|congratulated|rewarded|admired|hugged|kissed|honoured|applauded|respected|promoted|"
         "paid"},
    Rule{"been-glad", "felt grateful|enjoyed the meal|been well taught"},
    Rule{"done-well",
         "worked hard|won the race|won a prize|helped a lot|done well|saved a life|passed the test|been "
         "brave|been honest|fixed @device|repaired @vehicle|found @small|cooked a wonderful meal|sung "
         "beautifully|rescued @animal|won|told the truth|learned fast"},
    Rule{"beg", "apologised to|confessed to|said sorry to|begged|lied to"},
    Rule{"done-wrong",
         "made a mistake|been rude|broken @fragile|lost @small|forgotten the birthday|arrived late|done "
         "something wrong|been unfair|stolen @small|been late"},
    Rule{"been-wronged", "been hurt|been waiting for hours|been offended|been ignored"},
    Rule{"fear-who", "feared|fled from|ran from|hid from|avoided|ran away from|backed away from"},
    Rule{
        "practised",
        "had practised every day|BE faster|BE stronger|had trained hard|BE better|had more luck|played well"},
    Rule{"played-badly",
         "played badly|BE <degree> tired|BE slower|BE weaker|had not trained|made many mistakes"},
    Rule{"ask", "asked|called|phoned|telephoned|visited|went to"},
    Rule{
        "needed-it",
        "needed help|needed advice|felt lonely|wanted to know the answer|had a question|had a problem|needed "
        "money|had a toothache|felt ill|BE lonely"},
    Rule{"knew-it", "knew the answer|knew a lot|BE an expert|could help|had the answer"},
    Rule{"comfort", "comforted|consoled|hugged|helped|calmed|nursed"},
    Rule{"was-caring", "BE kind|BE caring|felt pity|BE helpful"},
    Rule{"was-crying",
         "BE crying|BE sad|felt lonely|BE unhappy|BE ill|had lost @small|BE in hospital|BE <degree> weak|had "
         "a "
         "broken leg"},
    Rule{"attack", "attacked|bit|hunted|killed|ate"},
    Rule{"aggressive", "hungry|angry|aggressive|fierce|starving|dangerous"},
    Rule{"defenceless", "weak|slow|small|defenceless|helpless|wounded|tasty"},
    Rule{"out-of-breath", "out of breath|hungry|faster"},
    Rule{"caught", "caught|eaten|killed|bitten|slower"},
    Rule{"was-careful", "BE careful|BE suspicious|had been cheated before"},
    Rule{"was-lying", "lied too often|BE lying|had lied before|BE dishonest|cheated a lot"},
    // Sizes, in both directions.
    Rule{"move", "go|get|fit|pass|come|squeeze|crawl|slip"},
    Rule{"moved", "went|got|fitted|passed|came|squeezed|crawled|slipped"},
    Rule{"into-or-through", "into|into|in|inside|through"},
    Rule{"hide-behind", "hide behind|hide under|stand behind|sleep under|lie under"},
    Rule{"jump", "jump|leap|climb|step|look|see"},
    Rule{"jumped", "jumped|leapt|climbed|stepped|looked"},
    Rule{"hold", "hold|bear|support|carry"},
    Rule{"held", "held|bore|supported|carried"},
    Rule{"gave-way", "broke|bent|collapsed|cracked|sagged"},
    Rule{"so", "so|so|very|quite|really|"},
    Rule{"tall-enterer", "tall|big|large|huge|fat|bulky|heavy|broad|high"},
    Rule{"low-entered", "small|tiny|low|tight|cramped|full|little|short"},
    Rule{"weak-jumper", "small|short|tired|fat|weak|little|slow|old|heavy|lazy|young"},
    Rule{"high-jumped", "high|wide|tall|broad|deep|huge|big"},
    Rule{"weak-bearer", "weak|thin|small|fragile|brittle|narrow|short|loose|old"},
    Rule{"heavy-borne", "heavy|big|large|fat|strong|huge|wild"},
    Rule{"small-worn", "small|tight|short|narrow|loose|tiny|long|wide|big|large"},
    Rule{"fat-wearer", "fat|tall|thin|slim|plump|strong"},
    Rule{"big-hider", "big|tall|fat|large|wide|broad|huge|high"},
    Rule{"small-hideout", "small|low|narrow|thin|short|tiny|little"},
    Rule{"young-stayer", "small|young|weak|little|tiny|tired|lazy|scared"},
    Rule{"snug", "warm|comfortable|cosy|safe|quiet"},
    Rule{"slim", "small|thin|slim|tiny|narrow|short|little|flat"},
    Rule{"roomy", "big|large|wide|high|tall|huge|broad|long|deep|open"},
    Rule{"tall-jumper", "tall|strong|big|fast|brave|fit|young"},
    Rule{"low-jumped", "low|small|narrow|little|short|tiny"},
    Rule{"long-reacher", "tall|long|big|large"},
    Rule{"near-reached", "low|near|close|close by"},
    Rule{"strong", "strong|big|tall|thick|solid|stable"},
    Rule{"light-one", "light|small|tiny|little|thin"},
    Rule{"hungry-eater", "hungry|well|thirsty|greedy"},
    Rule{"ripe-food", "fresh|ripe|warm|cooked|sweet|ready|done|soft|hot"},
    Rule{"brave-crosser", "brave|strong|well|fast|fit"},
    Rule{"safe-place", "safe|dry|open|lit|clear"},
    // Words that connect clauses.
    Rule{"conj",
         "because|because|because|because|since|as|when|when|while|until|after|before|although|though|once|"
         "even "
         "though|whenever|after"},
    Rule{"coord", "but|but|and|and|so|so|and then|yet"},
    Rule{"then", "then||"},
    Rule{"material", "wood|metal|glass|stone|paper|plastic|leather|gold|silver|wool|cotton|brick|rubber"},
    Rule{"searched", "looked for|searched for|hunted for|wanted|lost|needed|asked for"},
    Rule{"told", "told|showed|read|asked|taught|sang"},
    Rule{"tale",
         "a story|a joke|a secret|the truth|the news|a lie|a question|a song|a poem|the way|the answer|a "
         "fairy "
         "tale"},
    Rule{"anyone", "nobody|everybody|somebody|everyone|someone|no one"},
    Rule{"quality",
         "big|small|old|heavy|loud|beautiful|strange|warm|cold|good|bad|expensive|fast|slow|dirty|funny|"
         "boring"},
    Rule{"manner",
         "slowly|quickly|quietly|suddenly|carefully|happily|finally|angrily|gently|loudly|secretly|often|"
         "never|"
         "always|really|almost|nearly|accidentally|usually|sometimes|hardly|soon|only|just|kindly|politely|"
         "silently|rarely|proudly|sadly|nervously|immediately|simply|still|also|badly|briefly|bravely|"
         "greedily|"
         "hungrily|cheerfully|eagerly|patiently|calmly"},
    Rule{"where",
         "||||||in @somewhere|in the <part>|at @building|near @place|on @furniture|in @container|behind "
         "@building|under @furniture|"
         "with @thing|<time>|<time>|<time>|from @building|next to @plant|into "
         "@somewhere|on the <part>|at once|<manner>|at <meal>|to <destination>"},
    Rule{
        "part",
        "morning|evening|afternoon|night|dark|sun|rain|middle|corner|end|air|water|sea|ground|way|left|right|"
        "weekend|world|room|north|south|top|bottom"},
    Rule{"meal", "breakfast|lunch|dinner|school|home|work|night|noon|midnight|church"},
    Rule{"destination", "school|bed|work|church|town|market|prison|hospital"},
    Rule{"modal",
         "wanted to|tried to|had to|began to|used to|decided to|managed to|refused to|could|hoped to|learned "
         "to|wished to|was able to|forgot to|started to"},
    Rule{"owner", "my|my|my|our|your|his|her|their|its"},
    Rule{"why", "because|because|because|since|as"},
    Rule{"because", "because|because|since|as"},
    Rule{"past-neg",
         "didn't|didn't|didn't|didn't|did not|did not|could not|could not|couldn't|couldn't|would not|"
         "wouldn't|shouldn't|wasn't able to|was not able to"},
    Rule{"past-neg-plural",
         "didn't|didn't|didn't|didn't|did not|did not|could not|could not|couldn't|couldn't|would not|"
         "wouldn't|shouldn't|weren't able to|were not able to"},
    Rule{"present-neg",
         "doesn't|doesn't|does not|does not|can't|can't|cannot|will not|won't|mustn't|isn't able to|"
         "is not able to"},
    Rule{"present-neg-plural",
         "don't|don't|do not|do not|can't|can't|cannot|will not|won't|mustn't|aren't able to|"
         "are not able to"},
    Rule{"past-not", "wasn't|was not"},
    Rule{"past-not-plural", "weren't|were not"},
    Rule{"present-not", "isn't|is not"},
    Rule{"present-not-plural", "aren't|are not"},
    Rule{"past-ask-neg", "didn't|couldn't|wouldn't|why didn't|why couldn't|why wouldn't"},
    Rule{"present-ask-neg", "doesn't|can't|won't|why doesn't|why can't|why won't"},
    Rule{"present-ask-neg-plural", "don't|can't|won't|why don't|why can't|why won't"},
    Rule{"past-ask", "did|did|did|didn't|could|couldn't|would|why did|why didn't|when did|where did"},
    Rule{"present-ask", "does|doesn't|can|can't|will|won't|why does|why can"},
    Rule{"present-ask-plural", "do|don't|can|can't|will|won't|why do|why can"},
    Rule{"past-perfect", "had|had|had|hadn't|had not"},
    Rule{"present-perfect", "has|has|has|hasn't|has not"},
    Rule{"present-perfect-plural", "have|have|have|haven't|have not"},
    Rule{"could-not", "could not|couldn't"},
    Rule{"did-not", "did not|didn't"},
    Rule{"had-not", "had not|hadn't"},
    Rule{"would-not", "would not|wouldn't"},
    Rule{"article",
         "the|the|the|the|the|the|the|the|the|a|a|a|a|this|that|every|another|one|<owner>|<owner>"},
    Rule{"article-plural",
         "the|the|the|the|the|the|the|these|those|some|many|two|three|all the|<owner>|<owner>"},
    Rule{"although", "although|though|even though"},
    Rule{"when", "when|while|because"},
    Rule{"degree",
         "too|too|too|very|very|so||||really|quite|rather|always|still|extremely|a bit|much "
         "too|already|completely"},
    Rule{"cross", "cross|enter|leave|reach|visit"},
    Rule{"crossed", "crossed|entered|left|reached|visited"},
    Rule{"came", "came to|walked to|saw|looked at"},
    Rule{"into", "in|in|into|inside"},
    Rule{"pack", "pack|squeeze|push"},
    Rule{"liquid", "water|milk|juice|tea"},
    Rule{"chased", "chased|followed|bit|attacked"},
    Rule{"fled", "fled from|ran from|hid from|feared"},
    Rule{"lent", "lent|gave|showed"},
    Rule{"gave",
         "gave|showed|sold|lent|offered|handed|sent|bought|brought|fetched|threw|passed|promised|left"},
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
    Rule{"doing",
         "running|waiting|sleeping|walking|digging|eating|drinking|hiding|swimming|jumping|shivering|"
         "trembling|"
         "looking around|growing|getting old|getting tired|playing|fighting|coming back|resting|climbing|"
         "drowning|bleeding|limping|panting|sneezing|coughing|moving|breathing heavily|staring"},
    Rule{
        "people-doing",
        "talking|laughing|crying|singing|dancing|smiling|shouting|whispering|reading|writing|cooking|working|"
        "studying|cleaning|shopping|painting|driving|cycling|skiing|travelling|complaining|lying|cheating|"
        "joking|"
        "snoring|knitting|gardening|hesitating|skipping|clapping|arguing|praying|fishing|begging"},
    Rule{"device-doing",
         "humming|buzzing|ringing|beeping|flashing|gurgling|rattling|squeaking|smoking|leaking|overheating|"
         "dripping|making a noise|working|running"},
    Rule{"undone", "destroyed|repaired|painted|sold|found|stolen|cleaned|forgotten"},
    Rule{"time",
         "yesterday|again|in the morning|last night|after the rain|last year|today|on monday|in may|on "
         "sunday|in summer|every day|every morning|for an hour|for ten minutes|for a week|all day|all "
         "night|last week|early|late|twice|at night|one day|a long time ago|for years|the next day|this "
         "morning|many times|for a while|away|anyway|once"},
    Rule{"past-opening",
         "yesterday|last week|this morning|one day|suddenly ,|yesterday ,|in the morning ,|last night ,|one "
         "day ,|we saw that|FACT and|FACT but"},
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

}  // namespace

std::span<const Rule> rules() {
  return all_rules;
}

}  // namespace headscope
