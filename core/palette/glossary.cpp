#include "core/palette/glossary.h"

#include <array>
#include <string>

#include "core/split_text.h"
#include "core/text/letters.h"

namespace headscope {
namespace {

constexpr std::string_view by_hand = "02-one-head-by-hand";
constexpr std::string_view scaling = "03-why-divide-by-sqrt-dk";
constexpr std::string_view masks = "04-masks";
constexpr std::string_view many = "05-many-heads";
constexpr std::string_view places = "06-where-am-i";
constexpr std::string_view crossing = "07-from-sentence-to-sentence";
constexpr std::string_view learning = "08-how-it-learns";
constexpr std::string_view heads = "09-what-do-heads-do";
constexpr std::string_view writing = "10-how-it-writes-fast";
constexpr std::string_view machine = "11-the-whole-machine";

constexpr std::array terms{
    Term{"Ablation", "ablate,switch off,knock out",
         "Switching a part off, or replacing what it gives by a mean, to see what it is needed for.",
         PageName::effects, heads},
    Term{"Activation patching", "patching,patch,causal tracing",
         "Putting a part of one pass into another, to see how far it moves the answer.", PageName::compare},
    Term{"ALiBi", "", "Positions as a penalty on scores that grows with the distance between two words.",
         PageName::positions, places},
    Term{"Attention", "self-attention",
         "How words learn from each other: each takes from the others what fits what it looks for.",
         PageName::explore, by_hand},
    Term{"Attention sink", "sink,sinks",
         "A first token or a spare score that takes the attention that a head has no use for.",
         PageName::heads, heads},
    Term{"Attention weight", "attention weights,weights",
         "The share of its attention that one word gives another; each row adds up to 1.", PageName::explore,
         by_hand},
    Term{"Attribution",
         "gradient × input,attention × gradient,gradient x input,attention x gradient,saliency",
         "How much of an answer a small change of an input or a weight would take along, by its gradient.",
         PageName::effects, heads},
    Term{"Causal mask", "future mask,look-ahead mask",
         "Hides from each word everything that comes after it, as in models that write.", PageName::explore,
         masks},
    Term{"Cross-attention", "translate,translation",
         "Attention from the words of one sentence to those of another.", PageName::explore, crossing},
    Term{"Cross-entropy", "loss,perplexity",
         "How surprised a model is by the right answer: −ln of the probability that it gave it.",
         PageName::train, learning},
    Term{"d_k", "d_head", "How many numbers a query or a key of one head has.", PageName::scale, scaling},
    Term{"d_model", "hidden size", "How many numbers describe a word between the layers.", PageName::model,
         many},
    Term{"Direct logit attribution", "logit attribution,direct part of the logit,DLA",
         "What one part by itself adds to the logit of a word.", PageName::effects, heads},
    Term{"Duplicate token", "duplicate-token head",
         "A pattern in which a word looks at earlier occurrences of itself.", PageName::heads, heads},
    Term{"Embedding", "embeddings", "The row of numbers that stands for a word when it enters the model.",
         PageName::stages, places},
    Term{"Entropy", "", "How widely a row spreads its attention: 0 if one word gets all of it.",
         PageName::heads, scaling},
    Term{"Expert", "experts,mixture of experts,MoE",
         "One of several feed-forward layers, of which each word takes only a few.", PageName::experts},
    Term{"Feed-forward layer", "feed-forward,MLP,FF",
         "Changes the row of each word by itself, after attention has mixed the rows.", PageName::model,
         many},
    Term{"FlashAttention", "flash attention,online softmax",
         "Computes attention in tiles, so that the whole map is never stored.", PageName::tiles, writing},
    Term{"Grouped-query attention", "GQA,multi-query attention,MQA",
         "Several heads share one set of keys and values, which makes the cache smaller.", PageName::decoding,
         writing},
    Term{"Head", "heads,attention head",
         "One set of queries, keys and values; each head can look for something else.", PageName::heads,
         many},
    Term{"Induction head", "induction",
         "Finds where the present word stood before, and looks at the word that came after it.",
         PageName::heads, heads},
    Term{"Key", "keys", "What a word can be found by: a row of numbers that queries are compared with.",
         PageName::by_hand, by_hand},
    Term{"KV cache", "key-value cache,cache",
         "The keys and values of earlier words, kept so that each new word costs only one row.",
         PageName::decoding, writing},
    Term{"Layer norm", "LayerNorm,RMSNorm,RMS norm,norm",
         "Brings the numbers of a row to one size before they are used.", PageName::stages},
    Term{"Load", "even load,load balancing", "How many of the words take an expert.", PageName::experts},
    Term{"Logit", "logits", "The score of a word of the vocabulary, before softmax makes it a probability.",
         PageName::words},
    Term{"Logit lens", "lens", "What the model would answer if it stopped after this layer.",
         PageName::effects},
    Term{"Multi-head latent attention", "latent attention,MLA",
         "Keys and values of all heads come from one short row per word.", PageName::decoding, writing},
    Term{"Nats", "nat", "A unit of entropy and surprise with the natural logarithm: 1 nat is 1.44 bits.",
         PageName::heads},
    Term{"OV circuit", "OV,singular values",
         "W_V with W_O and the unembedding: which words a head promotes for a token that it looks at.",
         PageName::effects},
    Term{"Positional encoding", "position,positions",
         "Numbers that tell a model where in the sentence a word stands.", PageName::positions, places},
    Term{"Previous-token head", "previous token", "A head in which each word looks at the word before it.",
         PageName::heads, heads},
    Term{"QK circuit", "QK",
         "W_Q with W_K: which tokens a head would look at from a token, by their embeddings alone.",
         PageName::effects},
    Term{"Query", "queries", "What a word looks for: a row of numbers that is compared with every key.",
         PageName::by_hand, by_hand},
    Term{"Residual stream", "residual,residual sum",
         "The row of each word through the model, to which every layer adds what it found.", PageName::model},
    Term{"RoPE", "rotary,rotary positions,rotary embedding",
         "Turns queries and keys by angles that grow with the position, so that scores depend on distance.",
         PageName::positions, places},
    Term{"Router", "gating network,top-k",
         "Scores the experts for each word, which takes the k best and weighs their outputs by their shares.",
         PageName::experts},
    Term{"Score", "scores,raw score,dot product",
         "Query times key, number by number, added up: how well one word fits what another looks for.",
         PageName::by_hand, by_hand},
    Term{"Shared expert", "shared experts", "An expert that every word takes beside those of the router.",
         PageName::experts},
    Term{"Softmax", "", "Turns a row of scores into shares: exponentials, divided by their sum.",
         PageName::watch, by_hand},
    Term{"Temperature", "",
         "Divides the scores before softmax: above 1 it spreads attention, below 1 it sharpens it.",
         PageName::explore},
    Term{"Token", "tokens,sub-word", "What a text is split into: a word, a part of one, or a mark.",
         PageName::explore},
    Term{"Transformer", "transformers",
         "A model of layers, in each of which attention mixes the words before each is changed by itself.",
         PageName::model, machine},
    Term{"Value", "values", "What a word hands over to those that look at it: a row of numbers.",
         PageName::by_hand, by_hand}};

bool is_word_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80U;
}

/// Whether a name stands in a text as whole words around a byte. Both are in lower case.
bool stands_at(const std::string& text, std::string_view name, std::size_t byte) {
  for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool is_whole = (at == 0 || !is_word_character(text[at - 1])) &&
                          (end == text.size() || !is_word_character(text[end]));
    if (is_whole && at <= byte && byte < end) return true;
  }
  return false;
}

}  // namespace

std::span<const Term> glossary() {
  return terms;
}

const Term* term_at(std::string_view text, std::size_t byte) {
  const std::string lower = to_lower_case(text);
  // Folding a letter may change its length, and then the byte is somewhere else.
  if (lower.size() != text.size()) return nullptr;
  const Term* found = nullptr;
  std::size_t longest = 0;
  for (const Term& term : terms) {
    const std::string names = std::string(term.name) + "," + std::string(term.keywords);
    for (const std::string_view name : split_text(names, ',')) {
      if (name.size() <= longest || !stands_at(lower, to_lower_case(name), byte)) continue;
      longest = name.size();
      found = &term;
    }
  }
  return found;
}

}  // namespace headscope
