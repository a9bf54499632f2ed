import { createHash } from 'node:crypto';
import type { SourceEntry } from '@portolan/plugin-api';
import { type ClusterObject, readClusterObject } from './cluster-object.ts';
import { entryOf } from './entry-of.ts';
import { readAnnotations } from './read-annotations.ts';
import type { Resource } from './resource.ts';

/** An object whose annotation asks for an entry, with the entry or the reason why there is none. */
export interface Offer extends Pick<ClusterObject, 'namespace' | 'name' | 'uid'> {
  readonly resource: Resource;
  /** Path of the object in the API, for events about its faults. */
  readonly root: string;
  readonly entryName: string;
  /** Name of the object for users: `Ingress team-a/notes`. */
  readonly label: string;
  readonly content: { readonly entry: SourceEntry } | { readonly because: string };
}

const MAX_NAME_LENGTH = 200;

/** Returns the entry of an object; undefined when no annotation of the object requests an entry. */
export function offerOf(
  item: unknown,
  from: { readonly resource: Resource; readonly root: string; readonly namePrefix: string },
): Offer | undefined {
  const { resource, root } = from;
  const object = readClusterObject(item);
  if (object === undefined) return undefined;
  const { namespace, name, uid } = object;
  const annotations = readAnnotations(object.annotations);
  if (annotations === undefined) return undefined;
  const entryName = `${from.namePrefix}.${namespace}/${name}`;
  const offer = {
    namespace,
    name,
    uid,
    resource,
    root,
    entryName,
    label: `${resource.kind} ${namespace}/${name}`,
  };
  if ('because' in annotations) return { ...offer, content: annotations };
  if (entryName.length > MAX_NAME_LENGTH) {
    const because = `The name of its entry would have ${entryName.length} characters; at most ${MAX_NAME_LENGTH} are taken.`;
    return { ...offer, content: { because } };
  }
  const { document, claims } = entryOf(entryName, object, resource, annotations);
  const entry: SourceEntry = { type: 'server', document, claims, place: offer.label, scope: namespace };
  return { ...offer, content: { entry } };
}

/**
 * Returns a text that changes with the entry of an object. Other changes of the object, such as of its status
 * or replicas, do not count.
 */
export function markOf({ uid, content }: Offer): string {
  return createHash('sha256')
    .update(JSON.stringify([uid, content]))
    .digest('base64url');
}
