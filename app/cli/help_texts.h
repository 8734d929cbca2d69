#pragma once

namespace headscope {

/// The output of `headscope --help`.
inline constexpr const char* top_help =
    R"(Headscope shows how attention works: every number in every head, for any
sentence you type.

Usage:
  headscope [MODEL] [OPTIONS]    open the window with a model: pronouns (the
                                 default), copying, reversing, untrained
                                 (random weights), a folder of a model, or a
                                 GGUF file; or with captured attention, a
                                 scene, a figure, or a lesson NAME.md
  headscope render [OPTIONS]     write a figure: PNG, SVG or PDF
  headscope worksheet [OPTIONS]  write an exercise for paper and its solution
  headscope trace [OPTIONS]      write the numbers: safetensors, NPY or CSV
  headscope explain [OPTIONS]    explain how one cell was computed
  headscope info [OPTIONS]       list stages, shapes, parameters and limits
  headscope train [OPTIONS]      train a small model and write its folder
  headscope tokenize [OPTIONS]   list a sentence's tokens and ids
  headscope textbook [OPTIONS] [NAME]
                                 list worked examples, open or check them
  headscope lesson [OPTIONS] [NAME]
                                 list lessons, open, check or print them
  headscope search [OPTIONS] FILE
                                 find sentences by how a head attends in them
  headscope capture [OPTIONS] [NAME]
                                 print a program that captures attention

Each command has its own --help. The window accepts the options of render, and
these:
  --screenshot F.png   write a picture of the window and exit
  --size WxH           size of the window
  --ui-scale K         scale of the interface: 0.5 to 4

  -h, --help           show this help
  --version            show the version

Examples:
  headscope --sentence "The cat sat on the mat" --heads 8
  headscope render --mask causal --head all --out heads.png
  headscope render --stage all --head 2 --theme dark --out stages.pdf
  headscope trace --sentence "To be or not to be" --out trace.safetensors
  headscope trace --stage weights --head 1 --out weights.csv
  headscope worksheet --head 2 --cover rows:it --out sheet.pdf
  headscope copying
  headscope textbook raschka-3.5.1-causal-mask
  headscope lesson 01-what-does-it-mean
  headscope explain --stage weights --head 0 --row it --column animal
  headscope explain --stage raw --row the:1 --column street
  headscope render --preset "The paper" --attention cross --out cross.png
  headscope trace --weights mha.safetensors --heads 8 --input x.npy --out folder

Rows are queries, columns are keys; everything is counted from 0. Exit codes:
0 success, 2 invalid option or value, 1 any other failure.
)";

}  // namespace headscope
