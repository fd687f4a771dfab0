// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these texts are shell.
import { describe, expect, it } from 'vitest';
import { ImportError } from '../problem.ts';
import { readShell } from './read-shell.ts';
import { spell } from './value.ts';

const wanted = (source: string) => /\bswift\b/.test(source);
const read = (source: string, set: Record<string, string> = {}) =>
  readShell(source, { file: 'run.sh', set, wanted });
/** The words of the first command of that name, or of all its runs. */
const runs = (source: string, set: Record<string, string> = {}, name = 'swift') =>
  read(source, set)
    .commands.map(({ words }) => words.map(({ value }) => spell(value)))
    .filter(([first]) => first === name)
    .map((words) => words.slice(1));
const words = (source: string, set: Record<string, string> = {}) => runs(source, set)[0];
const notes = (source: string, set: Record<string, string> = {}) => read(source, set).notes.all();

describe('words', () => {
  it.each([
    ["swift 'a b' \"c d\" e\\ f $'g\\th'", ['a b', 'c d', 'e f', 'g\th']],
    ['swift a"b"\'c\'d', ['abcd']],
    ['swift "" \'\'', ['', '']],
    ['swift "a \\" \\$x \\\\ \\n"', ['a " $x \\ \\n']],
    ['swift a \\\n  b \\\n  c', ['a', 'b', 'c']],
    ['swift {a,b}{1..2} x{c,d}', ['a1', 'a2', 'b1', 'b2', 'xc', 'xd']],
    ['swift {a} {01..03} "{a,b}"', ['{a}', '01', '02', '03', '{a,b}']],
    ["swift a=['x','y']", ['a=[x,y]']],
    ['swift # a comment', []],
  ])('%s', (source, expected) => {
    expect(words(source)).toEqual(expected);
  });

  it('an unquoted variable is split at blanks, a quoted one is not, an empty one leaves no word', () => {
    expect(words('X="a  b"; E=; swift $X "$X" $E "$E" p$X')).toEqual(['a', 'b', 'a  b', '', 'pa', 'b']);
  });

  it('a comment between continued lines ends the command, as in Bash', () => {
    const { commands } = read('swift sft \\\n  # --a 1 \\\n  --b 2\n');
    expect(commands.map((each) => each.words.map(({ value }) => spell(value)))).toEqual([
      ['swift', 'sft'],
      ['--b', '2'],
    ]);
  });

  it('words keep the line they are written on, also through arrays and continued texts', () => {
    const source = 'A=(\n  --a 1\n  --b 2\n)\nC="--c 3 \\\n  --d 4"\nswift "${A[@]}" $C \\\n  --e 5\n';
    const [command] = read(source).commands;
    expect(command?.words.map(({ value, line }) => `${line}${spell(value)}`)).toEqual([
      '7swift',
      '2--a',
      '21',
      '3--b',
      '32',
      '5--c',
      '53',
      '6--d',
      '64',
      '8--e',
      '85',
    ]);
  });

  it('a script with Windows line ends reads the same', () => {
    expect(words('X=1\r\nswift \\\r\n  --a $X\r\n')).toEqual(['--a', '1']);
  });
});

