import { isLegacyRevision, LEGACY_REVISIONS, META, MODERN_REVISIONS } from '@portolan/mcp-protocol';
import { isJsonObject, memberOf, type RequestAtRest } from '@portolan/plugin-api';
import type { ApprovedServer, ApprovedValue, Baseline } from '../compare/baseline.ts';
import { listMethodOf } from '../compare/list-methods.ts';

/** Members of JSON objects as JSON texts, in their order. */
type Members = readonly (readonly [name: string, json: string])[];

/** Cache hints of results, which only protocol revisions without a handshake have. */
const CACHE_HINTS: Members = [
  ['ttlMs', '0'],
  ['cacheScope', '"private"'],
];

/**
 * Returns the response to a request from what was approved, for a server that does not run. Undefined for a request
 * that only the server can respond to, and when a part of the response is not known.
 */
export function respondFromBaseline(baseline: Baseline, request: RequestAtRest): string | undefined {
  const { server } = baseline;
  const capabilities = server === undefined ? undefined : parseObject(server.capabilities);
  if (server === undefined || capabilities === undefined) return undefined;
  const result =
    request.method === 'initialize'
      ? writeInitializeResult(server, request)
      : request.method === 'server/discover'
        ? writeDiscoverResult(server, capabilities)
        : writeListResult(baseline, capabilities, request);
  return result === undefined
    ? undefined
    : `{"jsonrpc":"2.0","id":${request.id.text},"result":${writeObject(result)}}`;
}

function writeInitializeResult(server: ApprovedServer, { params }: RequestAtRest): Members | undefined {
  const revision = chooseRevision(server.revisions ?? [], memberOf(params, 'protocolVersion'));
  const identity = writeIdentity(server);
  const described = describeServer(server, server.capabilities.json);
  if (revision === undefined || identity === undefined || described === undefined) return undefined;
  return [['protocolVersion', JSON.stringify(revision)], ['serverInfo', identity], ...described];
}

/**
 * Returns the revision that the server would choose. A server chooses its newest one for a client that requests a
 * newer one. Undefined when it does not follow from the approved revisions.
 */
function chooseRevision(approved: readonly string[], requested: unknown): string | undefined {
  if (typeof requested !== 'string') return undefined;
  if (approved.includes(requested) && isLegacyRevision(requested)) return requested;
  const newest = LEGACY_REVISIONS.filter((revision) => approved.includes(revision))
    .toSorted()
    .at(-1);
  return newest !== undefined && requested > newest ? newest : undefined;
}

function writeDiscoverResult(
  server: ApprovedServer,
  capabilities: Readonly<Record<string, unknown>>,
): Members | undefined {
  // The capability `tasks` has another format in revisions with a handshake.
  const { tasks: _tasks, ...shared } = capabilities;
  const identity = writeIdentity(server);
  const described = describeServer(server, JSON.stringify(shared));
  if (identity === undefined || described === undefined) return undefined;
  return [
    ['resultType', '"complete"'],
    ['supportedVersions', JSON.stringify(MODERN_REVISIONS)],
    ...described,
    ...CACHE_HINTS,
    ['_meta', writeObject([[META.serverInfo, identity]])],
  ];
}

function writeListResult(
  baseline: Baseline,
  capabilities: Readonly<Record<string, unknown>>,
  { method, params }: RequestAtRest,
): Members | undefined {
  const row = listMethodOf(method);
  const approved = row === undefined ? undefined : baseline[row.list];
  // The response has all items on one page, so a cursor is from the server itself.
  if (row === undefined || approved === undefined || memberOf(params, 'cursor') !== undefined)
    return undefined;
  if (!isJsonObject(memberOf(capabilities, row.capability))) return undefined;
  const items = [...approved.values()].map(({ json }) => json);
  if (!items.every((json) => json !== undefined)) return undefined;
  const list = [row.items, `[${items.join(',')}]`] as const;
  const meta = memberOf(params, '_meta');
  const isModern = isJsonObject(meta) && memberOf(meta, META.claim) !== undefined;
  return isModern ? [list, ['resultType', '"complete"'], ...CACHE_HINTS] : [list];
}

function describeServer(
  { instructions }: ApprovedServer,
  capabilities: string | undefined,
): Members | undefined {
  if (capabilities === undefined) return undefined;
  if (instructions === undefined) return [['capabilities', capabilities]];
  if (instructions.json === undefined) return undefined;
  return [
    ['capabilities', capabilities],
    ['instructions', instructions.json],
  ];
}

/** Returns name and version of a server; undefined for a server without them, since clients require both. */
function writeIdentity({ name, version }: ApprovedServer): string | undefined {
  return name === undefined || version === undefined ? undefined : JSON.stringify({ name, version });
}

function writeObject(members: Members): string {
  return `{${members.map(([name, json]) => `${JSON.stringify(name)}:${json}`).join(',')}}`;
}

function parseObject({ json }: ApprovedValue): Readonly<Record<string, unknown>> | undefined {
  const value: unknown = json === undefined ? undefined : JSON.parse(json);
  return isJsonObject(value) ? value : undefined;
}
