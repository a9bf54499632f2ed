import { OUTSIDE } from './outside-world.ts';
import { gotThrough } from './probe.ts';

export const COLUMNS = ['none', 'network', 'allow-list', 'isolation off'] as const;
export type Column = (typeof COLUMNS)[number];

/** Values that are known only when the test runs. */
export interface Facts {
  /** Port on which this host listens on all its addresses. */
  readonly hostPort: number;
  readonly hostAddress: string;
  /** Address of this host on the engine's default bridge. */
  readonly gateway: string;
  /** Another container on that bridge. */
  readonly neighbour: string;
}

/** Allow-list of its column. */
export const LIST = { allow_host: ['public.example'], allow_port: [80, 443] };

/** Addresses of names. All other names do not exist. */
export const NAMES: Readonly<Record<string, string | ((facts: Facts) => string)>> = {
  'public.example': OUTSIDE.public,
  'other.example': OUTSIDE.otherPublic,
  'lan.example': OUTSIDE.lan,
  'six.example': OUTSIDE.publicV6,
  'metadata.example': OUTSIDE.metadata,
  'own.example': ({ hostAddress }) => hostAddress,
  'bridge.example': ({ gateway }) => gateway,
  'neighbour.example': ({ neighbour }) => neighbour,
};

export interface Attempt {
  readonly row: string;
  /** The attempt in the words of the probe. */
  readonly attempt: (facts: Facts) => string;
  /** Columns in which the attempt gets through. `isolation off` is not judged. */
  readonly opens: readonly Column[];
}

const NOWHERE: readonly Column[] = [];
const ALL_ALLOWED: readonly Column[] = ['network'];
const ALLOWED: readonly Column[] = ['network', 'allow-list'];

type Written = string | ((facts: Facts) => string);

function rows(
  row: string,
  ...attempts: readonly (readonly [Written, readonly Column[]])[]
): readonly Attempt[] {
  return attempts.map(([written, opens]) => ({
    row,
    attempt: typeof written === 'string' ? () => written : written,
    opens,
  }));
}

