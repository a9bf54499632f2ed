import { turnsBy } from './short-turns.ts';

/** What is searched, in lower case. */
interface Searched {
  readonly searched: string;
}

/** Entries of a block; those of a list that has no more are looked into one by one. */
const BLOCK = 512;
const WORDS_OF_BLOCK = BLOCK / 32;
/** Of a text's signature: the three letters that begin at each place in it set one of them. */
const BITS = 1024;

/** Of each bit, which entries of the block have it, one after the other. */
type Block = Uint32Array<ArrayBuffer>;

/** By list; it goes with the list. */
const BLOCKS = new WeakMap<readonly Searched[], Promise<readonly Block[]>>();

/**
 * Those entries whose text has every word in it, in their order. A long list is
 * looked through in short turns, and only where the signatures of its texts say
 * that they may have the words: a signature file in slices (Faloutsos and
 * Christodoulakis, 1984), since a word may begin within another one.
 */
export async function findWords<Entry extends Searched>(
  entries: readonly Entry[],
  words: readonly string[],
  turn: () => Promise<void>,
): Promise<readonly Entry[]> {
  const has = ({ searched }: Entry): boolean => words.every((word) => searched.includes(word));
  if (words.length === 0) return entries;
  if (entries.length <= BLOCK) return entries.filter(has);
  const bits = [...new Set(words.flatMap((word) => bitsOf(word)))];
  const blocks = bits.length === 0 ? undefined : await blocksOf(entries, turn);
  const found: Entry[] = [];
  const rest = turnsBy(turn);
  for (let first = 0; first < entries.length; first += BLOCK) {
    const block = blocks?.[first / BLOCK];
    const part = entries.slice(first, first + BLOCK);
    found.push(...(block === undefined ? part : possibleIn(block, bits, part)).filter(has));
    await rest();
  }
  return found;
}

async function blocksOf(entries: readonly Searched[], turn: () => Promise<void>): Promise<readonly Block[]> {
  const known = BLOCKS.get(entries) ?? makeBlocks(entries, turn);
  BLOCKS.set(entries, known);
  return await known;
}

async function makeBlocks(
  entries: readonly Searched[],
  turn: () => Promise<void>,
): Promise<readonly Block[]> {
  const blocks: Block[] = [];
  const rest = turnsBy(turn);
  for (const [index, { searched }] of entries.entries()) {
    const at = index % BLOCK;
    if (at === 0) blocks.push(new Uint32Array(BITS * WORDS_OF_BLOCK));
    // SAFETY: the first entry of a block has made it.
    const block = blocks.at(-1) as Block;
    const word = at >>> 5;
    for (let letter = 0; letter + 2 < searched.length; letter += 1) {
      const place = bitAt(searched, letter) * WORDS_OF_BLOCK + word;
      block[place] = (block[place] ?? 0) | (1 << (at & 31));
    }
    const waits = rest();
    if (waits !== undefined) await waits;
  }
  return blocks;
}

/** Entries of a block that have all these bits. */
function possibleIn<Entry>(block: Block, bits: readonly number[], part: readonly Entry[]): readonly Entry[] {
  const possible: Entry[] = [];
  for (let word = 0; word < WORDS_OF_BLOCK; word += 1) {
    let all = -1;
    for (const bit of bits) all &= block[bit * WORDS_OF_BLOCK + word] ?? 0;
    for (let rest = all; rest !== 0; rest &= rest - 1) {
      const entry = part[word * 32 + 31 - Math.clz32(rest & -rest)];
      if (entry !== undefined) possible.push(entry);
    }
  }
  return possible;
}

/** None for a text of less than three letters. */
function bitsOf(text: string): readonly number[] {
  return Array.from({ length: Math.max(0, text.length - 2) }, (_, at) => bitAt(text, at));
}

/** That of the three letters at a place. */
function bitAt(text: string, at: number): number {
  const letters =
    Math.imul(text.charCodeAt(at), 0x9e3779b1) ^
    Math.imul(text.charCodeAt(at + 1), 0x85ebca6b) ^
    Math.imul(text.charCodeAt(at + 2), 0xc2b2ae35);
  return Math.imul(letters ^ (letters >>> 15), 0x27d4eb2f) >>> 22;
}
