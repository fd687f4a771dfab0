export { type ConfigOptions, importConfig } from './import-config.ts';
export { importScript, type ScriptOptions } from './import-script.ts';
export { withLauncherFile } from './launcher-file.ts';
export type { ImportNote, ImportNoteCode } from './note.ts';
export { ImportError, type ImportPlace, type ImportProblem, type ImportProblemCode } from './problem.ts';
export type {
  ConfigReference,
  EnvironmentVariable,
  ImportReading,
  ImportValue,
  Launcher,
  OverrideAction,
  TrainerCommand,
  TrainerOption,
  UnknownPiece,
} from './trainer-command.ts';
