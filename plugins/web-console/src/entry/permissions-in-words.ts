import { type JsonMap, listOf, mapOf, textOf, textsOf } from '../answers/json-value.ts';

/** One thing that a server may do, in words. */
export interface Permission {
  readonly text: string;
  /** What it is about: hosts, folders. */
  readonly items: readonly string[];
  /** Worth a second look. */
  readonly isWide: boolean;
}

/**
 * Returns what the publisher of an entry wants it to be allowed, or undefined where nothing is said. What
 * `portolan run` asks for and refuses of it is decided elsewhere: `PagesSurroundings.describeDemands`.
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

/** The whole file system or all of a home folder, before an optional `:` and the path in the container. */
const WIDE = /^(?:\/|(?:\/home|~)\/?)(?::|$)/;
