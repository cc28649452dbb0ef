"""The kernels of upstream's scripts whose tensors are known, and how their rows state a case.

Two eras of scripts spell the same sizes differently (B or bsz, H or hidden_size). Each spelling is a reading of its
own, and a row that fits none waits for a person. `seq_len` of the newer era is the end of a sweep, not the case's,
unless models are swept. Where a tensor's batch is 1 whatever the row says, the row must say so too.
"""

from registry.importers.liger.signatures import Kernel, Reading, by

_ROWS_AND_HIDDEN = (
    by("H N", "rows=M hidden=x"),
    by("BT", "rows=x hidden=hidden_size"),
    by("T", "rows=bsz*x hidden=hidden_size"),
)
_MLP = "x[batch,seq,hidden] w_gate[intermediate,hidden] w_up[intermediate,hidden] w_down[hidden,intermediate]"
_MLP_SIZES = "seq=x hidden=hidden_size intermediate=intermediate_size"
_MLP_BSZ = f"batch=bsz {_MLP_SIZES}"
_ROPE_READINGS = (
    by("T", "seq=x hidden=hidden_size q_heads=num_q_heads kv_heads=num_kv_heads"),
    by("H", "seq=seq_len hidden=x q_heads=num_q_heads kv_heads=num_kv_heads"),
    by("T", "seq=x hidden=hidden_size q_heads=num_attention_heads kv_heads=num_key_value_heads", bsz=1),
)
_TOKENS_AND_VOCAB = (
    by("V", "tokens=B*T vocab=x"),
    by("BT", "tokens=x vocab=vocab_size"),
    by("model_config", "tokens=bsz*seq_len vocab=vocab_size"),
)
_LINEAR_BY_TOKENS = (
    by("BT", "tokens=x hidden=H vocab=V"),
    by("BT", "tokens=x hidden=hidden_size vocab=vocab_size"),
)
_LINEAR_BY_BATCH = (by("B", "batch=x seq=T hidden=H vocab=V"),)
_PREFERENCE = "x[batch,seq,hidden] weight[vocab,hidden] target[batch,seq]:int64 -> loss[1]"
_DISTILLATION = (
    "student_input[tokens,student_hidden] student_weight[vocab,student_hidden] "
    "teacher_input[tokens,hidden] teacher_weight[vocab,hidden] target[tokens]:int64 -> loss[1]"
)
_DISTILLATION_SCALARS = {"weight_hard_loss": "weight_hard_loss", "weight_soft_loss": "weight_soft_loss"}
_ATTENTION = (
    "scores[batch,heads_in,seq,seq] weight[heads_out,heads_in,k,k] bias[heads_out] -> y[batch,heads_out,seq,seq]"
)
_ATTENTION_READINGS = (by("L", "batch=B heads_in=C_in heads_out=C_out seq=x k=K"),)
_GRPO = "logits[batch,seq_next,vocab] completion_ids[batch,seq]:int64 advantages[batch] -> loss[1]"
_GRPO_READINGS = (by("B", "batch=x seq=T vocab=V"), by("B", "batch=x seq=T vocab=vocab_size"))


def _grpo(level: str) -> Kernel:
    return Kernel(
        f"GRPO loss, importance sampled by {level}",
        "grpo",
        _GRPO,
        _GRPO_READINGS,
        derived={"seq_next": "seq + 1"},
        fixed={"importance_sampling_level": level},
        is_variant=True,
    )


def _multi_token_attention(title: str) -> Kernel:
    fixed = {"groups": 1, "bias": True}
    return Kernel(title, "multi-token-attention", _ATTENTION, _ATTENTION_READINGS, fixed=fixed, is_variant=True)


def _mlp(title: str, family: str, activation: str, *readings: Reading) -> Kernel:
    return Kernel(title, family, f"{_MLP} -> y[batch,seq,hidden]", readings, fixed={"hidden_act": activation})


def _distillation(title: str, family: str) -> Kernel:
    return Kernel(
        title,
        family,
        _DISTILLATION,
        _LINEAR_BY_TOKENS,
        derived={"student_hidden": "hidden // 2"},
        scalars=_DISTILLATION_SCALARS,
        fixed={"bias": False},
    )


