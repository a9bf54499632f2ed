import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { startTestIssuer } from '@portolan/plugin-testing';
import { policies, startCollector } from '../proxy/policies/settings.ts';
import type { UndoStack } from '../registry/undo-stack.ts';

/** All that may stand in front of a server at once, as flags of `portolan run`, and what lets a client in then. */
export interface PolicyFlags {
  readonly flags: readonly string[];
  readonly token: string;
}

const AUDIENCE = 'bench';
const HOUR_S = 3600;

/** An issuer and a collector on loopback, fifty Cedar policies, and a record of calls. */
export async function openPolicyFlags(folder: string, undo: UndoStack): Promise<PolicyFlags> {
  const issuer = await startTestIssuer({ audience: AUDIENCE });
  undo.push('the issuer', () => issuer.close());
  const collector = await startCollector(undo);
  const file = path.join(folder, 'authz.json');
  await writeFile(file, JSON.stringify({ version: '1.0', type: 'cedarv1', cedar: { policies: policies() } }));
  return {
    flags: [
      `--oidc-issuer=${issuer.issuerUrl}`,
      `--oidc-audience=${AUDIENCE}`,
      '--jwks-allow-private-ip',
      '--oidc-insecure-allow-http',
      `--authz-config=${file}`,
      '--enable-audit',
      `--otel-endpoint=${new URL(collector).host}`,
      '--otel-insecure',
      '--otel-sampling-rate=1',
    ],
    token: issuer.sign({
      sub: 'caller',
      groups: ['everybody'],
      scope: 'mcp',
      exp: Math.floor(Date.now() / 1000) + HOUR_S,
    }),
  };
}
