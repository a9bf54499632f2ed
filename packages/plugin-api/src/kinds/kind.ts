import type { ConfigBlock, ConfigOf } from '../config-schema.ts';
import type { PluginContext } from '../plugin.ts';

/** What all kinds have in common: a name, a config block, and how an instance is made from it. */
export interface Kind<Block extends ConfigBlock, Instance> {
  /** The key under which its block stands in the configuration. */
  readonly kind: string;
  readonly config: Block;
  create(config: ConfigOf<Block>, context: PluginContext): Instance | Promise<Instance>;
}
