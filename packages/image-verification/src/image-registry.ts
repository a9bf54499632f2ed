import { askAddress, askDocument, type DocumentResponse, faultIn } from '@portolan/outbound';
import { type RegistryCredentials, resolveReference } from '@portolan/plugin-api';
import { memberOf, readJson, textOf } from '@portolan/run-spec';
import { type Descriptor, descriptorsIn, digestOf, isDigest } from './descriptor.ts';
import { type ImageLocation, isLoopbackRegistry } from './image-location.ts';
import { answerChallenge, parseChallenge, reasonOf, REGISTRY_TIMEOUT_MS } from './registry-authentication.ts';
import { imageRegistryFailed } from './errors.ts';

export interface ImageRegistryOptions {
  readonly place: ImageLocation;
  readonly fetch: typeof globalThis.fetch;
  readonly findCredentials: () => Promise<RegistryCredentials | undefined>;
  readonly signal: AbortSignal | undefined;
}

export interface Manifest {
  readonly bytes: Buffer;
  readonly value: unknown;
}

export const MAX_BYTES = 10 * 1024 * 1024;
const MAX_REDIRECTS = 5;
/** Base for resolving the links between pages of a list. Only the query of a link is used. */
const ANY_REGISTRY = new URL('http://registry.invalid');
const MAX_PAGES = 10;
const TAGS_OF_A_PAGE = 1000;
/** Statuses by which a registry says that it does not support a list. */
const NO_LIST: readonly number[] = [400, 404, 405, 406];
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/**
 * Client for the registry of one image (OCI distribution specification). Verifies content by its digest.
 * Throws ERR_IMAGE_VERIFIER for every failure except the signal's reason.
 */
export class ImageRegistry {
  readonly #options: ImageRegistryOptions;
  #base: string | undefined;
  #authorization: string | undefined;

  constructor(options: ImageRegistryOptions) {
    this.#options = options;
  }

  /** Returns the digest of the image. For a multi-platform image, it is the digest of the index. */
  async resolve(): Promise<string> {
    const { version, name, registry } = this.#options.place;
    if (isDigest(version)) return version;
    if (version.includes(':'))
      throw imageRegistryFailed(registry, `names ${name} by a digest that is not of SHA-256`);
    const head = await this.#ask('HEAD', `manifests/${version}`, MANIFESTS);
    const header = head.headers.get('Docker-Content-Digest') ?? '';
    if (isOk(head.status) && isDigest(header)) return header;
    const manifest = await this.findManifest(version);
    if (manifest === undefined) throw imageRegistryFailed(registry, `has no image ${name}:${version}`);
    return digestOf(manifest.bytes);
  }

  async findManifest(version: string): Promise<Manifest | undefined> {
    const response = await this.#ask('GET', `manifests/${version}`, MANIFESTS);
    if (response.status === 404) return undefined;
    const bytes = this.#bytesOf(response, `manifests/${version}`);
    if (version.includes(':')) this.#checkDigest(bytes, version);
    const reading = readJson(bytes.toString('utf8'));
    if ('fault' in reading)
      throw this.#failed(`responds to manifests/${version} with something that is not JSON`);
    return { bytes, value: reading.value };
  }

  async readBlob(digest: string): Promise<Buffer> {
    if (!isDigest(digest)) throw this.#failed('uses a digest that is not SHA-256');
    const response = await this.#ask('GET', `blobs/${digest}`, '*/*');
    const bytes = this.#bytesOf(response, `blobs/${digest}`);
    this.#checkDigest(bytes, digest);
    return bytes;
  }

  /**
   * Lists the manifests that refer to a manifest, such as signatures, by the referrers API or its fallback
   * tag.
   */
  async listReferrers(digest: string): Promise<readonly Descriptor[]> {
    const descriptors: Descriptor[] = [];
    const accept = 'application/vnd.oci.image.index.v1+json';
    for await (const page of this.#pages(`referrers/${digest}`, '', accept)) {
      if (page === undefined)
        return descriptorsIn((await this.findManifest(digest.replace(':', '-')))?.value, 'manifests');
      descriptors.push(...descriptorsIn(page, 'manifests'));
    }
    return descriptors;
  }

  /** Lists up to a few thousand tags; undefined when the registry does not list them. */
  async listTags(): Promise<readonly string[] | undefined> {
    const tags: string[] = [];
    for await (const page of this.#pages('tags/list', `?n=${TAGS_OF_A_PAGE}`, 'application/json')) {
      if (page === undefined) return undefined;
      const listed = memberOf(page, 'tags');
      if (Array.isArray(listed)) tags.push(...listed.filter((tag) => typeof tag === 'string'));
    }
    return tags;
  }

