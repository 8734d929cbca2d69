#include <array>

#include "core/tasks/frames.h"

namespace headscope {
namespace {

constexpr std::array all_open_frames{
    // One noun precedes the pronoun.
    SentenceFrame{"A QA <where> <conj> PA QA", 10, "anything", "", "", "", ""},
    SentenceFrame{"A QA , <coord> PA QA", 10, "anything", "", "", "", ""},
    SentenceFrame{"<conj> A QA , PA QA", 8, "anything", "", "", "", ""},
    SentenceFrame{"<conj> PA QA , A QA <where>", 8, "anything", "", "", "", ""},
    SentenceFrame{"A QA <conj> PA AvB B", 10, "", "", "", "", ""},
    SentenceFrame{"A QA , <coord> PA AvB B <where>", 8, "", "", "", "", ""},
    SentenceFrame{"<conj> PA QA , A AvB B <where>", 8, "", "", "", "", ""},
    SentenceFrame{"<conj> PA AvB B , A QA", 8, "", "", "", "", ""},
    // The second clause has its own subject.
    SentenceFrame{"A QA <conj> C CvA OA <where>", 14, "anything", "", "", "", ""},
    SentenceFrame{"A QA , <coord> C CvA OA <where>", 14, "anything", "", "", "", ""},
    SentenceFrame{"<conj> A QA , C CvA OA <where>", 12, "anything", "", "", "", ""},
    SentenceFrame{"<conj> C CvA OA , A QA", 4, "anything", "", "", "", ""},
    SentenceFrame{"A QA , <coord> <anyone> CvA OA", 4, "anything", "", "someone", "", ""},
    SentenceFrame{"A QA <conj> <anyone> CvA OA", 4, "anything", "", "someone", "", ""},
    // Two nouns precede the pronoun.
    SentenceFrame{"A AvB B <where> <conj> P Q", 34, "", "", "", "", ""},
    SentenceFrame{"<conj> A AvB B , P Q", 12, "", "", "", "", ""},
    SentenceFrame{"<conj> P Q , A AvB B <where>", 8, "", "", "", "", ""},
    SentenceFrame{"A AvB B <where> , <coord> P Q", 26, "", "", "", "", ""},
    SentenceFrame{"A AvB B <where> <conj> P MvC C", 14, "", "", "", "", ""},
    SentenceFrame{"A AvB B , <coord> P MvC C", 12, "", "", "", "", ""},
    SentenceFrame{"<conj> A AvB B , P MvC C", 6, "", "", "", "", ""},
    SentenceFrame{"<conj> P MvC C , A AvB B", 6, "", "", "", "", ""},
    SentenceFrame{"A AvB B <where> , <coord> C CvM O <where>", 14, "", "", "", "", ""},
    SentenceFrame{"A AvB B <conj> C CvM O", 10, "", "", "", "", ""},
    SentenceFrame{"<conj> A AvB B , C CvM O", 8, "", "", "", "", ""},
    SentenceFrame{"A <gave> B @small <conj> P Q", 6, "someone", "someone", "", "", ""},
    SentenceFrame{"A <gave> B @small , <coord> P Q", 5, "someone", "someone", "", "", ""},
    SentenceFrame{"A <told> B <tale> <conj> P Q", 5, "someone", "someone", "", "", ""},
    SentenceFrame{"A QA when B <gave> OA @small", 4, "someone", "someone", "", "", ""},
    SentenceFrame{"A QA , so B <gave> OA @small", 4, "someone", "someone", "", "", ""},
    SentenceFrame{"A QA <conj> B <told> OA <tale>", 4, "someone", "someone", "", "", ""},
    SentenceFrame{"A AvB B and <gave> OB @small", 5, "someone", "someone", "", "", ""},
    // The subject of the second clause is omitted.
    SentenceFrame{"A AvB B <where> and <then> AvB OB <where>", 14, "", "", "", "", ""},
    SentenceFrame{"A AvB B before PA AvB OB", 4, "", "", "", "", "", true},
    // Two pronouns.
    SentenceFrame{"A AvB B <conj> PA AvB OB", 10, "", "", "", "", "", true},
    SentenceFrame{"A AvB B <conj> PB BvA OA", 8, "", "", "", "", "", true},
    SentenceFrame{"A AvB B , <coord> PB BvA OA", 6, "", "", "", "", "", true},
    SentenceFrame{"A <searched> B <where> , but PA could not find OB", 4, "someone animal",
                  "small object animal", "", "", ""},
    SentenceFrame{"A <searched> B until PA found OB", 2, "someone animal", "small object animal", "", "", ""},
    SentenceFrame{"A AvB B , <coord> PA could not find OB", 3, "", "", "", "", "", true},
    // A noun is named again.
    SentenceFrame{"A AvB B , <coord> =B QB <conj> PB QB", 9, "", "", "", "", ""},
    SentenceFrame{"A AvB B , <coord> =B BvA =A <conj> PB QB", 4, "", "", "", "", "", true},
    SentenceFrame{"A AvB B , <coord> =A QA <conj> PA QA", 4, "", "", "", "", ""},
    SentenceFrame{"A AvB B , <coord> =B QB <conj> C CvB OB", 6, "", "", "", "", ""},
    SentenceFrame{"A AvB B , <coord> =B QB <conj> PB BvA =A", 4, "animate", "animate", "", "", ""},
    SentenceFrame{"A <gave> B @small , <coord> =B QB <conj> PB QB", 3, "someone", "someone", "", "", ""},
    // Nouns with owners.
    SentenceFrame{"A's -B QB <conj> P Q", 8, "someone", "anything", "", "", "", true},
    SentenceFrame{"A's -B QB , <coord> P Q", 8, "someone", "anything", "", "", "", true},
    SentenceFrame{"A's -B QB , <coord> C CvM O", 7, "someone", "anything", "", "", "", true},
    SentenceFrame{"A's -B QB <conj> C CvM O", 6, "someone", "anything", "", "", "", true},
    SentenceFrame{"A's -B QB <conj> PB QB", 6, "someone", "anything", "", "", ""},
    SentenceFrame{"A's -B QB <conj> C CvB OB", 5, "someone", "anything", "", "", ""},
    SentenceFrame{"A's -B BvC C <conj> PB QB", 5, "someone", "animate", "", "", ""},
    // Consequences of a quality.
    SentenceFrame{"A BE so <quality> that C CvA OA", 3, "anything", "", "", "", ""},
    SentenceFrame{"A BE so <quality> that PA QA", 3, "anything", "", "", "", ""},
};

}  // namespace

std::span<const SentenceFrame> open_frames() {
  return all_open_frames;
}

}  // namespace headscope
