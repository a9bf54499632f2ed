import { formatConfigPath, type ConfigPath, type PositionFinder } from '../faults/config-path.ts';
import { type ConfigProblem, configProblem } from '../faults/config-problem.ts';

export type Block = Readonly<Record<string, unknown>>;

export interface PlainData {
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
}

/**
 * Copies maps, lists and scalars. Omits and reports any other value: functions, dates, circular maps, a key
 * `__proto__`. A value `undefined` counts as absent.
 */
export function copyPlainData(input: unknown, positionOf: PositionFinder = () => undefined): PlainData {
  const problems: ConfigProblem[] = [];
  const around = new Set<object>();

  const refuse = (place: ConfigPath, match: string): undefined => {
    problems.push(
      configProblem(formatConfigPath(place), match, 'plain data', { position: positionOf(place) }),
    );
    return undefined;
  };

  const copyMap = (map: object, place: ConfigPath): unknown => {
    const copy: Record<string, unknown> = {};
    for (const [key, value] of Object.entries(map)) {
      const inside = [...place, key];
      if (key === '__proto__') {
        const position = positionOf(inside);
        problems.push(
          configProblem(formatConfigPath(inside), 'a key that is not allowed', 'another name', { position }),
        );
        continue;
      }
      const plain = value === undefined ? undefined : copyValue(value, inside);
      if (plain !== undefined) copy[key] = plain;
    }
    return copy;
  };

  const copyValue = (value: unknown, place: ConfigPath): unknown => {
    if (value === null || ['string', 'number', 'boolean'].includes(typeof value)) return value;
    if (typeof value !== 'object') return refuse(place, `a ${typeof value}`);
    if (around.has(value)) return refuse(place, 'something that contains itself');
    around.add(value);
    try {
      if (Array.isArray(value)) return value.map((item, index) => copyValue(item, [...place, index]) ?? null);
      if (!isPlainMap(value)) return refuse(place, describeInstance(value));
      return copyMap(value, place);
    } finally {
      around.delete(value);
    }
  };

  return { value: input === undefined ? undefined : copyValue(input, []), problems };
}

export function isPlainMap(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function describeInstance(value: object): string {
  const name: unknown = value.constructor?.name;
  return typeof name === 'string' && name !== '' && name !== 'Object'
    ? `a ${name}`
    : 'a map with a prototype';
}
