import { isLoopbackHost } from '@portolan/outbound';
import { isVolumeName } from '../parse/volume.ts';
import { parsePublishedPort } from '../parse/published-port.ts';
import type { FilledRuntime } from '../registry-entry/fill-runtime.ts';
import { imageOfPython, splitRequirements } from '../registry-entry/runner-options.ts';
import type { RuntimeConfig } from '../run-config/parts.ts';
import type { ChosenProfile } from '../permissions/permission-profile.ts';
import type { MergeInput } from './merge-input.ts';
import { runtimeArgumentRefused } from './settings-errors.ts';
import { flagRow, RUN_FLAG_NAMES } from './run-flags.ts';

/** A volume in a runtime argument of an entry, in the form of `--volume`. */
export interface EntryVolume {
  readonly text: string;
  /** `user` when the host path is a value that the user gave for an input. */
  readonly author: 'user' | 'entry';
  /** Argument of the entry that contains the volume, for messages. */
  readonly place: string;
}

/**
 * Throws ERR_RUNTIME_ARGUMENT for an unsupported argument that the server needs, unless the user set an
 * equivalent flag.
 */
export function refuseBlockers(
  { entry, request }: Pick<MergeInput, 'entry' | 'request'>,
  { profile, from }: ChosenProfile,
): void {
  for (const blocker of entry?.server.runtime.blockers ?? []) {
    const { unless } = blocker;
    if (unless === 'network' && request.flags.network !== undefined) continue;
    if (unless === 'privileged' && from === 'flag' && profile.privileged === true) continue;
    throw runtimeArgumentRefused(entry?.server.server ?? '', blocker);
  }
}

export function volumesOfEntry({ entry }: Pick<MergeInput, 'entry'>): readonly EntryVolume[] {
  return toEntryVolumes(entry?.filled.runtime ?? []);
}

export function toEntryVolumes(filled: readonly FilledRuntime[]): readonly EntryVolume[] {
  const volumes = filled.filter(({ kind }) => kind === 'volume');
  return volumes.map(({ values, readOnly, isUsers, argument }) => {
    const [source = '', target] = values;
    // A bare name is an engine volume, as with `docker run -v`.
    const isName = isVolumeName(source);
    const text =
      target === undefined
        ? source
        : `${isName ? 'volume://' : ''}${source}:${target}${readOnly ? ':ro' : ''}`;
    return { text, author: isUsers ? 'user' : 'entry', place: `the runtime argument ${argument}` };
  });
}

/**
 * Returns the network that the entry's runtime arguments request; undefined when a flag of the user replaces
 * it.
 */
export function networkOfEntry({ entry }: Pick<MergeInput, 'entry'>): string | undefined {
  const { server, filled } = entry ?? {};
  const filledRuntime = filled?.runtime.find(({ kind }) => kind === 'network');
  const [mode] = filledRuntime?.values ?? [];
  if (filledRuntime === undefined || mode === undefined || mode === 'none' || mode === 'bridge') return mode;
  const because = 'an entry cannot choose a network with more access';
  throw runtimeArgumentRefused(server?.server ?? '', {
    argument: filledRuntime.argument,
    because,
    unless: 'network',
    network: mode,
  });
}

/**
 * Returns the ports that the entry's runtime arguments publish. It allows only the port of the transport, on
 * loopback, and without policies in the proxy, which clients could bypass. Adds a warning for each other
 * port.
 */
export function portsOfEntry(
  { entry, request }: Pick<MergeInput, 'entry' | 'request'>,
  host: string,
  warnings: string[],
): readonly string[] {
  const { filled } = entry ?? {};
  return filledOf(entry, 'publish').flatMap(({ values: [value = ''], argument }) => {
    const text = value.replace(/^(?:\[[^\]]*\]|[^:]*\.[^:]*|localhost):/, '').replace(/\/tcp$/, '');
    const { containerPort } = parsePublishedPort(text, `the runtime argument ${argument}`);
    const fault =
      containerPort !== filled?.targetPort
        ? 'an entry may publish only the port of its transport'
        : !isLoopbackHost(host)
          ? `an entry may publish on loopback only, and --host is ${host}`
          : RUN_FLAG_NAMES.some((name) => request.flags[name] !== undefined && isPolicy(name))
            ? 'clients would reach the server without the policies of this run'
            : request.flags.network === 'host'
              ? 'on the network of the host every port is one of the host'
              : undefined;
    if (fault === undefined) return [text];
    warnings.push(`The runtime argument ${argument} is left out: ${fault}. \`--publish ${text}\` sets it.`);
    return [];
  });
}

function isPolicy(name: (typeof RUN_FLAG_NAMES)[number]): boolean {
  const groups: readonly string[] = ['TOOLS AND POLICY', 'AUTHENTICATION', 'TOKEN EXCHANGE', 'AUDIT'];
  return groups.includes(flagRow(name).group);
}

export function buildOfEntry({ entry }: Pick<MergeInput, 'entry'>): RuntimeConfig | undefined {
  const requirements = filledOf(entry, 'with').flatMap(({ values: [text = ''] }) => splitRequirements(text));
  const [python] = filledOf(entry, 'python').flatMap(
    ({ values: [version = ''] }) => imageOfPython(version) ?? [],
  );
  if (requirements.length === 0 && python === undefined) return undefined;
  return {
    builder_image: python ?? '',
    additional_packages: [],
    build_with: requirements,
    runtime_env: {},
  };
}

export function indexesOfEntry(entry: MergeInput['entry']): readonly string[] {
  return filledOf(entry, 'index').flatMap(({ values }) => values);
}

function filledOf(entry: MergeInput['entry'], kind: FilledRuntime['kind']): readonly FilledRuntime[] {
  return (entry?.filled.runtime ?? []).filter((one) => one.kind === kind);
}
