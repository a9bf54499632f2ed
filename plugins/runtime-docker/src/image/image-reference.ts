import { referenceInvalid } from '../errors.ts';

/** An image reference, taken apart as Docker does it. */
export interface ImageReference {
  /** Registry host with its port; Docker Hub is `docker.io`. */
  readonly registry: string;
  /** Repository in the registry: `library/node`. */
  readonly repository: string;
  /** Registry and repository as they were written, for the engine. */
  readonly name: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const HUB = 'docker.io';
const COMPONENT = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[a-z0-9]+(?:[.+_-][a-z0-9]+)*:[0-9a-f]{32,}$/;
const HOST = /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[0-9a-fA-F:]+\])(?::\d+)?$/;

/** Throws ERR_IMAGE_REFERENCE. */
export function parseImageReference(text: string): ImageReference {
  const [beforeDigest = '', digest, ...more] = text.split('@');
  if (more.length > 0 || (digest !== undefined && !DIGEST.test(digest))) throw referenceInvalid(text);
  const colon = beforeDigest.lastIndexOf(':');
  const hasTag = colon > beforeDigest.lastIndexOf('/');
  const name = hasTag ? beforeDigest.slice(0, colon) : beforeDigest;
  const tag = hasTag ? beforeDigest.slice(colon + 1) : undefined;
  if (tag !== undefined && !TAG.test(tag)) throw referenceInvalid(text);
  const slash = name.indexOf('/');
  const first = slash === -1 ? '' : name.slice(0, slash);
  // Docker's rule: a first part with a point or a port, or `localhost`, is a host.
  const isHost = /[.:]/.test(first) || first === 'localhost';
  const path = isHost ? name.slice(slash + 1) : name;
  if (isHost && !HOST.test(first)) throw referenceInvalid(text);
  if (!path.split('/').every((component) => COMPONENT.test(component))) throw referenceInvalid(text);
  const registry = isHost ? first.replace(/^index\.docker\.io$/, HUB) : HUB;
  const repository = registry === HUB && !path.includes('/') ? `library/${path}` : path;
  return { registry, repository, name, tag, digest };
}

/** Whether the reference may mean another image tomorrow: no tag and no digest, or the tag `latest`. */
export function isMoving({ tag, digest }: ImageReference): boolean {
  return digest === undefined && (tag === undefined || tag === 'latest');
}
