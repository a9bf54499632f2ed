import { type ConfigBlock, type Contributions, PROXY_SLOTS } from '@portolan/plugin-api';
import { AUTH_KEYS } from '../config/auth-schema.ts';
import { SOURCE_KEYS } from '../config/core-schema.ts';
import { TELEMETRY_KEYS } from '../config/telemetry-schema.ts';
import { oneOf } from '../faults/describe-value.ts';
import { checkChoice, checkHosts, type CheckShape } from './kind-shape.ts';

/** Properties of a list of kinds, besides its type in the contract. */
interface KindListRow {
  readonly sort: string;
  readonly called?: string;
  readonly names?: RegExp;
  readonly parts: readonly string[];
  readonly checkShape: CheckShape;
  readonly workloadKey?: string;
}

/**
 * Lists of kinds that plugins may contribute to. A new list is a row here, its type in `Contributions`, and
 * its contract suite.
 */
export const KIND_LISTS = {
  sources: {
    sort: 'source',
    parts: ['claimsFrom', 'reaches', 'isFixed'],
    called: 'source kind',
    checkShape: (part, fault) => {
      checkChoice(part, 'claimsFrom', ['source', 'entry', 'publisher'], fault);
      for (const name of ['reaches', 'isFixed']) {
        const request = part(name);
        if (request !== undefined && typeof request !== 'function') throw fault(`"${name}" is no function`);
      }
      if ((SOURCE_KEYS as readonly unknown[]).includes(part('kind')))
        throw fault('its name is a key of every source');
    },
  },
  authProviders: {
    sort: 'auth provider',
    parts: ['hosts', 'identifies', 'logsIn', 'checkOnline'],
    checkShape: (part, fault) => {
      checkHosts(part, fault);
      if (typeof part('identifies') !== 'boolean') throw fault('"identifies" is not true or false');
      const logsIn = part('logsIn');
      if (logsIn !== undefined && typeof logsIn !== 'function') throw fault('"logsIn" is no function');
      const checkOnline = part('checkOnline');
      if (checkOnline !== undefined && typeof checkOnline !== 'function')
        throw fault('"checkOnline" is no function');
      if ((AUTH_KEYS as readonly unknown[]).includes(part('kind')))
        throw fault('its name is a key of "auth"');
    },
    workloadKey: 'Settings of auth providers, by the name of the kind; for the proxies of workloads.',
  },
  middleware: {
    sort: 'middleware',
    parts: ['hosts', 'placed'],
    checkShape: (part, fault) => {
      checkHosts(part, fault);
      const placed = part('placed');
      const steps = typeof placed === 'object' && placed !== null ? Object.entries(placed) : [];
      const [side, step] = steps.length === 1 ? (steps[0] ?? []) : [];
      if ((side !== 'before' && side !== 'after') || typeof step !== 'string') {
        throw fault('"placed" is not { before: STEP } or { after: STEP }');
      }
    },
  },
  runtimes: {
    sort: 'runtime',
    parts: [],
    checkShape: () => undefined,
    workloadKey:
      'Settings of container runtimes, by the name of the kind; `portolan run` and its like read them.',
  },
  transports: {
    sort: 'transport',
    parts: ['carries'],
    checkShape: (part, fault) => checkChoice(part, 'carries', ['messages', 'http'], fault),
    workloadKey: 'Settings of transports, by the name of the kind; for workloads.',
  },
  schemes: {
    sort: 'scheme',
    parts: ['packages'],
    checkShape: (part, fault) => {
      // The name of a scheme comes before `://`, where case is ignored.
      const name = String(part('kind'));
      if (name !== name.toLowerCase()) throw fault('the name of a scheme has no capitals');
      if (['http', 'https', 'file'].includes(name)) throw fault('its name is a scheme of addresses');
      if (typeof part('packages') !== 'function')
        checkChoice(part, 'packages', ['npm', 'python', 'go'], fault, ' or a function');
    },
    workloadKey: 'Settings of package schemes, by the name of the kind; for workloads.',
  },
  secretStores: {
    sort: 'secret store',
    parts: ['can'],
    // Existing services have names such as `1password`.
    names: /^[0-9]*[a-z][A-Za-z0-9-]*$/,
    checkShape: (part, fault) => {
      const abilities = ['set', 'delete', 'list'];
      const can = part('can');
      if (!Array.isArray(can) || !can.every((ability) => abilities.includes(ability)))
        throw fault(`"can" is no list of ${oneOf(abilities)}`);
    },
    workloadKey: 'Settings of secret stores, by the name of the kind; for workloads.',
  },
  telemetry: {
    sort: 'telemetry',
    called: 'telemetry exporter',
    parts: ['hosts'],
    checkShape: (part, fault) => {
      checkHosts(part, fault);
      const { properties, required = [] }: Partial<ConfigBlock> = Object(part('config'));
      const taken = Object.keys(properties ?? {}).find((key) => TELEMETRY_KEYS.includes(key));
      if (taken !== undefined) throw fault(`"${taken}" is a key of every exporter`);
      // The settings of an exporter are next to settings of `telemetry` that apply even when nothing is
      // exported, so none of them may be required.
      if (required.length > 0) throw fault(`it cannot do without "${required[0]}"`);
    },
  },
  proxyMiddleware: {
    sort: 'proxy middleware',
    parts: ['placed'],
    checkShape: (part, fault) => checkChoice(part, 'placed', PROXY_SLOTS, fault),
    workloadKey:
      'Settings of proxy middleware, by the name of the kind; for workloads whose run config names it without parameters.',
  },
  sessionStores: {
    sort: 'session store',
    parts: ['checkAddress'],
    checkShape: (part, fault) => {
      if (typeof part('checkAddress') !== 'function') throw fault('"checkAddress" is no function');
      // The name of a session store is the scheme of an address, where case is ignored.
      const name = String(part('kind'));
      if (name !== name.toLowerCase()) throw fault('the name of a session store has no capitals');
    },
    workloadKey: 'Settings of session stores, by the name of the kind; for the proxies of workloads.',
  },
  outgoingCredentials: {
    sort: 'credentials',
    called: 'outgoing credentials',
    parts: [],
    checkShape: () => undefined,
    workloadKey:
      'Settings of outgoing credentials, by the name of the kind; for remote workloads that name it without parameters.',
  },
  toolIndexes: {
    sort: 'tool index',
    parts: [],
    checkShape: () => undefined,
    workloadKey: 'Settings of tool indexes, by the name of the kind; for the tool search of virtual servers.',
  },
  pages: { sort: 'pages', parts: [], checkShape: () => undefined },
} as const satisfies Readonly<Record<keyof Contributions, KindListRow>>;

export type KindList = keyof typeof KIND_LISTS;

export const KIND_PARTS: readonly string[] = [
  'kind',
  'config',
  'create',
  'check',
  ...Object.values(KIND_LISTS).flatMap(({ parts }): readonly string[] => parts),
];

export type KindOf<List extends KindList> = NonNullable<Contributions[List]>[number];

export type WorkloadList = {
  [List in KindList]: (typeof KIND_LISTS)[List] extends { readonly workloadKey: string } ? List : never;
}[KindList];

export function rowOf(list: string): KindListRow | undefined {
  // checked in the same expression
  return Object.hasOwn(KIND_LISTS, list) ? KIND_LISTS[list as KindList] : undefined;
}

// The keys of the literal above.
export const KIND_LIST_NAMES = Object.keys(KIND_LISTS) as readonly KindList[];

// SAFETY: the filter selects the lists whose row has the key, as the type says.
export const WORKLOAD_LISTS = KIND_LIST_NAMES.filter(
  (list) => rowOf(list)?.workloadKey !== undefined,
) as readonly WorkloadList[];

export function calledOf(list: KindList): string {
  return rowOf(list)?.called ?? KIND_LISTS[list].sort;
}
