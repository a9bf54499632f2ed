export interface ImageReference {
  readonly registry: string | undefined;
  readonly repository: string;
  readonly tag: string | undefined;
  readonly digest: string | undefined;
}

const COMPONENT = '[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*';
const REPOSITORY = new RegExp(`^${COMPONENT}(?:/${COMPONENT})*$`);
const REGISTRY =
  /^(?:\[[0-9a-f:]+\]|[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*)(?::[0-9]{1,5})?$/i;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[a-z][a-z0-9]*(?:[-_+.][a-z][a-z0-9]*)*:[0-9a-f]{32,}$/;
const LONGEST = 255;

/**
 * Parses an image reference by the grammar of distribution/reference, without defaults. The only parser of
 * references.
 */
export function findImageReference(text: string): ImageReference | undefined {
  const at = text.indexOf('@');
  const digest = at === -1 ? undefined : text.slice(at + 1);
  const rest = at === -1 ? text : text.slice(0, at);
  const colon = rest.lastIndexOf(':');
  const hasTag = colon > rest.lastIndexOf('/');
  const tag = hasTag ? rest.slice(colon + 1) : undefined;
  const { registry, repository } = splitName(hasTag ? rest.slice(0, colon) : rest);
  const isWhole =
    text.length <= LONGEST + 256 &&
    repository.length <= LONGEST &&
    REPOSITORY.test(repository) &&
    (registry === undefined || REGISTRY.test(registry)) &&
    (tag === undefined || TAG.test(tag)) &&
    (digest === undefined || DIGEST.test(digest));
  return isWhole ? { registry, repository, tag, digest } : undefined;
}

/**
 * Repositories of images that Portolan builds. No registry serves them, and no one else may use the names.
 */
const RESERVED: ReadonlySet<string> = new Set(['portolanlocal', 'portolanused']);

/** Returns whether the text names one of Portolan's own images, with any prefix. */
export function isReservedImage(text: string): boolean {
  const [name = ''] = text.split('@');
  return name
    .toLowerCase()
    .split('/')
    .slice(0, -1)
    .some((part) => RESERVED.has(part));
}

/** The first part is a host when it contains a dot, a port or an upper-case letter, or is `localhost`. */
function splitName(name: string): Pick<ImageReference, 'registry' | 'repository'> {
  const slash = name.indexOf('/');
  const first = name.slice(0, slash);
  const isHost = slash > 0 && (/[.:]/.test(first) || first === 'localhost' || first !== first.toLowerCase());
  return isHost
    ? { registry: first, repository: name.slice(slash + 1) }
    : { registry: undefined, repository: name };
}

export interface ImageRepository {
  /** Host and port; `docker.io` for Docker Hub. */
  readonly registry: string;
  /** Repository in the registry: `library/node`. */
  readonly repository: string;
  readonly name: string;
}

export const DOCKER_HUB = 'docker.io';

export function placeOfImage({ registry: named, repository: written }: ImageReference): ImageRepository {
  const registry = named === undefined || named === 'index.docker.io' ? DOCKER_HUB : named;
  const repository = registry === DOCKER_HUB && !written.includes('/') ? `library/${written}` : written;
  return { registry, repository, name: named === undefined ? written : `${named}/${written}` };
}
