import type { Logger, PluginContext } from '@portolan/plugin-api';
import type { Block } from '../config/plain-data.ts';
import { instanceBroken, instanceFailed } from './kind-errors.ts';
import { closeLate } from '../lifetime/close-late.ts';
import { withinTime } from '../lifetime/within-time.ts';
import type { SecretValues } from '../logging/secret-values.ts';
import type { KindEntry } from './kind-table.ts';

export interface CreationContext {
  readonly contextFor: (plugin: string) => PluginContext;
  readonly secrets: SecretValues;
  readonly limitMs: number | undefined;
  readonly logger: Logger;
}

export interface Creator<Instance> {
  readonly kind: string;
  create(config: Block, context: PluginContext): Instance | Promise<Instance>;
}

/**
 * Creates an instance of a kind and checks that it has the named functions. An empty list requires the
 * instance itself to be a function; no list accepts any object. Closes an instance that arrives after the
 * timeout. Throws ERR_PLUGIN_CREATE and ERR_PLUGIN_SHAPE.
 */
export async function createInstance<Instance>(
  { contextFor, secrets, limitMs, logger }: CreationContext,
  entry: KindEntry<Creator<Instance>>,
  block: Block,
  where: string,
  parts: readonly string[] | undefined,
): Promise<Instance> {
  let instance: Instance;
  let lacking: string | undefined;
  try {
    instance = await withinTime(
      () => entry.kind.create(block, contextFor(entry.plugin)),
      limitMs,
      (late) => closeLate(late, where, logger, limitMs),
    );
    lacking = whatIsLacking(instance, parts);
  } catch (error) {
    throw instanceFailed(entry, where, secrets.maskThrown(error));
  }
  if (lacking !== undefined) throw instanceBroken(entry, where, lacking);
  return instance;
}

export function whatIsLacking(instance: unknown, parts: readonly string[] | undefined): string | undefined {
  if (instance === undefined || instance === null) return 'nothing';
  if (parts?.length === 0 && typeof instance !== 'function') return 'something that is no function';
  if (parts?.length !== 0 && typeof instance !== 'object') return `a ${typeof instance}`;
  const missing = parts?.find((part) => typeof Reflect.get(Object(instance), part) !== 'function');
  if (missing !== undefined) return `something without a function "${missing}"`;
  const odd = ['close', 'reopen'].find((part) => {
    const value: unknown = Reflect.get(Object(instance), part);
    return value !== undefined && typeof value !== 'function';
  });
  return odd === undefined ? undefined : `something whose "${odd}" is no function`;
}
