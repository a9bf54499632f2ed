import {
  type CedarValueJson,
  type EntityJson,
  isAuthorized,
  type TypeAndId,
} from '@cedar-policy/cedar-wasm/nodejs';

/** Someone who asks, as a token says it. */
export interface Asker {
  readonly subject: string;
  readonly claims: Readonly<Record<string, unknown>>;
}

/** A request as a client sends it. */
export interface Asked {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** What `cedar` of a file of policies says (run-formats.md 4.1). */
export interface Configured {
  readonly policies: readonly string[];
  readonly entities: readonly EntityJson[];
  readonly group_claim_name: string;
  readonly role_claim_name: string;
  readonly group_entity_type: string;
  readonly multi_valued_claims: readonly string[];
  readonly list_tasks: boolean;
}

/** A task that the answer to a call of a tool has begun. */
export interface Begun {
  readonly taskId: string;
  readonly by: Asker;
  readonly tool: string;
  readonly args: Readonly<Record<string, unknown>>;
}

/** What the server has said before: hints by the names of tools, and tasks, the last one of an id last. */
export interface Heard {
  readonly hints: Readonly<Record<string, Readonly<Record<string, boolean>>>>;
  readonly begun: readonly Begun[];
}

interface Judged {
  readonly feature: 'tool' | 'prompt' | 'resource';
  readonly name: string;
  readonly args?: unknown;
}

const WORDS = {
  tool: ['call_tool', 'Tool', 'call'],
  prompt: ['get_prompt', 'Prompt', 'get'],
  resource: ['read_resource', 'Resource', 'read'],
} as const;

/**
 * What run-formats.md 4 and mcp-protocol-eras.md 4.5 say of a request of a client with
 * sessions, written a second time: Cedar is called directly, with policies as texts, on
 * entities that are built here.
 */
export function oracle(configured: Configured, heard: Heard, asker: Asker, asked: Asked): boolean {
  if (asked.method === 'tasks/list') return configured.list_tasks;
  const judged = judgedAs(asked, heard, asker);
  if (judged === undefined) return false;
  const { feature, name } = judged;
  const [action, type, operation] = WORDS[feature];
  const claims = seenClaims(asker, configured);
  const args = seenArguments(judged.args);
  const principal: TypeAndId = { type: 'Client', id: asker.subject };
  const resource: TypeAndId = { type, id: name };
  const own: EntityJson[] = [
    {
      uid: principal,
      attrs: claims,
      parents: groups(asker, configured).map((id) => ({ type: configured.group_entity_type, id })),
    },
    {
      uid: resource,
      attrs: {
        ...args,
        ...(feature === 'tool' ? heard.hints[name] : {}),
        name,
        operation,
        feature,
        ...(feature === 'resource' ? { uri: name } : {}),
      },
      parents: [{ type: 'MCP', id: 'io.example/test-server' }],
    },
  ];
  const others = configured.entities.filter(({ uid }) =>
    own.every((one) => JSON.stringify(one.uid) !== JSON.stringify(uid)),
  );
  const answer = isAuthorized({
    principal,
    action: { type: 'Action', id: action },
    resource,
    context: { ...claims, ...args },
    policies: {
      staticPolicies: Object.fromEntries(configured.policies.map((text, at) => [`p${at}`, text])),
    },
    entities: [...own, ...others],
  });
  if (answer.type === 'failure') return false;
  return answer.response.decision === 'allow' && answer.response.diagnostics.errors.length === 0;
}

/** Undefined for what is denied, whatever the policies say. */
function judgedAs({ method, params }: Asked, { begun }: Heard, asker: Asker): Judged | undefined {
  const args = params['arguments'];
  switch (method) {
    case 'tools/call':
      return { feature: 'tool', name: String(params['name']), args };
    case 'prompts/get':
      return { feature: 'prompt', name: String(params['name']), args };
    case 'resources/read':
    case 'resources/subscribe':
    case 'resources/unsubscribe':
      return { feature: 'resource', name: String(params['uri']) };
    case 'completion/complete': {
      const { type, name, uri } = Object(params['ref']);
      if (type === 'ref/prompt') return { feature: 'prompt', name };
      return type === 'ref/resource' ? { feature: 'resource', name: uri } : undefined;
    }
    case 'tasks/get':
    case 'tasks/result':
    case 'tasks/update':
    case 'tasks/cancel': {
      const task = begun.findLast(({ taskId }) => taskId === params['taskId']);
      if (task === undefined) return undefined;
      const isOwn = task.by.subject === asker.subject && task.by.claims['iss'] === asker.claims['iss'];
      return isOwn ? { feature: 'tool', name: task.tool, args: task.args } : undefined;
    }
    default:
      return undefined;
  }
}

function seenClaims({ claims }: Asker, { multi_valued_claims }: Configured): Record<string, CedarValueJson> {
  const seen: Record<string, CedarValueJson> = {};
  for (const name in claims) {
    const claim = claims[name];
    const texts = multi_valued_claims.includes(name) ? words(claim) : undefined;
    const value = texts === undefined ? convert(claim, 0) : texts.join(' ');
    if (value !== undefined) seen[`claim_${name}`] = value;
    if (texts !== undefined) seen[`claimset_${name}`] = texts;
  }
  return seen;
}

/** The values of a claim that may have several; undefined for one that can have none. */
function words(claim: unknown): string[] | undefined {
  if (typeof claim === 'string') return claim.match(/\S+/g) ?? [];
  return Array.isArray(claim) ? strings(claim) : undefined;
}

function strings(list: readonly unknown[]): string[] {
  return list.filter((item) => typeof item === 'string');
}

function groups({ claims }: Asker, { group_claim_name, role_claim_name }: Configured): string[] {
  let first: unknown;
  for (const name of [group_claim_name, 'groups', 'roles', 'cognito:groups']) first ??= claimAt(claims, name);
  return [first, claimAt(claims, role_claim_name)].flatMap((value) => strings([value].flat()));
}

/** Looks up the whole name, then its parts, each in the object of the part before. */
function claimAt(claims: Asker['claims'], name: string): unknown {
  const walk = [[name], name.split('.')].map((parts) =>
    parts.reduce<unknown>((value, part) => membersOf(value).get(part), claims),
  );
  return walk.find((value) => value !== undefined);
}

function membersOf(value: unknown): ReadonlyMap<string, unknown> {
  return new Map(Array.isArray(value) ? [] : Object.entries(Object(value)));
}

function seenArguments(given: unknown): Record<string, CedarValueJson> {
  const seen: Record<string, CedarValueJson> = {};
  const unseen: string[] = [];
  for (const [name, value] of Object.entries(Object(given))) {
    const scalar = typeof value === 'object' ? undefined : convert(value, 0);
    if (scalar === undefined) unseen.push(name);
    else seen[`arg_${name}`] = scalar;
  }
  for (const name of unseen) seen[`arg_${name}_present`] = true;
  return seen;
}

function convert(value: unknown, level: number): CedarValueJson | undefined {
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    // Whole numbers of a ten-thousandth, by their digits.
    const [whole = '', fraction = ''] = Math.abs(value).toFixed(9).split('.');
    if (Math.abs(value) >= 922_337_203_685_477.5) return undefined;
    const arg = `${whole}.${fraction.slice(0, 4)}`;
    return { __extn: { fn: 'decimal', arg: value < 0 && Number(arg) !== 0 ? `-${arg}` : arg } };
  }
  if (typeof value !== 'object' || value === null || level >= 10) return undefined;
  if (Array.isArray(value)) {
    const items: CedarValueJson[] = [];
    for (const item of value) {
      const seen = convert(item, level + 1);
      if (seen !== undefined) items.push(seen);
    }
    return items;
  }
  const record: Record<string, CedarValueJson> = {};
  for (const [name, inner] of Object.entries(value)) {
    const seen = convert(inner, level + 1);
    if (seen !== undefined) record[name] = seen;
  }
  return record;
}
