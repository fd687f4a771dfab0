"""A Qwen3 with random weights, small enough to train on a CPU in a minute."""

import torch
from transformers import PreTrainedTokenizerFast, Qwen3Config, Qwen3ForCausalLM

from her_workers.prepare.spec import ModelSize


def build_model(size: ModelSize, tokenizer: PreTrainedTokenizerFast, seed: int) -> Qwen3ForCausalLM:
    """Builds the model from the seed, in float32. Its vocabulary is the tokenizer's, without spare rows."""
    end, pad = tokenizer.eos_token_id, tokenizer.pad_token_id
    config = Qwen3Config(
        vocab_size=len(tokenizer),
        hidden_size=size.hidden,
        intermediate_size=size.intermediate,
        num_hidden_layers=size.layers,
        num_attention_heads=size.heads,
        num_key_value_heads=size.kv_heads,
        head_dim=size.head_dim,
        max_position_embeddings=2048,
        tie_word_embeddings=True,
        bos_token_id=pad,
        eos_token_id=end,
        pad_token_id=pad,
        dtype="float32",
    )
    torch.manual_seed(seed)
    model = Qwen3ForCausalLM(config)
    model.generation_config.eos_token_id = end
    model.generation_config.pad_token_id = pad
    return model
