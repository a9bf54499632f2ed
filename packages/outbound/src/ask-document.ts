import { askAddress, type AddressResponse, type Question } from './ask-address.ts';
import { FetchError } from './fetch-error.ts';

export interface DocumentQuestion extends Question {
  /** Maximum bytes of the response after decompression. */
  readonly maxBytes: number;
  /** Returns whether to read the body for a status. Default: always. */
  readonly reads?: (status: number) => boolean;
}

export interface DocumentResponse extends Omit<AddressResponse, 'body'> {
  /** Lower-case media type without parameters. */
  readonly type: string;
  readonly bytes: Buffer;
}

/** Requests a document of limited size, like `askAddress`. Also throws FetchError for a larger one. */
export async function askDocument(address: URL, question: DocumentQuestion): Promise<DocumentResponse> {
  return await askAddress(address, question, async ({ body, ...response }) => {
    const { maxBytes, reads = () => true } = question;
    const type = (response.headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
    const bytes = reads(response.status) ? await readBytes(body, maxBytes) : Buffer.alloc(0);
    return { ...response, type, bytes };
  });
}

async function readBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    // Throwing leaves the loop, which cancels the rest of the body.
    if (size > maxBytes) throw new FetchError({ kind: 'size' });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
