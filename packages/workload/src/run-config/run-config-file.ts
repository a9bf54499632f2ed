import { readFile } from 'node:fs/promises';
import { fileUnreadable } from '../errors.ts';
import { writeAtomically } from '../state/write-atomically.ts';
import { formatRunConfig } from './format-run-config.ts';
import { type ParsedRunConfig, parseRunConfig } from './parse-run-config.ts';
import type { RunConfig } from './run-config.ts';

/** Reads the file of `--from-config`. Throws ERR_RUN_FILE_UNREADABLE, and what `parseRunConfig` throws. */
export async function readRunConfigFile(file: string, signal?: AbortSignal): Promise<ParsedRunConfig> {
  let text: string;
  try {
    text = await readFile(file, { encoding: 'utf8', signal });
  } catch (error) {
    signal?.throwIfAborted();
    throw fileUnreadable('run configuration', file, error);
  }
  return parseRunConfig(text, file);
}

/**
 * Writes a run config where the user wants it: folders are made, the file is
 * for its owner only, and one that was there is replaced. Throws
 * ERR_RUN_CONFIG_SECRET and ERR_STATE_INACCESSIBLE.
 */
export async function exportRunConfig(config: RunConfig, file: string): Promise<void> {
  await writeAtomically(file, formatRunConfig(config), 0o750);
}
