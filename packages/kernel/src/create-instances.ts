import type {
  AuthProvider,
  Logger,
  MiddlewareKind,
  PluginContext,
  Source,
  SourceKind,
} from '@portolan/plugin-api';
import { closeLate } from './close-late.ts';
import type { Block, ValidatedConfig } from './config/assemble-config.ts';
import { instanceBroken, instanceFailed } from './errors.ts';
import type { Kernel, KernelAuth, SourceInstance } from './kernel.ts';
import type { KindEntry, KindTable } from './kinds/kind-table.ts';
import type { SecretValues } from './secret-values.ts';
import type { UndoStack } from './undo-stack.ts';
import { withinTime } from './within-time.ts';

/** What every instance is made with. */
export interface Surroundings {
  readonly contextFor: (plugin: string) => PluginContext;
  readonly secrets: SecretValues;
  readonly limitMs: number | undefined;
  readonly logger: Logger;
}

export interface InstanceInput extends Surroundings {
  readonly validated: ValidatedConfig;
  readonly kinds: KindTable;
  readonly opened: UndoStack;
}

/** One instance for each source that the configuration names, in its order. Throws as `createSourceInstance`. */
export async function createSources(input: InstanceInput): Promise<Kernel['sources']> {
  const { validated, kinds, opened, limitMs } = input;
  const sources = new Map<string, SourceInstance>();
  for (const { name, kind, block } of validated.config.sources) {
    const entry = get(kinds.sources, kind);
    const instance = await createSourceInstance(input, entry, block, name);
    opened.push(`the source "${name}"`, () => withinTime(() => instance.close?.(), limitMs));
    sources.set(name, { kind: entry.kind, instance });
  }
  return sources;
}

/**
 * Throws ERR_PLUGIN_CREATE when `create` throws, and ERR_PLUGIN_INSTANCE when
 * what it returns is no source.
 */
export async function createSourceInstance(
  input: Surroundings,
  entry: KindEntry<SourceKind>,
  block: Block,
  name: string,
): Promise<Source> {
  return await createInstance<Source>(input, entry, block, `the source "${name}"`, ['readEntries']);
}

/** The provider of the chosen mode; whoever calls closes it. Throws as `createSourceInstance`. */
export async function createAuth({
  validated,
  kinds,
  ...input
}: Omit<InstanceInput, 'opened'>): Promise<KernelAuth> {
  const { auth } = validated.config;
  const entry = get(kinds.authProviders, auth.mode);
  const where = `the auth provider "${auth.mode}"`;
  const instance: AuthProvider = await createInstance(input, entry, validated.authBlock, where, [
    'verify',
    'identify',
  ]);
  return { config: auth, provider: { kind: entry.kind, instance } };
}

/** One instance for each middleware that the configuration names, in its order. Throws as `createSourceInstance`. */
export async function createMiddleware(input: InstanceInput): Promise<Kernel['middleware']> {
  const { validated, kinds, opened, limitMs } = input;
  const middleware: Kernel['middleware'][number][] = [];
  for (const { kind, block } of validated.middleware) {
    const entry = get(kinds.middleware, kind);
    const where = `the middleware "${kind}"`;
    const handler: Awaited<ReturnType<MiddlewareKind['create']>> = await createInstance(
      input,
      entry,
      block,
      where,
      [],
    );
    opened.push(where, () => withinTime(() => handler.close?.(), limitMs));
    middleware.push({ kind: entry.kind, handler });
  }
  return middleware;
}

/** The part of a kind that makes instances. */
export interface Creator<Instance> {
  readonly kind: string;
  create(config: Block, context: PluginContext): Instance | Promise<Instance>;
}

/**
 * Makes an instance that has these functions; without any, it has to be a
 * function itself. One that comes after its time limit is closed when it comes.
 * Throws as `createSourceInstance`.
 */
export async function createInstance<Instance>(
  { contextFor, secrets, limitMs, logger }: Surroundings,
  entry: KindEntry<Creator<Instance>>,
  block: Block,
  where: string,
  parts: readonly string[],
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

function whatIsLacking(instance: unknown, parts: readonly string[]): string | undefined {
  if (instance === undefined || instance === null) return 'nothing';
  if (parts.length === 0 && typeof instance !== 'function') return 'something that is no function';
  if (parts.length > 0 && typeof instance !== 'object') return `a ${typeof instance}`;
  const missing = parts.find((part) => typeof Reflect.get(Object(instance), part) !== 'function');
  if (missing !== undefined) return `something without a function "${missing}"`;
  const odd = ['close', 'reopen'].find((part) => {
    const value: unknown = Reflect.get(Object(instance), part);
    return value !== undefined && typeof value !== 'function';
  });
  return odd === undefined ? undefined : `something whose "${odd}" is no function`;
}

function get<K>(table: ReadonlyMap<string, KindEntry<K>>, name: string): KindEntry<K> {
  const entry = table.get(name);
  // The configuration was checked against this very table.
  if (entry === undefined) throw new Error(`the kind "${name}" has passed the check, but is not there`);
  return entry;
}
