import { isJsonObject, type JsonObject } from '@portolan/plugin-api';

export interface ClusterObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly annotations: JsonObject;
  readonly spec: JsonObject;
}

/** Parses an object. Returns undefined for an object without namespace. */
export function readClusterObject(item: unknown): ClusterObject | undefined {
  const { metadata, spec } = mapOf(item);
  const { namespace, name, uid, annotations } = mapOf(metadata);
  if (typeof namespace !== 'string' || typeof name !== 'string' || typeof uid !== 'string') return undefined;
  return { namespace, name, uid, annotations: mapOf(annotations), spec: mapOf(spec) };
}

/** Returns a JSON object unchanged; an empty one for other values. */
export function mapOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