describe('parameters', () => {
  it.each([
    ['swift ${X:-d} ${X-e} ${X:+a} ${X:=f} $X', ['d', 'e', 'f', 'f']],
    ['swift ${X:-"a b"} ${X:-\'a b\'} ${X:-a b} "${X:-a b}"', ['a b', 'a b', 'a', 'b', 'a b']],
    ['X=; swift "${X:-d}" "${X-e}" "${X+set}"', ['d', '', 'set']],
    ['X=1; swift ${X:-d} ${X:+a b} "${X:+"c d"}"', ['1', 'a', 'b', 'c d']],
    [
      'P=/a/b.tar.gz; swift ${P##*/} ${P#*/} ${P%.*} ${P%%.*}',
      ['b.tar.gz', 'a/b.tar.gz', '/a/b.tar', '/a/b'],
    ],
    [
      'X=a-b-c; swift ${X/-/_} ${X//-/_} ${X/#a/z} ${X/%c/z} ${X//[ab]/.}',
      ['a_b-c', 'a_b_c', 'z-b-c', 'a-b-z', '.-.-c'],
    ],
    [
      'X=aBc; swift ${X^^} ${X,,} ${X^} ${#X} ${X:1} ${X:1:1} ${X: -1}',
      ['ABC', 'abc', 'ABc', '3', 'Bc', 'B', 'c'],
    ],
    ['N=X; X=5; swift ${!N}', ['5']],
    [
      'A=(a "b c"); A+=(d); swift "${A[@]}" ${#A[@]} "${A[1]}" "${A[*]}" ${A[-1]}',
      ['a', 'b c', 'd', '3', 'b c', 'a b c d', 'd'],
    ],
    ['A=(a b c d); swift "${A[@]:1:2}" "${!A[@]}"', ['b', 'c', '0', '1', '2', '3']],
    ['A=(); swift "${A[@]}" ${A[@]+"${A[@]}"} end', ['end']],
    ['A[1]=x; A[0]+=y; swift "${A[@]}"', ['x', 'y']],
    ['declare -A M=([k]=v [l]=w); M[m]=x; swift ${M[k]} ${M[l]} ${M[m]}', ['v', 'w', 'x']],
    ['X=a; X+=b; swift $X', ['ab']],
    ['set -- p "q r"; shift; swift "$@" $# $1', ['q r', '1', 'q', 'r']],
    ['IFS=, read -ra A <<< "a,b,c"; swift "${A[@]}"', ['a', 'b', 'c']],
    ['readonly X=1; export Y=2; typeset Z=3; swift $X$Y$Z', ['123']],
  ])('%s', (source, expected) => {
    expect(words(source)).toEqual(expected);
  });

  it('arithmetic counts as the shell does', () => {
    expect(
      words('N=4; swift $((N*2+1)) $((1<<3)) $((7/2)) $((-7/2)) $((N>3?1:0)) $((N++)) $N $(( (1+2) * 3 ))'),
    ).toEqual(['9', '8', '3', '-3', '1', '4', '5', '9']);
    expect(words('i=0; ((i+=2)); let i*=3; swift $i $((010)) $((0x1f)) $((2**10))')).toEqual([
      '6',
      '8',
      '31',
      '1024',
    ]);
  });

  it('outputs that follow from the words alone are computed', () => {
    const source =
      'P=/a/b.sh; swift $(basename $P .sh) `dirname $P` $(echo x | tr a-z A-Z) $(expr 16 / 3) $(seq 1 3) $(echo a,b | awk -F, \'{print NF}\') $(printf "%s-%d" a 1)';
    expect(words(source)).toEqual(['b', '/a', 'X', '5', '1', '2', '3', '2', 'a-1']);
  });

  it('the directory of the script is known', () => {
    const source = 'D=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd); swift $D/x.yaml';
    const { commands } = readShell(source, { file: 'jobs/run.sh' });
    expect(commands.at(-1)?.words.map(({ value }) => spell(value))).toEqual(['swift', 'jobs/x.yaml']);
  });
});

describe('what cannot be known', () => {
  it('stays as the script spells it, with its line and reason', () => {
    const [command] = read(
      'A=$(nvidia-smi -L)\nswift "$A" /x/$B/y $HOME ~/z $RANDOM "$(date +%F)"',
    ).commands.slice(-1);
    expect(command?.words.slice(1).map(({ value }) => spell(value))).toEqual([
      '$(nvidia-smi -L)',
      '/x/${B}/y',
      '$HOME',
      '$HOME/z',
      '${RANDOM}',
      '$(date +%F)',
    ]);
    expect(command?.words[1]?.value).toEqual([{ unknown: '$(nvidia-smi -L)', line: 1, why: 'command' }]);
  });

  it('is known when it is set', () => {
    expect(words('swift $B ${C:-d}', { B: '1', C: '2' })).toEqual(['1', '2']);
    expect(words('swift $1 "$@"', { 1: 'a', 2: 'b' })).toEqual(['a', 'a', 'b']);
  });

  it('a setting that the script overwrites or never reads is said', () => {
    expect(
      notes('X=1; swift $X', { X: '2', Y: '3' }).map(({ code, message }) => [code, /Y/.test(message)]),
    ).toEqual([
      ['set-unused', false],
      ['set-unused', true],
    ]);
  });

  it('the last part of a path is known when its beginning is not', () => {
    expect(words('M=$ROOT/Qwen3-4B; swift $(basename $M) ${M##*/} ${M%/*}')).toEqual([
      'Qwen3-4B',
      'Qwen3-4B',
      '${ROOT}',
    ]);
  });
});

