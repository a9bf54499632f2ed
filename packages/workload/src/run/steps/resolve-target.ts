import {
  type NamedTarget,
  type RunConfig,
  type RunTarget,
  type ServerSettings,
  asksDefaultRegistry,
  classifyTarget,
  settleName,
} from '@portolan/run-spec';
import type { RegistryFields, ServerNotFound } from '@portolan/registry-client';
import type { WorkloadContext } from '../../workload-context.ts';

/** What is run, found out by the command line and the registry. */
export interface ResolvedTarget {
  readonly target: Exclude<RunTarget, { from: 'file' }>;
  /** Which rule has decided. */
  readonly because: string;
  readonly entry: ResolvedEntry | undefined;
  /** A sentence when a name was taken for an image that was perhaps meant for a server. */
  readonly doubt?: string;
}

export interface ResolvedEntry {
  readonly server: ServerSettings;
  /** Address of the registry. */
  readonly registry: string;
  /** The registry as the run config names it. */
  readonly fields: Partial<Pick<RunConfig, 'registry_api_url' | 'registry_url'>>;
  readonly warnings: readonly string[];
}

/**
 * What a text stands for, asking the registry where it may have a server of
 * that name. The default registry, which nobody has chosen, is asked for nothing
 * that says that it is an image, nor for what the engine has. Throws
 * ERR_RUN_TARGET, ERR_PACKAGE, what the look-up throws, and what the engine
 * says where it alone could tell.
 */
export async function resolveTarget(
  text: string | undefined,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<ResolvedTarget> {
  const { schemes } = context.kinds;
  const { target, because } = classifyTarget({ argument: text, fromConfig: undefined, schemes });
  if (target.from === 'file') throw new TypeError('a text without --from-config is no file');
  if (target.from !== 'name') return { target, because, entry: undefined };
  const isDefault = asksDefaultRegistry(context.user);
  if (!target.canBeServer || (isDefault && target.saysImage)) return asImage(target);
  const canBeHere = target.canBeImage && !target.saysImage;
  let engine: EngineAnswer | undefined;
  if (isDefault && canBeHere) {
    engine = await askEngine(target.text, context, signal);
    if (engine === 'has it') return asImage(target, engine);
  }
  const { findServer } = await import('@portolan/registry-client/lookup');
  const { lookupContextOf } = await import('../lookup-context.ts');
  const found = await findServer(target.text, lookupContextOf(context), signal);
  if (!found.found) {
    if (canBeHere) engine ??= await askEngine(target.text, context, signal);
    return asImage(target, engine, found);
  }
  const { name: server, settings, registry, registryFields, warnings } = found;
  return {
    ...withoutFile(settleName(target, { answer: 'found', server, registry })),
    entry: { server: settings, registry, fields: configFields(registryFields), warnings },
  };
}

/** Whether the engine has an image, or why it could not be asked. */
type EngineAnswer = 'has it' | 'has it not' | { readonly error: unknown };

async function askEngine(
  reference: string,
  { kinds }: WorkloadContext,
  signal: AbortSignal,
): Promise<EngineAnswer> {
  try {
    const runtime = await kinds.openRuntime();
    // A host fetches what it starts, and shows nobody what it has.
    if (runtime.runs === 'workloads') return 'has it not';
    return (await runtime.engine.inspectImage(reference, signal)) === undefined ? 'has it not' : 'has it';
  } catch (error) {
    signal.throwIfAborted();
    return { error };
  }
}

function asImage(
  target: NamedTarget,
  engine: EngineAnswer = 'has it not',
  found?: ServerNotFound,
): ResolvedTarget {
  if (typeof engine === 'object') throw engine.error;
  const { registry, didYouMean } = found ?? {};
  const answer =
    registry === undefined
      ? ({ answer: 'no-registry' } as const)
      : ({ answer: 'not-found', registry, didYouMean } as const);
  const settled = withoutFile(settleName(target, answer, engine === 'has it'));
  if (didYouMean === undefined) return { ...settled, entry: undefined };
  const doubt = `The registry ${registry} has no server named ${target.text}, so it is taken for the name of an image; did you mean ${didYouMean}?`;
  return { ...settled, entry: undefined, doubt };
}

/** A file of this machine is no place where somebody else finds the entry. */
function configFields(fields: RegistryFields): ResolvedEntry['fields'] {
  return 'local_registry_path' in fields ? {} : fields;
}

/** A name never turns out to be a file. */
function withoutFile({
  target,
  because,
}: ReturnType<typeof settleName>): Pick<ResolvedTarget, 'target' | 'because'> {
  if (target.from === 'file') throw new TypeError('a name is no file');
  return { target, because };
}
