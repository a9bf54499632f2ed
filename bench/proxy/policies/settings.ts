import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { startTestIssuer } from '@portolan/plugin-testing';
import type { UndoStack } from '../../registry/undo-stack.ts';

/** Settings of middleware kinds by name, as `portolan run` derives them from a run config. */
export interface PolicySettings {
  readonly oauth?: object;
  readonly middleware: readonly { readonly kind: string; readonly settings: object }[];
}

/** Shared parts of all policy measurements. */
export interface PolicyBench {
  /** Writes settings to a new file and returns its name. */
  file(name: string, settings: PolicySettings): Promise<string>;
  readonly issuerUrl: string;
  readonly audience: string;
  /** Address of the collector. */
  readonly endpoint: string;
  /** Fifty policies, of which one permits the call: by scope, groups, claims and arguments. */
  readonly policies: readonly string[];
  readonly oauth: object;
  readonly observing: PolicySettings['middleware'];
  readonly cedar: PolicySettings['middleware'];
  /** Returns a unique token for a session. */
  readonly tokenFor: (session: number) => string;
}

const AUDIENCE = 'bench';
const POLICIES = 50;
const HOUR_S = 3600;

/** Starts an issuer and a collector on loopback, with typical settings that refer to them. */
export async function openPolicyBench(folder: string, undo: UndoStack): Promise<PolicyBench> {
  const issuer = await startTestIssuer({ audience: AUDIENCE });
  undo.push('the issuer', () => issuer.close());
  const endpoint = await startCollector(undo);
  return {
    issuerUrl: issuer.issuerUrl,
    audience: AUDIENCE,
    endpoint,
    policies: policies(),
    file: async (name, settings) => {
      const file = path.join(folder, `${name}.json`);
      await writeFile(file, JSON.stringify(settings));
      return file;
    },
    oauth: {
      provider: { name: 'bench', issuerUrl: issuer.issuerUrl, audience: AUDIENCE, allowPrivateIP: true },
      mcpRules: true,
    },
    observing: [
      { kind: 'audit', settings: { logFile: path.join(folder, 'audit.jsonl') } },
      { kind: 'telemetry', settings: { endpoint } },
      { kind: 'trace-context', settings: {} },
    ],
    cedar: [
      { kind: 'cedar', settings: { version: '1.0', type: 'cedarv1', cedar: { policies: policies() } } },
    ],
    tokenFor: (session) =>
      issuer.sign({
        sub: `caller-${session}`,
        name: `Caller ${session}`,
        email: `caller-${session}@acme.example`,
        groups: ['everybody', `team-${session % 7}`],
        scope: 'mcp',
        exp: Math.floor(Date.now() / 1000) + HOUR_S,
      }),
  };
}

function policies(): readonly string[] {
  const others = Array.from({ length: POLICIES - 1 }, (_none, at) => {
    switch (at % 4) {
      case 0:
        return `permit(principal in THVGroup::"group-${at}", action == Action::"call_tool", resource == Tool::"tool-${at}");`;
      case 1:
        return `permit(principal, action == Action::"read_resource", resource) when { resource.uri like "file:///srv/${at}/*" };`;
      case 2:
        return `forbid(principal, action == Action::"call_tool", resource == Tool::"tool-${at}") unless { principal has claim_email && principal.claim_email like "*@acme.example" };`;
      default:
        return `permit(principal, action == Action::"call_tool", resource) when { context has arg_amount && context.arg_amount.lessThan(decimal("${at}.5")) };`;
    }
  });
  return [
    'permit(principal in THVGroup::"everybody", action == Action::"call_tool", resource) when { principal has claim_scope && principal.claim_scope like "*mcp*" };',
    ...others,
  ];
}

/**
 * Starts a collector that accepts everything. It runs in this process, so that the proxy pays only for
 * sending.
 */
async function startCollector(undo: UndoStack): Promise<string> {
  const server = createServer((request, response) => {
    request.resume();
    request.on('end', () => response.writeHead(200, { 'Content-Length': 0 }).end());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  undo.push('the collector', async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  // SAFETY: it listens on a TCP port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
