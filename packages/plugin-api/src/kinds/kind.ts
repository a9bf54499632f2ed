import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';

/** Properties of all kinds: a name, a config block, and the creation of an instance. */
export interface Kind<Block extends ConfigBlock, Instance> {
  /** Key of its block in the configuration. */
  readonly kind: string;
  readonly config: Block;
  create(config: ConfigOf<Block>, context: PluginContext): Instance | Promise<Instance>;
  /**
   * Returns problems that the schema cannot express. Runs before anything is created, also for `config
   * check`, for every block that the schema accepts. It must be synchronous, change nothing and open no
   * connection. It may read only its arguments, test whether files exist, and read small ones that `create`
   * would read too.
   */
  check?(
    config: ConfigOf<Block>,
    context: {
      /** Base of relative paths in the block. */
      readonly directory: string;
      /** As `PluginContext.trustsLoopback`. */
      readonly trustsLoopback: boolean;
    },
  ): readonly KindProblem[];
}

/** A message has the form `place  found FOUND; expected EXPECTED`. */
export interface KindProblem {
  /**
   * Place in the block, such as `providers[1].issuerUrl`; empty for the block itself. Only the first problem
   * of each place is reported.
   */
  readonly place: string;
  /** What was found, without the word "found"; `nothing` for a missing value. Never a secret. */
  readonly found: string;
  /** What was expected, without the word "expected". */
  readonly expected: string;
  readonly didYouMean?: string;
  /**
   * Whether this is a warning: the block is usable, and the problem, such as a missing file, may disappear
   * later.
   */
  readonly isWarning?: boolean;
}
