#pragma once

namespace headscope {

class App;

// The keys that go from what is selected to what is beside it; behind the last comes the first.

void move_head(App& app, int by);
/// On the page of all heads.
void move_on_heads(App& app, int right, int down);
/// Through the pass, stage by stage and layer by layer; on the model's diagram box by box.
void move_stage(App& app, int by);
/// Of the page of tiles; stops at the first and the last.
void move_tile(App& app, int by);
/// Of the page of decoding; stops at the first and the last token.
void move_decoded(App& app, int by);
/// Stops at the first and the last.
void move_token(App& app, int by);
void move_layer(App& app, int by);
/// Encoder, decoder, cross-attention, and round again.
void next_attention(App& app);

}  // namespace headscope
