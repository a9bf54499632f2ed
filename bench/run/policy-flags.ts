import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openPolicyBench } from '../proxy/policies/settings.ts';
import type { UndoStack } from '../registry/undo-stack.ts';

/** All that may stand in front of a server at once, as flags of `portolan run`, and what lets a client in then. */
export interface PolicyFlags {
  readonly flags: readonly string[];
  readonly token: string;
}

/** An issuer and a collector on loopback, fifty Cedar policies, and a record of calls. */
export async function openPolicyFlags(folder: string, undo: UndoStack): Promise<PolicyFlags> {
  const { issuerUrl, audience, endpoint, policies, tokenFor } = await openPolicyBench(folder, undo);
  const file = path.join(folder, 'authz.json');
  await writeFile(file, JSON.stringify({ version: '1.0', type: 'cedarv1', cedar: { policies } }));
  return {
    flags: [
      `--oidc-issuer=${issuerUrl}`,
      `--oidc-audience=${audience}`,
      '--jwks-allow-private-ip',
      '--oidc-insecure-allow-http',
      `--authz-config=${file}`,
      '--enable-audit',
      `--otel-endpoint=${new URL(endpoint).host}`,
      '--otel-insecure',
      '--otel-sampling-rate=1',
    ],
    token: tokenFor(1),
  };
}
