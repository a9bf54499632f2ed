import { readSmallFile } from '@portolan/plugin-api';
import { parseToolsOverride, type RunConfig } from '@portolan/run-spec';
import { fileUnreadable } from '../../../state/state-errors.ts';

/** Reads the file of `--tools-override`. Throws ERR_NAMED_FILE and ERR_SETTING. */
export async function readToolsOverride(file: string, signal: AbortSignal): Promise<Partial<RunConfig>> {
  let text: string;
  try {
    text = await readSmallFile(file, { signal });
  } catch (error) {
    signal.throwIfAborted();
    throw fileUnreadable('file of tool overrides', file, error);
  }
  return { tools_override: parseToolsOverride(text, file) };
}
