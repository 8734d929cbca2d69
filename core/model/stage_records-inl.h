// All kinds of intermediate results and parameters of a forward pass, in topological order, which is the
// order of the steps of a pass. Those of an attention, and those of a head, are contiguous. The order of the
// parameters is also that of their slots in files and flat vectors (see parameters.cpp), so it never changes.
//   PARAMETER(kind, scope, name, rows, columns, kind of parameter, symbol, title, meaning, traits)
//   STAGE(kind, scope, name, rows, columns, symbol, title, meaning, traits)
// Included where both macros are defined: without an include guard, as each place makes something else of
// them.

PARAMETER(embedding_table, model, "embedding.table", Axis::table_rows, Axis::embedding, word_table, "E",
          "Embedding table", "One row of numbers per id; a token's embedding is the row of its id.",
          {.sentence = "Row {row} of the embedding table, dimension {column}, is {value}"})
PARAMETER(
    positions_table, model, "positions.table", Axis::position_rows, Axis::position_cols, table, "P",
    "Table of positions",
    "What the model has learned about positions: a row for each position, or a bias for each head and distance.")
PARAMETER(stack_positions_table, stack, "positions.biases", Axis::position_rows, Axis::position_cols, table,
          "P", "Table of relative positions",
          "What this stack has learned about positions: a bias for each head and distance.")
PARAMETER(stack_position_rows, stack, "positions.rows", Axis::position_rows, Axis::position_cols, table, "P",
          "Table of positions", "What this stack has learned about positions: a row for each position.")
PARAMETER(segments_table, model, "segments.table", Axis::segments, Axis::embedding, table, "S",
          "Table of segments",
          "One row of numbers per segment, which is added to the embeddings of its tokens.",
          {.sentence = "Segment {row}, dimension {column}, is {value}"})
PARAMETER(layer_table, model, "per_layer.table", Axis::layer_rows, Axis::all_layer_inputs, word_table, "E_L",
          "Table of the layers' embeddings",
          "One row of numbers per id, with a part for each layer, which reads it besides its input.",
          {.sentence = "Row {row} of the table of the layers' embeddings, column {column}, is {value}"})
PARAMETER(embedding_norm_gain, stack, "embedding.norm.gain", Axis::single, Axis::embedding, gain, "γ_E",
          "Gain of the embeddings' norm", "The factor for each dimension after normalisation.")
PARAMETER(embedding_norm_bias, stack, "embedding.norm.bias", Axis::single, Axis::embedding, offset, "β_E",
          "Bias of the embeddings' norm", "The number added to each dimension after normalisation.")
PARAMETER(distance_norm_gain, stack, "positions.norm.gain", Axis::single, Axis::d_model, gain, "γ_P",
          "Gain of the positions' norm", "The factor for each dimension after normalisation.")
PARAMETER(distance_norm_bias, stack, "positions.norm.bias", Axis::single, Axis::d_model, offset, "β_P",
          "Bias of the positions' norm", "The number added to each dimension after normalisation.")
PARAMETER(w_embedding, model, "embedding.W", Axis::embedding, Axis::d_model, weight, "W_E",
          "Weights of the embeddings' projection",
          "The matrix that turns a narrower embedding into a row of d_model numbers.")
PARAMETER(b_embedding, model, "embedding.b", Axis::single, Axis::d_model, bias, "b_E",
          "Bias of the embeddings' projection", "Numbers added to every projected embedding.")
STAGE(embedding, stack, "embedding", Axis::query_tokens, Axis::embedding, "E", "Token embedding",
      "Each token's word as a row of numbers: the same word has the same row wherever it occurs.")
STAGE(positions, stack, "positions", Axis::query_tokens, Axis::embedding, "P", "Positions",
      "A row of numbers per position, which tells the model where in the sentence a token is.")
STAGE(segments, stack, "segments", Axis::query_tokens, Axis::embedding, "S", "Segments",
      "Tells the model which of its texts a token belongs to.")
STAGE(embedding_sum, stack, "sum", Axis::query_tokens, Axis::embedding, "X₀", "Sum of the embeddings",
      "Each token's embedding with all that is added to it, before it is prepared for the first layer.",
      {.tab = "sum of embeddings"})
STAGE(embedding_sum_normed, stack, "sum_normed", Axis::query_tokens, Axis::embedding, "X̂₀",
      "Normalised sum of the embeddings", "The sum of each token's embeddings, normalised to one scale.",
      {.tab = "normalised sum"})
STAGE(input, stack, "input", Axis::query_tokens, Axis::d_model, "X", "Input",
      "What enters the first layer: the sum of each token's word and position.")
PARAMETER(w_layer_context, stack, "per_layer.W_C", Axis::d_model, Axis::all_layer_inputs, weight, "W_C",
          "Weights of the layers' inputs",
          "The matrix that turns a token's embedding into numbers for each layer.")
PARAMETER(layer_context_gain, stack, "per_layer.norm.gain", Axis::single, Axis::layer_input, gain, "γ_C",
          "Gain of the layers' inputs", "The factor for each dimension after normalisation, in all layers.")
STAGE(layer_embedding, stack, "per_layer.embedding", Axis::query_tokens, Axis::all_layer_inputs, "E_L",
      "Embeddings for the layers", "A second embedding of each token's word, with a part for each layer.",
      {.tab = "for the layers"})
STAGE(layer_context, stack, "per_layer.context", Axis::query_tokens, Axis::all_layer_inputs, "C_L",
      "Projected embedding for the layers", "What each token's first embedding says to each layer.",
      {.tab = "projected"})
STAGE(layer_context_normed, stack, "per_layer.normed", Axis::query_tokens, Axis::all_layer_inputs, "Ĉ_L",
      "Normalised embedding for the layers",
      "What the first embedding says to each layer, each part normalised to one scale.",
      {.tab = "normalised"})
