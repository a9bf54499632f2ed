import { type JsonMap, listOf, mapOf, textOf, textsOf } from '../responses/json-value.ts';

export interface Permission {
  readonly text: string;
  /** Hosts or folders that the permission covers. */
  readonly items: readonly string[];
  /** Whether the permission is broad enough to deserve attention. */
  readonly isWide: boolean;
}

/**
 * Returns the permissions that the publisher requests. `PagesContext.describeDemands` returns what
 * `portolan run` asks for and refuses.
 */
export function permissionsOf(extension: JsonMap): readonly Permission[] | undefined {
  const { permissions } = extension;
  if (permissions === undefined) return undefined;
  const { network, read, write, privileged } = mapOf(permissions);
  const { mode } = mapOf(network);
  return [
    ...(privileged === true ? [{ text: 'Wants to run privileged.', items: [], isWide: true }] : []),
    ...(mode === 'host' ? [{ text: 'Wants the network of the machine.', items: [], isWide: true }] : []),
    networkOf(mapOf(mapOf(network)['outbound']), network !== undefined),
    filesOf('Reads these files and folders of the machine.', 'Reads no files of the machine.', read),
    filesOf(
      'Reads and writes these files and folders of the machine.',
      'Writes no files of the machine.',
      write,
    ),
  ];
}

function networkOf(outbound: JsonMap, isSaid: boolean): Permission {
  const hosts = textsOf(outbound['allow_host']);
  const ports = listOf(outbound['allow_port']).flatMap((port) => textOf(port) ?? []);
  if (outbound['insecure_allow_all'] === true || !isSaid) {
    return { text: 'Connects to any host.', items: [], isWide: true };
  }
  if (hosts.length === 0) return { text: 'Connects to no host.', items: [], isWide: false };
  const where = ports.length === 0 ? '' : `, at port ${ports.join(', ')}`;
  return { text: `Connects to these hosts alone${where}.`, items: hosts, isWide: false };
}

function filesOf(some: string, none: string, list: unknown): Permission {
  const items = textsOf(list);
  return {
    text: items.length === 0 ? none : some,
    items,
    isWide: items.some((item) => WIDE.test(item)),
  };
}

/** Matches the whole file system or a complete home folder, before an optional `:` and container path. */
const WIDE = /^(?:\/|(?:\/home|~)\/?)(?::|$)/;
