import {
  type NamedTarget,
  type RunConfig,
  type RunFlags,
  type RunTarget,
  type ServerSettings,
  asksDefaultRegistry,
  classifyTarget,
  settleName,
} from '@portolan/run-spec';
import type { JsonObject } from '@portolan/plugin-api';
import type { RegistryFields, ServerNotFound } from '@portolan/registry-client';
import type { WorkloadContext } from '../../workload-context.ts';

export interface ResolvedTarget {
  readonly target: Exclude<RunTarget, { from: 'file' }>;
  /** Explanation of why the target counts as a file, URL, package, registry entry or image, for messages. */
  readonly because: string;
  readonly entry: ResolvedEntry | undefined;
  /** Sentence that the name may be a misspelled server of the registry. */
  readonly doubt?: string;
}

export interface ResolvedEntry {
  readonly server: ServerSettings;
  /** The entry as published. */
  readonly document: JsonObject;
  readonly registry: string;
  /** Address of the registry, as fields of the run config. */
  readonly fields: Partial<Pick<RunConfig, 'registry_api_url' | 'registry_url'>>;
  readonly warnings: readonly string[];
}

/**
 * Resolves the target of a run. Does not query the default registry for a text that is clearly an image, or
 * for an image that the engine has. Throws ERR_RUN_TARGET, ERR_PACKAGE, and the errors of the look-up and the
 * engine.
 */
export async function resolveTarget(
  text: string | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ResolvedTarget> {
  const { schemes } = context.kinds;
  const { target, because } = classifyTarget({ argument: text, fromConfig: undefined, schemes });
  if (target.from === 'file') throw new TypeError('only --from-config can name a file as the target');
  if (target.from !== 'name') return { target, because, entry: undefined };
  const isDefault = asksDefaultRegistry(context.user);
  if (!target.canBeServer || (isDefault && target.saysImage)) return asImage(target);
  const canBeHere = target.canBeImage && !target.saysImage;
  let engine: EngineImage | undefined;
  if (isDefault && canBeHere) {
    engine = await askEngine(target.text, context, signal);
    if (engine === 'has it') return asImage(target, engine);
  }
  const { findServer } = await import('@portolan/registry-client/lookup');
  const { lookupContextOf } = await import('../lookup-context.ts');
  const match = await findServer(target.text, lookupContextOf(context), signal);
  if (!match.isFound) {
    if (canBeHere) engine ??= await askEngine(target.text, context, signal);
    return asImage(target, engine, match);
  }
  const { name: server, settings, document, registry, registryFields, warnings } = match;
  return {
    ...withoutFile(settleName(target, { outcome: 'found', server, registry })),
    entry: { server: settings, document, registry, fields: configFields(registryFields), warnings },
  };
}

/** Resolves the target of a virtual server, which the flags name. Throws ERR_SETTINGS_CONFLICT. */
export function resolveMembers(
  { members, memberGroup }: RunFlags,
  { kinds: { schemes } }: Pick<WorkloadContext, 'kinds'>,
): ResolvedTarget {
  const classified = classifyTarget({
    argument: undefined,
    fromConfig: undefined,
    members,
    memberGroup,
    schemes,
  });
  const { target, because } = classified;
  if (target.from !== 'members') throw new TypeError('members resolved to a server');
  return { target, because, entry: undefined };
}

type EngineImage = 'has it' | 'has it not' | { readonly error: unknown };

async function askEngine(
  reference: string,
  { kinds }: WorkloadContext,
  signal: AbortSignal,
): Promise<EngineImage> {
  try {
    const runtime = await kinds.openRuntime();
    // A runtime without a container engine fetches images itself and does not list them.
    if (runtime.runs === 'workloads') return 'has it not';
    return (await runtime.engine.inspectImage(reference, signal)) === undefined ? 'has it not' : 'has it';
  } catch (error) {
    signal.throwIfAborted();
    return { error };
  }
}

function asImage(
  target: NamedTarget,
  engine: EngineImage = 'has it not',
  serverNotFound?: ServerNotFound,
): ResolvedTarget {
  if (typeof engine === 'object') throw engine.error;
  const { registry, didYouMean } = serverNotFound ?? {};
  const lookup =
    registry === undefined
      ? ({ outcome: 'no-registry' } as const)
      : ({ outcome: 'not-found', registry, didYouMean } as const);
  const settled = withoutFile(settleName(target, lookup, engine === 'has it'));
  if (didYouMean === undefined) return { ...settled, entry: undefined };
  const doubt = `The registry ${registry} has no server named ${target.text}, so it is treated as the name of an image; did you mean ${didYouMean}?`;
  return { ...settled, entry: undefined, doubt };
}

/**
 * Returns the run config fields for a registry. Leaves out the path of a local registry, which another
 * machine could not use.
 */
function configFields(fields: RegistryFields): ResolvedEntry['fields'] {
  return 'local_registry_path' in fields ? {} : fields;
}

function withoutFile({
  target,
  because,
}: ReturnType<typeof settleName>): Pick<ResolvedTarget, 'target' | 'because'> {
  if (target.from === 'file') throw new TypeError('a registry name resolved to a file');
  return { target, because };
}
