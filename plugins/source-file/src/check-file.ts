import { type KindProblem, parseDuration } from '@portolan/plugin-api';
import type { FileConfig } from './file-config.ts';
import { findUrlFault } from './parse-catalogue-url.ts';

const LONGEST_TIMEOUT_MS = 3_600_000;

/** What is wrong with a block and cannot be said by its schema. Whether a file is there is not asked: it may come later. */
export function checkFile(config: FileConfig): readonly KindProblem[] {
  const fault = config.url === undefined ? undefined : findUrlFault(config.url);
  const ofUrl = { place: 'url', found: fault ?? '', expected: 'an http or https address' };
  return [...(fault === undefined ? [] : [ofUrl]), ...checkTimeout(config), ...checkData(config)];
}

/** Inline text is looked at now, since it will not change by itself; its entries are, when it is read. */
function checkData({ data }: FileConfig): readonly KindProblem[] {
  if (data === undefined) return [];
  const problem = (found: string): readonly KindProblem[] => [
    { place: 'data', found, expected: 'the JSON text of a catalogue' },
  ];
  let document: unknown;
  try {
    document = JSON.parse(data);
  } catch {
    return problem('text that is no JSON');
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    return problem('JSON that is no map');
  const keys = ['data', 'servers', 'remote_servers'];
  return keys.some((key) => Object.hasOwn(Object(document), key))
    ? []
    : problem(`a map without ${keys.join(', ')}`);
}

/** The same for `timeout` alone. */
export function checkTimeout({ url, timeout }: FileConfig): readonly KindProblem[] {
  if (timeout === undefined) return [];
  const found = JSON.stringify(timeout);
  if (url === undefined) {
    return [{ place: 'timeout', found: `${found} without url`, expected: 'none: it limits a download' }];
  }
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS) return [];
  return [{ place: 'timeout', found, expected: 'a duration above zero and at most 1h' }];
}
