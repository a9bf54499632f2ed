import { createHash } from 'node:crypto';
import type { SourceEntry } from '@portolan/plugin-api';
import { type ClusterObject, readClusterObject } from './cluster-object.ts';
import { entryOf } from './entry-of.ts';
import { readAnnotations } from './read-annotations.ts';
import type { Resource } from './resource.ts';

/** An opted-in object: its entry, or the reason why there is none. */
export interface Offer extends Pick<ClusterObject, 'namespace' | 'name' | 'uid'> {
  readonly resource: Resource;
  /** API path, for the event about its faults. */
  readonly root: string;
  readonly entryName: string;
  /** Its name for users: `Ingress team-a/notes`. */
  readonly label: string;
  readonly content: { readonly entry: SourceEntry } | { readonly because: string };
}

const MAX_NAME_LENGTH = 200;

/** Returns undefined for an object that was not opted in. */
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

/** Ignores other changes of the object, such as its status or replicas. */
export function markOf({ uid, content }: Offer): string {
  return createHash('sha256')
    .update(JSON.stringify([uid, content]))
    .digest('base64url');
}
