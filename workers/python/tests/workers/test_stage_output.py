"""What our stages write can be read by any JSON reader."""

import json
import math

from her_workers.stage_output import to_line


def test_numbers_that_json_lacks_are_spelled_out():
    line = to_line({"a": [math.nan, 1.5], "b": {"c": -math.inf}})
    strict = json.loads(line, parse_constant=lambda name: (_ for _ in ()).throw(ValueError(name)))
    assert strict == {"a": ["NaN", 1.5], "b": {"c": "-Infinity"}}
