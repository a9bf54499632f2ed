import { type Identity, isJsonObject, type ClaimSet } from '@portolan/plugin-api';
import { FEATURES, type Feature } from '../request/target.ts';
import type { DecisionPointSettings } from './decision-point-config.ts';

/** Members of the request, each with the claims that can fill it; the first claim that the caller has wins. */
type Mapping = readonly (readonly [member: string, claims: readonly string[]])[];

const MAPPINGS: Readonly<Record<DecisionPointSettings['claim_mapping'], Mapping>> = {
  standard: [
    ['sub', ['sub']],
    ['roles', ['roles']],
    ['groups', ['groups']],
    ['scopes', ['scopes', 'scope']],
  ],
  mpe: [
    ['sub', ['sub']],
    ['mroles', ['mroles', 'roles']],
    ['mgroups', ['mgroups', 'groups']],
    ['scopes', ['scopes', 'scope']],
    ['mclearance', ['mclearance', 'clearance']],
    ['mannotations', ['mannotations', 'annotations']],
  ],
};

/** Returns the claims that the service gets. No other claims leave the proxy. */
export function callerFields(
  claims: ClaimSet,
  mapping: DecisionPointSettings['claim_mapping'],
): Readonly<Record<string, unknown>> {
  const messages = MAPPINGS[mapping].flatMap(([member, from]) => {
    const claim = from.find((name) => Object.hasOwn(claims, name));
    if (claim !== undefined) return [[member, claims[claim]] as const];
    // Some decision points require this member.
    return member === 'mannotations' ? [[member, {}] as const] : [];
  });
  return Object.fromEntries(messages);
}

export interface DecisionQuestion {
  readonly principal: Readonly<Record<string, unknown>>;
  readonly operation: string;
  readonly resource: string;
  readonly context: Readonly<Record<string, unknown>>;
}

export interface QuestionTarget {
  readonly feature: Feature;
  readonly name: string;
  /** Arguments as the client sent them; left out if there are none. */
  readonly args?: unknown;
}

/** Returns undefined if the request cannot represent the arguments exactly as the server gets them. */
export function decisionQuestion(
  caller: Identity,
  { feature, name, args }: QuestionTarget,
  server: string,
  {
    claim_mapping: mapping,
    context: { include_args: tellsArgs, include_operation: tellsOperation },
  }: DecisionPointSettings,
): DecisionQuestion | undefined {
  const { operation } = FEATURES[feature];
  const report = tellsArgs && isJsonObject(args) && Object.keys(args).length > 0 ? args : undefined;
  if (report !== undefined && !isExact(report)) return undefined;
  const mcp = {
    ...(tellsOperation ? { feature, operation, resource_id: name } : {}),
    ...(report === undefined ? {} : { args: report }),
  };
  return {
    principal: callerFields(caller.claims, mapping),
    operation: `mcp:${feature}:${operation}`,
    resource: `mrn:mcp:${server}:${feature}:${name}`,
    context: Object.keys(mcp).length === 0 ? {} : { mcp },
  };
}

/** Returns whether JSON parsing keeps a value exactly: valid Unicode, and integers in the safe range. */
function isExact(value: unknown): boolean {
  const open: unknown[] = [value];
  for (let at = 0; at < open.length; at += 1) {
    const next = open[at];
    if (typeof next === 'string' && !next.isWellFormed()) return false;
    if (typeof next === 'number' && Math.abs(next) > Number.MAX_SAFE_INTEGER) return false;
    if (typeof next !== 'object' || next === null) continue;
    // Not `push(...entries)`, because a call cannot take 200,000 arguments.
    for (const [name, inner] of Object.entries(next)) open.push(name, inner);
  }
  return true;
}
