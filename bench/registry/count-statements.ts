import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

export interface StatementCounter {
  /** Database address through the counter. */
  readonly url: string;
  /** Number of statements so far on all connections. */
  count(): number;
  close(): Promise<void>;
}

const QUERY = 'Q'.charCodeAt(0);
const EXECUTE = 'E'.charCodeAt(0);

/**
 * Counts the statements between a program and PostgreSQL: Query and Execute messages of protocol version 3.
 * Does not support TLS.
 */
export async function openStatementCounter(databaseUrl: string): Promise<StatementCounter> {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let statements = 0;
  const server = createServer((client) => {
    const database = connect({ host: target.hostname, port: Number(target.port || 5432), noDelay: true });
    const messages = new MessageReader((type) => {
      if (type === QUERY || type === EXECUTE) statements += 1;
    });
    client.setNoDelay(true);
    client.on('data', (bytes: Buffer) => messages.read(bytes));
    client.pipe(database).pipe(client);
    for (const socket of [client, database]) {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      // The other side sees the end of its own connection.
      socket.on('error', () => [client, database].forEach((end) => end.destroy()));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = new URL(databaseUrl);
  // SAFETY: it listens on a TCP port.
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    count: () => statements,
    async close() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** Parses the messages of a client. The first one has no type. */
class MessageReader {
  readonly #onMessage: (type: number | undefined) => void;
  #isFirst = true;
  #rest = Buffer.alloc(0);

  constructor(onMessage: (type: number | undefined) => void) {
    this.#onMessage = onMessage;
  }

  read(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    for (;;) {
      const typeBytes = this.#isFirst ? 0 : 1;
      if (this.#rest.length < typeBytes + 4) return;
      const end = typeBytes + this.#rest.readUInt32BE(typeBytes);
      if (this.#rest.length < end) return;
      this.#onMessage(this.#isFirst ? undefined : this.#rest[0]);
      this.#isFirst = false;
      this.#rest = this.#rest.subarray(end);
    }
  }
}
