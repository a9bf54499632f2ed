import type { Document, Pair, YAMLMap, YAMLSeq } from 'yaml';

export type Yaml = typeof import('yaml');

export type Fields = Readonly<Record<string, unknown>>;

export type Servers = YAMLMap | YAMLSeq | undefined;

export interface ServerMap {
  readonly yaml: Yaml;
  readonly text: string;
  readonly document: Document;
  readonly key: string;
  readonly isList: boolean;
}

export function serversOf(place: ServerMap): Servers | 'other' {
  const { yaml, isList } = place;
  const value: unknown = pairOf(place)?.value;
  if (value === undefined || value === null || isNull(yaml, value)) return undefined;
  if (isList && yaml.isSeq(value)) return value;
  if (!isList && yaml.isMap(value)) return value;
  return 'other';
}

export function pairOf({ yaml, document, key }: ServerMap): Pair | undefined {
  const { contents } = document;
  if (!yaml.isMap(contents)) return undefined;
  return contents.items.find((pair) => yaml.isScalar(pair.key) && pair.key.value === key);
}

export function itemsOf(servers: Servers): readonly unknown[] {
  return servers?.items ?? [];
}

export function indexOf(place: ServerMap, servers: Servers, name: string): number {
  const { yaml, isList } = place;
  return itemsOf(servers).findIndex((item) => {
    if (isList) return yaml.isMap(item) && item.get('name') === name;
    return yaml.isPair(item) && yaml.isScalar(item.key) && String(item.key.value) === name;
  });
}

export function namesOf({ yaml, isList }: ServerMap, servers: Servers): readonly string[] {
  return itemsOf(servers).flatMap((item) => {
    if (isList) return yaml.isMap(item) ? [String(item.get('name'))] : [];
    return yaml.isPair(item) && yaml.isScalar(item.key) ? [String(item.key.value)] : [];
  });
}

export function isNull(yaml: Yaml, node: unknown): boolean {
  return yaml.isScalar(node) && node.value === null;
}

export function toValue({ yaml, document }: ServerMap, node: unknown): unknown {
  return yaml.isNode(node) ? node.toJS(document) : node;
}

export function isFields(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
