import type { Duplex } from 'node:stream';
import { type EgressHost, parseEgressHost } from '@portolan/outbound';
import { type FirstBytes, MAX_HELLO_BYTES, readFirstBytes } from './client-hello.ts';
import { type EgressRefusal, refuse } from '../policy/egress-event.ts';

const HELLO_MS = 15_000;

/** Result of the check. `bytes` were read from the stream and must be forwarded before the rest of it. */
export type CheckedHello = { readonly allowed: true; readonly bytes: Buffer } | EgressRefusal;

/**
 * Checks that the ClientHello of a tunnel to port 443 is for the tunnel's host: another server name would
 * reach another site at the same address. A missing name passes, since clients send none for addresses.
 * Pauses the stream afterwards. Rejects when it closes before.
 */
export async function checkClientHello(stream: Duplex, host: EgressHost): Promise<CheckedHello> {
  const { kind, bytes, serverName } = await readHello(stream);
  if (kind !== 'hello') return refuse('not-tls', `what was sent to ${host.text}:443 is no TLS`);
  if (serverName === undefined || parseEgressHost(serverName)?.text === host.text)
    return { allowed: true, bytes };
  const shown = serverName.slice(0, 253);
  return refuse('server-name-differs', `the tunnel is for ${host.text}, its TLS server name is ${shown}`);
}

interface ReadHello {
  readonly kind: 'hello' | 'not-tls';
  readonly bytes: Buffer;
  readonly serverName: string | undefined;
}

function readHello(stream: Duplex): Promise<ReadHello> {
  const { promise, resolve, reject } = Promise.withResolvers<ReadHello>();
  let chunks: Buffer[] = [];
  let size = 0;
  let atLeast = 1;
  const finish = (first: FirstBytes): void => {
    clearTimeout(timer);
    stream.pause();
    stream.off('data', take).off('end', ended).off('close', closed);
    const isHello = first.kind === 'hello';
    resolve({
      kind: isHello ? 'hello' : 'not-tls',
      bytes: Buffer.concat(chunks),
      serverName: isHello ? first.serverName : undefined,
    });
  };
  const take = (chunk: Buffer): void => {
    chunks.push(chunk);
    size += chunk.length;
    // Wait for enough bytes instead of parsing again for every byte of a slow hello.
    if (size < atLeast) return;
    const bytes = Buffer.concat(chunks);
    chunks = [bytes];
    const first = readFirstBytes(bytes);
    if (first.kind !== 'more') finish(first);
    else if (size > 2 * MAX_HELLO_BYTES) finish({ kind: 'not-tls' });
    else atLeast = first.atLeast;
  };
  const ended = (): void => finish({ kind: 'not-tls' });
  const closed = (): void => {
    clearTimeout(timer);
    reject(new Error('The program closed the tunnel before it sent anything'));
  };
  const timer = setTimeout(() => finish({ kind: 'not-tls' }), HELLO_MS);
  stream.on('data', take).once('end', ended).once('close', closed);
  return promise;
}

/** TLS alert `unrecognized_name` (RFC 8446, section 6.2), which clients show instead of a mere reset. */
export const UNRECOGNIZED_NAME: Buffer = Buffer.from([21, 3, 1, 0, 2, 2, 112]);
