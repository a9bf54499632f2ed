import type { RunConfig, RunTarget, ServerSettings } from '@portolan/run-spec';
import { classifyTarget, settleName } from '@portolan/run-spec';
import type { RegistryFields, ServerNotFound } from '@portolan/registry-client';
import type { WorkloadContext } from '../../workload-context.ts';

/** What is run, found out by the command line and the registry. */
export interface ResolvedTarget {
  readonly target: Exclude<RunTarget, { from: 'file' }>;
  /** Which rule has decided. */
  readonly because: string;
  readonly entry: ResolvedEntry | undefined;
  /** A sentence when a name was taken for an image that was perhaps meant for something else. */
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
 * that name. Throws ERR_RUN_TARGET, ERR_PACKAGE, and what the look-up throws.
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
  if (!target.canBeServer)
    return { ...withoutFile(settleName(target, { answer: 'no-registry' })), entry: undefined };
  const { findServer } = await import('@portolan/registry-client');
  const { lookupContextOf } = await import('../lookup-context.ts');
  const found = await findServer(target.text, lookupContextOf(context), signal);
  if (!found.found) {
    const { registry } = found;
    const answer =
      registry === undefined
        ? ({ answer: 'no-registry' } as const)
        : ({ answer: 'not-found', registry } as const);
    return { ...withoutFile(settleName(target, answer)), entry: undefined, ...doubtOf(target.text, found) };
  }
  const { name: server, settings, registry, registryFields, warnings } = found;
  return {
    ...withoutFile(settleName(target, { answer: 'found', server, registry })),
    entry: { server: settings, registry, fields: configFields(registryFields), warnings },
  };
}

/** A plain word, or a name that is nearly one of the registry: who has typed it has to see what becomes of it. */
function doubtOf(text: string, { registry, didYouMean }: ServerNotFound): Pick<ResolvedTarget, 'doubt'> {
  if (text.includes('/') && didYouMean === undefined) return {};
  const why =
    registry === undefined
      ? 'No registry is set (`portolan config set-registry`)'
      : `The registry ${registry} has no server named ${text}`;
  const meant = didYouMean === undefined ? '' : `; did you mean ${didYouMean}?`;
  return { doubt: `${why}, so ${text} is taken for the name of an image${meant === '' ? '.' : meant}` };
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
