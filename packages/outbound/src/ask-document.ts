import { askAddress, type Answer, type Question } from './ask-address.ts';
import { NotHad } from './not-had.ts';

export interface DocumentQuestion extends Question {
  /** Most bytes of the answer, after decompression. */
  readonly mostBytes: number;
  /** Whether the body of an answer of a status is wanted; left out: of every one. */
  readonly reads?: (status: number) => boolean;
}

export interface DocumentAnswer extends Omit<Answer, 'body'> {
  /** Of the body, without parameters, in lower case; empty when none is said. */
  readonly type: string;
  /** All of the body; empty where it was not wanted. */
  readonly bytes: Buffer;
}

/**
 * Asks for a document of at most so many bytes, by the rules of `askAddress`.
 * Throws what that throws, and NotHad for a document that is longer.
 */
export async function askDocument(address: URL, question: DocumentQuestion): Promise<DocumentAnswer> {
  return await askAddress(address, question, async ({ body, ...answer }) => {
    const { mostBytes, reads = () => true } = question;
    const type = (answer.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const bytes = reads(answer.status) ? await readBytes(body, mostBytes) : Buffer.alloc(0);
    return { ...answer, type, bytes };
  });
}

async function readBytes(body: AsyncIterable<Uint8Array>, mostBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > mostBytes) throw new NotHad({ kind: 'size' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
