/** Exit codes of `her`. Scripts may rely on them; docs/errors.md lists them. */
export const exitCodes = {
  done: 0,
  internal: 1,
  invalid: 2,
  failed: 3,
  stopped: 4,
  setup: 5,
  ledger: 6,
  waiting: 7,
  agent: 8,
  different: 9,
  detached: 130,
} as const;

type Fallback = { exitCode: number; hint: string };

/** Of every code, the exit code and the next step where the one who throws it knows no better. */
const fallbacks = {
  STUDY_NOT_FOUND: { exitCode: exitCodes.invalid, hint: 'Name the study file: her run studies/tiny.yaml.' },
  INPUT_UNREADABLE: {
    exitCode: exitCodes.invalid,
    hint: 'Put plain, readable files there, then run the same command again.',
  },
  ARGUMENT_INVALID: {
    exitCode: exitCodes.invalid,
    hint: 'Nothing was done; `--help` shows what is expected.',
  },
  STUDY_UNDECIDED: {
    exitCode: exitCodes.invalid,
    hint: 'Write an `answer` to each question in the study file; `her plan STUDY` shows them with their facts.',
  },
  TARGET_UNSUPPORTED: {
    exitCode: exitCodes.invalid,
    hint: 'Plan it with `her plan STUDY`, or write its launch kit with `her render STUDY --out DIR`.',
  },
  OPTION_NOT_FOUND: {
    exitCode: exitCodes.invalid,
    hint: 'Options are those of ms-swift and verl by their own names; docs/study-file.md has the words of a study.',
  },
  KIT_FOLDER_TAKEN: {
    exitCode: exitCodes.invalid,
    hint: 'Name a new or empty folder with --out, or one that holds a former kit.',
  },
  KIT_EDITED: {
    exitCode: exitCodes.invalid,
    hint: 'Nothing was written. Move them out of the kit, or name another folder with --out.',
  },
  KIT_UNREADABLE: {
    exitCode: exitCodes.invalid,
    hint: 'Name a study file, or the folder that `her render STUDY --out DIR` wrote.',
  },
  KIT_UNWRITABLE: {
    exitCode: exitCodes.setup,
    hint: 'Mend that, or name another folder with --out; then run the same command again.',
  },
  FILE_TAKEN: {
    exitCode: exitCodes.invalid,
    hint: 'Nothing was written. Name another file, or add --force.',
  },
  FILE_UNWRITABLE: { exitCode: exitCodes.setup, hint: 'Mend that, or name another place.' },
  IMPORT_FAILED: {
    exitCode: exitCodes.invalid,
    hint: 'A shell script, or a YAML, JSON or .overrides file that ms-swift or verl takes, can be imported.',
  },
  NODE_UNKNOWN: { exitCode: exitCodes.invalid, hint: 'Name a host of the target.' },
  NODE_UNFIT: {
    exitCode: exitCodes.setup,
    hint: 'Nothing was started. `her doctor STUDY` shows all checks of all nodes.',
  },
  INPUT_MISSING: {
    exitCode: exitCodes.invalid,
    hint: 'Put it there, or say `via: rsync` where it is on this machine; then `her resume JOB` and `her run STUDY`.',
  },
  INPUT_CHANGED: {
    exitCode: exitCodes.invalid,
    hint: 'Its bytes are not those that the plan names. Put the right ones back, or plan the study anew.',
  },
  JOB_NOT_FOUND: { exitCode: exitCodes.invalid, hint: '`her status` lists the jobs.' },
  NOTHING_RECORDED: {
    exitCode: exitCodes.invalid,
    hint: 'Start the study with `her run STUDY`, or name another folder with --home.',
  },
  ENVIRONMENT_SETUP: { exitCode: exitCodes.setup, hint: 'Set it up with `her environments`.' },
  UV_SETUP: { exitCode: exitCodes.setup, hint: 'Run the same command again.' },
  DISK_FULL: { exitCode: exitCodes.setup, hint: 'Free disk space, then run the same command again.' },
  AGENT_FAILED: {
    exitCode: exitCodes.agent,
    hint: '`her status` says where the jobs stand; `her run STUDY` goes on from there.',
  },
  AGENT_UNREACHABLE: {
    exitCode: exitCodes.waiting,
    hint: 'Nothing is said of the attempt by that. Run the same command again in a while.',
  },
  SSH_SETUP: {
    exitCode: exitCodes.setup,
    hint: 'Mend that in the configuration of ssh; `ssh HOST true` tries it. Then run the same command again.',
  },
  SSH_AUTH_FAILED: {
    exitCode: exitCodes.setup,
    hint: 'Check user and key with `ssh HOST true`, then run the same command again.',
  },
  HOST_KEY_UNKNOWN: {
    exitCode: exitCodes.setup,
    hint: 'Compare the fingerprint with one from a source that you trust; `her host add HOST` then accepts it.',
  },
  HOST_KEY_CHANGED: {
    exitCode: exitCodes.setup,
    hint: 'Nothing was sent. If the host was set up anew: `her host add HOST --replace --fingerprint SHA256:…`.',
  },
  HOST_KEY_REVOKED: {
    exitCode: exitCodes.setup,
    hint: 'Nothing was sent. Give the host another key; a revoked one is never accepted.',
  },
  HOST_KEY_NOT_ACCEPTED: { exitCode: exitCodes.setup, hint: 'Nothing was written.' },
  KNOWN_HOSTS_UNREADABLE: {
    exitCode: exitCodes.setup,
    hint: 'Nothing was sent: without it no host key can be judged. Make the file readable.',
  },
  SECRET_MISSING: {
    exitCode: exitCodes.setup,
    hint: 'Nothing is started without it. Mend that, then run the same command again; `her doctor STUDY` checks it beforehand.',
  },
  STORE_REFUSED: {
    exitCode: exitCodes.setup,
    hint: 'Look at the credentials (AWS_PROFILE, AWS_ACCESS_KEY_ID), the bucket, its region and what they may do there.',
  },
  STORE_UNREACHABLE: {
    exitCode: exitCodes.waiting,
    hint: 'What was sent stays sent. Run the same command again in a while.',
  },
  STORE_TAKEN: {
    exitCode: exitCodes.invalid,
    hint: 'Two records must not share a place: give the study another prefix under `checkpoints.to`.',
  },
  STORE_UNVERIFIED: {
    exitCode: exitCodes.setup,
    hint: 'Use a store that checks and keeps SHA-256 checksums of objects and parts, and refuses conditional writes.',
  },
  CHECKPOINT_NOT_FOUND: {
    exitCode: exitCodes.invalid,
    hint: '`her prune` lists what is stored, `her ledger show --kind checkpoint.saved` what was saved.',
  },
  CHECKPOINT_GONE: {
    exitCode: exitCodes.failed,
    hint: 'A trainer keeps as many as `keep` of its stage says; a store (`checkpoints`) keeps them beside the node.',
  },
  CHECKPOINT_DIFFERS: {
    exitCode: exitCodes.failed,
    hint: 'Its bytes are not those that the ledger has; nothing was taken over.',
  },
  RUN_IN_PROGRESS: { exitCode: exitCodes.waiting, hint: 'Stop the jobs with `her stop`, or wait for them.' },
} satisfies Record<string, Fallback>;

/** Codes of errors that a person can act on. Each is described in docs/errors.md. */
export type HerErrorCode = keyof typeof fallbacks;

type HerErrorOptions = { hint?: string; exitCode?: number; agentCode?: string; cause?: unknown };

/** An error with one clear message: what happened, and what to do. */
export class HerError extends Error {
  readonly code: HerErrorCode;
  readonly hint: string;
  readonly exitCode: number;
  /** The agent's own code, where the agent refused. */
  readonly agentCode: string | undefined;

  constructor(code: HerErrorCode, message: string, more: HerErrorOptions = {}) {
    super(message, { cause: more.cause });
    this.name = 'HerError';
    this.code = code;
    this.hint = more.hint || fallbacks[code].hint;
    this.exitCode = more.exitCode ?? fallbacks[code].exitCode;
    this.agentCode = more.agentCode;
  }
}
