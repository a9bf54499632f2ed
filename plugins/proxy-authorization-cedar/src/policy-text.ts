import type { DetailedError, PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { CEDAR } from './cedar-engine.ts';

/** One policy, by its place in the file. */
export interface PolicyText {
  /** `cedar.policies[2]`, which is its name in Cedar, too. */
  readonly place: string;
  readonly text: string;
  readonly json: PolicyJson;
}

/** Why a policy is none. */
export interface PolicyFault {
  readonly place: string;
  /** `unexpected token at line 1, column 51`. */
  readonly found: string;
  readonly expected: string;
}

export function placeOf(index: number): string {
  return `cedar.policies[${index}]`;
}

/** Reads one policy; the fault where it is none, or a template. */
export function readPolicy(text: string, index: number): PolicyText | PolicyFault {
  const place = placeOf(index);
  try {
    const checked = CEDAR.use((cedar) => cedar.checkParsePolicySet({ staticPolicies: { [place]: text } }));
    if (checked.type === 'failure') return faultOf(place, text, checked.errors);
    const json = CEDAR.use((cedar) => cedar.policyToJson(text));
    return json.type === 'failure' ? faultOf(place, text, json.errors) : { place, text, json: json.json };
  } catch (error) {
    const found = error instanceof Error ? error.message : String(error);
    return { place, found, expected: 'one Cedar policy' };
  }
}

/** A place in a policy for people: Cedar counts bytes. */
export function positionIn(text: string, byte: number): string {
  const lines = Buffer.from(text).subarray(0, byte).toString('utf8').split('\n');
  return `line ${lines.length}, column ${(lines.at(-1) ?? '').length + 1}`;
}

/** What Cedar says of a policy, without the name that we have given it. */
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
    found: `${withoutName(error?.message ?? 'something that is no policy')}${where}`,
    expected: `one Cedar policy${hint === undefined ? '' : ` (${hint})`}`,
  };
}
