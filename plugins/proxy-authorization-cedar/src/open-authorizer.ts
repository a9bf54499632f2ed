import { isAbsolute } from 'node:path';
import type { Logger, ProxyMiddleware, ProxyContext } from '@portolan/plugin-api';
import { CedarAuthorizer } from './cedar-authorizer.ts';
import type { CedarConfig, CedarSettings } from './cedar-config.ts';
import { Denials } from './denials/denials.ts';
import { policiesUnreadable } from './errors.ts';
import type { PolicyFault } from './policies/policy-text.ts';
import { type ReadPolicies, readPolicies } from './policies/policy-set.ts';
import { readAuthzDocument } from './policies/read-authz-document.ts';
import { findDoubts } from './policies/validate-policies.ts';
import { type FileText, readFileText, WATCH_TIMES, WatchedFile } from './policies/watched-file.ts';

export interface AuthorizerContext extends Pick<ProxyContext, 'workload' | 'remark'> {
  readonly clock: () => Date;
  readonly nowMs: () => number;
  readonly logger: Logger;
}

interface Usable {
  readonly settings: CedarSettings;
  readonly read: ReadPolicies;
}

const KEPT = 'The policies of before stay in force.';
const INLINED = 'Those in the run config are in force.';

/**
 * Opens the authorizer with the policies of the original file while it exists, else with those in the run
 * config. Throws ERR_NAMED_FILE for invalid policies in the run config.
 */
export async function openAuthorizer(
  config: CedarConfig,
  context: AuthorizerContext,
  times: { readonly settleMs: number; readonly lookMs: number } = WATCH_TIMES,
): Promise<ProxyMiddleware> {
  const { workload, logger } = context;
  const inlined = usable(config.cedar);
  if (typeof inlined === 'string') throw policiesUnreadable(inlined);
  // A relative path has no known base directory here.
  const path = config.path !== undefined && isAbsolute(config.path) ? config.path : undefined;
  const known = path === undefined ? undefined : await readFileText(path);
  const match = path === undefined ? inlined : usableOrFault(known, path);
  if (typeof match === 'string') tell(context, path, match, INLINED);
  const first = typeof match === 'string' ? inlined : match;
  // The start has already reported warnings about the run config.
  if (JSON.stringify(first.settings) !== JSON.stringify(inlined.settings)) noteDoubts(first, logger);
  const authorizer = new CedarAuthorizer(first.settings, first.read, {
    server: workload.server,
    hasMembers: workload.hasMembers === true,
    denials: new Denials('cedar', context),
    logger,
    nowMs: context.nowMs,
  });
  if (path === undefined) return authorizer;
  const file = new WatchedFile(path, known, {
    ...times,
    changed: (now) => {
      const next = usableOrFault(now, path);
      const fault = typeof next === 'string' ? next : faultOfAdopting(authorizer, next);
      if (typeof next === 'string' || fault !== undefined) {
        tell(context, path, fault ?? '', KEPT);
        return;
      }
      logger.info({ file: path, policies: next.settings.policies.length }, 'policies were reloaded');
      context.remark('');
      noteDoubts(next, logger);
    },
  });
  return {
    onMessage: (message, exchange) => authorizer.onMessage(message, exchange),
    onResponse: (message, exchange) => authorizer.onResponse(message, exchange),
    namedTools: () => authorizer.namedTools(),
    close: async () => {
      await file.close();
      await authorizer.close();
    },
  };
}

/** Returns the parsed policies, or the fault for which the current policies stay in force. */
function usableOrFault(now: FileText, file: string): Usable | string {
  try {
    return usableIn(now, file);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

/** Returns the fault of new policies, which can be valid one by one but not together. */
function faultOfAdopting(authorizer: CedarAuthorizer, { settings, read }: Usable): string | undefined {
  try {
    authorizer.adopt(settings, read);
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

function usableIn(now: FileText, file: string): Usable | string {
  if (now === undefined) return 'it is gone';
  if ('fault' in now) return now.fault;
  const document = readAuthzDocument(now.text, file);
  return 'fault' in document ? document.fault : usable(document.config.cedar);
}

function usable(settings: CedarSettings): Usable | string {
  const read = readPolicies(settings);
  return 'policies' in read ? { settings, read } : inWords(read);
}

function inWords([fault]: readonly PolicyFault[]): string {
  return fault === undefined ? 'it has no policies' : `${fault.place}: ${fault.found}`;
}

function tell(
  { logger, remark }: AuthorizerContext,
  file: string | undefined,
  fault: string,
  so: string,
): void {
  logger.warn({ file, fault }, 'policy file cannot be used');
  remark(`The policies in ${file ?? 'its file'} cannot be used: ${fault}. ${so}`);
}

function noteDoubts({ settings, read }: Usable, logger: Logger): void {
  for (const { place, found } of findDoubts(read, settings.group_entity_type)) {
    logger.warn({ place, found }, 'policy may not do what its author meant');
  }
}
