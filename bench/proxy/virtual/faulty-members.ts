import path from 'node:path';
import { freeAddress, startNode } from '../../registry/start-process.ts';
import { program, type TargetSource } from '../targets.ts';
import type { MemberArgument } from './member-argument.ts';

/** Starts members that are dead, hang, respond after 5 s, and respond with 429. */
export async function startFaultyMembers(source: TargetSource): Promise<readonly MemberArgument[]> {
  const dead = await freeAddress();
  return [
    { name: 'dead', hasPrefix: true, url: String(new URL('/mcp', dead)) },
    { name: 'hanging', hasPrefix: true },
    { name: 'slow', hasPrefix: true, url: await startFaulty(source, 'slow') },
    { name: 'limited', hasPrefix: true, url: await startFaulty(source, 'limited') },
  ];
}

async function startFaulty({ folder, undo }: TargetSource, way: string): Promise<string> {
  const url = await freeAddress();
  const server = startNode(url, {
    args: program('virtual/faulty-http.ts', url.port, way),
    environment: {},
    logFile: path.join(folder, `${way}-${url.port}.log`),
  });
  undo.push(way, () => server.stop());
  return String(new URL('/mcp', url));
}

/** Calls tools of members without end until `stop` is called, so that their failures happen during the measurement. */
export function callWithoutEnd(url: URL, names: readonly string[]): { stop(): Promise<void> } {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loops = names.map(async (name) => {
    while (!signal.aborted) {
      const body = callOf(name);
      await fetch(url, { method: 'POST', headers: headersOf(name), body, signal })
        .then((response) => response.text())
        .catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  });
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

const PAUSE_MS = 100;
const REVISION = '2026-07-28';

function headersOf(name: string): Record<string, string> {
  return {
    'Content-Type': 'application/json',
    Accept: 'application/json, text/event-stream',
    'MCP-Protocol-Version': REVISION,
    'Mcp-Method': 'tools/call',
    'Mcp-Name': name,
  };
}

function callOf(name: string): string {
  const meta = {
    'io.modelcontextprotocol/protocolVersion': REVISION,
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  return JSON.stringify({
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: {}, _meta: meta },
  });
}
