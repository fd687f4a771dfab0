"""Seeds read back from what the trainers themselves wrote."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from her_agent.block_yaml import scalars
from her_agent.conftest import Bench
from her_agent.seeds_swift import swift_seeds
from her_agent.seeds_verl import verl_seeds

HYDRA = """\
actor_rollout_ref:
  hybrid_engine: true
  actor:
    data_loader_seed: 43
    fsdp_config:
      _target_: verl.workers.config.FSDPEngineConfig
      seed: ${actor_rollout_ref.rollout.seed}
    note: 'a text: that goes on
      seed: 99'
  rollout:
    list:
    - seed: 1
      deep: 2
    - plain
    -   - nested
    seed: 44
    empty: {}
  ref:
    fsdp_config:
      seed: ${oc.select:nowhere.seed,45}
data:
  seed: null
  files:
  - /a: b
  "quoted key": 'x'
reward:
  reward_model:
    rollout:
      seed: ${oc.select:actor_rollout_ref.actor.data_loader_seed}
"""
ENGINE = "(Engine pid=1) INFO Initializing a V1 LLM engine (v0.24.0) with config: model='m', seed={}, x=1"


def values(event: dict[str, object]) -> list[tuple[object, object, object]]:
    listed = event["values"]
    assert isinstance(listed, list)
    return [(item["source"], item["value"], item["where"]) for item in listed]


def test_verl_reads_every_source_from_the_block_yaml() -> None:
    assert verl_seeds(HYDRA) == [
        ("data.seed", None),
        ("actor_rollout_ref.rollout.seed", 44),
        ("actor_rollout_ref.actor.data_loader_seed", 43),
        ("actor_rollout_ref.actor.fsdp_config.seed", 44),
        ("actor_rollout_ref.ref.fsdp_config.seed", 45),
        ("reward.reward_model.rollout.seed", 43),
    ]


def test_keys_in_lists_are_not_keys_of_the_mapping() -> None:
    assert scalars("a:\n- seed: 1\n  b: 2\nseed: 3\n") == {"a.[].seed": "1", "a.[].b": "2", "seed": "3"}


@pytest.mark.parametrize("text", ["a: 1\na: 2\n", "a: &x 1\n", "\ta: 1\n", "a:\n  just text\n"])
def test_yaml_beyond_the_subset_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"line|twice"):
        scalars(text)


def test_swift_reads_arguments_and_resolved_ones() -> None:
    record = {"seed": 11, "data_seed": 12, "training_args": "Seq2SeqTrainingArguments(data_seed=13, seed=11)"}
    assert swift_seeds(json.dumps(record)) == [
        ("seed", 11),
        ("data_seed", 12),
        ("training_args.data_seed", 13),
    ]


def test_swift_attempt_tells_its_seeds_once(bench: Bench) -> None:
    shell = 'echo \'{"seed": 11, "data_seed": 12}\' > out/args.json; sleep 1; touch out/args.json; sleep 0.5'
    request = bench.request("a-1", shell=shell, seeds={"format": "swift"})
    request["env"] = {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "13"}
    bench.start(request)
    bench.ended("a-1")
    (told,) = bench.of("a-1", "seeds")
    assert values(told) == [
        ("seed", 11, "out/args.json"),
        ("data_seed", 12, "out/args.json"),
        ("PYTHONHASHSEED", 13, "/proc/environ"),
    ]


def test_record_of_an_earlier_run_is_not_read(bench: Bench) -> None:
    shell = 'echo \'{"seed": 1}\' > out/args.json; touch -d "1 hour ago" out/args.json; sleep 0.6'
    bench.start(bench.request("a-1", shell=shell, seeds={"format": "swift"}))
    bench.ended("a-1")
    assert bench.of("a-1", "seeds") == []


def test_verl_attempt_tells_config_and_engines(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(HYDRA)
    lines = "\n".join(ENGINE.format(seed) for seed in (45, 44, 45))
    (tmp_path / "engines").write_text(lines + "\n")
    shell = (
        f"mkdir -p out/hydra/.hydra; cat {tmp_path}/config.yaml > out/hydra/.hydra/config.yaml; sleep 0.5; "
        f'cat {tmp_path}/engines; sleep 0.5; echo \'{{"step":1,"data":{{"a":1}}}}\' > out/m.jsonl; sleep 0.5'
    )
    metrics = [{"format": "verl", "path": "out/m.jsonl", "maxSteps": 3}]
    bench.start(bench.request("a-1", shell=shell, seeds={"format": "verl"}, metrics=metrics))
    bench.ended("a-1")
    (told,) = bench.of("a-1", "seeds")
    assert values(told)[-2:] == [
        ("vllm.engine.seed", 44, "logs/rank-0.log"),
        ("vllm.engine.seed[1]", 45, "logs/rank-0.log"),
    ]
    assert len(values(told)) == 8
    assert bench.of("a-1", "metric")[0]["maxSteps"] == 3


def test_plain_attempt_tells_seeds_json(bench: Bench) -> None:
    shell = 'echo \'{"sampler": 5, "split": 6}\' > out/seeds.json; sleep 0.5'
    bench.start(bench.request("a-1", shell=shell, seeds={"format": "plain"}))
    bench.ended("a-1")
    assert values(bench.of("a-1", "seeds")[0]) == [
        ("sampler", 5, "out/seeds.json"),
        ("split", 6, "out/seeds.json"),
    ]
