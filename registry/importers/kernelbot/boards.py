"""The leaderboards that this importer knows: their problems as gpu-mode/reference-kernels states them in task.yml.

Documents made of these lines have the digests of those already published for the same boards. A problem's ranking is
the geometric mean where its task.yml says so (`ranking_by: geom`), else the statistic is unspecified.
"""

from registry.importers.kernelbot.board import Board

_TABLE = (
    Board(
        "amd-fp8-mm", 399, "amd-fp8-mm", "AMD FP8 blockwise GEMM", "gemm", "amd/fp8-mm",
        axes="k m n seed; k_blocks = k // 128; n_blocks = n // 128",
        inputs=(
            "a: fp8_e4m3fnuz[m, k] col_major; b: fp8_e4m3fnuz[n, k] col_major; "
            "a_scale: fp32[m, k_blocks] col_major; b_scale: fp32[n_blocks, k_blocks] col_major"
        ),
        outputs="c: bf16[m, n] row_major",
    ),
    Board(
        "amd-mixture-of-experts", 430, "amd-moe", "AMD DeepSeek-style MoE layer", "moe", "amd/moe",
        axes="bs seed seqlen dexpert dhidden nroutedexperts nsharedexperts nexpertspertoken",
        inputs="input: fp16[bs, seqlen, dhidden]",
        outputs="output: fp16[bs, seqlen, dhidden]",
    ),
    Board(
        "amd-mla-decode", 463, "amd-mla-decode", "AMD MLA decode", "mla-attention", "amd/mla-decode",
        axes=(
            "dq dim seed prefill batchsize; sq = 1; kv_dim = kv_lora_rank + qk_rope_head_dim; n_heads = 128; "
            "v_head_dim = 128; kv_lora_rank = 512; qk_rope_head_dim = 64"
        ),
        inputs="input: bf16[batchsize, sq, dim]; kv_cache: bf16[batchsize, prefill, kv_dim]",
        outputs=(
            "attn_output: bf16[batchsize, n_heads, sq, v_head_dim]; "
            "kv_cache_out: bf16[batchsize, prefill, kv_dim]"
        ),
    ),
    Board(
        "trimul", 496, "trimul", "Triangle multiplicative update", "trimul", "bioml/trimul",
        axes="bs dim seed seqlen hiddendim",
        inputs="input: fp32[bs, seqlen, seqlen, dim]",
        outputs="output: fp32[bs, seqlen, seqlen, dim]",
        statistic="geomean",
        cases=(
            "0-normal-nomask: bs=2 dim=128 seed=9371 seqlen=256 hiddendim=128; "
            "1-cauchy-nomask: bs=1 dim=128 seed=381 seqlen=768 hiddendim=128; "
            "2-normal-masked: bs=2 dim=384 seed=2301 seqlen=256 hiddendim=128; "
            "3-normal-nomask: bs=1 dim=128 seed=12819 seqlen=512 hiddendim=128; "
            "4-cauchy-nomask: bs=1 dim=128 seed=381 seqlen=1024 hiddendim=128; "
            "5-normal-masked: bs=1 dim=384 seed=481 seqlen=768 hiddendim=128; "
            "6-normal-nomask: bs=1 dim=384 seed=23291 seqlen=1024 hiddendim=128"
        ),
    ),
    Board(
        "nvfp4_gemv", 595, "nvfp4-gemv", "NVFP4 GEMV", "gemv", "nvidia/nvfp4_gemv",
        axes="k l m seed; k_scales = k // 16",
        inputs="a: nvfp4[m, k, l]; b: nvfp4[1, k, l]; sfa: fp8_e4m3[m, k_scales, l]; sfb: fp8_e4m3[1, k_scales, l]",
        outputs="c: fp16[m, 1, l]",
        statistic="geomean",
        cases="k=16384 l=1 m=7168 seed=1111; k=7168 l=8 m=4096 seed=1111; k=2048 l=4 m=7168 seed=1111",
    ),
    Board(
        "nvfp4_gemm", 597, "nvfp4-gemm", "NVFP4 GEMM", "gemm", "nvidia/nvfp4_gemm",
        axes="k l m n seed; k_scales = k // 16",
        inputs="a: nvfp4[m, k, l]; b: nvfp4[n, k, l]; sfa: fp8_e4m3[m, k_scales, l]; sfb: fp8_e4m3[n, k_scales, l]",
        outputs="c: fp16[m, n, l]",
        statistic="geomean",
        cases=(
            "k=16384 l=1 m=128 n=7168 seed=1111; k=7168 l=1 m=128 n=4096 seed=1111; "
            "k=2048 l=1 m=128 n=7168 seed=1111"
        ),
    ),
    Board(
        "nvfp4_dual_gemm", 598, "nvfp4-dual-gemm", "NVFP4 dual GEMM", "gemm", "nvidia/nvfp4_dual_gemm",
        axes="k l m n seed; k_scales = k // 16",
        inputs=(
            "a: nvfp4[m, k, l]; b1: nvfp4[n, k, l]; b2: nvfp4[n, k, l]; sfa: fp8_e4m3[m, k_scales, l]; "
            "sfb1: fp8_e4m3[n, k_scales, l]; sfb2: fp8_e4m3[n, k_scales, l]"
        ),
        outputs="c: fp16[m, n, l]",
        statistic="geomean",
        cases=(
            "k=7168 l=1 m=256 n=4096 seed=1111; k=7168 l=1 m=512 n=4096 seed=1111; "
            "k=4096 l=1 m=256 n=3072 seed=1111; k=7168 l=1 m=512 n=3072 seed=1111"
        ),
    ),
    Board(
        "nvfp4_group_gemm", 730, "nvfp4-group-gemm", "NVFP4 group GEMM", "gemm", "nvidia/nvfp4_group_gemm",
        axes="g k m n seed; l = 1; k_scales = k // 16",
        inputs="a: nvfp4[m, k, l]; b: nvfp4[n, k, l]; sfa: fp8_e4m3[m, k_scales, l]; sfb: fp8_e4m3[n, k_scales, l]",
        outputs="c: fp16[m, n, l]",
        statistic="geomean",
        cases=(
            "0-m80.176.128.72.64.248.96.160-n4096.4096.4096.4096.4096.4096.4096.4096"
            "-k7168.7168.7168.7168.7168.7168.7168.7168: g=8 seed=1111; "
            "1-m40.76.168.72.164.148.196.160-n7168.7168.7168.7168.7168.7168.7168.7168"
            "-k2048.2048.2048.2048.2048.2048.2048.2048: g=8 seed=1111; "
            "2-m192.320-n3072.3072-k4096.4096: g=2 seed=1111; 3-m128.384-n4096.4096-k1536.1536: g=2 seed=1111"
        ),
    ),
    Board(
        "amd-mxfp4-mm", 763, "amd-mxfp4-mm", "AMD MXFP4 GEMM", "gemm", "amd_202602/mxfp4-mm",
        axes="k m n seed; k_half = k // 2; k_blocks = k // 32",
        inputs=(
            "a: bf16[m, k] row_major; b: bf16[n, k] row_major; b_q: mxfp4[n, k_half] row_major; "
            "b_shuffle: mxfp4[n, k_half]"
        ),
        outputs="c: bf16[m, n]",
        statistic="geomean",
        cases=(
            "k=512 m=4 n=2880 seed=4565; k=7168 m=16 n=2112 seed=15; k=512 m=32 n=4096 seed=457; "
            "k=512 m=32 n=2880 seed=54; k=2048 m=64 n=7168 seed=687; k=1536 m=256 n=3072 seed=7856"
        ),
    ),
    Board(
        "amd-moe-mxfp4", 764, "amd-moe-mxfp4", "AMD MXFP4 MoE", "moe", "amd_202602/moe-mxfp4",
        axes=(
            "bs seed dexpert dhidden nroutedexperts nsharedexperts nexpertspertoken; "
            "e_total = nroutedexperts + nsharedexperts; gu_k_half = d_hidden_pad // 2; "
            "down_k_half = d_expert_pad // 2; total_top_k = nexpertspertoken + nsharedexperts; "
            "d_expert_pad = ((dexpert + 255) // 256) * 256; d_hidden_pad = ((dhidden + 255) // 256) * 256; "
            "gate_up_rows = 2 * d_expert_pad; gu_scale_blocks = d_hidden_pad // 32; "
            "down_scale_blocks = d_expert_pad // 32"
        ),
        inputs=(
            "hidden_states: bf16[bs, dhidden]; gate_up_weight: mxfp4[e_total, gate_up_rows, gu_k_half]; "
            "down_weight: mxfp4[e_total, d_hidden_pad, down_k_half]; "
            "gate_up_weight_scale: fp8_e8m0[e_total, gate_up_rows, gu_scale_blocks]; "
            "down_weight_scale: fp8_e8m0[e_total, d_hidden_pad, down_scale_blocks]; "
            "topk_weights: fp32[bs, total_top_k]; topk_ids: int32[bs, total_top_k]"
        ),
        outputs="output: bf16[bs, dhidden]",
        statistic="geomean",
        cases=(
            "bs=16 seed=9371 dexpert=256 dhidden=7168 nroutedexperts=256 nsharedexperts=1 nexpertspertoken=8; "
            "bs=128 seed=2291 dexpert=256 dhidden=7168 nroutedexperts=256 nsharedexperts=1 nexpertspertoken=8; "
            "bs=512 seed=81934 dexpert=256 dhidden=7168 nroutedexperts=256 nsharedexperts=1 nexpertspertoken=8; "
            "bs=16 seed=2291 dexpert=512 dhidden=7168 nroutedexperts=32 nsharedexperts=1 nexpertspertoken=8; "
            "bs=128 seed=81934 dexpert=512 dhidden=7168 nroutedexperts=32 nsharedexperts=1 nexpertspertoken=8; "
            "bs=512 seed=81934 dexpert=512 dhidden=7168 nroutedexperts=32 nsharedexperts=1 nexpertspertoken=8; "
            "bs=512 seed=81934 dexpert=2048 dhidden=7168 nroutedexperts=32 nsharedexperts=1 nexpertspertoken=8"
        ),
    ),
    Board(
        "amd-mixed-mla", 765, "amd-mixed-mla", "AMD mixed-precision MLA decode",
        "mla-attention", "amd_202602/mixed-mla",
        axes=(
            "seed qseqlen kvseqlen batchsize; total_q = batchsize * qseqlen; total_kv = batchsize * kvseqlen; "
            "num_heads = 16; indptr_len = batchsize + 1; v_head_dim = 512; "
            "qk_head_dim = kv_lora_rank + qk_rope_head_dim; kv_lora_rank = 512; num_kv_heads = 1; "
            "qk_rope_head_dim = 64"
        ),
        inputs=(
            "q: bf16[total_q, num_heads, qk_head_dim]; kv_buffer: bf16[total_kv, num_kv_heads, qk_head_dim]; "
            "qo_indptr: int32[indptr_len]; kv_indptr: int32[indptr_len]"
        ),
        outputs="output: bf16[total_q, num_heads, v_head_dim]",
        statistic="geomean",
        cases=(
            "seed=4217 qseqlen=1 kvseqlen=1024 batchsize=4; seed=4220 qseqlen=1 kvseqlen=8192 batchsize=4; "
            "seed=5412 qseqlen=1 kvseqlen=1024 batchsize=32; seed=5415 qseqlen=1 kvseqlen=8192 batchsize=32; "
            "seed=1357 qseqlen=1 kvseqlen=1024 batchsize=64; seed=1360 qseqlen=1 kvseqlen=8192 batchsize=64; "
            "seed=9823 qseqlen=1 kvseqlen=1024 batchsize=256; seed=9826 qseqlen=1 kvseqlen=8192 batchsize=256"
        ),
    ),
    Board(
        "causal_conv1d", 766, "causal-conv1d", "Causal depthwise conv1d", "conv", "helion/causal_conv1d_py",
        axes="b d s w seed",
        inputs="x: fp32[b, d, s]; weight: fp32[d, w]; bias: fp32[d]",
        outputs="out: fp32[b, d, s]",
        statistic="geomean",
        cases="b=1 d=1536 s=2048 w=4 seed=2146; b=1 d=2560 s=2048 w=4 seed=3129; b=1 d=2560 s=4096 w=4 seed=54352",
    ),
    Board(
        "fp8_quant", 767, "fp8-quant", "Per-group FP8 quantization", "quantization", "helion/fp8_quant_py",
        axes="seed group_size hidden_dim num_tokens; num_groups = hidden_dim // group_size",
        inputs="x: fp32[num_tokens, hidden_dim]",
        outputs="x_q: fp32[num_tokens, hidden_dim]; x_s: fp32[num_tokens, num_groups]",
        statistic="geomean",
        cases=(
            "seed=2146 group_size=128 hidden_dim=4096 num_tokens=256; "
            "seed=3129 group_size=128 hidden_dim=8192 num_tokens=256; "
            "seed=54352 group_size=128 hidden_dim=7168 num_tokens=4096"
        ),
    ),
    Board(
        "gated_deltanet_chunk_fwd_h", 768, "gated-deltanet-chunk-fwd-h", "Gated DeltaNet chunk_fwd_h",
        "gated-deltanet", "helion/gated_deltanet_chunk_fwd_h_py",
        axes="b h k t v seed; bt = 64; nt = t // 64",
        inputs="k: fp32[b, t, h, k]; w: fp32[b, t, h, k]; u: fp32[b, t, h, v]; g: fp32[b, t, h]",
        outputs="h: fp32[b, nt, h, k, v]; v_new: fp32[b, t, h, v]",
        statistic="geomean",
        cases=(
            "b=1 h=1 k=64 t=64 v=64 seed=31232; b=2 h=3 k=64 t=512 v=64 seed=4052; "
            "b=2 h=3 k=64 t=1024 v=64 seed=2146"
        ),
    ),
    Board(
        "gated_deltanet_chunk_fwd_o", 769, "gated-deltanet-chunk-fwd-o", "Gated DeltaNet chunk_fwd_o",
        "gated-deltanet", "helion/gated_deltanet_chunk_fwd_o_py",
        axes="b h k t v seed; bt = 64; nt = t // 64",
        inputs=(
            "q: fp32[b, t, h, k]; k: fp32[b, t, h, k]; v_new: fp32[b, t, h, v]; h: fp32[b, nt, h, k, v]; "
            "g: fp32[b, t, h]"
        ),
        outputs="output: fp32[b, t, h, v]",
        statistic="geomean",
        cases=(
            "b=1 h=1 k=64 t=64 v=64 seed=31232; b=2 h=3 k=64 t=512 v=64 seed=4052; "
            "b=2 h=3 k=64 t=1024 v=64 seed=2146"
        ),
    ),
    Board(
        "gated_deltanet_recompute_w_u", 770, "gated-deltanet-recompute-w-u", "Gated DeltaNet recompute_w_u",
        "gated-deltanet", "helion/gated_deltanet_recompute_w_u_py",
        axes="b h k t v seed; bt = 64",
        inputs=(
            "k: fp32[b, t, h, k]; v: fp32[b, t, h, v]; beta: fp32[b, t, h]; a: fp32[b, t, h, bt]; "
            "g: fp32[b, t, h]"
        ),
        outputs="w: fp32[b, t, h, k]; u: fp32[b, t, h, v]",
        statistic="geomean",
        cases=(
            "b=1 h=1 k=64 t=64 v=64 seed=31232; b=2 h=3 k=64 t=512 v=64 seed=4052; "
            "b=2 h=3 k=64 t=1024 v=64 seed=2146"
        ),
    ),
    Board(
        "conv2d_v2", None, "conv2d-v2", "2D convolution", "conv", "pmpp_v2/conv2d_py",
        axes="seed size batch channels kernelsize; out_size = size - kernelsize + 1",
        inputs="input: fp32[batch, channels, size, size]; kernel: fp32[channels, channels, kernelsize, kernelsize]",
        outputs="output: fp32[batch, channels, out_size, out_size]",
        statistic="unspecified",
        cases=(
            "seed=54352 size=128 batch=4 channels=64 kernelsize=8; "
            "seed=93246 size=128 batch=4 channels=64 kernelsize=16; "
            "seed=6256 size=256 batch=2 channels=128 kernelsize=16; "
            "seed=8841 size=256 batch=2 channels=128 kernelsize=16; "
            "seed=6252 size=256 batch=1 channels=128 kernelsize=32"
        ),
    ),
    Board(
        "grayscale_v2", None, "grayscale-v2", "RGB to grayscale", "elementwise", "pmpp_v2/grayscale_py",
        axes="seed size",
        inputs="x: fp32[size, size, 3]",
        outputs="y: fp32[size, size]",
        statistic="unspecified",
        cases=(
            "seed=54352 size=512; seed=93246 size=1024; seed=6256 size=2048; seed=8841 size=4096; "
            "seed=6252 size=8192; seed=54352 size=16384"
        ),
    ),
    Board(
        "histogram_v2", None, "histogram-v2", "Histogram", "histogram", "pmpp_v2/histogram_py",
        axes="seed size contention",
        inputs="data: uint8[size]",
        outputs="output: int64[256]",
        statistic="unspecified",
        cases=(
            "seed=6252 size=1310720 contention=10; seed=8841 size=2621440 contention=10; "
            "seed=3411 size=2621440 contention=40; seed=8753 size=2621440 contention=90; "
            "seed=6252 size=5242880 contention=10; seed=8841 size=10485760 contention=10"
        ),
    ),
    Board(
        "matmul_v2", None, "matmul-v2", "FP16 matmul", "gemm", "pmpp_v2/matmul_py",
        axes="k m n seed",
        inputs="a: fp16[m, k]; b: fp16[k, n]",
        outputs="c: fp16[m, n]",
        statistic="unspecified",
        cases=(
            "k=128 m=128 n=128 seed=43214; k=256 m=256 n=256 seed=423011; k=512 m=512 n=512 seed=123456; "
            "k=1024 m=1024 n=1024 seed=1029; k=2048 m=2048 n=2048 seed=75342; k=1024 m=1024 n=1536 seed=321; "
            "k=2048 m=2048 n=3072 seed=32412; k=4096 m=4096 n=5120 seed=123456"
        ),
    ),
    Board(
        "modal_nvfp4_dual_gemm", None, "nvfp4-dual-gemm", "NVFP4 dual GEMM", "gemm", "nvidia/nvfp4_dual_gemm",
        axes="k l m n seed; k_scales = k // 16",
        inputs=(
            "a: nvfp4[m, k, l]; b1: nvfp4[n, k, l]; b2: nvfp4[n, k, l]; sfa: fp8_e4m3[m, k_scales, l]; "
            "sfb1: fp8_e4m3[n, k_scales, l]; sfb2: fp8_e4m3[n, k_scales, l]"
        ),
        outputs="c: fp16[m, n, l]",
        statistic="geomean",
        cases=(
            "k=7168 l=1 m=256 n=4096 seed=1111; k=7168 l=1 m=512 n=4096 seed=1111; "
            "k=4096 l=1 m=256 n=3072 seed=1111; k=7168 l=1 m=512 n=3072 seed=1111"
        ),
    ),
    Board(
        "prefixsum_v2", None, "prefixsum-v2", "Inclusive prefix sum", "scan", "pmpp_v2/prefixsum_py",
        axes="seed size",
        inputs="data: fp32[size]",
        outputs="output: fp32[size]",
        statistic="unspecified",
        cases=(
            "seed=12345 size=262144; seed=67890 size=524288; seed=13579 size=1048576; seed=24680 size=2097152; "
            "seed=35791 size=4194304; seed=46802 size=8388608; seed=57913 size=16777216; "
            "seed=68024 size=33554432; seed=79135 size=67108864; seed=80246 size=134217728; "
            "seed=91357 size=268435456"
        ),
    ),
    Board(
        "sort_v2", None, "sort-v2", "Sort", "sort", "pmpp_v2/sort_py",
        axes="seed size",
        inputs="data: fp32[size]",
        outputs="output: fp32[size]",
        statistic="unspecified",
        cases=(
            "seed=54352 size=100000; seed=93246 size=500000; seed=6256 size=1000000; seed=8841 size=10000000; "
            "seed=6252 size=100000000"
        ),
    ),
    Board(
        "vectoradd_v2", None, "vectoradd-v2", "FP16 vector addition", "elementwise", "pmpp_v2/vectoradd_py",
        axes="seed size",
        inputs="a: fp16[size, size]; b: fp16[size, size]",
        outputs="c: fp16[size, size]",
        statistic="unspecified",
        cases=(
            "seed=31232 size=1024; seed=4052 size=2048; seed=2146 size=4096; seed=3129 size=8192; "
            "seed=54352 size=16384"
        ),
    ),
    Board(
        "vectorsum_v2", None, "vectorsum-v2", "Vector sum reduction", "reduction", "pmpp_v2/vectorsum_py",
        axes="seed size",
        inputs="data: fp32[size]",
        outputs="output: fp32[1]",
        statistic="unspecified",
        cases=(
            "seed=93246 size=1638400; seed=6256 size=3276800; seed=8841 size=6553600; seed=6252 size=13107200; "
            "seed=82135 size=26214400; seed=12345 size=52428800"
        ),
    ),
)  # fmt: skip
BOARDS = {board.name: board for board in _TABLE}
NAMES = {str(board.number): board.name for board in _TABLE if board.number}  # upstream's ids of leaderboards