STAGE(layer_inputs, stack, "per_layer.sum", Axis::query_tokens, Axis::all_layer_inputs, "P",
      "Inputs of the layers", "What each token brings into each layer: the sum of both embeddings.",
      {.tab = "inputs of the layers"})
PARAMETER(w_streams, stack, "streams.W", Axis::d_model, Axis::other_streams, weight, "W_A",
          "Weights of the other streams",
          "The matrices that turn the input into the first rows of each other stream.")
STAGE(streams_projected, stack, "streams.projected", Axis::query_tokens, Axis::other_streams, "X W_A",
      "Projected input of the other streams", "The input times a matrix of each other stream, side by side.",
      {.tab = "other streams, projected"})
STAGE(streams_start, stack, "streams.input", Axis::query_tokens, Axis::other_streams, "X_A",
      "Input of the other streams",
      "The rows in which the streams that layers do not compute begin, each as large as the first stream's.",
      {.tab = "other streams"})
STAGE(layer_input, layer, "input", Axis::query_tokens, Axis::d_model, "x", "Layer input",
      "The row of numbers per token that enters this layer.",
      {.tab = "layer input", .landmark = "input", .repeats = true})
STAGE(streams_input, layer, "streams.input", Axis::query_tokens, Axis::other_streams, "x_A", "Other streams",
      "The rows of the streams that this layer does not compute, side by side.",
      {.tab = "other streams", .repeats = true})
PARAMETER(streams_norm_gain, layer, "streams.router.norm.gain", Axis::single, Axis::d_model, gain, "γ_A",
          "Gain of the streams' router", "The factor for each dimension of what the router reads.")
PARAMETER(w_streams_router, layer, "streams.router.W", Axis::d_model, Axis::streams, weight, "W_M",
          "Weights of the streams' router",
          "The matrix that turns a token's row into a number for each stream.")
PARAMETER(w_prediction, layer, "streams.W_P", Axis::streams, Axis::squared_streams, weight, "W_P",
          "Weights of the predictions", "The matrix that says how much each stream tells of each other one.")
PARAMETER(w_correction, layer, "streams.W_C", Axis::streams, Axis::streams, weight, "W_K",
          "Weights of the corrections", "The matrix that says how much of what is new corrects each stream.")
STAGE(streams_norm, layer, "streams.norm", Axis::query_tokens, Axis::d_model, "x̂_A",
      "Normalised input of the streams' router", "The first stream, normalised to one scale.")
STAGE(streams_router, layer, "streams.router", Axis::query_tokens, Axis::streams, "r_A",
      "Router of the streams", "A number from −1 to 1 for each stream, from which predictions are made.")
STAGE(prediction_factors, layer, "streams.prediction", Axis::query_tokens, Axis::squared_streams, "c_P",
      "Factors of the predictions", "How much each stream (second) adds to each other one (first).")
STAGE(predicted_row, layer, "streams.predicted", Axis::query_tokens, Axis::d_model, "u_0",
      "Predicted first stream",
      "What the streams together predict of the first one, which attention and the feed-forward layer read.")
STAGE(predicted_streams, layer, "streams.predicted_others", Axis::query_tokens, Axis::other_streams, "u_A",
      "Predicted other streams", "What the streams together predict of the others.")
PARAMETER(norm_gain, attention, "norm.gain", Axis::single, Axis::d_model, gain, "γ", "Gain of the norm",
          "The factor for each dimension after normalisation.")
PARAMETER(norm_bias, attention, "norm.bias", Axis::single, Axis::d_model, offset, "β", "Bias of the norm",
          "The number added to each dimension after normalisation.")
STAGE(norm, attention, "norm", Axis::query_tokens, Axis::d_model, "x̂", "Normalised input",
      "Each token's row, normalised to one scale before attention reads it.")
PARAMETER(w_output, attention, "W_O", Axis::concat, Axis::d_model, weight, "W_O", "Output weights",
          "The matrix that mixes the outputs of all heads back into rows of d_model numbers.")
PARAMETER(b_output, attention, "b_O", Axis::single, Axis::d_model, bias, "b_O", "Output bias",
          "Numbers added to every projected row, whatever the token.")
PARAMETER(w_query, head, "W_Q", Axis::query_input, Axis::d_head, weight, "W_Q", "Query weights",
          "The matrix that turns a token's row into its query: what this head looks for.")
PARAMETER(b_query, head, "b_Q", Axis::single, Axis::d_head, bias, "b_Q", "Query bias",
          "Numbers added to every query of this head, whatever the token.")
PARAMETER(w_key, head, "W_K", Axis::kv_input, Axis::per_head_key, weight, "W_K", "Key weights",
          "The matrix that turns a token's row into its key: what this head can find it by.",
          {.is_per_group = true})
PARAMETER(b_key, head, "b_K", Axis::single, Axis::per_head_key, bias, "b_K", "Key bias",
          "Numbers added to every key of this head, whatever the token.", {.is_per_group = true})
PARAMETER(w_value, head, "W_V", Axis::kv_input, Axis::d_value, weight, "W_V", "Value weights",
          "The matrix that turns a token's row into its value: what it passes on when attended to.",
          {.is_per_group = true})
PARAMETER(b_value, head, "b_V", Axis::single, Axis::d_value, bias, "b_V", "Value bias",
          "Numbers added to every value of this head, whatever the token.", {.is_per_group = true})
PARAMETER(w_position_query, head, "W_QP", Axis::d_model, Axis::d_head, weight, "W_QP",
          "Query weights of positions", "The matrix that turns the row of a distance into a query.")
