import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A registry on loopback that has one image, `acme/notes:1`, and wants a password when one is given. */
export interface TestRegistry {
  /** `127.0.0.1:PORT`, which engines ask without TLS. */
  readonly host: string;
  readonly digest: string;
  readonly credentials: readonly string[];
  /** Settles when the layer was asked for and only begun, with `stalls`. */
  readonly stalling: Promise<void>;
  close(): Promise<void>;
}

export interface TestRegistryOptions {
  readonly layer: Uint8Array;
  readonly labels: Readonly<Record<string, string>>;
  readonly password?: string;
  /** Sends the layer's first byte and then nothing more. */
  readonly stalls?: boolean;
}

export async function startTestRegistry(options: TestRegistryOptions): Promise<TestRegistry> {
  const { layer, labels, password, stalls } = options;
  const packed = gzipSync(layer);
  const config = Buffer.from(
    JSON.stringify({
      architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
      os: 'linux',
      config: { Cmd: ['/hello'], Labels: labels },
      rootfs: { type: 'layers', diff_ids: [digestOf(layer)] },
    }),
  );
  const manifest = Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: 'application/vnd.docker.distribution.manifest.v2+json',
      config: part('application/vnd.docker.container.image.v1+json', config),
      layers: [part('application/vnd.docker.image.rootfs.diff.tar.gzip', packed)],
    }),
  );
  const blobs = new Map([
    [digestOf(config), config],
    [digestOf(packed), packed],
  ]);
  const digest = digestOf(manifest);
  const credentials: string[] = [];
  const stalling = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    const authorization = request.headers.authorization;
    if (authorization)
      credentials.push(Buffer.from(authorization.replace('Basic ', ''), 'base64').toString('utf8'));
    response.setHeader('Docker-Distribution-Api-Version', 'registry/2.0');
    if (password !== undefined && authorization !== `Basic ${Buffer.from(password).toString('base64')}`) {
      response
        .writeHead(401, { 'WWW-Authenticate': 'Basic realm="test"' })
        .end('{"errors":[{"code":"UNAUTHORIZED"}]}');
      return;
    }
    const path = request.url ?? '';
    const blob = blobs.get(path.replace('/v2/acme/notes/blobs/', ''));
    if (path === '/v2/') {
      response.end('{}');
    } else if (path === '/v2/acme/notes/manifests/1' || path === `/v2/acme/notes/manifests/${digest}`) {
      response.setHeader('Content-Type', 'application/vnd.docker.distribution.manifest.v2+json');
      response.setHeader('Docker-Content-Digest', digest);
      response.setHeader('Content-Length', manifest.length);
      response.end(request.method === 'HEAD' ? undefined : manifest);
    } else if (blob === undefined) {
      response.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN","message":"manifest unknown"}]}');
    } else {
      response.setHeader('Content-Length', blob.length);
      if (stalls && blob === packed) response.write(blob.subarray(0, 1), () => stalling.resolve());
      else response.end(blob);
    }
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  // A server without a path or handle has an address of this form.
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    digest,
    credentials,
    stalling: stalling.promise,
    async close() {
      const closed = new Promise((resolve) => void server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

function digestOf(bytes: Uint8Array): string {
  return `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
}

function part(mediaType: string, bytes: Uint8Array): object {
  return { mediaType, size: bytes.length, digest: digestOf(bytes) };
}