describe('conditions', () => {
  it.each([
    ['if [ "$X" = 1 ]; then A=a; elif [[ $X == 2* ]]; then A=b; else A=c; fi; swift $A', { X: '22' }, ['b']],
    ['if [[ $X =~ ^[0-9]+$ && -n $X ]]; then swift n; else swift t; fi', { X: '12' }, ['n']],
    ['if (( X > 3 )) && ! [ $X -eq 5 ]; then swift y; else swift z; fi', { X: '4' }, ['y']],
    ['[ -z "${Y:-}" ] && Y=d; [ $Y = d ] || Y=e; swift $Y', {}, ['d']],
    ['case $X in a|b) swift 1;; c*) swift 2;; *) swift 3;; esac', { X: 'cat' }, ['2']],
    ['case $X in [!a-c]*) swift 1;; ["a"b]?) swift 2;; esac', { X: 'ax' }, ['2']],
    ['case $X in a) A=1;& b) A+=2;; *) A=3;; esac; swift $A', { X: 'a' }, ['12']],
    ['test 3 -gt 2 -a x != y && swift yes', {}, ['yes']],
    ['true && false || swift or', {}, ['or']],
  ])('%s', (source, set, expected) => {
    expect(words(source, set)).toEqual(expected);
  });

  it('of an unknown one, the branch with the launch is read, and a note says so', () => {
    expect(words('if grep -q x f; then echo no; else swift a; fi')).toEqual(['a']);
    const [note] = notes('\nif [ "$(hostname)" = n0 ]; then\n swift a\nfi');
    expect(note).toMatchObject({ line: 2, code: 'decided', message: expect.stringContaining('`then`') });
  });

  it('a branch that ends the script is passed over, unless it launches first', () => {
    expect(words('if grep -q x f; then swift a; exit 0; fi\necho other')).toEqual(['a']);
    expect(words('if [ $# -lt 1 ]; then echo usage; exit 1; fi\nN=$1; shift 1; swift $N $1')).toEqual([
      '${1}',
      '${2}',
    ]);
    expect(notes('if [ $# -lt 1 ]; then exit 1; fi; swift')[0]?.hint).toContain('--set 1=');
  });

  it('a variable that nobody set counts as empty, and the note names it', () => {
    const source = 'if [ "$NPU" = 1 ]; then A=npu; else A=gpu; fi; swift $A';
    expect(words(source)).toEqual(['gpu']);
    expect(notes(source)[0]).toMatchObject({ code: 'decided', hint: 'Choose with `--set NPU=…`.' });
    expect(words(source, { NPU: '1' })).toEqual(['npu']);
  });

  it('so it does before `&&`', () => {
    const source = 'A=1\n[ "$DEBUG" = 1 ] && A=2\nswift $A';
    expect(words(source)).toEqual(['1']);
    expect(notes(source)).toEqual([
      expect.objectContaining({ line: 2, hint: 'Choose with `--set DEBUG=…`.' }),
    ]);
  });

  it('a probe in a substitution fails, and what its variable then is holds everywhere', () => {
    const source = 'D=${D:-$(python -c "import x" && echo npu || echo gpu)}\nswift $D';
    expect(words(source)).toEqual(['gpu']);
    expect(notes(source)).toEqual([expect.objectContaining({ line: 1, hint: 'Choose with `--set D=…`.' })]);
  });

  it('what an unknown `case` is taken for stays', () => {
    const source =
      'D=$(probe)\ncase "$D" in\n gpu) N=8 ;;\n npu) N=16 ;;\n *) exit 1 ;;\nesac\nif [ $D = gpu ]; then swift $D $N; fi';
    expect(words(source)).toEqual(['gpu', '8']);
  });
});

describe('control', () => {
  it.each([
    ['for x in a b; do swift $x; done', [['a'], ['b']]],
    ['for ((i=0;i<3;i++)); do swift $i; done', [['0'], ['1'], ['2']]],
    [
      'i=0; while [ $i -lt 5 ]; do i=$((i+1)); [ $i = 2 ] && continue; [ $i = 4 ] && break; swift $i; done',
      [['1'], ['3']],
    ],
    ['until [ "$n" = xx ]; do n+=x; done; swift $n', [['xx']]],
    [
      'f() { local a=$1; swift $a $2; }; f p q; a=z; f r s',
      [
        ['p', 'q'],
        ['r', 's'],
      ],
    ],
    ['function g { return 1; swift no; }; g || swift "$?"', [['1']]],
    ['(X=1; swift $X); X=${X:-2}; { swift $X; }', [['1'], ['2']]],
    ['while read -r l; do swift "$l"; done <<< $\'a b\\nc\'', [['a b'], ['c']]],
    ['swift a | tee log & swift b > out 2>&1', [['a'], ['b']]],
    ['exec swift a; swift b', [['a']]],
    ['CMD="swift --p \'a b\'"; eval $CMD', [['--p', 'a b']]],
    ['mapfile -t A < <(printf "%s\\n" x y); swift "${A[@]}"', [['x', 'y']]],
  ])('%s', (source, expected) => {
    expect(runs(source)).toEqual(expected);
  });

  it('a loop that parses options sees the arguments given', () => {
    const source =
      'M=m\nwhile [[ $# -gt 0 ]]; do case $1 in --model) M=$2; shift 2;; *) shift;; esac; done\nswift $M';
    expect(words(source)).toEqual(['m']);
    expect(words(source, { 1: '--x', 2: '--model', 3: 'q' })).toEqual(['q']);
  });

  it('getopts reads them too', () => {
    const source =
      'while getopts "m:v" o; do case $o in m) M=$OPTARG;; v) V=1;; esac; done; swift ${M:-none} ${V:-0}';
    expect(words(source)).toEqual(['none', '0']);
    expect(words(source, { 1: '-v', 2: '-m', 3: 'q' })).toEqual(['q', '1']);
  });

  it('an endless loop ends', () => {
    expect(runs('while true; do swift a; done').length).toBeGreaterThan(0);
  });
});