PARAMETER(b_position_query, head, "b_QP", Axis::single, Axis::d_head, bias, "b_QP", "Query bias of positions",
          "Numbers added to the query of every distance.")
PARAMETER(w_position_key, head, "W_KP", Axis::d_model, Axis::d_head, weight, "W_KP",
          "Key weights of positions", "The matrix that turns the row of a distance into a key.")
PARAMETER(b_position_key, head, "b_KP", Axis::single, Axis::d_head, bias, "b_KP", "Key bias of positions",
          "Numbers added to the key of every distance.")
PARAMETER(layer_biases_table, attention, "positions.biases", Axis::position_rows, Axis::position_cols, table,
          "P", "Table of relative positions",
          "What this layer has learned about positions: a bias for each head and distance.")
PARAMETER(
    sink, head, "sink", Axis::single, Axis::single, sink_score, "s", "Sink",
    "A score that belongs to no key: it takes a share of every query's attention and adds no value, so that a head can attend to nothing.")
PARAMETER(query_norm_gain, attention, "query_norm.gain", Axis::single, Axis::query_gain, gain, "γ_Q",
          "Gain of the query norm",
          "The factor for each dimension of a normalised query, the same in all heads.")
PARAMETER(key_norm_gain, attention, "key_norm.gain", Axis::single, Axis::key_gain, gain, "γ_K",
          "Gain of the key norm", "The factor for each dimension of a normalised key, the same in all heads.")
PARAMETER(
    w_latent, attention, "W_DKV", Axis::d_model, Axis::latent, weight, "W_DKV", "Latent weights",
    "The matrix that compresses a token's row into a short one, from which the keys and values of all heads are made.")
PARAMETER(latent_norm_gain, attention, "latent_norm.gain", Axis::single, Axis::latent, gain, "γ_c",
          "Gain of the latent's norm", "The factor for each number of a normalised latent row.")
PARAMETER(
    w_shared_key, attention, "W_KR", Axis::d_model, Axis::shared_key, weight, "W_KR", "Shared key weights",
    "The matrix that turns a token's row into the part of its key that all heads share and that positions rotate.")
PARAMETER(
    w_query_latent, attention, "W_DQ", Axis::d_model, Axis::query_latent, weight, "W_DQ",
    "Latent weights of queries",
    "The matrix that compresses a token's row into a short one, from which the queries of all heads are made.")
PARAMETER(query_latent_norm_gain, attention, "query_latent_norm.gain", Axis::single, Axis::query_latent, gain,
          "γ_q", "Gain of the query latent's norm",
          "The factor for each number of a normalised latent row of queries.")
STAGE(
    latent, attention, "latent", Axis::key_tokens, Axis::latent, "c", "Latent of keys and values",
    "Each token's row, compressed into a short one that holds what all heads need for their keys and values.")
STAGE(
    normed_latent, attention, "normed_latent", Axis::key_tokens, Axis::latent, "ĉ", "Normalised latent",
    "The latent row divided by its root mean square: what the keys and values of all heads are made from, and all that a KV cache keeps of them.")
STAGE(
    shared_key, attention, "shared_key", Axis::key_tokens, Axis::shared_key, "K_R", "Shared key",
    "The dimensions of every head's key that positions rotate, the same in all heads. They do not come from the latent, because W_K could then not be multiplied into W_Q once for all positions.")
STAGE(query_latent, attention, "query_latent", Axis::query_tokens, Axis::query_latent, "c_Q",
      "Latent of queries",
      "Each token's row, compressed into a short one that holds what all heads need for their queries.")
STAGE(normed_query_latent, attention, "normed_query_latent", Axis::query_tokens, Axis::query_latent, "ĉ_Q",
      "Normalised latent of queries",
      "The latent row divided by its root mean square: what the queries of all heads are made from.")
STAGE(distance_rows, attention, "distances", Axis::distances, Axis::d_model, "R", "Rows of distances",
      "The row of the table of positions for each distance from query to key, the same in all layers.",
      {.sentence = "At distance {distance}, dimension {column} is {value}"})
STAGE(normed_distance_rows, attention, "normed_distances", Axis::distances, Axis::d_model, "R̂",
      "Normalised rows of distances", "The row of each distance, normalised to one scale.",
      {.sentence = "At distance {distance}, dimension {column} is {value}"})
STAGE(query, head, "query", Axis::query_tokens, Axis::d_head, "Q", "Query",
      "What each token looks for in the others, as this head sees it.", {.tab = "Q", .landmark = "Q"})
STAGE(key, head, "key", Axis::key_tokens, Axis::d_head, "K", "Key",
      "What each token can be found by; it is compared with every query.",
      {.is_per_group = true, .tab = "K", .landmark = "K"})
STAGE(projected_value, head, "projected_value", Axis::key_tokens, Axis::d_value, "V₀", "Projected value",
      "The value before it is divided by its root mean square.", {.is_per_group = true, .tab = "projected V"})
STAGE(value, head, "value", Axis::key_tokens, Axis::d_value, "V", "Value",
      "What each token passes on to the tokens that attend to it.",
      {.is_per_group = true, .tab = "V", .landmark = "V"})
STAGE(normed_query, head, "normed_query", Axis::query_tokens, Axis::d_head, "Q̂", "Normalised query",
      "The query divided by its root mean square, so that its length does not sharpen softmax.",
      {.tab = "normed Q"})
STAGE(normed_key, head, "normed_key", Axis::key_tokens, Axis::d_head, "K̂", "Normalised key",
      "The key, normalised in the same way.", {.is_per_group = true, .tab = "normed K"})
STAGE(rotated_query, head, "rotated_query", Axis::query_tokens, Axis::d_head, "Q°", "Rotated query",
      "The query with each pair of dimensions rotated by an angle that grows with the position.",
      {.tab = "rotated Q"})
