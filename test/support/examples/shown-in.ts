import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Something of a document that its reader copies. */
export interface Shown {
  /** The language of a block; `words` is a command within a sentence. */
  readonly language: string;
  readonly text: string;
}

/** Programs whose commands stand in sentences, too. */
const IN_SENTENCES = /^(?:docker|helm|kubectl|systemctl|portolan migrate) \S/;

/** All that a document shows, in order: its blocks, then the commands within its sentences. */
export async function readShown(document: string): Promise<readonly Shown[]> {
  const markdown = await readFile(path.join(ROOT, document), 'utf8');
  const blocks: Shown[] = [];
  const sentences = markdown.replaceAll(
    /^ *```(\w*)\n(.*?)^ *```$/gms,
    (_all, language: string, text: string) => {
      blocks.push({ language, text });
      return '';
    },
  );
  const words = [...sentences.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text.replaceAll('\n', ' '));
  const commands = new Set(words.filter((text) => IN_SENTENCES.test(text)));
  return [...blocks, ...[...commands].map((text) => ({ language: 'words', text }))];
}

/**
 * What a document shows that begins so. A test that runs it takes it from here, so that the two stay the same:
 * `guide-commands.test.ts` looks for the calls. Throws unless there is exactly one.
 */
export async function shownIn(document: string, beginning: string): Promise<string> {
  const [found, ...more] = (await readShown(document)).filter(({ text }) => text.startsWith(beginning));
  if (found === undefined || more.length > 0)
    throw new Error(
      `${document} shows ${found === undefined ? 'nothing' : 'several'} that begins with ${beginning}`,
    );
  return found.text;
}

/** The text with what stands for this machine in place of what the guide has. Throws for what is not in it. */
export function asHere(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((all, [shown, here]) => {
    if (!all.includes(shown)) throw new Error(`not in what the guide shows: ${shown}`);
    return all.replaceAll(shown, here);
  }, text);
}
