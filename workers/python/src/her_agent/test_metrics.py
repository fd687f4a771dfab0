"""Metric files of all three kinds, as torn and as odd as trainers write them."""

from __future__ import annotations

from pathlib import Path

from her_agent.metrics import MetricReader
from her_agent.request import MetricSource

Events = list[dict[str, object]]


def reader(folder: Path, form: str, max_steps: int | None = None) -> tuple[MetricReader, Events, Path]:
    found: Events = []
    made = MetricReader(str(folder), MetricSource(form, "log.jsonl", max_steps))
    return made, found, folder / "log.jsonl"


def poll(made: MetricReader, found: Events, final: bool = False) -> Events:
    found.clear()
    made.poll(lambda kind, **fields: found.append({"type": kind, **fields}), final)
    return list(found)


def test_swift_steps_nan_and_the_closing_line(tmp_path: Path) -> None:
    made, found, path = reader(tmp_path, "swift")
    path.write_text(
        '{"loss": 11.9, "grad_norm": NaN, "learning_rate": 0.001, "epoch": 0.5, "elapsed_time": "3s", '
        '"global_step/max_steps": "9/16", "memory(GiB)": 1.5, "train_speed(s/it)": 0.2, "flag": true}\n'
        '{"eval_loss": Infinity, "global_step/max_steps": "9/16"}\n'
        '{"total_flos": 12345678901234567890, "train_runtime": 3.0, "global_step/max_steps": "16/16"}\n'
        '{"model_parameter_info": "x", "last_model_checkpoint": null, "global_step": 16, "log_history": []}\n'
    )
    first, second, third = poll(made, found)
    assert first == {
        "type": "metric",
        "step": 9,
        "maxSteps": 16,
        "values": {
            "loss": 11.9,
            "grad_norm": "NaN",
            "learning_rate": 0.001,
            "epoch": 0.5,
            "memory(GiB)": 1.5,
            "train_speed(s/it)": 0.2,
        },
        "from": "swift",
    }
    assert second["values"] == {"eval_loss": "Infinity"}
    assert third["values"] == {"total_flos": 1.2345678901234567e19, "train_runtime": 3.0}
    assert made.last_step == 16


def test_same_step_twice_last_wins_or_replaces(tmp_path: Path) -> None:
    made, found, path = reader(tmp_path, "plain")
    path.write_text('{"step":1,"values":{"a":1}}\n{"step":1,"values":{"a":2}}\n{"step":1,"values":{"b":3}}\n')
    assert [event["values"] for event in poll(made, found)] == [{"a": 2}, {"b": 3}]
    with path.open("a") as file:
        file.write('{"step":1,"values":{"a":2}}\n{"step":2,"values":{"a":2}}\n')
    assert [event["step"] for event in poll(made, found)] == [2]
    with path.open("a") as file:
        file.write('{"step":1,"values":{"a":5}}\n')
    (again,) = poll(made, found)
    assert (again["step"], again["values"], again["replaces"]) == (1, {"a": 5}, True)


def test_partial_last_line_waits_and_is_not_lost_at_the_end(tmp_path: Path) -> None:
    made, found, path = reader(tmp_path, "plain")
    path.write_text('{"step":1,"values":{"a":1}}\n{"step":2,"va')
    assert len(poll(made, found)) == 1
    assert poll(made, found) == []
    with path.open("a") as file:
        file.write('lues":{"a":2}}')
    assert poll(made, found) == []
    assert [event["step"] for event in poll(made, found, final=True)] == [2]


def test_truncated_file_is_read_from_its_start(tmp_path: Path) -> None:
    made, found, path = reader(tmp_path, "verl", max_steps=4)
    path.write_text('{"step":1,"data":{"actor/lr":1e-6,"name":"x"}}\n{"step":2,"data":{"actor/lr":1e-6}}\n')
    first, _second = poll(made, found)
    assert (first["maxSteps"], first["values"]) == (4, {"actor/lr": 1e-6})
    path.write_text('{"step":3,"data":{"actor/lr":1e-6}}\n')
    assert [event["step"] for event in poll(made, found)] == [3]
    # A rewrite that is longer at once, in the same file.
    path.write_text('{"step":4,"data":{"actor/lr":1e-7}}\n{"step":5,"data":{"actor/lr":1e-7}}\n')
    assert [event["step"] for event in poll(made, found)] == [4, 5]


def test_line_that_is_not_understood_is_a_message_with_its_number(tmp_path: Path) -> None:
    made, found, path = reader(tmp_path, "plain")
    path.write_bytes(b'{"step":1,"values":{"a":1}}\n\nnot json\n[1]\n{"step":-1,"values":{}}\n\xff\xfe\n{"step":2}\n')
    events = poll(made, found)
    texts = [str(event["text"]) for event in events if event["type"] == "message"]
    assert [text.split(" of ")[0] for text in texts] == ["line 3", "line 4", "line 5", "line 6", "line 7"]
    assert sum(event["type"] == "metric" for event in events) == 1


def test_endless_faults_do_not_flood_the_record(tmp_path: Path) -> None:
    made, found, path = reader(tmp_path, "plain")
    path.write_text("x\n" * 1000)
    assert len(poll(made, found)) == 20


def test_file_that_leads_outside_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "outside").write_text('{"step":1,"values":{"a":1}}\n')
    folder = tmp_path / "attempt"
    folder.mkdir()
    made, found, path = reader(folder, "plain")
    path.symlink_to(tmp_path / "outside")
    assert [event["type"] for event in poll(made, found)] == ["message"]
