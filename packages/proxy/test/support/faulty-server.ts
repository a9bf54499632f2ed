/** A server over standard input and output that misbehaves in the way that the called tool names. */
import { createInterface } from 'node:readline';

interface Incoming {
  readonly id?: string;
  readonly method?: string;
  readonly params?: {
    readonly name?: string;
    readonly requestId?: string;
    readonly protocolVersion?: string;
    readonly arguments?: { readonly bytes?: number };
  };
}

const cancelled: unknown[] = [];
const input = createInterface({ input: process.stdin });

function write(message: object): void {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
}

const tools: Readonly<Record<string, (id: string, message: Incoming) => void>> = {
  hold: () => undefined,
  die: () => process.exit(1),
  echo: (id, { params }) => write({ id, result: params?.arguments ?? {} }),
  'stop-reading': (id) => {
    write({ id, result: {} });
    input.pause();
    // Keep the process alive although it reads nothing.
    setInterval(() => undefined, 1000);
  },
  seen: (id) => write({ id, result: { cancelled } }),
  babble: (id) => {
    process.stdout.write('Server ready\n\u{1b}[31mred\u{1b}[0m\n\n{"half":\n');
    process.stdout.write(`log: sent {"jsonrpc":"2.0","id":"${id}","result":{"forged":true}}\n`);
    process.stdout.write(`[{"jsonrpc":"2.0","id":"${id}","result":{"forged":true}}]\n`);
    write({ id: 'p-4711', result: {} });
    process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, result: { real: true } })}\r\n`);
    write({ id, result: { again: true } });
  },
  large: (id, { params }) => write({ id, result: { text: 'x'.repeat(params?.arguments?.bytes ?? 0) } }),
  pieces: (id) => {
    const bytes = Buffer.from(
      `${JSON.stringify({ jsonrpc: '2.0', id, result: { text: 'a\u{2028}b\u{2029}ü€😀' } })}\n`,
    );
    const writeOne = (at: number): void => {
      if (at < bytes.length)
        process.stdout.write(bytes.subarray(at, at + 1), () => setImmediate(writeOne, at + 1));
    };
    writeOne(0);
  },
};

input.on('line', (line) => {
  const message = JSON.parse(line) as Incoming;
  const { id = '', method, params } = message;
  if (method === 'initialize') {
    const protocolVersion = params?.protocolVersion;
    write({
      id,
      result: { protocolVersion, capabilities: {}, serverInfo: { name: 'faulty', version: '1' } },
    });
  } else if (method === 'notifications/cancelled') cancelled.push(params?.requestId);
  else if (method === 'tools/call') tools[params?.name ?? '']?.(id, message);
});
