import type { ServerResponse } from 'node:http';
import type { Received } from './http-backend.ts';
import type { ScriptedServer, SentMessage } from './scripted-server.ts';

/**
 * Returns the response to a tool call: its arguments as text. Two servers use it, `speak` and `speakHttp`.
 * The tool `told` sends a notification first, and `asking` sends a request to the client first.
 */
export function answerOf({ id, params }: SentMessage): object {
  return {
    id,
    result: { content: [{ type: 'text', text: JSON.stringify(params?.arguments ?? null) }], isError: false },
  };
}

export const TOLD = { method: 'notifications/message', params: { level: 'info', data: 'secret word' } };
export const QUESTION = {
  id: 'question-1',
  method: 'sampling/createMessage',
  params: { messages: [], maxTokens: 1 },
};

/** Serves standard input and output. */
export function speak(message: SentMessage, server: ScriptedServer): void {
  const { id, method, params } = message;
  if (method === 'initialize') server.greet(message);
  else if (method === 'tools/call') {
    if (params?.name === 'told') server.say(TOLD);
    if (params?.name === 'asking') server.say(QUESTION);
    server.say(answerOf(message));
  } else if (id !== undefined && method !== undefined) server.say({ id, result: {} });
}

/** Serves streamable HTTP. */
export function speakHttp(request: Received, response: ServerResponse): void {
  if (request.method === 'GET') {
    response.writeHead(200, { 'Content-Type': 'text/event-stream' });
    response.write(event(TOLD));
    response.write(event(QUESTION));
    return;
  }
  if (request.method !== 'POST') {
    response.writeHead(200).end();
    return;
  }
  const message = JSON.parse(request.body.toString()) as SentMessage;
  const { id, method, params } = message;
  if (id === undefined || method === undefined) {
    response.writeHead(202).end();
    return;
  }
  const name: unknown = params?.name;
  if (name !== 'told' && name !== 'asking') {
    const result =
      method === 'tools/call'
        ? answerOf(message)
        : { id, result: { protocolVersion: params?.protocolVersion ?? '2025-06-18', capabilities: {} } };
    const headers = { 'Content-Type': 'application/json', 'Mcp-Session-Id': 'backend-session' };
    response.writeHead(200, method === 'initialize' ? headers : { 'Content-Type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', ...result }));
    return;
  }
  response.writeHead(200, { 'Content-Type': 'text/event-stream' });
  response.write(event(name === 'told' ? TOLD : QUESTION));
  response.end(event(answerOf(message)));
}

function event(message: object): string {
  return `event: message\nid: 7\ndata: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
}
