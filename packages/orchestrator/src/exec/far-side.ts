/**
 * Runs a command on a node: both its streams come back as they are written, each piece behind its stream's letter and
 * length; and it ends when we do, with everything that it started. Its own standard input is empty.
 */
const program = `
import json, os, select, signal, subprocess, sys
asked = json.loads(sys.argv[1])
out = sys.stdout.buffer
def put(kind, data):
    out.write(kind + len(data).to_bytes(4, "big") + data)
    out.flush()
env = {k: v for k, v in (os.environ if asked["env"] is None else asked["env"]).items() if k not in asked["without"]}
try:
    child = subprocess.Popen(asked["argv"], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                             env=env, cwd=asked["cwd"], start_new_session=True)
except OSError as error:
    name = error.filename or asked["argv"][0]
    put(b"e", ("%s: %s\\n" % (name, error.strerror)).encode("utf-8", "replace"))
    sys.exit(127 if isinstance(error, FileNotFoundError) else 126)
def end(number):
    try:
        os.killpg(child.pid, number)
    except OSError:
        pass
def let_go(*_):
    end(signal.SIGTERM)
    signal.signal(signal.SIGALRM, lambda *_: end(signal.SIGKILL))
    signal.alarm(3)
for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
    signal.signal(number, let_go)
kinds = {child.stdout.fileno(): b"o", child.stderr.fileno(): b"e"}
waiting = select.poll()
for number in (0, *kinds):
    waiting.register(number, select.POLLIN | select.POLLHUP)
try:
    while kinds:
        for number, _ in waiting.poll(1000 if child.poll() is None else 200) or [(None, 0)]:
            if number is None:
                # What it left behind may hold its streams; nobody waits for that.
                if child.poll() is not None:
                    kinds = {}
                break
            data = os.read(number, 65536)
            if number in kinds and data:
                put(kinds[number], data)
            elif not data:
                waiting.unregister(number)
                kinds.pop(number, None)
                if number == 0:
                    let_go()
except BrokenPipeError:
    end(signal.SIGKILL)
code = child.wait()
try:
    sys.exit(code if code >= 0 else 128 - code)
finally:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
`;

export type Asked = {
  argv: readonly string[];
  /** All variables that it gets; null: those of the login. */
  env: Readonly<Record<string, string>> | null;
  cwd: string | null;
  /** Variables that it never gets. */
  without: readonly string[];
};

/** The words that run it. */
export function farArgv(python: string, asked: Asked): string[] {
  return [python, '-I', '-c', program, JSON.stringify(asked)];
}
