import { constants } from 'node:fs';
import { copyFile, readFile } from 'node:fs/promises';
import { textOf } from '@portolan/run-spec';
import { convertCatalogue, type ConvertedCatalogue } from './convert-catalogue.ts';
import { catalogueNotConverted } from './lookup-errors.ts';

export interface ConvertOptions {
  /** Content of the source, if it was read already. `from` is then only a name for messages. */
  readonly text?: string;
  /** File to write, which may be the source itself. */
  readonly to: string | undefined;
  /** Whether to copy the source to `FILE.bak` before writing. */
  readonly keepsBackup: boolean;
  readonly clock: () => Date;
  readonly write: (file: string, text: string) => Promise<void>;
}

export interface ConvertedFile extends ConvertedCatalogue {
  readonly backup: string | undefined;
}

/**
 * Converts a catalogue file atomically. Never overwrites a backup. Throws ERR_NAMED_FILE without any change,
 * and errors of writing.
 */
export async function convertCatalogueFile(
  from: string,
  { text, to, keepsBackup, clock, write }: ConvertOptions,
): Promise<ConvertedFile> {
  const converted = await convertCatalogue(from, text ?? (await readText(from)), clock);
  if (converted.unchanged && to === from) return { ...converted, backup: undefined };
  const backup = keepsBackup ? `${from}.bak` : undefined;
  if (backup !== undefined) await copyTo(from, backup);
  if (to !== undefined) await write(to, converted.text);
  return { ...converted, backup };
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw catalogueNotConverted(file, textOf(error), error);
  }
}

async function copyTo(from: string, backup: string): Promise<void> {
  try {
    await copyFile(from, backup, constants.COPYFILE_EXCL);
  } catch (error) {
    throw catalogueNotConverted(from, `no copy of it can be made: ${textOf(error)}`, error);
  }
}
