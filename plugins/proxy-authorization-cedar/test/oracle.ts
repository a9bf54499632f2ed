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

export interface Asked {
  readonly method: 'tools/call' | 'prompts/get' | 'resources/read';
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly hints: Readonly<Record<string, boolean>>;
}

const WORDS = {
  'tools/call': ['call_tool', 'Tool', 'call', 'tool'],
  'prompts/get': ['get_prompt', 'Prompt', 'get', 'prompt'],
  'resources/read': ['read_resource', 'Resource', 'read', 'resource'],
} as const;

/**
 * What run-formats.md 4 says of a request, written a second time: Cedar is called
 * directly, with policies as texts, on entities that are built here.
 */
export function oracle(
  policies: readonly string[],
  entities: readonly EntityJson[],
  asker: Asker,
  asked: Asked,
): boolean {
  const [action, type, operation, feature] = WORDS[asked.method];
  const claims: Record<string, CedarValueJson> = {};
  for (const name in asker.claims) {
    const value = convert(asker.claims[name], 0);
    if (value !== undefined) claims[`claim_${name}`] = value;
  }
  const args: Record<string, CedarValueJson> = {};
  if (asked.method !== 'resources/read') {
    for (const name in asked.args) {
      const value = asked.args[name];
      const seen = typeof value === 'object' ? undefined : convert(value, 0);
      if (seen !== undefined) args[`arg_${name}`] = seen;
    }
    for (const name in asked.args) {
      const value = asked.args[name];
      const isSeen = typeof value !== 'object' && convert(value, 0) !== undefined;
      if (!isSeen) args[`arg_${name}_present`] = true;
    }
  }
  const { groups, roles } = asker.claims;
  const grouped = groups ?? roles;
  const principal: TypeAndId = { type: 'Client', id: asker.subject };
  const resource: TypeAndId = { type, id: asked.name };
  const own: EntityJson[] = [
    {
      uid: principal,
      attrs: claims,
      parents: (Array.isArray(grouped) ? grouped : typeof grouped === 'string' ? [grouped] : [])
        .filter((group) => typeof group === 'string')
        .map((id) => ({ type: 'THVGroup', id })),
    },
    {
      uid: resource,
      attrs: {
        ...args,
        ...(feature === 'tool' ? asked.hints : {}),
        name: asked.name,
        operation,
        feature,
        ...(feature === 'resource' ? { uri: asked.name } : {}),
      },
      parents: [{ type: 'MCP', id: 'io.example/test-server' }],
    },
  ];
  const others = entities.filter(({ uid }) =>
    own.every((one) => JSON.stringify(one.uid) !== JSON.stringify(uid)),
  );
  const answer = isAuthorized({
    principal,
    action: { type: 'Action', id: action },
    resource,
    context: { ...claims, ...args },
    policies: { staticPolicies: Object.fromEntries(policies.map((text, at) => [`p${at}`, text])) },
    entities: [...own, ...others],
  });
  if (answer.type === 'failure') return false;
  return answer.response.decision === 'allow' && answer.response.diagnostics.errors.length === 0;
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
