import { runConfigHoldsSecret } from './run-config-errors.ts';
import { findClearSecrets } from './lift-secrets.ts';
import type { RunConfig } from './run-config.ts';
import { runConfigDocument } from './run-config-document.ts';

/**
 * Formats a run config as JSON without zero values, except those that the format requires. Throws
 * ERR_RUN_CONFIG_SECRET for a plain-text secret, which `liftSecrets` replaces.
 */
export function formatRunConfig(config: RunConfig): string {
  const clear = findClearSecrets(config);
  if (clear.length > 0) throw runConfigHoldsSecret(clear);
  return `${JSON.stringify(runConfigDocument(config), undefined, 2)}\n`;
}
