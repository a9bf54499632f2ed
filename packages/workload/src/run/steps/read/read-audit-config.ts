import path from 'node:path';
import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import { readPolicyDocument } from './read-policy-document.ts';

/** Reads the file of `--audit-config`. Throws like `readPolicyDocument`. */
export async function readAuditConfig(file: string, signal: AbortSignal): Promise<Partial<RunConfig>> {
  const document = await readPolicyDocument('audit configuration', file, signal);
  return {
    audit_config: withWholeLogFile(document, path.dirname(file)),
    audit_config_path: file,
  };
}

/** Makes the path of the log file absolute, because the supervisor has another working directory. */
export function withWholeLogFile(audit: JsonObject, folder: string): JsonObject {
  const { logFile } = audit;
  const isNamed = typeof logFile === 'string' && logFile !== '';
  return isNamed ? { ...audit, logFile: path.resolve(folder, logFile) } : audit;
}