describe('commands that run others', () => {
  it.each([
    'env A=1 B=2 swift x',
    'nohup swift x > log 2>&1 &',
    'time -p swift x',
    'numactl --cpunodebind=0 --membind=0 swift x',
    'timeout -k 5 1h swift x',
    'srun --nodes=1 -w node swift x',
    'ray job submit --address=a --runtime-env-json \'{"x": 1}\' -- swift x',
    'docker run --gpus all -v /a:/b image swift x',
    'conda run -n env swift x',
    'uv run --extra swift --frozen swift x',
    'bash -c "swift x"',
    "bash -lc 'V=x; swift $V'",
    'ssh host "cd /w && swift x"',
    'bash <<EOF\nswift x\nEOF',
    "cat > r.sh <<'EOF'\nswift x\nEOF\nbash r.sh",
    'sbatch --wrap="swift x"',
  ])('%s', (source) => {
    expect(words(source)).toEqual(['x']);
  });

  it('variables before a command are in its environment, unexported ones are not', () => {
    const { commands } = read('export A=1; B=2; C=3 env D=4 swift x');
    expect([...(commands[0]?.env ?? [])].map(([name, { value }]) => `${name}=${spell(value)}`)).toEqual([
      'A=1',
      'C=3',
      'D=4',
    ]);
    expect(commands[0]?.via).toEqual(['env']);
  });

  it('`set -a` exports what follows', () => {
    const { commands } = read('set -a; A=1; set +a; B=2; swift x');
    expect([...(commands[0]?.env.keys() ?? [])]).toEqual(['A']);
  });

  it('arrays that another script may set are not known; without one they are empty', () => {
    expect(words('swift "${A[@]}" x')).toEqual(['x']);
    expect(words('. ./args.sh\nswift "${A[@]}" x')).toEqual(['${A[@]}', 'x']);
  });

  it('other scripts are listed, not read', () => {
    expect(notes('source env.sh\n. ./b.sh\nbash run.sh').map(({ line, code }) => `${line} ${code}`)).toEqual([
      '1 other-script',
      '2 other-script',
      '3 other-script',
    ]);
  });
});

describe('problems', () => {
  const problem = (source: string) => {
    try {
      read(source);
    } catch (error) {
      if (error instanceof ImportError) return error;
      throw error;
    }
    throw new Error('read without a problem');
  };

  it('a syntax error has its line and column', () => {
    expect(problem('swift a\nif true; then\n  swift b\n')).toMatchObject({
      code: 'IMPORT_SYNTAX',
      place: { line: 4, column: 1 },
    });
    expect(problem('x=$(echo "a)\n')).toMatchObject({ code: 'IMPORT_SYNTAX', place: { line: 1 } });
  });

  it('a placeholder is explained', () => {
    expect(problem('swift --host <node_ip> \n').hint).toContain('<…>');
  });

  it.each([
    ['a value that doubles', `x=aaaaaaaaaa\n${'x=$x$x\n'.repeat(40)}`],
    ['a function that calls itself', 'f() { f; }; f'],
    ['loops in loops', 'for i in {1..9999}; do for j in {1..9999}; do :; done; done'],
    ['braces in braces', `echo ${'{a,b}'.repeat(40)}`],
    ['a variable that names itself', 'x=x; echo $((x))'],
    ['a script that writes itself', 'x=\'eval "$x"\'; eval "$x"'],
    ['a deep expression', `echo $((${'1+'.repeat(5000)}1))`],
  ])('%s is given up, not followed', (_, source) => {
    expect(problem(source).code).toBe('IMPORT_LIMIT');
  });
});
