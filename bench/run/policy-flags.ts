import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openPolicyBench } from '../proxy/policies/settings.ts';
import type { UndoStack } from '../registry/undo-stack.ts';

/** Flags of `portolan run` for all policies at once, and the token that they accept. */
export interface PolicyFlags {
  readonly flags: readonly string[];
  readonly token: string;
}

/**
 * Starts an issuer and a collector on loopback, and returns flags with fifty Cedar policies and an audit log.
 */
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
