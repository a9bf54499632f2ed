import { rename } from 'node:fs/promises';
import {
  type ParsedRunConfig,
  codeOf,
  isWorkloadName,
  parseRunConfig,
  quote,
  textOf,
} from '@portolan/run-spec';
import { stateForeign, stateInaccessible } from './state-errors.ts';
import { parseWorkloadState, type WorkloadState } from './workload-state.ts';
import { filesIn, readText } from './state-files.ts';

/** Renames a file if it exists. Throws ERR_STATE_INACCESSIBLE. */
export async function renameIfThere(from: string, to: string): Promise<void> {
  try {
    await rename(from, to);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') throw stateInaccessible(from, 'write', error);
  }
}

type Attempt<Value> = { readonly value: Value } | { readonly fault: string } | undefined;

/** Reads and parses a file; undefined if there is none. */
export async function attempt<Value>(file: string, parse: Parse<Value>): Promise<Attempt<Value>> {
  try {
    const text = await readText(file);
    return text === undefined ? undefined : { value: parse(text, file) };
  } catch (error) {
    return { fault: textOf(error) };
  }
}

export function isFault(attempted: Attempt<unknown>): boolean {
  return attempted !== undefined && 'fault' in attempted;
}

export function faultOf(attempted: Attempt<unknown>, whenMissing: string): string | undefined {
  if (attempted === undefined) return whenMissing;
  return 'fault' in attempted ? attempted.fault : undefined;
}

type Parse<Value> = (text: string, file: string) => Value;

/**
 * Returns a parser for the state of this workload. The parser compares the name in the file, because on a
 * case-insensitive file system the file may belong to another workload.
 */
export function stateOf(name: string): Parse<WorkloadState> {
  return (text, file) => {
    const state = parseWorkloadState(text, file);
    if (state.name !== name) throw stateForeign(file, `the state of ${quote(state.name)}`);
    return state;
  };
}

export function configOf(name: string): Parse<ParsedRunConfig> {
  return (text, file) => {
    const parsed = parseRunConfig(text, file);
    if (parsed.config.name !== name)
      throw stateForeign(file, `the run config of ${quote(parsed.config.name)}`);
    return parsed;
  };
}

export async function namesIn(folder: string, suffix = '.json'): Promise<readonly string[]> {
  const files = await filesIn(folder);
  const names = files.flatMap((file) => (file.endsWith(suffix) ? [file.slice(0, -suffix.length)] : []));
  return names.filter(isWorkloadName);
}
