import { textOf, type RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';

/**
 * Adds a workload to the configuration files of client programs. Sends a warning for each file that cannot be
 * changed. Does not say which clients get a command instead of an address: `registerClient` has said so.
 */
export async function announceToClients(
  { name, group }: RunConfig,
  context: WorkloadContext,
  observer: { warn(text: string): void },
): Promise<void> {
  const { addToClients } = await import('./update-clients.ts');
  const { findWorkloadAddress } = await import('./workload-address.ts');
  const warnings = await warningsOf(async () => {
    const address = await findWorkloadAddress(name, context);
    return address === undefined ? [] : await addToClients(address, group, context);
  });
  for (const warning of warnings) observer.warn(warning);
}

/**
 * Removes a workload from the files of client programs. Returns a warning for each file that cannot be
 * changed.
 */
export async function removeFromClientFiles(
  name: string,
  context: WorkloadContext,
  url?: string,
): Promise<readonly string[]> {
  const { removeFromClients } = await import('./update-clients.ts');
  return await warningsOf(() => removeFromClients(name, context, { url }));
}

async function warningsOf(change: () => Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await change();
  } catch (error) {
    return [`The client files could not be changed: ${textOf(error)}.`];
  }
}
