import path from 'node:path';
import { readSmallFile } from '@portolan/plugin-api';
import { isJsonObject, type RunRequest, readJson } from '@portolan/run-spec';
import type { FileWorkload, WorkloadsFile } from '@portolan/run-spec/workloads-file';
import { fileUnreadable } from '../../state/state-errors.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { readRunConfigFile, STANDARD_INPUT } from '../steps/read/run-config-file.ts';

/** A workloads file and its content. */
export interface WorkloadsSource extends WorkloadsFile {
  /** Absolute path of the file, or `-` for standard input. Relative paths in the file begin at its folder. */
  readonly file: string;
  readonly text: string;
}

type FileContext = Pick<WorkloadContext, 'workingDirectory' | 'home' | 'readInput'>;

/** Reads a workloads file. Throws ERR_NAMED_FILE, and ERR_SETTING with every problem and its place. */
export async function readWorkloadsFile(
  named: string,
  context: FileContext,
  signal: AbortSignal,
): Promise<WorkloadsSource> {
  const { workingDirectory, home } = context;
  const isInput = named === STANDARD_INPUT;
  const file = isInput ? named : path.resolve(workingDirectory, named);
  const text = isInput ? ((await context.readInput?.(signal)) ?? '') : await readText(file, signal);
  const { parseWorkloadsFile } = await import('@portolan/run-spec/workloads-file');
  const paths = { workingDirectory: folderOfFile(file, context), home };
  return { file, text, ...parseWorkloadsFile(text, isInput ? 'standard input' : file, paths) };
}

/** Returns the folder that relative paths of a workloads file begin at. */
export function folderOfFile(
  file: string,
  { workingDirectory }: Pick<WorkloadContext, 'workingDirectory'>,
): string {
  return file === STANDARD_INPUT || file === '' ? workingDirectory : path.dirname(file);
}

async function readText(file: string, signal: AbortSignal): Promise<string> {
  try {
    return await readSmallFile(file, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw fileUnreadable('file of --file', file, error);
  }
}

/**
 * Returns the request of `run` for a workload of a file. Throws ERR_NAMED_FILE, and like `parseRunConfig` for a
 * run config of a file.
 */
export async function requestOf(
  { name, target, args, flags, config }: FileWorkload,
  { file, folder, home }: { readonly file: string; readonly folder: string; readonly home: string },
  signal: AbortSignal,
): Promise<RunRequest> {
  if (config === undefined) return { target, args, flags: { ...flags, name } };
  const base = { target: undefined, args: [], flags: {} };
  if ('text' in config) return { ...base, fromConfig: file, fromText: withName(config.text, name) };
  const named = path.resolve(folder, config.file.replace(/^~(?=\/)/, home));
  const { text } = await readRunConfigFile(named, { workingDirectory: folder, home }, signal);
  return { ...base, fromConfig: named, fromText: withName(text, name) };
}

/** Returns the text of a run config with the name of the workload, unchanged if it has that name. */
function withName(text: string, name: string): string {
  const reading = readJson(text);
  if (!('value' in reading) || !isJsonObject(reading.value)) return text; // the run reports the fault
  return reading.value['name'] === name
    ? text
    : `${JSON.stringify({ ...reading.value, name }, undefined, 2)}\n`;
}
