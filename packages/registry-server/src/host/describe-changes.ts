import { isDeepStrictEqual } from 'node:util';
import type { RegistryConfig } from '@portolan/kernel';
import type { ConfiguredRegistries, ConfiguredSource } from '@portolan/registry';
import { formatDuration } from '../responses/format-duration.ts';

const LONGEST = 100;

/**
 * Returns one line per setting: `sources.notes.file.path: "a.json" → "b.json"`. For claims and secrets it
 * reports only that they changed.
 */
export function describeChanges(before: ConfiguredRegistries, now: ConfiguredRegistries): readonly string[] {
  return [
    ...changesOf('sources', before.sources.map(shownSource), now.sources.map(shownSource)),
    ...secretChanges(before.sources, now.sources),
    ...changesOf('registries', before.registries.map(shownRegistry), now.registries.map(shownRegistry)),
  ];
}

interface Shown {
  readonly name: string;
  readonly [setting: string]: unknown;
}

function shownSource({
  name,
  kind,
  publicBlock,
  filter,
  intervalMs,
  allowShrink,
  claims,
}: ConfiguredSource): Shown {
  const interval = intervalMs === undefined ? undefined : formatDuration(intervalMs);
  const syncPolicy =
    interval === undefined ? undefined : { interval, ...(allowShrink === true ? { allowShrink } : {}) };
  return { name, kind, [kind]: publicBlock, filter, syncPolicy, claims: new Unsaid(claims) };
}

function shownRegistry({ name, sources, claims, public: isPublic, publicClaims }: RegistryConfig): Shown {
  return {
    name,
    sources: sources.join(', '),
    public: isPublic,
    claims: new Unsaid(claims),
    publicClaims: new Unsaid(publicClaims),
  };
}

/** A value that log lines must not contain. */
class Unsaid {
  readonly value: unknown;
  constructor(value: unknown) {
    this.value = value;
  }
}

function changesOf(what: string, before: readonly Shown[], now: readonly Shown[]): readonly string[] {
  const old = new Map(before.map((one) => [one.name, one]));
  const current = new Map(now.map((one) => [one.name, one]));
  return [...new Set([...old.keys(), ...current.keys()])].flatMap((name) => {
    const [from, to] = [old.get(name), current.get(name)];
    const place = `${what}.${name}`;
    if (from === undefined) return [`${place}: added`];
    if (to === undefined) return [`${place}: removed`];
    return differences(place, from, to);
  });
}

function differences(place: string, from: unknown, to: unknown): readonly string[] {
  if (isDeepStrictEqual(from, to)) return [];
  if (isMap(from) && isMap(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return keys.flatMap((key) => differences(`${place}.${key}`, from[key], to[key]));
  }
  if (from instanceof Unsaid || to instanceof Unsaid) return [`${place}: changed`];
  return [`${place}: ${shown(from)} → ${shown(to)}`];
}

function secretChanges(
  before: readonly ConfiguredSource[],
  now: readonly ConfiguredSource[],
): readonly string[] {
  return now.flatMap(({ name, kind, block, publicBlock }) => {
    const old = before.find((one) => one.name === name);
    if (old === undefined || isDeepStrictEqual(old.block, block)) return [];
    return isDeepStrictEqual([old.kind, old.publicBlock], [kind, publicBlock])
      ? [`sources.${name}.${kind}: a secret is another one`]
      : [];
  });
}

function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Unsaid);
}

/** Formats a value for a log line. Removes user and password from addresses. */
function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value).replaceAll(/\/\/[^/\s"]*@/g, '//…@');
  return text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text;
}
