import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
const REPOSITORY = '/v2/acme/notes/';

/**
 * A registry on loopback without TLS, with images of one repository. The engine that pulls them also builds
 * them, and does not keep them. The caller has to close it.
 */
export class ImageRegistry {
  readonly #folder: string;
  readonly #server: Server;
  /** Files by digest. */
  readonly #blobs = new Map<string, string>();
  readonly #manifests = new Map<string, Buffer>();
  readonly #made = new Map<string, string>();
  readonly #tags = new Map<string, string>();
  #port = 0;

  private constructor(folder: string) {
    this.#folder = folder;
    this.#server = createServer((request, response) => {
      this.#answer(request, response).catch((error: unknown) => response.destroy(error as Error));
    });
  }

  static async open(folder: string): Promise<ImageRegistry> {
    const registry = new ImageRegistry(folder);
    await new Promise<void>((resolve) => void registry.#server.listen(0, '127.0.0.1', resolve));
    // SAFETY: a TCP server has a port.
    registry.#port = (registry.#server.address() as AddressInfo).port;
    return registry;
  }

  /** `127.0.0.1:PORT/acme/notes` */
  get repository(): string {
    return `127.0.0.1:${this.#port}/acme/notes`;
  }

  /** Builds images of Dockerfiles with these files, under their own names. No tag refers to them yet. */
  async make(
    dockerfiles: Readonly<Record<string, string>>,
    files: Readonly<Record<string, string>>,
  ): Promise<void> {
    const context = path.join(this.#folder, 'context');
    await mkdir(context, { recursive: true });
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(context, name), text);
    const images = Object.keys(dockerfiles).map((name) => `${this.repository}:${name}`);
    for (const [name, text] of Object.entries(dockerfiles)) {
      await writeFile(path.join(context, 'Dockerfile'), text);
      const env = { ...process.env, DOCKER_BUILDKIT: '0' };
      await run('docker', ['build', '-q', '-t', `${this.repository}:${name}`, context], { env });
    }
    await this.#take(images);
    await run('docker', ['image', 'rm', ...images]);
  }

  /** Sets the images of tags from now on, by the names of the images. */
  publish(name: string, ...tags: readonly string[]): void {
    for (const tag of tags) this.#tags.set(tag, this.#made.get(name) ?? '');
  }

  /** Stops all responses. */
  async stop(): Promise<void> {
    if (!this.#server.listening) return;
    const closed = new Promise((resolve) => void this.#server.close(resolve));
    this.#server.closeAllConnections();
    await closed;
  }

  /** Stops the registry and removes its images from the engine. */
  async close(): Promise<void> {
    await this.stop();
    const { stdout } = await run('docker', ['image', 'ls', '-q', this.repository]);
    const left = [...new Set(stdout.split('\n').filter((id) => id !== ''))];
    if (left.length > 0) await run('docker', ['image', 'rm', '-f', ...left]);
  }

  async #take(images: readonly string[]): Promise<void> {
    const place = path.join(this.#folder, 'images');
    await mkdir(place);
    const archive = path.join(place, 'images.tar');
    await run('docker', ['save', '-o', archive, ...images]);
    await run('tar', ['-xf', archive, '-C', place]);
    // Returns the format of `docker save`.
    const saved = JSON.parse(await readFile(path.join(place, 'manifest.json'), 'utf8')) as readonly {
      readonly Config: string;
      readonly Layers: readonly string[];
      readonly RepoTags: readonly string[];
    }[];
    for (const { Config, Layers, RepoTags } of saved) {
      const config = await readFile(path.join(place, Config));
      // Layers are not compressed, so their digests are those of the configuration.
      const { rootfs } = JSON.parse(config.toString('utf8')) as { rootfs: { diff_ids: readonly string[] } };
      const layers = [];
      for (const [at, digest] of rootfs.diff_ids.entries()) {
        const file = path.join(place, Layers[at] ?? '');
        this.#blobs.set(digest, file);
        const { size } = await stat(file);
        layers.push({ mediaType: 'application/vnd.docker.image.rootfs.diff.tar', size, digest });
      }
      this.#blobs.set(digestOf(config), path.join(place, Config));
      const mediaType = 'application/vnd.docker.container.image.v1+json';
      const described = { mediaType, size: config.length, digest: digestOf(config) };
      const manifest = Buffer.from(
        JSON.stringify({ schemaVersion: 2, mediaType: MANIFEST, config: described, layers }),
      );
      this.#manifests.set(digestOf(manifest), manifest);
      for (const name of RepoTags) this.#made.set(name.slice(name.lastIndexOf(':') + 1), digestOf(manifest));
    }
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname } = new URL(request.url ?? '/', 'http://registry');
    const [kind = '', name = ''] = pathname.replace(REPOSITORY, '').split('/');
    response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
    if (pathname === '/v2/') response.end('{}');
    else if (kind === 'tags') {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ name: 'acme/notes', tags: [...this.#tags.keys()] }));
    } else if (kind === 'manifests' && this.#manifests.has(this.#tags.get(name) ?? name)) {
      const digest = this.#tags.get(name) ?? name;
      const manifest = this.#manifests.get(digest) ?? Buffer.alloc(0);
      response.setHeader('Content-Type', MANIFEST);
      response.setHeader('Docker-Content-Digest', digest);
      response.setHeader('Content-Length', manifest.length);
      response.end(request.method === 'HEAD' ? undefined : manifest);
    } else if (kind === 'blobs' && this.#blobs.has(name)) {
      const file = this.#blobs.get(name) ?? '';
      response.setHeader('Content-Length', (await stat(file)).size);
      if (request.method === 'HEAD') response.end();
      else createReadStream(file).pipe(response);
    } else
      response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
  }
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}
