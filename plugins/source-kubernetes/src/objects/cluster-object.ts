import { isJsonObject, type JsonObject } from '@portolan/plugin-api';

/** What is read of an object, whatever else it holds. */
export interface ClusterObject {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly annotations: JsonObject;
  readonly spec: JsonObject;
}

/** An item of a list, or of a watch; undefined where it is none of a namespace. */
export function readClusterObject(item: unknown): ClusterObject | undefined {
  const { metadata, spec } = mapOf(item);
  const { namespace, name, uid, annotations } = mapOf(metadata);
  if (typeof namespace !== 'string' || typeof name !== 'string' || typeof uid !== 'string') return undefined;
  return { namespace, name, uid, annotations: mapOf(annotations), spec: mapOf(spec) };
}

/** The value where it is a map; else an empty one. */
export function mapOf(value: unknown): JsonObject {
  return isJsonObject(value) ? value : {};
}

/** The value where it is a text that is not empty. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
