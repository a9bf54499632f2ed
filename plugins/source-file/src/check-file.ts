import { type KindProblem, parseDuration } from '@portolan/plugin-api';
import type { FileConfig } from './file-config.ts';
import { findUrlFault } from './parse-catalogue-url.ts';

const LONGEST_TIMEOUT_MS = 3_600_000;

/** What is wrong with a block and cannot be said by its schema. Whether a file is there is not asked: it may come later. */
export function checkFile(config: FileConfig): readonly KindProblem[] {
  const fault = config.url === undefined ? undefined : findUrlFault(config.url);
  const ofUrl = { place: 'url', found: fault ?? '', expected: 'an http or https address' };
  return [...(fault === undefined ? [] : [ofUrl]), ...checkTimeout(config)];
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
