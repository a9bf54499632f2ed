import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export const INDEX = 'application/vnd.oci.image.index.v1+json';
export const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';

export interface Stored {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

export interface OciRegistryOptions {
  /** Whether it has the referrers API; without, referrers stand under a tag. */
  readonly referrersApi?: boolean;
  /** `basic`: wants name and password; `bearer`: wants a token, which name and password bring; `public`: which all get. */
  readonly login?: 'basic' | 'bearer' | 'public';
  /** Most tags in one answer; 0: it shows no list of them. */
  readonly tagsOfAPage?: number;
}

export const LOGIN = { username: 'ada', password: 'l0velace' };

/** An image registry on loopback (OCI distribution specification), with what a test pushes into it. */
export class OciRegistry {
  readonly repository = 'acme/notes';
  readonly requests: string[] = [];
  readonly #options: OciRegistryOptions;
  readonly #blobs = new Map<string, Buffer>();
  readonly #manifests = new Map<string, { readonly mediaType: string; readonly bytes: Buffer }>();
  readonly #referrers = new Map<string, Stored[]>();
  readonly #server = createServer((request, response) => this.#answer(request, response));
  /** Blobs are answered with a redirect to here, when it is set. */
  blobsAt: string | undefined;

  private constructor(options: OciRegistryOptions) {
    this.#options = options;
  }

  static async start(options: OciRegistryOptions = {}): Promise<OciRegistry> {
    const registry = new OciRegistry(options);
    await new Promise<void>((resolve) => void registry.#server.listen(0, '127.0.0.1', resolve));
    return registry;
  }

  get host(): string {
    // A server without a path or handle has an address of this form.
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  pushBlob(bytes: Buffer, mediaType: string): Stored {
    const stored = { mediaType, digest: digestOf(bytes), size: bytes.length };
    this.#blobs.set(stored.digest, bytes);
    return stored;
  }

  /** What a digest stands for from now on, which is a lie. */
  tamper(digest: string, bytes: Buffer): void {
    this.#blobs.set(digest, bytes);
  }

  pushManifest(
    manifest: object,
    { tag, mediaType = MANIFEST }: { tag?: string; mediaType?: string } = {},
  ): Stored {
    const bytes = Buffer.from(JSON.stringify({ schemaVersion: 2, mediaType, ...manifest }));
    const stored = { mediaType, digest: digestOf(bytes), size: bytes.length };
    this.#manifests.set(stored.digest, { mediaType, bytes });
    if (tag !== undefined) this.#manifests.set(tag, { mediaType, bytes });
    return stored;
  }

  /** An image under a tag; its digest. */
  pushImage(tag = '1'): string {
    const config = this.pushBlob(Buffer.from('{}'), 'application/vnd.oci.image.config.v1+json');
    return this.pushManifest({ config, layers: [] }, { tag }).digest;
  }

  /** Something that refers to an image, `artifactType` said as the registry's API or fallback tag says it. */
  pushReferrer(digest: string, manifest: object, descriptor: object): void {
    const stored = { ...this.pushManifest(manifest), ...descriptor };
    const all = [...(this.#referrers.get(digest) ?? []), stored];
    this.#referrers.set(digest, all);
    if (this.#options.referrersApi === false) {
      this.pushManifest({ manifests: all }, { tag: digest.replace(':', '-'), mediaType: INDEX });
    }
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => void this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  #answer(request: IncomingMessage, response: ServerResponse): void {
    const url = new URL(request.url ?? '/', 'http://registry');
    this.requests.push(`${request.method ?? ''} ${url.pathname}`);
    const basic = `Basic ${Buffer.from(`${LOGIN.username}:${LOGIN.password}`).toString('base64')}`;
    const given = request.headers.authorization;
    if (url.pathname === '/token') {
      const isKnown = given === basic || (given === undefined && this.#options.login === 'public');
      const isRight = isKnown && url.searchParams.get('scope') === 'repository:acme/notes:pull';
      response.writeHead(isRight ? 200 : 401).end(isRight ? '{"token":"t0ken"}' : '{}');
      return;
    }
    const { login } = this.#options;
    const wanted = login === 'basic' ? basic : login === undefined ? given : 'Bearer t0ken';
    if (given !== wanted) {
      const scope = 'service="test",scope="repository:acme/notes:pull"';
      const bearer = `Bearer realm="http://${this.host}/token",${scope}`;
      response
        .writeHead(401, { 'WWW-Authenticate': login === 'basic' ? 'Basic realm="test"' : bearer })
        .end('{}');
      return;
    }
    const path = url.pathname.replace(`/v2/${this.repository}/`, '');
    if (path === 'tags/list' && this.#options.tagsOfAPage !== 0) this.#answerTags(url, response);
    else this.#answerAbout(path, request, response);
  }

  /** Sorted, and in pages with the address of the next one, as the specification has it. */
  #answerTags({ pathname, searchParams }: URL, response: ServerResponse): void {
    const last = searchParams.get('last') ?? '';
    const rest = [...this.#manifests.keys()].filter((tag) => !tag.includes(':') && tag > last).toSorted();
    const tags = rest.slice(0, Math.min(this.#options.tagsOfAPage ?? 1000, Number(searchParams.get('n'))));
    if (tags.length < rest.length) {
      const next = new URLSearchParams({ n: searchParams.get('n') ?? '', last: tags.at(-1) ?? '' });
      response.setHeader('Link', `<${pathname}?${next.toString()}>; rel="next"`);
    }
    response.end(JSON.stringify({ name: this.repository, tags }));
  }

  #answerAbout(path: string, { method }: IncomingMessage, response: ServerResponse): void {
    const [kind, name = ''] = path.split('/');
    const manifest = kind === 'manifests' ? this.#manifests.get(name) : undefined;
    const blob = kind === 'blobs' ? this.#blobs.get(name) : undefined;
    if (manifest !== undefined) {
      response.setHeader('Content-Type', manifest.mediaType);
      response.setHeader('Docker-Content-Digest', digestOf(manifest.bytes));
      response.end(method === 'HEAD' ? undefined : manifest.bytes);
    } else if (blob !== undefined && this.blobsAt !== undefined) {
      response.writeHead(307, { Location: `${this.blobsAt}/v2/${this.repository}/blobs/${name}` }).end();
    } else if (blob !== undefined) response.end(blob);
    else if (kind === 'referrers' && this.#options.referrersApi !== false) {
      response.setHeader('Content-Type', INDEX);
      response.end(JSON.stringify({ schemaVersion: 2, manifests: this.#referrers.get(name) ?? [] }));
    } else response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
  }
}

export function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
