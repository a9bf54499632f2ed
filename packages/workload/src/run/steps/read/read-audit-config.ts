import path from 'node:path';
import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import { readPolicyDocument } from './read-policy-document.ts';

/** The settings in a file of --audit-config. Throws what readPolicyDocument throws. */
export async function readAuditConfig(file: string, signal: AbortSignal): Promise<Partial<RunConfig>> {
  const document = await readPolicyDocument('audit configuration', file, signal);
  return {
    audit_config: withWholeLogFile(document, path.dirname(file)),
    audit_config_path: file,
  };
}

/** A log file is meant from the folder of whoever names it, and kept by its whole path: a supervisor is in another one. */
export function withWholeLogFile(audit: JsonObject, folder: string): JsonObject {
  const { logFile } = audit;
  const isNamed = typeof logFile === 'string' && logFile !== '';
  return isNamed ? { ...audit, logFile: path.resolve(folder, logFile) } : audit;
}
