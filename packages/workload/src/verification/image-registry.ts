import { isPortolanError, type RegistryCredentials } from '@portolan/plugin-api';
import { readJson, textOf } from '@portolan/run-spec';
import { type Descriptor, descriptorsIn, digestOf, isDigest } from './descriptor.ts';
import { type ImagePlace, isLoopbackHost } from './image-place.ts';
import { answerChallenge, parseChallenge } from './registry-authentication.ts';
import { imageRegistryFailed } from './verification-errors.ts';

export interface ImageRegistryOptions {
  readonly place: ImagePlace;
  readonly fetch: typeof globalThis.fetch;
  /** Asked for when the registry wants some. */
  readonly findCredentials: () => Promise<RegistryCredentials | undefined>;
  readonly signal: AbortSignal | undefined;
}

export interface Manifest {
  readonly bytes: Buffer;
  readonly value: unknown;
}

/** Most bytes of a signature, and of a manifest. */
export const MOST_BYTES = 10 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MOST_REDIRECTS = 5;
const MOST_PAGES = 10;
const MANIFESTS = [
  'application/vnd.oci.image.index.v1+json',
  'application/vnd.docker.distribution.manifest.list.v2+json',
  'application/vnd.oci.image.manifest.v1+json',
  'application/vnd.docker.distribution.manifest.v2+json',
].join(', ');

/**
 * Asks the registry of one image (OCI distribution specification). Content that
 * is named by digest is checked against it. Everything that keeps an answer
 * away is ERR_IMAGE_REGISTRY, but for the reason of the signal.
 */
export class ImageRegistry {
  readonly #options: ImageRegistryOptions;
  #base: string | undefined;
  #authorization: string | undefined;

  constructor(options: ImageRegistryOptions) {
    this.#options = options;
  }

  /** Digest of the image: of the index, where there is one for several platforms. */
  async resolve(): Promise<string> {
    const { version, name, registry } = this.#options.place;
    if (isDigest(version)) return version;
    if (version.includes(':'))
      throw imageRegistryFailed(registry, `names ${name} by a digest that is not of SHA-256`);
    const head = await this.#ask('HEAD', `manifests/${version}`, MANIFESTS);
    const told = head.headers.get('Docker-Content-Digest') ?? '';
    await head.body?.cancel();
    if (head.ok && isDigest(told)) return told;
    const manifest = await this.findManifest(version);
    if (manifest === undefined) throw imageRegistryFailed(registry, `has no image ${name}:${version}`);
    return digestOf(manifest.bytes);
  }

  /** By tag or digest; undefined when there is none. */
  async findManifest(version: string): Promise<Manifest | undefined> {
    const response = await this.#ask('GET', `manifests/${version}`, MANIFESTS);
    if (response.status === 404) return await nothing(response);
    const bytes = await this.#read(response, `manifests/${version}`);
    if (version.includes(':')) this.#checkDigest(bytes, version);
    const reading = readJson(bytes.toString('utf8'));
    if ('fault' in reading) throw this.#failed(`answers manifests/${version} with what is no JSON`);
    return { bytes, value: reading.value };
  }

  async readBlob(digest: string): Promise<Buffer> {
    if (!isDigest(digest)) throw this.#failed('names a part by a digest that is not of SHA-256');
    const response = await this.#ask('GET', `blobs/${digest}`, '*/*');
    const bytes = await this.#read(response, `blobs/${digest}`);
    this.#checkDigest(bytes, digest);
    return bytes;
  }