/** All attempts from inside the container, by row of the table. */
export const ATTEMPTS: readonly Attempt[] = [
  ...rows(
    'TCP',
    [`tcp ${OUTSIDE.public} 8080`, NOWHERE],
    [`tcp ${OUTSIDE.lan} 8080`, NOWHERE],
    ['tcp public.example 8080', NOWHERE],
  ),
  ...rows(
    'UDP',
    [`udp ${OUTSIDE.public} 8080`, NOWHERE],
    [`udp ${OUTSIDE.lan} 8080`, NOWHERE],
    [`udp ${OUTSIDE.public} 443`, NOWHERE],
  ),
  ...rows(
    'DNS A',
    ['dns public.example A', ALLOWED],
    ['dns other.example A', ALL_ALLOWED],
    ['dns unknown.example A', NOWHERE],
    ['dns data.to.unknown.example A', NOWHERE],
    [`dns public.example A ${OUTSIDE.nameServer}`, NOWHERE],
  ),
  ...rows(
    'DNS AAAA',
    ['dns public.example AAAA', NOWHERE],
    ['dns six.example AAAA', NOWHERE],
    [`dns public.example AAAA ${OUTSIDE.nameServer}`, NOWHERE],
  ),
  ...rows(
    'DNS TXT',
    ['dns public.example TXT', NOWHERE],
    ['dns data.to.public.example TXT', NOWHERE],
    [`dns public.example TXT ${OUTSIDE.nameServer}`, NOWHERE],
  ),
  ...rows('ICMP', [`ping ${OUTSIDE.public}`, NOWHERE], [`ping ${OUTSIDE.lan}`, NOWHERE]),
  ...rows(
    'IPv6',
    [`tcp ${OUTSIDE.publicV6} 8080`, NOWHERE],
    [`udp ${OUTSIDE.publicV6} 8080`, NOWHERE],
    [`ping ${OUTSIDE.publicV6}`, NOWHERE],
    [`connect [${OUTSIDE.publicV6}] 8080`, ALL_ALLOWED],
    ['https six.example 443', ALL_ALLOWED],
  ),
  ...rows(
    'metadata address',
    [`tcp ${OUTSIDE.metadata} 80`, NOWHERE],
    [`http ${OUTSIDE.metadata} 80`, NOWHERE],
    [`connect ${OUTSIDE.metadata} 80`, NOWHERE],
    [`get ${OUTSIDE.metadata} 80`, NOWHERE],
    ['get 0xa9fea9fe 80', NOWHERE],
    ['get [::ffff:169.254.169.254] 80', NOWHERE],
    ['get metadata.example 80', NOWHERE],
    ['http metadata.example 80', NOWHERE],
  ),
  ...rows(
    'gateway',
    ...['tcp', 'udp', 'connect', 'get'].map(
      (kind) => [({ gateway, hostPort }: Facts) => `${kind} ${gateway} ${hostPort}`, NOWHERE] as const,
    ),
    [({ gateway }) => `ping ${gateway}`, NOWHERE],
    [({ hostPort }) => `connect host.docker.internal ${hostPort}`, NOWHERE],
    [({ hostPort }) => `get bridge.example ${hostPort}`, NOWHERE],
    ['dns host.docker.internal A', NOWHERE],
  ),
  ...rows(
    "host's own addresses",
    ...['tcp', 'udp', 'connect', 'get'].map(
      (kind) =>
        [({ hostAddress, hostPort }: Facts) => `${kind} ${hostAddress} ${hostPort}`, NOWHERE] as const,
    ),
    [({ hostAddress }) => `ping ${hostAddress}`, NOWHERE],
    [({ hostPort }) => `get own.example ${hostPort}`, NOWHERE],
    [({ hostPort }) => `get localhost ${hostPort}`, NOWHERE],
    [({ hostPort }) => `tcp 127.0.0.1 ${hostPort}`, NOWHERE],
  ),
  ...rows(
    'other workload',
    ...['tcp', 'udp', 'connect', 'get'].map(
      (kind) => [({ neighbour }: Facts) => `${kind} ${neighbour} 8080`, NOWHERE] as const,
    ),
    [({ neighbour }) => `ping ${neighbour}`, NOWHERE],
    ['get neighbour.example 8080', NOWHERE],
    ['http neighbour.example 80', NOWHERE],
  ),
  ...rows(
    'proxy variables unset',
    ['https public.example 443', ALLOWED],
    ['http public.example 80', ALLOWED],
    ['https other.example 443', ALL_ALLOWED],
    ['http lan.example 80', ALL_ALLOWED],
    ['https unknown.example 443', NOWHERE],
  ),
  ...rows(
    'raw IP',
    [`https ${OUTSIDE.public} 443`, NOWHERE],
    [`connect ${OUTSIDE.public} 443`, ALL_ALLOWED],
    [`get ${OUTSIDE.public} 80`, ALL_ALLOWED],
    [`connect ${OUTSIDE.lan} 8080`, ALL_ALLOWED],
  ),
  ...rows(
    'proxy',
    ['get public.example 80', ALLOWED],
    ['connect public.example 443', ALLOWED],
    ['connect public.example 8080', ALL_ALLOWED],
    ['get other.example 80', ALL_ALLOWED],
    ['get lan.example 80', ALL_ALLOWED],
  ),
];

/** Returns the table as Markdown: what opens each row, and what got through without isolation. */
export function formatTable(facts: Facts, withoutIsolation: ReadonlyMap<string, string>): string {
  const names = [...new Set(ATTEMPTS.map(({ row }) => row))];
  const lines = names.map((name) => {
    const own = ATTEMPTS.filter(({ row }) => row === name);
    const cells = COLUMNS.map((column) => {
      const open = own.filter(({ attempt, opens }) =>
        column === 'isolation off'
          ? gotThrough(withoutIsolation.get(attempt(facts)) ?? '')
          : opens.includes(column),
      );
      return open.length === 0 ? 'closed' : `${open.length} of ${own.length}`;
    });
    return `| ${[name, ...cells].join(' | ')} |`;
  });
  const head = ['', ...COLUMNS];
  return [`| ${head.join(' | ')} |`, `|${' --- |'.repeat(head.length)}`, ...lines].join('\n');
}
