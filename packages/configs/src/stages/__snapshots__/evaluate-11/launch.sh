#!/usr/bin/env bash
set -euo pipefail
CDPATH= cd -- "$(dirname -- "$0")"
mkdir -p out
export OMP_NUM_THREADS=1
export MKL_NUM_THREADS=1
export OMP_WAIT_POLICY=PASSIVE
export TOKENIZERS_PARALLELISM=false
export HF_HUB_OFFLINE=1
export HF_DATASETS_OFFLINE=1
export PYTHONUNBUFFERED=1
export PYTHONHASHSEED=2072062825
exec python -m her_workers.evaluate evaluate.json "$@"
