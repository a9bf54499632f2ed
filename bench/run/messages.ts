/** First messages of a client. */
export const INITIALIZE = {
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'bench', version: '1' } },
};
export const INITIALIZED = { jsonrpc: '2.0', method: 'notifications/initialized' };
export const LIST_TOOLS = { jsonrpc: '2.0', id: 2, method: 'tools/list' };

/** Opens a session, lists the tools once, and returns their number. Throws for an unexpected response. */
export async function listTools(url: string, token?: string): Promise<number> {
  const proof = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const first = await post(url, INITIALIZE, proof);
  const session = first.headers.get('mcp-session-id') ?? '';
  await first.text();
  const within = { ...proof, 'mcp-session-id': session };
  await (await post(url, INITIALIZED, within)).text();
  const text = await (await post(url, LIST_TOOLS, within)).text();
  const line = text.split('\n').find((one) => one.includes('"tools"'));
  if (line === undefined) throw new Error(`no list of tools: ${text.slice(0, 200)}`);
  // SAFETY: a wrong form fails the measurement.
  const { result } = JSON.parse(line.replace(/^data: /, '')) as { result: { tools: unknown[] } };
  return result.tools.length;
}

function post(url: string, message: object, headers: Readonly<Record<string, string>>): Promise<Response> {
  return fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...headers,
    },
    body: JSON.stringify(message),
  });
}
