#!/usr/bin/env bash
set -euo pipefail
CDPATH= cd -- "$(dirname -- "$0")"
mkdir -p out
export OMP_NUM_THREADS=2
export MKL_NUM_THREADS=2
export OMP_WAIT_POLICY=PASSIVE
export TOKENIZERS_PARALLELISM=false
export HF_HUB_OFFLINE=1
export HF_DATASETS_OFFLINE=1
export PYTHONUNBUFFERED=1
export RAY_USAGE_STATS_ENABLED=0
export VLLM_LOGGING_LEVEL=INFO
export VERL_FILE_LOGGER_PATH=out/metrics.jsonl
export HYDRA_FULL_ERROR=1
export VERL_PLATFORM=cpu
export VLLM_CPU_OMP_THREADS_BIND=nobind
export RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO=0
export RAY_worker_niceness=0
export TORCH_COMPILE_DISABLE=1
export PYTHONHASHSEED=1528820072
mapfile -t args < verl.overrides
exec python -m verl.trainer.main_ppo "${args[@]}" "$@"