NORMS_AND_ACTIVATIONS = {
    "rms_norm": Kernel(
        "RMSNorm",
        "rmsnorm",
        "x[rows,hidden] weight[hidden] -> y[rows,hidden]",
        _ROWS_AND_HIDDEN,
        scalars={"eps": "eps"},
    ),
    "fused_add_rms_norm": Kernel(
        "Residual add and RMSNorm, fused",
        "rmsnorm",
        "x[rows,hidden] residual[rows,hidden] weight[hidden] -> y[rows,hidden] residual_out[rows,hidden]",
        _ROWS_AND_HIDDEN,
        scalars={"eps": "eps"},
    ),
    "layer_norm": Kernel(
        "LayerNorm",
        "layernorm",
        "x[rows,hidden] weight[hidden] bias[hidden] -> y[rows,hidden]",
        _ROWS_AND_HIDDEN,
        scalars={"eps": "eps"},
    ),
    "group_norm": Kernel(
        "GroupNorm",
        "groupnorm",
        "x[batch,channels,hidden] weight[channels] bias[channels] -> y[batch,channels,hidden]",
        (by("C", "batch=M channels=x hidden=H channels_per_group=channels_per_group"),),
        derived={"groups": "channels // channels_per_group"},
        scalars={"eps": "eps"},
    ),
    "softmax": Kernel("Softmax", "softmax", "x[rows,hidden] -> y[rows,hidden]", _ROWS_AND_HIDDEN),
    "sparsemax": Kernel(
        "Sparsemax",
        "sparsemax",
        "x[tokens,features] -> y[tokens,features]",
        (by("V", "tokens=B*T features=x"),),
        fixed={"dim": -1},
    ),
    "relu_squared": Kernel(
        "ReLU squared", "relu-squared", "x[rows,hidden] -> y[rows,hidden]", (by("N", "rows=M hidden=x"),)
    ),
    # The newer script's T is labelled both sequence length and total tokens: the same only for a batch of 1.
    "swiglu": _mlp("SwiGLU MLP", "swiglu", "silu", by("T", f"batch=B {_MLP_SIZES}"), by("T", _MLP_BSZ, bsz=1)),
    "tiled_swiglu": _mlp("SwiGLU MLP, tiled", "swiglu", "silu", by("T", _MLP_BSZ)),
    "geglu": _mlp("GeGLU MLP", "geglu", "gelu_pytorch_tanh", by("T", _MLP_BSZ)),
    "tiled_geglu": _mlp("GeGLU MLP, tiled", "geglu", "gelu_pytorch_tanh", by("T", _MLP_BSZ)),
    "fused_moe": Kernel(
        "Mixture of experts, fused",
        "moe",
        "x[tokens,hidden] gate_up_proj[experts,intermediate_double,hidden] down_proj[experts,hidden,intermediate] "
        "top_k_index[tokens,k]:int32 top_k_weights[tokens,k] -> y[tokens,hidden]",
        (
            by("T", "tokens=x experts=E hidden=H intermediate=intermediate_dim k=K"),
            by("E", "tokens=T experts=x hidden=H intermediate=intermediate_dim k=K"),
        ),
        derived={"intermediate_double": "intermediate * 2"},
    ),
}
POSITIONS_AND_ATTENTION = {
    "embedding": Kernel(
        "Embedding lookup",
        "embedding",
        "input_ids[batch,seq]:int64 weight[vocab,hidden] -> y[batch,seq,hidden]",
        (by("V", "batch=B seq=T hidden=D vocab=x"),),
    ),
    "rope": Kernel(
        "Rotary position embedding",
        "rope",
        "q[1,q_heads,seq,head_dim] k[1,kv_heads,seq,head_dim] "
        "-> q_out[1,q_heads,seq,head_dim] k_out[1,kv_heads,seq,head_dim]",
        _ROPE_READINGS,
        derived={"head_dim": "hidden // q_heads"},
    ),
    "llama4_rope": Kernel(
        "Rotary position embedding of Llama 4",
        "rope",
        "q[1,seq,q_heads,head_dim] k[1,seq,kv_heads,head_dim] "
        "-> q_out[1,seq,q_heads,head_dim] k_out[1,seq,kv_heads,head_dim]",
        _ROPE_READINGS,
        derived={"head_dim": "hidden // q_heads"},
    ),
    "multi_token_attention": _multi_token_attention("Multi-token attention"),
    "sparse_multi_token_attention": _multi_token_attention("Multi-token attention, sparse"),
    "fused_neighborhood_attention": Kernel(
        "Neighborhood attention, fused",
        "neighborhood-attention",
        "hidden_states[batch,seq,hidden] "
        "q_weight[hidden,hidden] k_weight[hidden,hidden] v_weight[hidden,hidden] out_weight[hidden,hidden] "
        "q_bias[hidden] k_bias[hidden] v_bias[hidden] out_bias[hidden] -> y[batch,seq,hidden]",
        (
            by(
                "seq_len",
                "batch=batch_size seq=x hidden=hidden_size heads=num_heads kernel_size=kernel_size dilation=dilation",
            ),
        ),
        derived={"head_dim": "hidden // heads"},
        fixed={"bias": True},
    ),
}
LOSSES = {
    "cross_entropy": Kernel(
        "Cross-entropy loss",
        "cross-entropy",
        "logits[tokens,vocab] target[tokens]:int64 -> loss[1]",
        _TOKENS_AND_VOCAB,
        dtype="fp32",
    ),
    "kl_div": Kernel(
        "KL divergence loss",
        "kl-divergence",
        "log_probs[tokens,vocab] target_probs[tokens,vocab] -> loss[1]",
        _TOKENS_AND_VOCAB,
        dtype="fp32",
    ),
    "tvd": Kernel(
        "Total variation distance loss",
        "tvd",
        "p[tokens,vocab] q[tokens,vocab] -> loss[1]",
        _TOKENS_AND_VOCAB,
        dtype="fp32",
    ),
    "jsd": Kernel(
        "Jensen-Shannon divergence loss",
        "jsd",
        "student_log_probs[tokens,vocab] teacher_log_probs[tokens,vocab] -> loss[1]",
        _TOKENS_AND_VOCAB,
        dtype="fp32",
    ),
    "fused_linear_cross_entropy": Kernel(
        "Linear and cross-entropy, fused",
        "cross-entropy",
        "x[tokens,hidden] weight[vocab,hidden] target[tokens]:int64 -> loss[1]",
        _LINEAR_BY_TOKENS,
    ),
    "fused_linear_jsd": Kernel(
        "Linear and JSD, fused",
        "jsd",
        "student_input[tokens,hidden] student_weight[vocab,hidden] "
        "teacher_input[tokens,hidden] teacher_weight[vocab,hidden] -> loss[1]",
        _LINEAR_BY_TOKENS,
        scalars={"beta": 0.5},
    ),
    "distill_jsd_loss": _distillation("Distillation by JSD", "jsd"),
    "distill_cosine_loss": _distillation("Distillation by cosine similarity", "cosine-similarity-loss"),
    "fused_linear_orpo_loss": Kernel("Linear and ORPO loss, fused", "orpo", _PREFERENCE, _LINEAR_BY_BATCH),
    "fused_linear_cpo_loss": Kernel("Linear and CPO loss, fused", "cpo", _PREFERENCE, _LINEAR_BY_BATCH),
    "fused_linear_simpo_loss": Kernel("Linear and SimPO loss, fused", "simpo", _PREFERENCE, _LINEAR_BY_BATCH),
    "kto_loss": Kernel(
        "Linear and KTO loss, fused",
        "kto",
        "x[batch,seq,hidden] ref_x[batch,seq,hidden] weight[vocab,hidden] bias[vocab] "
        "ref_weight[vocab,hidden] ref_bias[vocab] target[batch,seq]:int64 preference_labels[batch]:bool kl[1] "
        "-> loss[1]",
        _LINEAR_BY_BATCH,
        scalars={"beta": "beta"},
        fixed={"bias": True},
    ),
    "fused_linear_grpo_loss_token": _grpo("token"),
    "fused_linear_grpo_loss_sequence": _grpo("sequence"),
}
MEGATRON = {
    "megatron_rms_norm": Kernel(
        "RMSNorm in Megatron's layout",
        "rmsnorm",
        "x[seq,batch,hidden] weight[hidden] -> y[seq,batch,hidden]",
        (by("H", "seq=S batch=B hidden=x"),),
        scalars={"eps": 1e-6},
        dtype="bf16",
    ),
    "megatron_swiglu": Kernel(
        "SwiGLU in Megatron's layout",
        "swiglu",
        "y[seq,batch,ffn_double] -> out[seq,batch,ffn]",
        (by("ffn_local", "seq=S batch=B ffn=x"),),
        derived={"ffn_double": "ffn * 2"},
        dtype="bf16",
    ),
    "megatron_cross_entropy": Kernel(
        "Cross-entropy in Megatron's layout",
        "cross-entropy",
        "logits[seq,batch,vocab] target[seq,batch]:int64 -> loss[seq,batch]:fp32",
        (by("V", "seq=S batch=B vocab=x"),),
        fixed={"TP": 1},
        dtype="bf16",
    ),
}
KERNELS = NORMS_AND_ACTIVATIONS | POSITIONS_AND_ATTENTION | LOSSES | MEGATRON
