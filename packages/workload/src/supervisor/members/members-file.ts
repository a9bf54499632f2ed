import path from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { readSmallFile } from '@portolan/plugin-api';
import { codeOf, textOf } from '@portolan/run-spec';
import { type FolderWatch, watchFolder } from '../../state/watch-folder.ts';

/** Content of a members file: its text, or why it cannot be read. */
export type FileContent = { readonly text: string } | { readonly fault: string };

/** Time in milliseconds after which a second read must equal the first, so that no half-written file counts. */
const SETTLE_MS = 200;

/** Reads the members file of a virtual server. Never rejects. */
export async function readMembersText(file: string): Promise<FileContent> {
  try {
    return { text: await readSmallFile(file) };
  } catch (error) {
    return { fault: codeOf(error) === 'ENOENT' ? 'it does not exist' : textOf(error) };
  }
}

/**
 * Watches a members file by its path, also when it is replaced. `changed` gets each new content, once it is
 * completely written. `known` is the content that the caller has.
 */
export function watchMembersFile(
  file: string,
  known: FileContent | undefined,
  changed: (content: FileContent) => void,
): FolderWatch {
  let reported = JSON.stringify(known);
  let isClosed = false;
  let looking: Promise<void> | undefined;
  const look = async (): Promise<void> => {
    for (;;) {
      const content = await readMembersText(file);
      if (JSON.stringify(content) === reported) return;
      await pass(SETTLE_MS, undefined, { ref: false });
      if (isClosed) return;
      const text = JSON.stringify(await readMembersText(file));
      if (text !== JSON.stringify(content)) continue;
      reported = text;
      return changed(content);
    }
  };
  const name = path.basename(file);
  const watching = watchFolder({
    folder: path.dirname(file),
    isWatched: (one) => one === name,
    changed: () => {
      looking ??= look().finally(() => {
        looking = undefined;
      });
    },
  });
  return {
    close: () => {
      isClosed = true;
      watching.close();
    },
  };
}
