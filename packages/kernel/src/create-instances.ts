import type { AuthProvider, MiddlewareKind, PluginContext, Source } from '@portolan/plugin-api';
import type { Block, ValidatedConfig } from './config/assemble-config.ts';
import { instanceBroken, instanceFailed } from './errors.ts';
import type { Kernel, SourceInstance } from './kernel.ts';
import type { KindEntry, KindTable } from './kinds/kind-table.ts';
import type { SecretValues } from './secret-values.ts';
import type { UndoStack } from './undo-stack.ts';
import { withinTime } from './within-time.ts';

export type Instances = Pick<Kernel, 'sources' | 'authProvider' | 'middleware'>;

export interface InstanceInput {
  readonly validated: ValidatedConfig;
  readonly kinds: KindTable;
  readonly contextFor: (plugin: string) => PluginContext;
  readonly opened: UndoStack;
  readonly secrets: SecretValues;
  readonly limitMs: number | undefined;
}

/**
 * One instance for each source, for the auth provider, and for each middleware
 * that the configuration names, in this order. What has a `close` is remembered
 * before the next one is made. Throws ERR_PLUGIN_CREATE when `create` throws, and
 * ERR_PLUGIN_INSTANCE when what it returns is no instance.
 */
export async function createInstances(input: InstanceInput): Promise<Instances> {
  const { validated, kinds, opened, limitMs } = input;
  const sources = new Map<string, SourceInstance>();
  for (const { name, kind, block } of validated.config.sources) {
    const entry = get(kinds.sources, kind);
    const where = `the source "${name}"`;
    const instance: Source = await create(input, entry, block, where, ['readEntries']);
    opened.push(where, () => withinTime(() => instance.close?.(), limitMs));
    sources.set(name, { kind: entry.kind, instance });
  }
  const provider = get(kinds.authProviders, validated.config.auth.mode);
  const where = `the auth provider "${provider.kind.kind}"`;
  const instance: AuthProvider = await create(input, provider, validated.authBlock, where, [
    'verify',
    'identify',
  ]);
  opened.push(where, () => withinTime(() => instance.close?.(), limitMs));
  const middleware: Kernel['middleware'][number][] = [];
  for (const { kind, block } of validated.middleware) {
    const entry = get(kinds.middleware, kind);
    const handler: Awaited<ReturnType<MiddlewareKind['create']>> = await create(
      input,
      entry,
      block,
      `the middleware "${kind}"`,
      [],
    );
    middleware.push({ kind: entry.kind, handler });
  }
  return { sources, authProvider: { kind: provider.kind, instance }, middleware };
}

interface Creator<Instance> {
  readonly kind: string;
  create(config: Block, context: PluginContext): Instance | Promise<Instance>;
}

/** Without parts, the instance itself has to be a function. */
async function create<Instance>(
  { contextFor, secrets, limitMs }: InstanceInput,
  entry: KindEntry<Creator<Instance>>,
  block: Block,
  where: string,
  parts: readonly string[],
): Promise<Instance> {
  let instance: Instance;
  let lacking: string | undefined;
  try {
    instance = await withinTime(() => entry.kind.create(block, contextFor(entry.plugin)), limitMs);
    lacking = whatIsLacking(instance, parts);
  } catch (error) {
    throw instanceFailed(entry, where, secrets.maskThrown(error));
  }
  if (lacking !== undefined) throw instanceBroken(entry, where, lacking);
  return instance;
}

function whatIsLacking(instance: unknown, parts: readonly string[]): string | undefined {
  if (instance === undefined || instance === null) return 'nothing';
  if (parts.length === 0) return typeof instance === 'function' ? undefined : 'something that is no function';
  if (typeof instance !== 'object') return `a ${typeof instance}`;
  const missing = parts.find((part) => typeof Reflect.get(instance, part) !== 'function');
  if (missing !== undefined) return `something without a function "${missing}"`;
  const close: unknown = Reflect.get(instance, 'close');
  return close === undefined || typeof close === 'function'
    ? undefined
    : 'something whose "close" is no function';
}

function get<K>(table: ReadonlyMap<string, KindEntry<K>>, name: string): KindEntry<K> {
  const entry = table.get(name);
  // The configuration was checked against this very table.
  if (entry === undefined) throw new Error(`the kind "${name}" has passed the check, but is not there`);
  return entry;
}