STAGE(rotated_key, head, "rotated_key", Axis::key_tokens, Axis::d_head, "K°", "Rotated key",
      "The key, rotated in the same way: its product with a query depends only on their distance.",
      {.is_per_group = true, .tab = "rotated K"})
STAGE(
    mapped_query, head, "mapped_query", Axis::query_tokens, Axis::d_head, "φ(Q)", "Mapped query",
    "The query after the feature map φ, which makes every number positive. No score is negative then, and scores can be divided by their sum without a softmax.",
    {.tab = "mapped Q", .is_signed = false})
STAGE(mapped_key, head, "mapped_key", Axis::key_tokens, Axis::d_head, "φ(K)", "Mapped key",
      "The key after the same feature map.", {.is_per_group = true, .tab = "mapped K", .is_signed = false})
STAGE(position_query, head, "position_query", Axis::distances, Axis::d_head, "Q_P", "Position query",
      "What each distance looks for in the keys, as this head sees it.",
      {.tab = "Q of positions",
       .sentence = "Dimension {column} of the query of distance {distance} is {value}"})
STAGE(position_key, head, "position_key", Axis::distances, Axis::d_head, "K_P", "Position key",
      "What each distance can be found by; it is compared with the queries.",
      {.tab = "K of positions",
       .sentence = "Dimension {column} of the key of distance {distance} is {value}"})
STAGE(raw, head, "raw", Axis::query_tokens, Axis::key_tokens, "S", "Raw scores",
      "How well each query matches each key: the sum of the products of their numbers.",
      {.tab = "scores", .landmark = "scores", .sentence = "The raw score of {query} and {key} is {value}"})
STAGE(
    scaled, head, "scaled", Axis::query_tokens, Axis::key_tokens, "S′", "Scaled scores",
    "The raw scores divided by √d_head (if scaling is on, and unless the model has a scale of its own), so that longer vectors do not sharpen softmax.",
    {.landmark = "scaled", .sentence = "The scaled score of {query} and {key} is {value}"})
STAGE(capped, head, "capped", Axis::query_tokens, Axis::key_tokens, "S″", "Capped scores",
      "The scaled scores, squashed so that none exceeds ±c: softmax never becomes all or nothing.",
      {.sentence = "The capped score of {query} and {key} is {value}"})
STAGE(content_to_position, head, "content_to_position", Axis::query_tokens, Axis::key_tokens, "S_CP",
      "Content-to-position scores",
      "How well each query matches the distance to each key, whatever word is there.",
      {.tab = "content to position",
       .sentence = "The product of the query of {query} and the distance to {key} is {value}"})
STAGE(position_to_content, head, "position_to_content", Axis::query_tokens, Axis::key_tokens, "S_PC",
      "Position-to-content scores",
      "How well each key matches the distance from each query, whatever word is there.",
      {.tab = "position to content",
       .sentence = "The product of the distance from {query} and the key of {key} is {value}"})
STAGE(position_bias, head, "position_bias", Axis::query_tokens, Axis::key_tokens, "B", "Position bias",
      "What the distance between query and key adds to the score.",
      {.sentence = "The distance from {query} to {key} adds {value} to their score"})
STAGE(masked, head, "masked", Axis::query_tokens, Axis::key_tokens, "M", "Masked scores",
      "The scores with hidden cells replaced by the mask value, so that they get no weight.",
      {.landmark = "masked", .sentence = "The masked score of {query} and {key} is {value}"})
STAGE(weights, head, "weights", Axis::query_tokens, Axis::key_tokens, "A", "Attention weights",
      "The share of its attention that each query (row) gives to each key (column).",
      {.landmark = "weights",
       .is_signed = false,
       .is_share = true,
       .sentence = "{query} gives {value} to {key}"})
STAGE(
    sink_share, head, "sink_share", Axis::query_tokens, Axis::single, "a_s", "Share of the sink",
    "The share of each query's attention that goes to the sink: what its row of weights leaves of 1. The sink adds no value.",
    {.is_signed = false, .sentence = "{query} gives {value} to the sink, which adds no value"})
STAGE(dropped, head, "dropped", Axis::query_tokens, Axis::key_tokens, "A′", "Weights after dropout",
      "In training, some weights are dropped at random and the others are scaled up to compensate.",
      {.is_signed = false, .is_share = true, .sentence = "{query} gives {value} to {key} after dropout"})
STAGE(
    effective_weights, head, "effective_weights", Axis::query_tokens, Axis::key_tokens, "Â",
    "Effective weights",
    "The share of each key in what this head adds to a query's row, by length: a key with a large weight and a short value adds little.",
    {.tab = "effective",
     .is_signed = false,
     .is_share = true,
     .sentence = "{key} accounts for {value} of what head {head} adds to {query}"})
STAGE(
    state, head, "state", Axis::d_head, Axis::d_value, "S_φ", "State",
    "All that the last query needs from its keys and values, in a table that does not grow with the text: the sum of φ(k) vᵀ, to which each new token adds its own product.",
    {.sentence =
         "The state of head {head} holds {value} for dimension {row} of the keys and {column} of the values"})
STAGE(state_sum, head, "state_sum", Axis::single, Axis::d_head, "z_φ", "Sum of the state's keys",
      "The part of the state that outputs are divided by: φ(q) · z_φ is the sum of a row of scores.",
      {.is_signed = false,
       .sentence = "The mapped keys of head {head} add up to {value} in dimension {column}"})
STAGE(output, head, "output", Axis::query_tokens, Axis::d_value, "O", "Head output",
      "The values of all tokens, averaged with each query's attention weights.", {.landmark = "output"})
STAGE(concat, attention, "concat", Axis::query_tokens, Axis::concat, "C", "Concatenated heads",
      "The outputs of all heads, side by side in one row per token.")
