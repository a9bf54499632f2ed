import { readFile } from 'node:fs/promises';
import path from 'node:path';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** A sample of a document. */
export interface Shown {
  /** Language of the block. `words` is a command within a sentence. */
  readonly language: string;
  readonly text: string;
}

/** Programs whose commands also appear within sentences. */
const IN_SENTENCES = /^(?:docker|helm|kubectl|systemctl|portolan migrate) \S/;

/** Returns the samples of a document in order: first its blocks, then the commands within sentences. */
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
 * Returns the one sample of a document with this beginning. Tests take samples from the document, so that
 * both stay the same. `guide-commands.test.ts` looks for the calls. Throws unless exactly one sample matches.
 */
export async function shownIn(document: string, beginning: string): Promise<string> {
  const [shown, ...more] = (await readShown(document)).filter(({ text }) => text.startsWith(beginning));
  if (shown === undefined || more.length > 0)
    throw new Error(
      `${document} shows ${shown === undefined ? 'nothing' : 'several'} that begins with ${beginning}`,
    );
  return shown.text;
}

/**
 * Returns the text with values of this machine in place of those of the guide. Throws if the text does not
 * contain one of them.
 */
export function asHere(text: string, replacements: Readonly<Record<string, string>>): string {
  return Object.entries(replacements).reduce((all, [shown, here]) => {
    if (!all.includes(shown)) throw new Error(`not in what the guide shows: ${shown}`);
    return all.replaceAll(shown, here);
  }, text);
}
