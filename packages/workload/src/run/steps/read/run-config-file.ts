import { readSmallFile } from '@portolan/plugin-api';
import { type ParsedRunConfig, parseRunConfig, type PathContext } from '@portolan/run-spec';
import { fileUnreadable } from '../../../state/state-errors.ts';

/** File name that stands for standard input. */
export const STANDARD_INPUT = '-';

export function nameOfFile(file: string): string {
  return file === STANDARD_INPUT ? 'standard input' : file;
}

/** Reads the file of `--from-config`. Throws ERR_NAMED_FILE, and like `parseRunConfig`. */
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
