import type { ContainerSpec, ContainerEngine } from '@portolan/plugin-api';

/**
 * Returns the response of a server in an image to `initialize` over standard input and output, without a
 * network.
 */
export async function askInitialize(
  runtime: ContainerEngine,
  spec: Pick<ContainerSpec, 'name' | 'image' | 'labels'> & Partial<ContainerSpec>,
): Promise<{ readonly serverInfo: { readonly name: string } }> {
  const id = await runtime.createContainer({
    command: [],
    environment: {},
    network: { mode: 'none' },
    stdin: 'once',
    ...spec,
  });
  try {
    const attached = await runtime.attachContainer(id);
    await runtime.startContainer(id);
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const message = { jsonrpc: '2.0', id: 1, method: 'initialize', params };
    await attached.write(Buffer.from(`${JSON.stringify(message)}\n`));
    const errors = readAll(attached.stderr);
    const line = await firstLine(attached.stdout);
    if (line === undefined) throw new Error(`the server ended without an answer: ${await errors}`);
    attached.close();
    // SAFETY: the next line checks the type.
    return (JSON.parse(line) as { readonly result: { readonly serverInfo: { readonly name: string } } })
      .result;
  } finally {
    await runtime.removeContainer(id);
  }
}

/** Returns the output of a command in an image. */
export async function runToEnd(
  runtime: ContainerEngine,
  spec: Pick<ContainerSpec, 'name' | 'image' | 'labels'> & Partial<ContainerSpec>,
): Promise<string> {
  const id = await runtime.createContainer({
    command: [],
    environment: {},
    network: { mode: 'none' },
    logs: { maxBytes: 1_000_000, files: 1 },
    ...spec,
  });
  try {
    await runtime.startContainer(id);
    const lines: string[] = [];
    for await (const { text } of runtime.readLogs(id, { follow: true })) lines.push(text);
    return lines.join('\n');
  } finally {
    await runtime.removeContainer(id);
  }
}

async function firstLine(stream: AsyncIterable<Uint8Array>): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of stream) {
    text += decoder.decode(chunk, { stream: true });
    if (text.includes('\n')) return text.slice(0, text.indexOf('\n'));
  }
  return undefined;
}

async function readAll(stream: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
}