PARAMETER(w_gate, attention, "W_G", Axis::d_model, Axis::concat, weight, "W_G", "Gate weights",
          "The matrix that decides from a token's row how much of each head's output passes through.")
STAGE(
    head_gate, attention, "gate", Axis::query_tokens, Axis::concat, "G", "Gate",
    "How much of each number of the heads' outputs passes through, from 0 to 1, as decided by the token's own row.",
    {.is_signed = false})
STAGE(gated_heads, attention, "gated", Axis::query_tokens, Axis::concat, "C′", "Gated heads",
      "The outputs of all heads, each number times its gate.")
STAGE(
    contribution, head, "contribution", Axis::query_tokens, Axis::d_model, "O W_O", "Head contribution",
    "What this head alone adds to each token's projected row; the contributions of all heads and the bias add up to that row.",
    {.sentence = "Head {head} adds {value} to dimension {column} of {token}"})
STAGE(projected, attention, "projected", Axis::query_tokens, Axis::d_model, "Y", "Projected output",
      "The result of attention as a whole for each token: all heads mixed by W_O.")
PARAMETER(output_norm_gain, attention, "output_norm.gain", Axis::single, Axis::d_model, gain, "γ_Y",
          "Gain of the output's norm", "The factor for each dimension of attention's normalised output.")
PARAMETER(output_norm_bias, attention, "output_norm.bias", Axis::single, Axis::d_model, offset, "β_Y",
          "Bias of the output's norm", "The number added to each dimension of attention's normalised output.")
STAGE(output_norm, attention, "output_norm", Axis::query_tokens, Axis::d_model, "Ŷ", "Normalised output",
      "The result of attention, normalised to one scale before it is added to the input.")
STAGE(residual, attention, "residual", Axis::query_tokens, Axis::d_model, "x + Y", "Residual sum",
      "The input of attention plus its output, so the input is never lost.")
STAGE(normed, attention, "normed", Axis::query_tokens, Axis::d_model, "x̂", "Normalised sum",
      "The residual sum with every row normalised to one scale.")
PARAMETER(w_laurel_left, layer, "laurel.W_L", Axis::d_model, Axis::laurel, weight, "W_LL",
          "First weights of LAuReL", "The matrix that compresses a token's row into a short one.")
PARAMETER(w_laurel_right, layer, "laurel.W_R", Axis::laurel, Axis::d_model, weight, "W_LR",
          "Second weights of LAuReL", "The matrix that turns the short row back into d_model numbers.")
PARAMETER(laurel_gain, layer, "laurel.norm.gain", Axis::single, Axis::d_model, gain, "γ_LA", "Gain of LAuReL",
          "The factor for each dimension after normalisation.")
STAGE(laurel_latent, layer, "laurel.latent", Axis::query_tokens, Axis::laurel, "l_A", "LAuReL, short",
      "What attention reads, compressed into a short row.")
STAGE(laurel_projected, layer, "laurel.projected", Axis::query_tokens, Axis::d_model, "l_A W_LR",
      "LAuReL, projected", "The short row, turned back into d_model numbers.")
STAGE(laurel_normed, layer, "laurel.normed", Axis::query_tokens, Axis::d_model, "l̂_A", "LAuReL, normalised",
      "The same, normalised to one scale.")
STAGE(laurel_sum, layer, "laurel.sum", Axis::query_tokens, Axis::d_model, "L̂", "LAuReL",
      "What attention reads plus what the low-rank layer beside it adds.")
STAGE(laurel_residual, layer, "laurel.residual", Axis::query_tokens, Axis::d_model, "x_L",
      "Attention and LAuReL", "The residual sum of attention and LAuReL, divided by √2.")
PARAMETER(feed_forward_norm_gain, layer, "feed_forward.norm.gain", Axis::single, Axis::d_model, gain, "γ",
          "Gain of the norm", "The factor for each dimension after normalisation.")
PARAMETER(feed_forward_norm_bias, layer, "feed_forward.norm.bias", Axis::single, Axis::d_model, offset, "β",
          "Bias of the norm", "The number added to each dimension after normalisation.")
STAGE(feed_forward_norm, layer, "feed_forward.norm", Axis::query_tokens, Axis::d_model, "x̂",
      "Normalised input of the feed-forward layer",
      "Each token's row, normalised to one scale before the feed-forward layer reads it.")
PARAMETER(router_norm_gain, layer, "feed_forward.router.norm.gain", Axis::single, Axis::d_model, gain, "γ_R",
          "Gain of the router's norm", "The factor for each dimension of what the router reads.")
STAGE(router_norm, layer, "feed_forward.router_norm", Axis::query_tokens, Axis::d_model, "x̂_R",
      "Normalised input of the router",
      "Each token's row, normalised to one scale before the router reads it.")
PARAMETER(w_router, layer, "feed_forward.router.W", Axis::d_model, Axis::experts, weight, "W_R",
          "Weights of the router", "The matrix that turns a token's row into a logit for each expert.")
PARAMETER(b_router, layer, "feed_forward.router.b", Axis::single, Axis::experts, bias, "b_R",
          "Bias of the router", "Numbers added to the logits of the experts, whatever the token.")
PARAMETER(
    router_correction, layer, "feed_forward.router.correction", Axis::single, Axis::experts, gain, "C",
    "Correction of the experts",
    "A number for each expert that counts where experts are chosen, but not in their shares: it keeps all experts busy in training.")
PARAMETER(router_factors, layer, "feed_forward.router.factors", Axis::single, Axis::experts, gain, "f_R",
          "Factors of the experts", "A number for each expert that its shares are multiplied by.")
