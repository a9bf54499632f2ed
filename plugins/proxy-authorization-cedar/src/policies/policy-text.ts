import type { DetailedError, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { CEDAR } from '../engine/cedar-engine.ts';

export interface PolicyText {
  /** Place such as `cedar.policies[2]`, also the policy's id in Cedar. */
  readonly place: string;
  readonly text: string;
  readonly json: PolicyJson;
}

export interface PolicyFault {
  readonly place: string;
  /** Fault such as `unexpected token at line 1, column 51`. */
  readonly found: string;
  readonly expected: string;
}

export function placeOf(index: number): string {
  return `cedar.policies[${index}]`;
}

/** Parses policies one by one. Templates are faults. */
export function readPolicyTexts(texts: readonly string[]): readonly (PolicyText | PolicyFault)[] {
  // Usually no policy has a fault, so parse all at once first.
  if (!areAllWell(texts)) return texts.map(readPolicy);
  return texts.map((text, index) => readWell(text, placeOf(index)));
}

function areAllWell(texts: readonly string[]): boolean {
  const staticPolicies = Object.fromEntries(texts.map((text, index) => [placeOf(index), text]));
  try {
    return CEDAR.use((cedar) => cedar.checkParsePolicySet({ staticPolicies })).type === 'success';
  } catch {
    return false; // each policy then reports its own fault
  }
}

function readPolicy(text: string, index: number): PolicyText | PolicyFault {
  const place = placeOf(index);
  try {
    const checked = CEDAR.use((cedar) => cedar.checkParsePolicySet({ staticPolicies: { [place]: text } }));
    if (checked.type === 'failure') return faultOf(place, text, checked.errors);
    return readWell(text, place);
  } catch (error) {
    return thrown(place, error);
  }
}

/** Parses a policy that Cedar has accepted before. */
function readWell(text: string, place: string): PolicyText | PolicyFault {
  try {
    const json = CEDAR.use((cedar) => cedar.policyToJson(text));
    return json.type === 'failure' ? faultOf(place, text, json.errors) : { place, text, json: json.json };
  } catch (error) {
    return thrown(place, error);
  }
}

function thrown(place: string, error: unknown): PolicyFault {
  const found = error instanceof Error ? error.message : String(error);
  return { place, found, expected: 'one Cedar policy' };
}

/** Converts Cedar's byte offset to a line and a column. */
export function positionIn(text: string, byte: number): string {
  const lines = Buffer.from(text).subarray(0, byte).toString('utf8').split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

/** Removes the generated policy id from a message. */
export function withoutName(message: string): string {
  return message
    .replace(/^failed to parse policy with id `[^`]*` from string: /, '')
    .replace(/^for policy `[^`]*`, /, '');
}

function faultOf(place: string, text: string, [error]: readonly DetailedError[]): PolicyFault {
  const [at] = error?.sourceLocations ?? [];
  const where = at === undefined ? '' : ` at ${positionIn(text, at.start)}`;
  const hint = at?.label ?? error?.help ?? undefined;
  return {
    place,
    found: `${withoutName(error?.message ?? 'something that is not a policy')}${where}`,
    expected: `one Cedar policy${hint === undefined ? '' : ` (${hint})`}`,
  };
}
