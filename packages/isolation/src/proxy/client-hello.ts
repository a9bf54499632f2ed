/**
 * Meaning of a connection's first bytes. `more` requests more bytes; fewer than `atLeast` would yield the
 * same result.
 */
export type FirstBytes =
  | { readonly kind: 'more'; readonly atLeast: number }
  | { readonly kind: 'not-tls' }
  | { readonly kind: 'hello'; readonly serverName: string | undefined };

/** Maximum bytes of a ClientHello (RFC 8446, section 4.1.2). Key shares take up to about 10 kB. */
export const MAX_HELLO_BYTES = 32_768;

const NOT_TLS: FirstBytes = { kind: 'not-tls' };

/**
 * Parses the server name of a ClientHello (RFC 8446, section 4.1.2; RFC 6066, section 3), which may span
 * several records. A malformed hello, or one with two server names, counts as not TLS.
 */
export function readFirstBytes(bytes: Buffer): FirstBytes {
  const handshake: Buffer[] = [];
  let length = 0;
  let requested: number | undefined;
  const more = (): FirstBytes => ({
    kind: 'more',
    atLeast: bytes.length + (requested === undefined ? 1 : requested - length),
  });
  for (let at = 0; ; ) {
    // Validates the available bytes, so that a text protocol is detected by its first byte.
    if (at < bytes.length && bytes[at] !== 22) return NOT_TLS;
    if (at + 1 < bytes.length && bytes[at + 1] !== 3) return NOT_TLS;
    if (bytes.length < at + 5) return more();
    const size = bytes.readUInt16BE(at + 3);
    if (size === 0 || size > 16_384) return NOT_TLS;
    const fragment = bytes.subarray(at + 5, at + 5 + size);
    handshake.push(fragment);
    length += fragment.length;
    if (requested === undefined) {
      const read = helloLength(handshake);
      if (read === 'not-hello' || (read !== undefined && read > MAX_HELLO_BYTES)) return NOT_TLS;
      requested = read;
    }
    if (requested !== undefined && length >= requested) {
      return readHello(Buffer.concat(handshake).subarray(4, requested)) ?? NOT_TLS;
    }
    if (bytes.length < at + 5 + size) return more();
    at += 5 + size;
  }
}

/** Returns the length of the handshake message with its header; undefined while the header is incomplete. */
function helloLength(fragments: readonly Buffer[]): number | 'not-hello' | undefined {
  const head = Buffer.concat(fragments.slice(0, 4)).subarray(0, 4);
  if (head.length > 0 && head[0] !== 1) return 'not-hello';
  return head.length < 4 ? undefined : 4 + head.readUIntBE(1, 3);
}

class Walk {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get isAtEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  take(count: number): Buffer {
    if (this.#at + count > this.#bytes.length) throw new RangeError('the message ends too early');
    this.#at += count;
    return this.#bytes.subarray(this.#at - count, this.#at);
  }

  number(size: 1 | 2): number {
    return this.take(size).readUIntBE(0, size);
  }

  part(sizeOfLength: 1 | 2): Buffer {
    return this.take(this.number(sizeOfLength));
  }
}

function readHello(body: Buffer): FirstBytes | undefined {
  try {
    const hello = new Walk(body);
    if (hello.take(2)[0] !== 3) return undefined; // legacy version
    hello.take(32); // random
    hello.part(1); // session
    hello.part(2); // cipher suites
    hello.part(1); // compression
    if (hello.isAtEnd) return { kind: 'hello', serverName: undefined }; // extensions may be absent
    const extensions = hello.part(2);
    return hello.isAtEnd ? readExtensions(extensions) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function readExtensions(bytes: Buffer): FirstBytes | undefined {
  const walk = new Walk(bytes);
  const names: Buffer[] = [];
  while (!walk.isAtEnd) {
    const type = walk.number(2);
    const data = walk.part(2);
    if (type === 0) names.push(...readNames(data));
  }
  const [name, ...more] = names;
  if (more.length > 0) return undefined;
  if (name === undefined) return { kind: 'hello', serverName: undefined };
  // Rejects non-ASCII bytes, so that two spellings of a name cannot differ by them.
  if (name.length === 0 || name.some((byte) => byte <= 0x20 || byte >= 0x7f)) return undefined;
  return { kind: 'hello', serverName: name.toString('latin1') };
}

function readNames(data: Buffer): readonly Buffer[] {
  const walk = new Walk(data);
  const list = new Walk(walk.part(2));
  if (!walk.isAtEnd || list.isAtEnd) throw new RangeError('the server_name extension is malformed');
  const names: Buffer[] = [];
  while (!list.isAtEnd) {
    const type = list.number(1);
    const name = list.part(2);
    if (type !== 0) throw new RangeError('server_name contains a type other than host_name');
    names.push(name);
  }
  return names;
}