  /**
   * Yields the pages of a list (`Link: <…>; rel="next"`), all at the same path, or a single undefined without
   * a list.
   */
  async *#pages(path: string, search: string, accept: string): AsyncGenerator {
    let next: string | undefined = search;
    for (let page = 0; next !== undefined && page < MAX_PAGES; page += 1) {
      const response: DocumentResponse = await this.#ask('GET', `${path}${next}`, accept);
      if (page === 0 && NO_LIST.includes(response.status)) {
        yield undefined;
        return;
      }
      const link = /<([^>]+)>\s*;\s*rel="?next"?/i.exec(response.headers.get('Link') ?? '')?.[1];
      const reading = readJson(this.#bytesOf(response, path).toString('utf8'));
      if ('fault' in reading) throw this.#failed(`responds to ${path} with something that is not JSON`);
      yield reading.value;
      next = link === undefined ? undefined : (resolveReference(ANY_REGISTRY, link)?.search ?? '');
    }
  }

  async #ask(method: string, path: string, accept: string): Promise<DocumentResponse> {
    const first = await this.#send(method, path, accept);
    if (first.status !== 401) return first;
    const challenge = parseChallenge(first.headers.get('WWW-Authenticate'));
    const { fetch, place, findCredentials, signal } = this.#options;
    if (challenge === undefined) throw this.#failed('requires an unsupported kind of authentication');
    try {
      const { host, repository } = place;
      const credentials = await findCredentials();
      const authorization = await answerChallenge(challenge, {
        fetch,
        host,
        repository,
        credentials,
        signal,
      });
      if (authorization === undefined || authorization === this.#authorization)
        throw new Error('it requires a login (status 401)');
      this.#authorization = authorization;
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#failed(`failed: ${textOf(error)}`, error);
    }
    return await this.#send(method, path, accept);
  }

  /** Follows redirects, as blobs use, without sending credentials to other hosts. */
  async #send(method: string, path: string, accept: string): Promise<DocumentResponse> {
    const { fetch, signal, place } = this.#options;
    const base = (this.#base ??= await this.#findBase());
    try {
      return await askDocument(new URL(`${base}/v2/${place.repository}/${path}`), {
        fetch,
        method,
        headers: { Accept: accept },
        authorize: () => this.#authorization,
        redirects: { max: MAX_REDIRECTS, refuse: refuseRedirect },
        timeoutMs: REGISTRY_TIMEOUT_MS,
        maxBytes: MAX_BYTES,
        reads: isOk,
        signal,
      });
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#failed(problemOf(error, path), error);
    }
  }

  /** Returns https, or http for a registry on this machine. */
  async #findBase(): Promise<string> {
    const { place, fetch, signal } = this.#options;
    const secure = `https://${place.host}`;
    if (!isLoopbackRegistry(place.host)) return secure;
    try {
      const question = { fetch, timeoutMs: REGISTRY_TIMEOUT_MS, signal };
      return await askAddress(new URL(`${secure}/v2/`), question, async () => secure);
    } catch {
      signal?.throwIfAborted();
      return `http://${place.host}`; // whether anybody is there shows with the first question
    }
  }

  #bytesOf({ status, bytes }: DocumentResponse, path: string): Buffer {
    if (!isOk(status)) throw this.#failed(`responds to ${path} with status ${status}`);
    return bytes;
  }

  #checkDigest(bytes: Buffer, digest: string): void {
    if (digestOf(bytes) !== digest) throw this.#failed(`sends content that differs from ${digest}`);
  }

  #failed(what: string, cause?: unknown): Error {
    return imageRegistryFailed(this.#options.place.registry, what, cause);
  }
}

function isOk(status: number): boolean {
  return status >= 200 && status <= 299;
}

/** Allows redirects over https, or between hosts of this machine. */
function refuseRedirect(from: URL, to: URL): string | undefined {
  if (to.protocol === 'https:') return undefined;
  const isHere = to.protocol === 'http:' && isLoopbackRegistry(from.host) && isLoopbackRegistry(to.host);
  return isHere ? undefined : 'nothing is reached over https there';
}

function problemOf(error: unknown, path: string): string {
  const fault = faultIn(error);
  switch (fault?.kind) {
    case 'size':
      return `sends more than ${MAX_BYTES / 1024 / 1024} MiB as ${path}`;
    case 'body':
      return `breaks off ${path}: ${reasonOf(error)}`;
    case 'redirects':
      return 'redirects too often';
    case 'redirect':
      return 'redirects to an address without https';
    case 'time':
    case 'address':
    case 'connection':
    case undefined:
      return `failed: ${reasonOf(error)}`;
    default:
      return fault satisfies never;
  }
}
