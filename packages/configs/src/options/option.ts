/** What a value of an option must be; `any` where the trainer itself does not say. */
export type OptionType = 'bool' | 'int' | 'float' | 'str' | 'list' | 'dict' | 'any';

/** One option of a trainer, by its own declaration. */
export type TrainerOption = {
  type: OptionType;
  /** Takes several values. */
  list?: boolean;
  /** The only values it takes, as texts: declared so, or a closed set of the trainer's own registry. */
  choices?: string[];
  /** The option that may bring more names; where a study sets it, `choices` do not bind. */
  extendedBy?: string;
  default?: unknown;
  /** Null is a value that it takes. */
  nullable?: boolean;
  /** It has no default of its own: until it is set it is what this other option is. */
  follows?: string;
  /** verl's dataclass takes it and the composed tree lacks it: Hydra must add it. */
  hidden?: boolean;
  /** It has no default at all. */
  required?: boolean;
};

/** Every option of one command of one version of a trainer. */
export type OptionTable = {
  trainer: string;
  version: string;
  command: string;
  options: Record<string, TrainerOption>;
};

/** What a name of ms-swift's `model_type` means. */
export type SwiftModelType = {
  /** What every model of the type gets; null where it depends on the model. */
  template: string | null;
  templates: string[];
  /** What `config.json` may name as its architecture; several types may share one. */
  architectures: string[];
  multimodal?: boolean;
  reward?: boolean;
};

/** What ms-swift finds for a hub id it knows. */
export type SwiftModel = { type: string; template: string; hubs: ('huggingface' | 'modelscope')[] };

/** The names ms-swift knows, where its parser only says that they are texts. */
export type SwiftRegistry = {
  templates: string[];
  /** `loss_scale` is a strategy, or scales, or both, joined by `+`, the strategy first. */
  lossScaleStrategies: string[];
  lossScales: string[];
  agentTemplates: string[];
  tuners: string[];
  optimizers: string[];
  optims: string[];
  lrSchedulers: string[];
  callbacks: string[];
  megatronCallbacks: string[];
  reporters: string[];
  evalMetrics: string[];
  /** `loss_type`, by what is trained. */
  losses: Record<'sft' | 'dpo' | 'kto' | 'cpo' | 'grpo', string[]>;
  rlhfTypes: string[];
  rewardFunctions: string[];
  processRewards: string[];
  rewardModelPlugins: string[];
  multiTurnSchedulers: string[];
  gymEnvironments: string[];
  /** A path or JSON may stand in their place. */
  deepspeedPresets: string[];
  fsdpPresets: string[];
  /** A kernel of a hub may stand in their place. */
  attentions: string[];
  modelTypes: Record<string, SwiftModelType>;
  models: Record<string, SwiftModel>;
};

/** The names verl knows, where its configuration only says that they are texts. */
export type VerlRegistry = {
  advantageEstimators: string[];
  policyLosses: string[];
  lossAggregations: string[];
  klPenalties: string[];
  klControllers: string[];
  rolloutCorrectionWeights: string[];
  /** `rollout_rs` is one of them, or several joined by commas. */
  rolloutCorrectionRejections: string[];
  rolloutCorrectionLosses: string[];
  sampleReweightings: string[];
  distillationLosses: string[];
  trainerModes: string[];
  resumeModes: string[];
  offPolicyStrategies: string[];
  loggers: string[];
  rollouts: string[];
  rolloutModes: string[];
  /** What `strategy` may be, by the model engine it belongs to. */
  engines: Record<'fsdp' | 'megatron' | 'torchtitan' | 'veomni' | 'automodel', string[]>;
  checkpointContents: string[];
  checkpointEngines: string[];
  rewardManagerSources: string[];
  rewardManagers: string[];
  legacyRewardManagers: string[];
  agentLoops: string[];
  toolParsers: string[];
  traceBackends: string[];
  truncations: string[];
  profilers: string[];
  torchOptimizers: string[];
};

/** verl's config groups. */
export type VerlGroups = {
  /** The options of each group. */
  options: Record<string, string[]>;
  /** By model engine, what the composed tree is made of: each override's left side, and what stands there. */
  defaults: Record<'fsdp' | 'megatron', Record<string, { group: string; key: string; option: string }>>;
};
