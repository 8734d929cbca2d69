#pragma once

namespace headscope {

/// What `headscope --help` prints.
inline constexpr const char* top_help =
    R"(Headscope shows how attention works: every number of every head, for a sentence
of yours.

Usage:
  headscope [MODEL] [OPTIONS]    open the window, on a model: pronouns (the
                                 usual one), copying, reversing, untrained
                                 (random weights), or a folder that train wrote
  headscope render [OPTIONS]     write a figure: PNG, SVG or PDF
  headscope trace [OPTIONS]      write the numbers: safetensors, NPY or CSV
  headscope explain [OPTIONS]    say how one cell came to be
  headscope info [OPTIONS]       list stages, shapes, parameters and limits
  headscope train [OPTIONS]      train a small model and write its folder
  headscope tokenize [OPTIONS]   list a sentence's tokens and ids

Each command has its own --help. The window opens on what the options of render
say, and takes these too:
  --screenshot F.png   write what the window shows, and leave
  --size WxH           of the window
  --ui-scale K         of everything in it: 0.5 to 4

  -h, --help           this text
  --version            the version

Examples:
  headscope --sentence "The cat sat on the mat" --heads 8
  headscope render --mask causal --head all --out heads.png
  headscope render --stage all --head 2 --theme dark --out stages.pdf
  headscope trace --sentence "To be or not to be" --out trace.safetensors
  headscope trace --stage weights --head 1 --out weights.csv
  headscope copying
  headscope explain --stage weights --head 0 --row it --column animal
  headscope explain --stage raw --row the:1 --column street
  headscope render --preset "The paper" --attention cross --out cross.png
  headscope trace --weights mha.safetensors --heads 8 --input x.npy --out folder

Rows are queries, columns are keys; everything counts from 0. Exit codes: 0
done, 2 a wrong option or value, 1 anything else that failed.
)";

}  // namespace headscope
