import { isPortolanError, type JsonObject } from '@portolan/plugin-api';
import type { EntryDemands } from '@portolan/run-spec';
import { describeEntryDemands, readServerSettings } from '@portolan/run-spec/entries';
import { describeServer, type ListedServer } from './describe-server.ts';
import { findRegistryServer } from './find-server.ts';
import type { LookupContext } from './lookup-context.ts';
import { registryMissing, serverUnknown } from './lookup-errors.ts';
import { warnOfHiddenText } from './warn-of-hidden-text.ts';

export interface ServerInfo extends ListedServer, EntryDemands {
  readonly registry: string;
  /**
   * Target that a run would start: an image, `npx://PACKAGE` or a URL. Undefined for a server that cannot run here.
   */
  readonly runs: string | undefined;
  /** Inputs that `run` accepts through `-e` and `--secret`. */
  readonly inputs: readonly ServerInput[];
  readonly hasProvenance: boolean;
  readonly document: JsonObject;
  readonly warnings: readonly string[];
}

export interface ServerInput {
  readonly name: string;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  readonly isSecret: boolean;
}

/**
 * Describes one server, with a warning if it cannot run. Throws ERR_LOOKUP_NO_REGISTRY, ERR_SERVER_UNKNOWN,
 * and errors of `findServer`.
 */
export async function describeRegistryServer(
  name: string,
  context: LookupContext,
  { refresh = false, signal }: { readonly refresh?: boolean; readonly signal?: AbortSignal } = {},
): Promise<ServerInfo> {
  const registryServer = await findRegistryServer(name, context, signal, refresh);
  if (!registryServer.isFound)
    throw registryServer.registry === undefined
      ? registryMissing()
      : serverUnknown(name, registryServer.registry);
  const { document, registry, status } = registryServer;
  const listed = {
    ...describeServer({ document, status, statusMessage: undefined }),
    ...describeEntryDemands(document),
    registry,
    document,
  };
  const warnings = [...registryServer.warnings, ...warnOfHiddenText(registryServer.name, document)];
  try {
    return { ...listed, ...howToRun(document), warnings };
  } catch (error) {
    if (!isPortolanError(error)) throw error;
    const all = [...warnings, error.message];
    return { ...listed, runs: undefined, inputs: [], hasProvenance: false, warnings: all };
  }
}

function howToRun(document: JsonObject): Pick<ServerInfo, 'runs' | 'inputs' | 'hasProvenance'> {
  const { runs, variables, headers, args, provenance } = readServerSettings(document);
  const templates = [
    ...[...variables, ...headers].map(({ value }) => value),
    ...args.flatMap(({ value }) => value ?? []),
    ...(runs.form === 'remote' ? [runs.url] : []),
  ];
  const inputs = new Map(
    templates.flatMap((template) => template.inputs).map((input) => [input.name, input]),
  );
  return {
    runs:
      runs.form === 'image'
        ? runs.image
        : runs.form === 'remote'
          ? runs.url.text
          : `${runs.scheme}://${runs.package}`,
    inputs: [...inputs.values()].map(({ name, description, isRequired, isSecret, default: fallback }) => ({
      name,
      description,
      isRequired: isRequired && fallback === undefined,
      isSecret,
    })),
    hasProvenance: provenance !== undefined,
  };
}
