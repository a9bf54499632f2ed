import { resolve } from 'node:path';
import { isPlainMap } from '../../config/plain-data.ts';
import { findSessionKeysFault } from '../../config/session-keys.ts';
import { describeValue } from '../../faults/describe-value.ts';
import type { KindTable } from '../../kinds/kind-table.ts';
import { durationMs } from './duration-ms.ts';
import type { Report, RuleInput } from './rule.ts';

/** Requires a public address and session keys when pages with browser logins are configured. */
export function checkSessions({ config, kinds, directory }: RuleInput, report: Report): void {
  const { pages, auth, server, sessions } = config;
  const keyFile = isPlainMap(sessions) ? sessions['keyFile'] : undefined;
  if (typeof keyFile === 'string' && keyFile !== '') {
    const fault = findSessionKeysFault(resolve(directory, keyFile));
    if (fault !== undefined) report(['sessions', 'keyFile'], fault.found, fault.expected);
  }
  for (const name of ['idle', 'lifetime']) {
    const text = isPlainMap(sessions) ? sessions[name] : undefined;
    if (typeof text === 'string' && durationMs(text) === 0)
      report(['sessions', name], describeValue(text), 'a duration above zero');
  }
  if (!isPlainMap(pages) || Object.keys(pages).length === 0 || !logsIn(auth, kinds)) return;
  const because = 'since people log in on the pages';
  if (keyFile === undefined) report(['sessions', 'keyFile'], 'nothing', `a file with keys, ${because}`);
  if (!isPlainMap(server) || server['publicUrl'] === undefined)
    report(['server', 'publicUrl'], 'nothing', `the address that browsers use, ${because}`);
}

function logsIn(auth: unknown, kinds: KindTable): boolean {
  const mode = isPlainMap(auth) ? auth['mode'] : undefined;
  if (!isPlainMap(auth) || typeof mode !== 'string') return false;
  try {
    return kinds.authProviders.get(mode)?.kind.logsIn?.(structuredClone(auth[mode])) === true;
  } catch {
    return false;
  }
}
