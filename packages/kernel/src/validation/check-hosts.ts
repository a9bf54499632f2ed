import { type Host, HOSTS } from '@portolan/plugin-api';
import { AUDIT } from '../config/core-schema.ts';
import { isPlainMap } from '../config/plain-data.ts';
import { formatConfigPath, type ConfigPath, type PositionFinder } from '../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';
import { KIND_LISTS, type KindList, WORKLOAD_LISTS } from '../kind-lists/kind-lists.ts';
import type { KindTable } from '../kinds/kind-table.ts';

type Config = Readonly<Record<string, unknown>>;

const WORDS: Readonly<Record<Host, string>> = {
  'registry-server': 'the registry server',
  workload: 'workloads',
};

export function checkServerHosts(
  config: Config,
  kinds: KindTable,
  positionOf: PositionFinder,
): readonly ConfigProblem[] {
  const { auth, middleware, telemetry } = config;
  const exporter = isPlainMap(telemetry) ? telemetry['exporter'] : undefined;
  const mode = isPlainMap(auth) ? auth['mode'] : undefined;
  return [
    ...(typeof mode === 'string'
      ? checkHost('registry-server', 'authProviders', mode, ['auth', 'mode'], kinds)
      : []),
    ...(typeof exporter === 'string'
      ? checkHost('registry-server', 'telemetry', exporter, ['telemetry', 'exporter'], kinds)
      : []),
    ...(isPlainMap(middleware) ? Object.keys(middleware) : []).flatMap((name) =>
      checkHost('registry-server', 'middleware', name, ['middleware', name], kinds),
    ),
    ...(Object.hasOwn(config, AUDIT)
      ? checkHost('registry-server', 'middleware', AUDIT, [AUDIT], kinds)
      : []),
  ].map(({ place, ...problem }) => placed(place, problem, positionOf));
}

export function checkWorkloadHosts(
  config: Config,
  kinds: KindTable,
  positionOf: PositionFinder,
): readonly ConfigProblem[] {
  return WORKLOAD_LISTS.flatMap((list) => {
    const settings = config[list];
    return (isPlainMap(settings) ? Object.keys(settings) : []).flatMap((name) =>
      checkHost('workload', list, name, [list, name], kinds),
    );
  }).map(({ place, ...problem }) => placed(place, problem, positionOf));
}

interface HostProblem {
  readonly place: ConfigPath;
  readonly found: string;
  readonly expected: string;
}

/**
 * Returns a problem when the kind does not support this host. A kind that lists no hosts supports all of
 * them.
 */
export function hostProblem(
  host: Host,
  list: KindList,
  kind: { readonly kind: string; readonly hosts?: readonly Host[] },
): Omit<HostProblem, 'place'> | undefined {
  if (kind.hosts === undefined || kind.hosts.includes(host)) return undefined;
  const served = HOSTS.filter((one) => kind.hosts?.includes(one)).map((one) => WORDS[one]);
  return {
    found: `${JSON.stringify(kind.kind)}, which serves ${served.join(' and ')}`,
    expected: `a kind of ${KIND_LISTS[list].sort} that serves ${WORDS[host]}`,
  };
}

function checkHost(
  host: Host,
  list: KindList,
  name: string,
  place: ConfigPath,
  kinds: KindTable,
): readonly HostProblem[] {
  const kind = kinds[list].get(name)?.kind;
  const problem = kind === undefined ? undefined : hostProblem(host, list, kind);
  return problem === undefined ? [] : [{ place, ...problem }];
}

function placed(
  place: ConfigPath,
  { found, expected }: Omit<HostProblem, 'place'>,
  positionOf: PositionFinder,
): ConfigProblem {
  return configProblem(formatConfigPath(place), found, expected, { position: positionOf(place) });
}
