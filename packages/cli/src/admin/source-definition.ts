import { isJsonObject, type JsonObject, type ResourceClaims } from '@portolan/plugin-api';
import { memberOf, textOf } from '@portolan/entry-format';
import { badArgument } from '../terminal/terminal-errors.ts';

/** Values of the flags for a source; undefined leaves a setting unchanged. */
export interface SourceWish {
  readonly kind: string | undefined;
  /** Settings of the kind, as `KEY=VALUE`. */
  readonly set: readonly string[] | undefined;
  readonly interval: string | undefined;
  readonly claims: ResourceClaims | undefined;
  readonly include: readonly string[] | undefined;
  readonly exclude: readonly string[] | undefined;
  readonly includeTags: readonly string[] | undefined;
  readonly excludeTags: readonly string[] | undefined;
}

export function sourceWish(flags: SourceFlagValues, claims: ResourceClaims | undefined): SourceWish {
  const { kind, set, interval, include, exclude } = flags;
  const [includeTags, excludeTags] = [flags['include-tags'], flags['exclude-tags']];
  return { kind, set, interval, claims, include, exclude, includeTags, excludeTags };
}

interface SourceFlagValues {
  readonly kind?: string | undefined;
  readonly set?: readonly string[] | undefined;
  readonly interval?: string | undefined;
  readonly include?: readonly string[] | undefined;
  readonly exclude?: readonly string[] | undefined;
  readonly 'include-tags'?: readonly string[] | undefined;
  readonly 'exclude-tags'?: readonly string[] | undefined;
}

/**
 * Returns the definition of a source: the existing one, if any, with the values of the flags. Throws
 * ERR_BAD_ARGUMENT without a kind.
 */
export function sourceDefinition(now: JsonObject | undefined, wish: SourceWish): JsonObject {
  const kind = now === undefined ? wish.kind : textOf(now, 'type');
  if (kind === undefined) throw badArgument('expected --kind, or --file with the whole definition');
  const block = (wish.set ?? []).reduce(withSetting, objectIn(now, 'sourceConfig'));
  const filter = filterOf(objectIn(now, 'filterConfig'), wish);
  const interval = wish.interval ?? (now === undefined ? undefined : textOf(now, 'syncSchedule'));
  const allowShrink = memberOf(now, 'allowShrink') === true ? { allowShrink: true } : {};
  const claims = wish.claims ?? objectIn(now, 'claims');
  return {
    [kind]: block,
    ...(interval === undefined ? {} : { syncPolicy: { interval, ...allowShrink } }),
    ...(Object.keys(filter).length === 0 ? {} : { filter }),
    ...(Object.keys(claims).length === 0 ? {} : { claims: { ...claims } }),
  };
}

function filterOf(now: JsonObject, { include, exclude, includeTags, excludeTags }: SourceWish): JsonObject {
  const part = (key: string, input: Readonly<Record<string, readonly string[] | undefined>>): JsonObject => {
    const messages = Object.entries(input).flatMap(([name, list]) =>
      list === undefined ? [] : [[name, [...list]] as const],
    );
    const patterns = { ...objectIn(now, key), ...Object.fromEntries(messages) };
    return Object.keys(patterns).length === 0 ? {} : { [key]: patterns };
  };
  return {
    ...part('names', { include, exclude }),
    ...part('tags', { include: includeTags, exclude: excludeTags }),
  };
}

/**
 * Sets one member by its path, as in `a.b=VALUE`. A value that is JSON is parsed; any other value is a
 * string.
 */
function withSetting(block: JsonObject, text: string): JsonObject {
  const [, path = '', value = ''] = /^([^=]+)=(.*)$/s.exec(text) ?? [];
  const keys = path.split('.');
  if (keys.some((key) => key === '' || key === '__proto__'))
    throw badArgument(
      `found --set ${JSON.stringify(text)}; expected KEY=VALUE, such as path=./catalogue.json`,
    );
  return withMember(block, keys, parseValue(value));
}

function withMember(object: JsonObject, [key = '', ...rest]: readonly string[], value: unknown): JsonObject {
  return { ...object, [key]: rest.length === 0 ? value : withMember(objectIn(object, key), rest, value) };
}

function parseValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

function objectIn(value: unknown, key: string): JsonObject {
  const member = memberOf(value, key);
  return isJsonObject(member) ? member : {};
}
