// A server that puts addresses of another host into every message. It runs in a container.
import { createServer } from 'node:http';

const { ADDRESS = '', ENDPOINTS = '[]' } = process.env;
/** Data of the first `endpoint` events. Those after them are valid. */
const endpoints = JSON.parse(ENDPOINTS);
const icons = [{ src: ADDRESS, mimeType: 'image/png' }];
const RESULTS = {
  initialize: {
    protocolVersion: '2025-06-18',
    capabilities: { tools: {}, resources: {}, logging: {} },
    serverInfo: { name: 'talking', version: '1', websiteUrl: ADDRESS, icons },
    instructions: ADDRESS,
  },
  'tools/list': {
    tools: [{ name: 'look', description: ADDRESS, inputSchema: { type: 'object' }, icons }],
    nextCursor: ADDRESS,
  },
  'tools/call': {
    content: [
      { type: 'text', text: ADDRESS },
      { type: 'resource_link', uri: ADDRESS, name: 'link', icons },
    ],
  },
  'resources/list': { resources: [{ uri: ADDRESS, name: 'r', icons }], nextCursor: ADDRESS },
};
const ASIDES = [
  { method: 'notifications/message', params: { level: 'info', data: ADDRESS } },
  {
    id: 'asked',
    method: 'elicitation/create',
    params: { mode: 'url', message: ADDRESS, url: ADDRESS, elicitationId: '1' },
  },
];
const PAGES = {
  '/redirect': [307, { Location: ADDRESS }],
  '/created': [201, { Location: ADDRESS, 'Content-Location': ADDRESS, Link: `<${ADDRESS}>; rel="next"` }],
  '/refresh': [200, { Refresh: `0;url=${ADDRESS}`, 'Content-Type': 'application/json' }],
  '/login': [401, { 'WWW-Authenticate': `Bearer resource_metadata="${ADDRESS}"` }],
};

let stream;
const event = (message) => `data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;

function answer(message, url, response) {
  const { id, method } = message;
  const events = [...(method === 'tools/call' ? ASIDES : []), { id, result: RESULTS[method] ?? {} }].map(
    event,
  );
  if (url.startsWith('/messages')) {
    response.writeHead(202).end();
    if (id !== undefined && method !== undefined) stream?.write(events.join(''));
    return;
  }
  if (id === undefined || method === undefined) {
    response.writeHead(202).end();
    return;
  }
  const session = method === 'initialize' ? { 'Mcp-Session-Id': ADDRESS } : {};
  response.writeHead(200, { 'Content-Type': 'text/event-stream', ...session }).end(events.join(''));
}

createServer(async (request, response) => {
  const { method, url = '' } = request;
  const page = PAGES[url];
  if (page !== undefined) {
    response.writeHead(...page).end(`{"authorization_servers":["${ADDRESS}"]}`);
    return;
  }
  if (method === 'GET' && url === '/sse') {
    stream = response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    stream.write(`event: endpoint\ndata: ${endpoints.shift() ?? '/messages?session_id=1'}\n\n`);
    return;
  }
  if (method !== 'POST') {
    response.writeHead(method === 'DELETE' ? 204 : 405).end();
    return;
  }
  let body = '';
  for await (const chunk of request) body += chunk;
  answer(JSON.parse(body), url, response);
}).listen(8000);