STAGE(router_logits, layer, "feed_forward.router_logits", Axis::query_tokens, Axis::experts, "R",
      "Logits of the experts",
      "How well each expert suits each token: a token takes those with the largest logits.",
      {.sentence = "R of {token}, {expert}, is {value}"})
PARAMETER(w_shared_gate, layer, "feed_forward.shared_gate.W", Axis::d_model, Axis::single, weight, "w_S",
          "Weights of the shared expert's gate",
          "The column that turns a token's row into the share of the expert that every token takes.")
STAGE(shared_gate, layer, "feed_forward.shared_gate", Axis::query_tokens, Axis::single, "s",
      "Gate of the shared expert", "The share, from 0 to 1, of the expert that every token takes.",
      {.is_signed = false})
STAGE(expert_shares, layer, "feed_forward.shares", Axis::query_tokens, Axis::all_experts, "S",
      "Shares of the experts",
      "Which experts each token takes, and how much each of them counts. The others are not computed.",
      {.is_signed = false, .sentence = "S of {token}, {expert}, is {value}"})
PARAMETER(w_1, layer, "feed_forward.W_1", Axis::d_model, Axis::d_ff, weight, "W_1",
          "Weights of the hidden layer", "The matrix that turns a token's row into d_ff hidden numbers.")
PARAMETER(b_1, layer, "feed_forward.b_1", Axis::single, Axis::d_ff, bias, "b_1", "Bias of the hidden layer",
          "Numbers added to the hidden numbers, whatever the token.")
STAGE(hidden, layer, "feed_forward.hidden", Axis::query_tokens, Axis::d_ff, "F", "Feed-forward, hidden",
      "What the feed-forward layer finds in each token on its own.")
STAGE(sparse_gate, layer, "feed_forward.sparse", Axis::query_tokens, Axis::d_ff, "F_S",
      "Feed-forward, above a quantile",
      "Each hidden number less a quantile of its row: 0 for all but the largest ones.", {.is_signed = false})
STAGE(activated, layer, "feed_forward.activated", Axis::query_tokens, Axis::d_ff, "F′",
      "Feed-forward, activated",
      "The hidden numbers after the activation, which lets only some of them through.")
PARAMETER(w_up, layer, "feed_forward.W_up", Axis::d_model, Axis::d_ff, weight, "W_up",
          "Weights of the up layer",
          "The matrix that turns a token's row into the d_ff numbers that the gate multiplies.")
PARAMETER(b_up, layer, "feed_forward.b_up", Axis::single, Axis::d_ff, bias, "b_up", "Bias of the up layer",
          "Numbers added to the ones that the gate multiplies, whatever the token.")
STAGE(up, layer, "feed_forward.up", Axis::query_tokens, Axis::d_ff, "U", "Feed-forward, up",
      "A second set of hidden numbers, without an activation, which the gate multiplies.")
STAGE(
    up_shifted, layer, "feed_forward.up_shifted", Axis::query_tokens, Axis::d_ff, "U′",
    "Feed-forward, up, shifted",
    "The second set of hidden numbers, cut off at a limit, plus 1, so that the gate alone passes where they are 0.")
STAGE(feed_forward_gated, layer, "feed_forward.gated", Axis::query_tokens, Axis::d_ff, "G",
      "Feed-forward, gated",
      "Each number of U times its gate, which is the activated number in the same place.")
STAGE(expert_weighted, layer, "feed_forward.weighted", Axis::query_tokens, Axis::d_ff, "G′",
      "Feed-forward, weighted by the shares",
      "The hidden numbers of each expert times the token's share in it.")
PARAMETER(w_2, layer, "feed_forward.W_2", Axis::d_ff, Axis::d_model, weight, "W_2",
          "Weights of the feed-forward output",
          "The matrix that turns the hidden numbers back into a row of d_model numbers.")
PARAMETER(b_2, layer, "feed_forward.b_2", Axis::single, Axis::d_model, bias, "b_2",
          "Bias of the feed-forward output", "Numbers added to every row of the output, whatever the token.")
PARAMETER(expert_biases, layer, "feed_forward.B_2", Axis::all_experts, Axis::d_model, table, "B_2",
          "Biases of the experts' outputs",
          "A row for each expert, which is added to the output times the token's share in the expert.")
STAGE(feed_forward_output, layer, "feed_forward.output", Axis::query_tokens, Axis::d_model, "Z",
      "Feed-forward output", "The output of the feed-forward layer for each token.")
PARAMETER(feed_forward_output_norm_gain, layer, "feed_forward.output_norm.gain", Axis::single, Axis::d_model,
          gain, "γ_Z", "Gain of the output's norm",
          "The factor for each dimension of the feed-forward layer's normalised output.")
PARAMETER(feed_forward_output_norm_bias, layer, "feed_forward.output_norm.bias", Axis::single, Axis::d_model,
          offset, "β_Z", "Bias of the output's norm",
          "The number added to each dimension of the feed-forward layer's normalised output.")
STAGE(feed_forward_output_norm, layer, "feed_forward.output_norm", Axis::query_tokens, Axis::d_model, "Ẑ",
      "Normalised output of the feed-forward layer",
      "The feed-forward layer's output, normalised to one scale before it is added to the input.")
PARAMETER(dense_norm_gain, layer, "feed_forward.dense.norm.gain", Axis::single, Axis::d_model, gain, "γ_D",
          "Gain of the dense layer's norm", "The factor for each dimension after normalisation.")
STAGE(dense_norm, layer, "feed_forward.dense.norm", Axis::query_tokens, Axis::d_model, "x̂_D",
      "Normalised input of the dense layer",
      "Each token's row, normalised to one scale before the layer beside the experts reads it.")
