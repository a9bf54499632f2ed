import { readSmallFile } from '@portolan/plugin-api';
import { type ParsedRunConfig, parseRunConfig, type PathContext } from '@portolan/run-spec';
import { fileUnreadable } from '../../../state/state-errors.ts';

/** Where a file is named, this stands for standard input. */
export const STANDARD_INPUT = '-';

/** A file as it is called in sentences. */
export function nameOfFile(file: string): string {
  return file === STANDARD_INPUT ? 'standard input' : file;
}

/** Reads the file of `--from-config`, and resolves relative paths in it. Throws ERR_NAMED_FILE, and what `parseRunConfig` throws. */
export async function readRunConfigFile(
  file: string,
  context: PathContext,
  signal?: AbortSignal,
): Promise<ParsedRunConfig & { readonly text: string }> {
  let text: string;
  try {
    text = await readSmallFile(file, { signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw fileUnreadable('file of --from-config', file, error);
  }
  return { ...parseRunConfig(text, file, context), text };
}
