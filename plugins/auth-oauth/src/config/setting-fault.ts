import { isAbsolute } from 'node:path';
import type { KindProblem } from '@portolan/plugin-api';
import { findCredentialFault } from './find-file-fault.ts';

type SettingFault = Omit<KindProblem, 'place'>;

export function examine(
  place: string,
  text: string | undefined,
  findFault: (text: string) => SettingFault | undefined,
): readonly KindProblem[] {
  const fault = text === undefined ? undefined : findFault(text);
  return fault === undefined ? [] : [{ place, ...fault }];
}

export function findSecretFault(path: string): SettingFault | undefined {
  if (isAbsolute(path)) return findCredentialFault(path);
  return { found: `the relative path ${JSON.stringify(path)}`, expected: 'an absolute path' };
}