PARAMETER(w_dense_1, layer, "feed_forward.dense.W_1", Axis::d_model, Axis::dense_ff, weight, "W_1D",
          "Weights of the dense hidden layer",
          "The matrix that turns a token's row into hidden numbers, for every token.")
STAGE(dense_hidden, layer, "feed_forward.dense.hidden", Axis::query_tokens, Axis::dense_ff, "F_D",
      "Dense layer, hidden", "What the layer beside the experts finds in each token.")
STAGE(dense_activated, layer, "feed_forward.dense.activated", Axis::query_tokens, Axis::dense_ff, "F′_D",
      "Dense layer, activated", "The hidden numbers after the activation.")
PARAMETER(w_dense_up, layer, "feed_forward.dense.W_up", Axis::d_model, Axis::dense_ff, weight, "W_upD",
          "Weights of the dense up layer", "The matrix that makes the numbers that the gate multiplies.")
STAGE(dense_up, layer, "feed_forward.dense.up", Axis::query_tokens, Axis::dense_ff, "U_D", "Dense layer, up",
      "A second set of hidden numbers, without an activation, which the gate multiplies.")
STAGE(dense_gated, layer, "feed_forward.dense.gated", Axis::query_tokens, Axis::dense_ff, "G_D",
      "Dense layer, gated", "Each number of U times its gate.")
PARAMETER(w_dense_2, layer, "feed_forward.dense.W_2", Axis::dense_ff, Axis::d_model, weight, "W_2D",
          "Weights of the dense output",
          "The matrix that turns the hidden numbers back into a row of d_model numbers.")
STAGE(dense_output, layer, "feed_forward.dense.output", Axis::query_tokens, Axis::d_model, "Z_D",
      "Output of the dense layer", "What the layer beside the experts makes of each token.")
PARAMETER(dense_output_norm_gain, layer, "feed_forward.dense.output_norm.gain", Axis::single, Axis::d_model,
          gain, "γ_ZD", "Gain of the dense output's norm",
          "The factor for each dimension after normalisation.")
STAGE(dense_output_norm, layer, "feed_forward.dense.output_norm", Axis::query_tokens, Axis::d_model, "Ẑ_D",
      "Normalised output of the dense layer", "The output of the dense layer, normalised to one scale.")
STAGE(feed_forward_sum, layer, "feed_forward.sum", Axis::query_tokens, Axis::d_model, "Z_S",
      "Experts and dense layer", "The sum of both outputs.")
PARAMETER(feed_forward_sum_gain, layer, "feed_forward.sum_norm.gain", Axis::single, Axis::d_model, gain,
          "γ_S", "Gain of the sum's norm", "The factor for each dimension after normalisation.")
STAGE(feed_forward_sum_norm, layer, "feed_forward.sum_norm", Axis::query_tokens, Axis::d_model, "Ẑ_S",
      "Normalised sum of experts and dense layer",
      "The sum, normalised to one scale before it is added to the input.")
STAGE(feed_forward_residual, layer, "feed_forward.residual", Axis::query_tokens, Axis::d_model, "x + Z",
      "Residual sum of the feed-forward layer", "The input of the feed-forward layer plus its output.")
STAGE(feed_forward_normed, layer, "feed_forward.normed", Axis::query_tokens, Axis::d_model, "x̂",
      "Normalised sum of the feed-forward layer", "The residual sum with every row normalised to one scale.")
PARAMETER(correction_gain, layer, "streams.gain", Axis::single, Axis::d_model, gain, "γ_K",
          "Gain of the corrected stream",
          "The factor for each dimension of the row that the layer's embedding is gated by.")
STAGE(correction_norm, layer, "streams.correction_norm", Axis::query_tokens, Axis::d_model, "ŷ_A",
      "Normalised output for the streams' router", "What the sublayers computed, normalised to one scale.")
STAGE(correction_router, layer, "streams.correction_router", Axis::query_tokens, Axis::streams, "r′_A",
      "Router of the corrections", "A number from −1 to 1 for each stream, from which corrections are made.")
STAGE(correction_factors, layer, "streams.correction", Axis::query_tokens, Axis::streams, "c_K",
      "Factors of the corrections", "With 1 added, how much of what is new corrects each stream.")
STAGE(corrected_row, layer, "streams.corrected", Axis::query_tokens, Axis::d_model, "u′_0",
      "Corrected first stream",
      "The prediction of the first stream, corrected by what the sublayers computed.")
STAGE(corrected_streams, layer, "streams.corrected_others", Axis::query_tokens, Axis::other_streams, "u′_A",
      "Corrected other streams", "The predictions of the others, corrected in the same way.")
STAGE(corrected_gained, layer, "streams.gained", Axis::query_tokens, Axis::d_model, "u′_0 γ_K",
      "Corrected first stream with its gain", "What decides how much of the layer's embedding enters.")
PARAMETER(w_layer_gate, layer, "per_layer.W_G", Axis::d_model, Axis::layer_input, weight, "W_GL",
          "Weights of the gate of the layer's embedding",
          "The matrix that decides from a token's row how much of its embedding enters the layer.")
PARAMETER(w_layer_entry, layer, "per_layer.W_O", Axis::layer_input, Axis::d_model, weight, "W_OL",
          "Weights of the layer's embedding",
          "The matrix that turns the gated embedding into a row of d_model numbers.")
PARAMETER(layer_entry_gain, layer, "per_layer.output_norm.gain", Axis::single, Axis::d_model, gain, "γ_L",
          "Gain of the norm of the layer's embedding", "The factor for each dimension after normalisation.")
STAGE(own_layer_input, layer, "per_layer.input", Axis::query_tokens, Axis::layer_input, "p_L",
      "Embedding of the layer", "The part of the inputs of the layers that this one reads.")
