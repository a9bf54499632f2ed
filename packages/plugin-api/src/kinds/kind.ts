import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin-context.ts';

/** What all kinds have in common: a name, a config block, and how an instance is made from it. */
export interface Kind<Block extends ConfigBlock, Instance> {
  /** The key under which its block stands in the configuration. */
  readonly kind: string;
  readonly config: Block;
  create(config: ConfigOf<Block>, context: PluginContext): Instance | Promise<Instance>;
  /**
   * What is wrong with a block and cannot be said by its schema; empty for one
   * that can be used. Asked before anything is created, also by `config check`,
   * of every block that has passed its schema; the answer stands beside all other
   * problems of the configuration. It answers at once, changes nothing, opens no
   * connection, and looks at nothing but its arguments and files: at whether they
   * are there, and at small ones that `create` would read as well.
   */
  check?(
    config: ConfigOf<Block>,
    surroundings: {
      /** Folder of the configuration file; relative paths in the block start there. */
      readonly directory: string;
      /** As `PluginContext.trustsLoopback`. */
      readonly trustsLoopback: boolean;
    },
  ): readonly KindProblem[];
}

/** One thing that is wrong with a block. A message says: `place  found FOUND; expected EXPECTED`. */
export interface KindProblem {
  /** Where, below the block: `providers[1].issuerUrl`; empty for the block itself. Of one place, the first problem is told. */
  readonly place: string;
  /** What was found there, without "found"; `nothing` where something is missing. Never a secret. */
  readonly found: string;
  /** What was expected there, without "expected". */
  readonly expected: string;
  /** What may have been meant. */
  readonly didYouMean?: string;
  /** Told, but the block may be used all the same, since it may be in order later: a file that is not there yet. */
  readonly isWarning?: boolean;
}
