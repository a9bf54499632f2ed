import { UndoStack } from '@portolan/plugin-api';
import type {
  AuthProvider,
  MiddlewareKind,
  Pages,
  Source,
  SourceKind,
  Telemetry,
} from '@portolan/plugin-api';
import type { ValidatedConfig } from '../validation/assemble-config.ts';
import type { Block } from '../config/plain-data.ts';
import type { Kernel, KernelAuth, SourceInstance } from './kernel.ts';
import { createInstance, type CreationContext } from '../kinds/create-instance.ts';
import type { KindEntry, KindTable } from '../kinds/kind-table.ts';
import { withinTime } from '../lifetime/within-time.ts';

export interface InstanceInput extends CreationContext {
  readonly validated: ValidatedConfig;
  readonly kinds: KindTable;
  readonly opened: UndoStack;
}

/**
 * Creates one instance per configured source, or reuses the instance in `keep`. The caller closes all
 * instances. When one creation fails, closes the instances that this call created.
 */
export async function createSources(
  input: Omit<InstanceInput, 'opened'>,
  keep: (name: string) => SourceInstance | undefined = () => undefined,
): Promise<Kernel['sources']> {
  const { validated, kinds, limitMs, logger } = input;
  const made = new UndoStack(logger);
  const sources = new Map<string, SourceInstance>();
  for (const { name, kind, block } of validated.config.sources) {
    const sourceInstance = keep(name);
    if (sourceInstance !== undefined) {
      sources.set(name, sourceInstance);
      continue;
    }
    const entry = get(kinds.sources, kind);
    try {
      const instance = await createSourceInstance(input, entry, block, name);
      made.push(`the source "${name}"`, () => withinTime(() => instance.close?.(), limitMs));
      sources.set(name, { kind: entry.kind, instance });
    } catch (error) {
      await made.run();
      throw error;
    }
  }
  return sources;
}

/** Throws ERR_PLUGIN_CREATE when `create` throws, and ERR_PLUGIN_SHAPE when its result is not a source. */
export async function createSourceInstance(
  input: CreationContext,
  entry: KindEntry<SourceKind>,
  block: Block,
  name: string,
): Promise<Source> {
  return await createInstance<Source>(input, entry, block, `the source "${name}"`, ['readEntries']);
}

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

/** Creates the telemetry exporter if the configuration has one. The host closes what the exporter starts. */
export async function createTelemetry(input: InstanceInput): Promise<Telemetry | undefined> {
  const { exporterBlock, config } = input.validated;
  const { enabled, exporter, tracing, metrics } = config.telemetry;
  if (!enabled || !(tracing.enabled || metrics.enabled)) return undefined;
  const entry = get(input.kinds.telemetry, exporter);
  const where = `the telemetry exporter "${exporter}"`;
  return await createInstance<Telemetry>(input, entry, exporterBlock, where, ['start']);
}

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
    middleware.push({ kind: entry.kind, handler, block });
  }
  return middleware;
}

export async function createPages(input: InstanceInput): Promise<Kernel['pages']> {
  const pages: Kernel['pages'][number][] = [];
  for (const { kind, block } of input.validated.pages) {
    const entry = get(input.kinds.pages, kind);
    pages.push({
      kind: entry.kind,
      instance: await createInstance<Pages>(input, entry, block, `the pages "${kind}"`, ['open']),
    });
  }
  return pages;
}

function get<K>(table: ReadonlyMap<string, KindEntry<K>>, name: string): KindEntry<K> {
  const entry = table.get(name);
  // The configuration was validated against this same table.
  if (entry === undefined) throw new Error(`the kind "${name}" passed validation but is missing`);
  return entry;
}