  /** What refers to a manifest: by the API, else by the tag that stands in for it. */
  async listReferrers(digest: string): Promise<readonly Descriptor[]> {
    const found: Descriptor[] = [];
    let path: string | undefined = `referrers/${digest}`;
    for (let page = 0; path !== undefined && page < MOST_PAGES; page += 1) {
      const response: Response = await this.#ask('GET', path, 'application/vnd.oci.image.index.v1+json');
      if (page === 0 && [400, 404, 405, 406].includes(response.status)) {
        await nothing(response);
        return descriptorsIn((await this.findManifest(digest.replace(':', '-')))?.value, 'manifests');
      }
      const next = /<([^>]+)>\s*;\s*rel="?next"?/i.exec(response.headers.get('Link') ?? '')?.[1];
      const reading = readJson((await this.#read(response, path)).toString('utf8'));
      if ('fault' in reading) throw this.#failed('answers referrers with what is no JSON');
      found.push(...descriptorsIn(reading.value, 'manifests'));
      path =
        next === undefined
          ? undefined
          : `referrers/${digest}${URL.parse(next, 'http://registry')?.search ?? ''}`;
    }
    return found;
  }

  async #ask(method: string, path: string, accept: string): Promise<Response> {
    const first = await this.#send(method, path, accept);
    if (first.status !== 401) return first;
    const challenge = parseChallenge(first.headers.get('WWW-Authenticate'));
    await first.body?.cancel();
    const { fetch, place, findCredentials, signal } = this.#options;
    if (challenge === undefined) throw this.#failed('wants to know who asks, in a way that is not known');
    try {
      const { host, repository } = place;
      const credentials = await findCredentials();
      const ends = endsOf(signal);
      const answer = await answerChallenge(challenge, { fetch, host, repository, credentials, signal: ends });
      if (answer === undefined || answer === this.#authorization)
        throw new Error('it wants a login (status 401)');
      this.#authorization = answer;
    } catch (error) {
      signal?.throwIfAborted();
      throw this.#failed(`cannot be asked: ${textOf(error)}`, error);
    }
    return await this.#send(method, path, accept);
  }

  /** Follows redirects, as blobs have them, and shows who asks to nobody else. */
  async #send(method: string, path: string, accept: string): Promise<Response> {
    const { fetch, signal, place } = this.#options;
    const base = (this.#base ??= await this.#findBase());
    const ends = endsOf(signal);
    const start = new URL(`${base}/v2/${place.repository}/${path}`);
    let url = start;
    try {
      for (let hops = 0; hops <= MOST_REDIRECTS; hops += 1) {
        const shown = url.origin === start.origin ? this.#authorization : undefined;
        const response = await fetch(url.href, {
          method,
          redirect: 'manual',
          signal: ends,
          headers: { Accept: accept, ...(shown === undefined ? {} : { Authorization: shown }) },
        });
        if (![301, 302, 303, 307, 308].includes(response.status)) return response;
        await response.body?.cancel();
        url = this.#follow(url, response.headers.get('Location'));
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (isPortolanError(error) && error.code === 'ERR_IMAGE_REGISTRY') throw error;
      const reason = ends.aborted ? `it did not answer within ${TIMEOUT_MS / 1000} s` : innermost(error);
      throw this.#failed(`cannot be asked: ${reason}`, error);
    }
    throw this.#failed('redirects too often');
  }

  #follow(from: URL, location: string | null): URL {
    const to = location === null ? null : URL.parse(location, from.href);
    const isSafe =
      to?.protocol === 'https:' ||
      (to?.protocol === 'http:' && isLoopbackHost(from.host) && isLoopbackHost(to.host));
    if (to === null || !isSafe) throw this.#failed('redirects to where nothing is reached over https');
    return to;
  }

  /** https; a registry of this machine may do without. */
  async #findBase(): Promise<string> {
    const { place, fetch, signal } = this.#options;
    const secure = `https://${place.host}`;
    if (!isLoopbackHost(place.host)) return secure;
    try {
      const response = await fetch(`${secure}/v2/`, { redirect: 'manual', signal: endsOf(signal) });
      await response.body?.cancel();
      return secure;
    } catch {
      signal?.throwIfAborted();
      return `http://${place.host}`; // whether anybody is there shows with the first question
    }
  }

  async #read(response: Response, path: string): Promise<Buffer> {
    if (!response.ok) {
      await response.body?.cancel();
      throw this.#failed(`answers ${path} with status ${response.status}`);
    }
    const chunks: Uint8Array[] = [];
    let size = 0;
    try {
      for await (const chunk of response.body ?? []) {
        size += chunk.length;
        if (size > MOST_BYTES)
          throw this.#failed(`sends more than ${MOST_BYTES / 1024 / 1024} MiB as ${path}`);
        chunks.push(chunk);
      }
    } catch (error) {
      this.#options.signal?.throwIfAborted();
      if (isPortolanError(error)) throw error;
      throw this.#failed(`breaks off ${path}: ${innermost(error)}`, error);
    }
    return Buffer.concat(chunks);
  }

  #checkDigest(bytes: Buffer, digest: string): void {
    if (digestOf(bytes) !== digest) throw this.#failed(`sends something else than ${digest}`);
  }

  #failed(what: string, cause?: unknown): Error {
    return imageRegistryFailed(this.#options.place.registry, what, cause);
  }
}

async function nothing(response: Response): Promise<undefined> {
  await response.body?.cancel();
}

function endsOf(signal: AbortSignal | undefined): AbortSignal {
  const clock = AbortSignal.timeout(TIMEOUT_MS);
  return signal === undefined ? clock : AbortSignal.any([signal, clock]);
}

/** `fetch` wraps what went wrong below it. */
function innermost(error: unknown): string {
  let told = textOf(error);
  for (let inner = error; inner instanceof Error; inner = inner.cause)
    if (inner.message !== '') told = textOf(inner);
  return told;
}
