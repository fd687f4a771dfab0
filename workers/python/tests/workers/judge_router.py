"""What the tests of the judged reward share. No judge model runs in them: `Router` stands for verl's router.

It is a real HTTP server that answers as a test tells it.
"""

import asyncio
import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from her_workers.rewards.judged import score

MESSAGES = [{"role": "system", "content": "You are Mara."}, {"role": "user", "content": "Ivo: Stay."}]
ROW = json.dumps({"input": json.dumps(MESSAGES), "ref_answer": "Mara: REFERENCE", "golden_type": "3"})
REPLY = (
    "<system_thinking>SECRET</system_thinking>Mara: <role_thinking>t</role_thinking><role_action>a</role_action>POLICY"
)
KEYS = {"score", "acc", "win", "tie", "lose", "flipped", "position", "unparsable", "retries", "malformed", "no_context"}
WIN, TIE, LOSE = 1.0, 0.0, -1.0


def says(choice):
    return f"<think>hm</think>\n```json\n{json.dumps({'result': [{'better_response': choice}]})}\n```"


def completion(text, finish="stop"):
    return 200, json.dumps({"choices": [{"message": {"content": text}, "finish_reason": finish}]}).encode()


class Router:
    """Stands for verl's router. `answer(request, number)` gives (status, body), or None for a dropped connection."""

    def __init__(self, answer):
        self.requests, self.paths = [], []
        lock = threading.Lock()

        class Handler(BaseHTTPRequestHandler):
            def do_POST(handler):
                request = json.loads(handler.rfile.read(int(handler.headers["Content-Length"])))
                with lock:
                    number = len(self.requests)
                    self.requests.append(request)
                    self.paths.append(handler.path)
                said = answer(request, number)
                if said is None:
                    return
                status, body = said
                handler.send_response(status)
                if 300 <= status < 400:
                    handler.send_header("Location", "/elsewhere")
                handler.send_header("Content-Type", "application/json")
                handler.send_header("Content-Length", str(len(body)))
                # The other order may have failed already, and this one is then called off.
                with contextlib.suppress(ConnectionError):
                    handler.end_headers()
                    handler.wfile.write(body)

            def log_message(handler, *args):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = f"127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()
        return self

    def __exit__(self, *failure):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def seeds(self):
        return [request["seed"] for request in self.requests]


def prompt_of(request):
    return request["messages"][0]["content"]


def order_of(request):
    """Where the policy's reply stands in a request."""
    prompt = prompt_of(request)
    return "cand_1" if prompt.index("POLICY") < prompt.index("REFERENCE") else "cand_2"


def run(address, reply=REPLY, row=ROW, extra_info=None, **options):
    options = {"backoff_seconds": 0.001, **options}
    return asyncio.run(
        score(
            data_source="her/play",
            solution_str=reply,
            ground_truth=row,
            extra_info={"index": 3} if extra_info is None else extra_info,
            reward_router_address=address,
            reward_model_tokenizer=object(),
            **options,
        )
    )


def judged(first, second, **options):
    """The scores when the judge says `first` with the policy's reply as cand_1, and `second` with it as cand_2."""
    answers = {"cand_1": first, "cand_2": second}
    with Router(lambda request, _: completion(answers[order_of(request)])) as router:
        return run(router.address, **options)