STAGE(layer_gate, layer, "per_layer.gate", Axis::query_tokens, Axis::layer_input, "g_L",
      "Gate of the layer's embedding",
      "What decides how much of each number of the embedding enters the layer.")
STAGE(layer_gate_activated, layer, "per_layer.activated", Axis::query_tokens, Axis::layer_input, "g′_L",
      "Gate of the layer's embedding, activated", "The gate after the activation.")
STAGE(layer_gated, layer, "per_layer.gated", Axis::query_tokens, Axis::layer_input, "p′_L",
      "Gated embedding of the layer", "Each number of the layer's embedding times its gate.")
STAGE(layer_entry, layer, "per_layer.output", Axis::query_tokens, Axis::d_model, "Y_L",
      "Projected embedding of the layer",
      "What the layer's embedding adds to each token's row, before the norm.")
STAGE(layer_entry_normed, layer, "per_layer.output_norm", Axis::query_tokens, Axis::d_model, "Ŷ_L",
      "Normalised embedding of the layer", "What the layer's embedding adds, normalised to one scale.")
STAGE(streams_output, layer, "streams.output", Axis::query_tokens, Axis::other_streams, "x′_A",
      "Output of the other streams",
      "The corrected other streams, each with what the layer's embedding adds.")
STAGE(layer_entry_residual, layer, "per_layer.residual", Axis::query_tokens, Axis::d_model, "x + Y_L",
      "Residual sum of the layer's embedding",
      "The output of the sublayers plus what the layer's embedding adds.")
PARAMETER(layer_scalar, layer, "output_factor", Axis::single, Axis::single, gain, "λ", "Factor of the layer",
          "The number by which everything that leaves this layer is multiplied.")
STAGE(layer_output, layer, "output", Axis::query_tokens, Axis::d_model, "x′", "Layer output",
      "The row of numbers per token that leaves this layer.", {.tab = "layer output", .repeats = true})
PARAMETER(w_streams_end, stack, "streams.W_end", Axis::d_model, Axis::other_streams, weight, "W_Z",
          "Weights of the streams' end", "The matrix of each other stream by which it joins the first one.")
STAGE(streams_end_projected, stack, "streams.end_projected", Axis::query_tokens, Axis::other_streams,
      "x′_A W_Z", "Projected other streams", "Each other stream after the last layer, times its own matrix.",
      {.tab = "other streams, projected"})
STAGE(streams_end, stack, "streams.end", Axis::query_tokens, Axis::other_streams, "X′_A",
      "End of the other streams", "The same, each as large as the first stream.", {.tab = "other streams"})
STAGE(streams_mean, stack, "streams.mean", Axis::query_tokens, Axis::d_model, "X̄", "Mean of the streams",
      "The mean of all streams after the last layer.", {.tab = "mean of streams"})
PARAMETER(final_norm_gain, stack, "norm.gain", Axis::single, Axis::d_model, gain, "γ",
          "Gain of the final norm", "The factor for each dimension after normalisation.")
PARAMETER(final_norm_bias, stack, "norm.bias", Axis::single, Axis::d_model, offset, "β",
          "Bias of the final norm", "The number added to each dimension after normalisation.")
STAGE(stack_output, stack, "output", Axis::query_tokens, Axis::d_model, "X′", "Stack output",
      "The row of numbers per token that leaves the last layer.", {.tab = "stack output", .repeats = true})
PARAMETER(w_transform, model, "transform.W", Axis::d_model, Axis::embedding, weight, "W_T",
          "Weights before the final linear layer",
          "The matrix that prepares the output of the last layer for comparison with the words.")
PARAMETER(b_transform, model, "transform.b", Axis::single, Axis::embedding, bias, "b_T",
          "Bias before the final linear layer", "Numbers added before the activation.")
STAGE(transform_hidden, model, "transform.hidden", Axis::query_tokens, Axis::embedding, "F",
      "Transformed output", "The output of the last layer, prepared for comparison with the words.",
      {.tab = "transformed"})
STAGE(transform_activated, model, "transform.activated", Axis::query_tokens, Axis::embedding, "F′",
      "Transformed output, activated", "The transformed output after the activation.", {.tab = "activated"})
PARAMETER(transform_norm_gain, model, "transform.norm.gain", Axis::single, Axis::embedding, gain, "γ_T",
          "Gain of the norm before the final linear layer",
          "The factor for each dimension after normalisation.")
PARAMETER(transform_norm_bias, model, "transform.norm.bias", Axis::single, Axis::embedding, offset, "β_T",
          "Bias of the norm before the final linear layer",
          "The number added to each dimension after normalisation.")
STAGE(transform_output, model, "transform.output", Axis::query_tokens, Axis::embedding, "X_T",
      "Transformed output, normalised", "The row of each token that is compared with the words.",
      {.tab = "compared with words"})
PARAMETER(w_logits, model, "logits.W", Axis::output_row, Axis::vocabulary, word_weight, "W_L",
          "Weights of the final linear layer",
          "One column of numbers per word; a row that resembles the column makes the word likely.")
PARAMETER(b_logits, model, "logits.b", Axis::single, Axis::vocabulary, word_bias, "b_L",
          "Bias of the final linear layer", "One number per word, added to its logit at every position.")
STAGE(logits, model, "logits", Axis::query_tokens, Axis::vocabulary, "L", "Logits",
      "A score for every word of the vocabulary, at every position.",
      {.sentence = "{At} {token}, the logit of {word} is {value}"})
STAGE(probabilities, model, "probabilities", Axis::query_tokens, Axis::vocabulary, "p", "Probabilities",
      "The probability of each word of the vocabulary at every position.",
      {.is_signed = false, .sentence = "{At} {token}, the probability of {word} is {value}"})

#undef PARAMETER
#undef STAGE
